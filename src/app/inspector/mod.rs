//! The inspector: one object from every side.

mod history;
mod status;
mod why;

use super::bits::{use_dispatch, use_lang};
use super::ui::Msg;
use super::words::Lang;
use crate::session::view::{Inspector, Tab};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct InspectProps {
    pub view: Option<Rc<Inspector>>,
    /// The tab a person chose.
    pub tab: Option<Tab>,
    pub revision: u64,
    pub past: bool,
}

#[component]
pub fn Inspect(props: &InspectProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let stuck = props.view.as_ref().is_some_and(|v| v.why.is_some());
    let current = props.tab.unwrap_or(if stuck { Tab::Why } else { Tab::Status });
    let tab = |t: Tab, word: &'static str| {
        let chosen = t == current;
        html! { <button type="button" role="tab" data-item="" tabindex={if chosen { "0" } else { "-1" }} aria-selected={if chosen { "true" } else { "false" }} onclick={go.on(Msg::InspectTab(t))}>{ lang.raw(word) }</button> }
    };
    let body = match &props.view {
        None => empty(lang),
        Some(v) => {
            let inner = match current {
                Tab::Status => html! { <status::Status view={v.clone()} past={props.past} /> },
                Tab::Why => html! { <why::WhyTab view={v.clone()} past={props.past} /> },
                Tab::Yaml => html! { <history::Yaml view={v.clone()} revision={props.revision} /> },
                Tab::Owners => html! { <history::Owners view={v.clone()} /> },
            };
            // Another object or tab is read from its top.
            let key = [v.uid.as_str(), if current == Tab::Why { "why" } else { "" }].concat();
            html! { <div {key} class="iscroll" role="tabpanel" tabindex="0">{ head(v) }{ inner }</div> }
        }
    };
    html! {
        <aside class="insp" aria-label={lang.raw("in.status")}>
            <h2 class="vh">{ lang.raw("in.status") }</h2>
            <div class="ptabs" role="tablist" data-roving="">{ tab(Tab::Status, "in.status") }{ tab(Tab::Why, "in.why") }{ tab(Tab::Yaml, "in.yaml") }{ tab(Tab::Owners, "in.owners") }</div>
            { body }
        </aside>
    }
}

fn head(v: &Inspector) -> Html {
    let generation = v.generation.map(|(a, b)| [" · generation ", &a.to_string(), " / ", &b.to_string()].concat()).unwrap_or_default();
    html! { <header class="ih"><span class="dim">{ v.kind.to_string() }</span><b class="m">{ v.name.to_string() }</b><span class="m dim rvs">{ "resourceVersion " }{ v.rev }{ generation }</span></header> }
}

fn empty(lang: Lang) -> Html {
    html! {
        <div class="iempty">
            <div class="splitghost" aria-hidden="true"><span><i></i><i></i><i></i></span><span><i></i><i></i><i></i></span></div>
            <p>{ lang.raw("in.empty") }</p>
        </div>
    }
}
