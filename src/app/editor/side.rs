//! The editor's other tabs: where else a goal or a failure can come from.

use super::super::bits::{use_dispatch, use_lang};
use super::super::icons::hl;
use super::super::ui::Msg;
use crate::session::action::Action;
use crate::session::view::{Fault, Image};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ImagesProps {
    pub images: Rc<Vec<Image>>,
}

#[component]
pub fn Images(props: &ImagesProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let image = |i: &Image| {
        let go = go.clone();
        let name = i.name.clone();
        let put = Callback::from(move |_: MouseEvent| go.send(Msg::UseImage(name.clone())));
        html! {
            <li key={i.name.to_string()}>{ hl(lang, i.health) }<span><b class="m">{ i.name.to_string() }</b><br /><span class="mid">{ lang.say(&i.note) }</span></span><button type="button" class="btn sm q" onclick={put}>{ lang.raw("img.use") }</button></li>
        }
    };
    html! {
        <div class="side">
            <p class="dim">{ lang.raw("img.note") }</p>
            <ul class="imgs">{ for props.images.iter().map(image) }</ul>
            <p class="dim">{ lang.raw("img.edit") }</p>
        </div>
    }
}

#[derive(Properties, PartialEq)]
pub struct FaultsProps {
    pub faults: Rc<Vec<Fault>>,
    pub past: bool,
}

#[component]
pub fn Faults(props: &FaultsProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let fault = |f: &Fault| {
        html! {
            <li><p class="sw"><span>{ lang.say(&f.what) }</span><span class="m dim">{ f.target.to_string() }</span>
                if let Some(undo) = f.undo.as_ref().filter(|u| **u != Action::EndFaults) { <button type="button" class="btn sm line" disabled={props.past} onclick={go.on(undo.clone())}>{ lang.raw("flt.end") }</button> }
            </p></li>
        }
    };
    html! {
        <div class="side">
            <p class="dim">{ lang.raw("flt.note") }</p>
            if props.faults.iter().any(|f| f.undo == Some(Action::EndFaults)) {
                <p><button type="button" class="btn sm line" disabled={props.past} onclick={go.on(Action::EndFaults)}>{ lang.raw("flt.endall") }</button></p>
            }
            if props.faults.is_empty() { <p class="mid">{ lang.raw("flt.none") }</p> } else { <ul class="flts on">{ for props.faults.iter().map(fault) }</ul> }
            <p class="dim">{ lang.raw("wire.teach") }</p>
        </div>
    }
}
