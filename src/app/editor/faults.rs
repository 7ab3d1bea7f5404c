//! The Faults tab: what is on, since when and how often it acted, how it ends; below it the form for a new one.

use super::super::bits::{Dispatch, seconds, use_dispatch, use_lang};
use super::super::update::copy;
use super::super::words::Lang;
use super::putin::PutIn;
use crate::session::action::Action;
use crate::session::view::{Choices, Fault, Ruling, Text};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct FaultsProps {
    pub faults: Rc<Vec<Fault>>,
    pub choices: Option<Rc<Choices>>,
    pub past: bool,
}

#[component]
pub fn Faults(props: &FaultsProps) -> Html {
    super::super::later::wanted();
    let (lang, go) = (use_lang(), use_dispatch());
    let lasting = props.faults.iter().filter(|f| f.rule.is_some()).count();
    let key = |n: usize, f: &Fault| f.rule.as_ref().map_or_else(|| ["n", &n.to_string()].concat(), |r| r.id.to_string());
    html! {
        <div class="side">
            if props.faults.is_empty() {
                <p class="mid">{ lang.raw("flt.none") }</p>
            } else {
                <ul class="flts on" aria-label={lang.raw("fp.on")}>{ for props.faults.iter().enumerate().map(|(n, f)| html! { <li key={key(n, f)}>{ fault(lang, &go, f, props.past) }</li> }) }</ul>
            }
            if lasting > 1 {
                <p><button type="button" class="btn sm line" disabled={props.past} onclick={go.on(Action::EndFaults)}>{ lang.raw("flt.endall") }</button></p>
            }
            if let Some(choices) = &props.choices { <PutIn choices={choices.clone()} past={props.past} /> }
            <p class="dim">{ lang.raw("flt.note") }{ " " }{ lang.raw("wire.teach") }</p>
        </div>
    }
}

fn fault(lang: Lang, go: &Dispatch, f: &Fault, past: bool) -> Html {
    let what = lang.say(&f.what);
    // A stopped loop has its own button on its card, and this one is of the same kind.
    let label = [lang.raw("flt.end"), ": ", &what, " ", &f.target].concat();
    let end = f.undo.as_ref().map(|undo| {
        html! { <button type="button" class="btn sm line" aria-label={label.clone()} disabled={past} onclick={go.on(undo.clone())}>{ lang.raw("flt.end") }</button> }
    });
    html! {<>
        <p class="sw"><span>{ what }</span><span class="m dim">{ f.target.to_string() }</span>{ end.unwrap_or_default() }</p>
        { f.rule.as_ref().map(|r| ruling(lang, r)).unwrap_or_default() }
    </>}
}

/// What is known of a rule in force, and its document to copy.
fn ruling(lang: Lang, r: &Ruling) -> Html {
    let time = |ms: u64| Text::from([&seconds(ms), "s"].concat());
    let mut said = lang.fill("fp.since", &[("t", time(r.since_ms))]);
    if let Some(until) = r.until_ms {
        said.push_str(" · ");
        said.push_str(&lang.fill("fp.until", &[("t", time(until))]));
    }
    if r.acted > 0 {
        said.push_str(" · ");
        said.push_str(&lang.fill("fp.acted", &[("n", r.acted.into())]));
    }
    let document = r.document.clone();
    let all = Callback::from(|e: FocusEvent| {
        let input: web_sys::HtmlInputElement = e.target_unchecked_into();
        input.select();
    });
    let onclick = Callback::from(move |_: MouseEvent| {
        let _ = copy(&document);
    });
    html! {<>
        <p class="dim num">{ said }</p>
        <p class="srow"><input class="m" readonly=true value={r.document.to_string()} aria-label={lang.raw("fp.document")} onfocus={all} /><button type="button" class="btn sm q" {onclick}>{ lang.raw("fp.copy") }</button></p>
    </>}
}
