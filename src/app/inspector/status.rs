//! Spec beside status, conditions, events, and what the last revision changed.

use super::super::bits::{Dispatch, bd, thousands, use_dispatch, use_lang};
use super::super::icons::{hl, tone};
use super::super::words::Lang;
use crate::session::action::Action;
use crate::session::view::{Cell, Condition, DiffLine, EventLine, Health, Inspector, Sign, Text, Writer};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct StatusProps {
    pub view: Rc<Inspector>,
    pub past: bool,
}

#[component]
pub fn Status(props: &StatusProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let v = &*props.view;
    html! {<>
        if let Some((a, b, c)) = v.gap { <p class="gap">{ lang.fill("in.gap", &[("a", thousands(a).into()), ("b", thousands(b).into()), ("c", thousands(c).into())]) }</p> }
        { split(lang, v) }
        { deeds(lang, &go, v, props.past) }
        { conditions(lang, &v.conditions) }
        <section><h3>{ lang.raw("in.events") }</h3>{ events(lang, &v.events) }</section>
        if let Some(d) = &v.diff {
            <section><h3>{ lang.raw("in.diff") }{ " " }<span class="m dim">{ d.from }{ " → " }{ d.to }</span></h3><pre class="diff" tabindex="0">{ diff_lines(&d.lines) }</pre></section>
        }
        <p class="legend dim">{ lang.raw("in.legend") }</p>
    </>}
}

/// What can be done to the object from here.
fn deeds(lang: Lang, go: &Dispatch, v: &Inspector, past: bool) -> Html {
    if v.deeds.is_empty() {
        return Html::default();
    }
    let one = |(word, action): &(Text, Action)| html! { <button type="button" class="btn sm line" disabled={past} onclick={go.on(action.clone())}>{ lang.say(word) }</button> };
    html! { <section class="deeds"><h3>{ lang.raw("in.deeds") }</h3><p class="acts2">{ for v.deeds.iter().map(one) }</p></section> }
}

/// The table of spec and status; each column's head names its first writer.
pub fn split(lang: Lang, v: &Inspector) -> Html {
    if v.rows.is_empty() {
        return Html::default();
    }
    let spec = v.rows.iter().filter_map(|r| r.spec.as_ref()).find_map(|c| c.writer);
    let status = v.rows.iter().filter_map(|r| r.status.as_ref()).find_map(|c| c.writer);
    let badge = |w: Option<Writer>| w.map(|w| bd(lang, w, "s")).unwrap_or_default();
    html! {
        <table class="split">
            <thead><tr>
                <th scope="col"><b>{ "spec" }</b>{ badge(spec) }{ " " }{ lang.raw(if spec == Some(Writer::Me) { "in.spec" } else { "in.stat" }) }</th>
                <th scope="col"><b>{ "status" }</b>{ badge(status) }{ " " }{ lang.raw("in.stat") }</th>
            </tr></thead>
            <tbody>{ for v.rows.iter().map(|r| html! { <tr>{ cell(lang, r.spec.as_ref()) }{ cell(lang, r.status.as_ref()) }</tr> }) }</tbody>
        </table>
    }
}

fn cell(lang: Lang, c: Option<&Cell>) -> Html {
    let Some(c) = c else { return html! { <td></td> } };
    let title = c.writer.map(|w| [c.field.as_str(), ": ", c.value.as_str(), " (", &lang.say(&w.name()), ")"].concat());
    html! {
        <td class={classes!(c.writer.map(|_| "own"))} data-w={c.writer.map(|w| w.hue())} {title}>
            <div><span>{ c.field.to_string() }</span>if let Some(gap) = &c.gap { <em>{ lang.say(gap) }</em> }<b class="m">{ c.value.to_string() }</b></div>
        </td>
    }
}

pub fn conditions(lang: Lang, list: &[Condition]) -> Html {
    if list.is_empty() {
        return Html::default();
    }
    let one = |c: &Condition| {
        html! {
            <li key={c.kind.to_string()} class={tone(c.health)}>{ hl(lang, c.health) }<span><b>{ c.kind.to_string() }</b>{ " " }<span class="m">{ c.status.to_string() }</span>
                if !c.reason.is_empty() { <br /><b class="m rs">{ c.reason.to_string() }</b> }
                if !c.message.is_empty() { <br /><span class="msg">{ c.message.to_string() }</span> }
            </span></li>
        }
    };
    html! { <section><h3>{ lang.raw("in.cond") }</h3><ul class="cond">{ for list.iter().map(one) }</ul></section> }
}

pub fn events(lang: Lang, list: &[EventLine]) -> Html {
    if list.is_empty() {
        return html! { <p class="dim">{ lang.raw("in.noevents") }</p> };
    }
    let one = |e: &EventLine| {
        let count = if e.count > 1 { [" ×", &e.count.to_string()].concat() } else { String::new() };
        html! {
            <li class={classes!(e.warning.then_some("Warning"))}><span class="m dim">{ e.age.to_string() }</span><span><b class="m">if e.warning { { hl(lang, Health::Stuck) }{ " " } }{ e.reason.to_string() }{ count }</b><br />{ e.message.to_string() }</span></li>
        }
    };
    html! { <ul class="ev">{ for list.iter().map(one) }</ul> }
}

pub fn diff_lines(lines: &[DiffLine]) -> Html {
    let one = |l: &DiffLine| {
        let (class, sign) = match l.sign {
            Sign::Same => ("", "  "),
            Sign::Added => ("add", "+ "),
            Sign::Removed => ("del", "- "),
        };
        html! { <span class={class} data-w={l.writer.map(|w| w.hue())}>{ sign }{ l.text.to_string() }</span> }
    };
    lines.iter().map(one).collect()
}
