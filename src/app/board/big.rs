//! Many pods: squares by state up to three hundred, above that counts before pictures.

use super::super::bits::{thousands, use_dispatch, use_lang};
use super::super::icons::{hl, tone};
use super::super::places::Place;
use super::super::ui::Msg;
use crate::api::Str;
use crate::session::view::{Count, Kid};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct CountsProps {
    pub counts: Rc<Vec<Count>>,
}

/// One bar and one number a state.
#[component]
pub fn Counts(props: &CountsProps) -> Html {
    let lang = use_lang();
    let bar = |c: &Count| html! { <i class={tone(c.health)} style={["flex:", &c.count.to_string()].concat()}></i> };
    let count =
        |c: &Count| html! { <span>{ hl(lang, c.health) }<b class="num">{ thousands(c.count) }</b>{ " " }{ c.word.to_string() }</span> };
    html! { <div class="bigbar"><div class="sb" aria-hidden="true">{ for props.counts.iter().map(bar) }</div><p>{ for props.counts.iter().map(count) }</p></div> }
}

#[derive(Properties, PartialEq)]
pub struct SquaresProps {
    pub pods: Rc<Vec<Kid>>,
    pub places: Rc<Vec<Place>>,
    pub selected: Str,
    pub beside: bool,
}

/// A square a pod, its name on hover and focus.
#[component]
pub fn Squares(props: &SquaresProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let large = props.places.len() <= 60;
    let square = |(i, place): (usize, &Place)| match place {
        Place::Pod(n) => {
            let p = &props.pods[*n];
            let selected = if p.uid == props.selected { "true" } else { "false" };
            let label = ["Pod ", p.name.as_str(), ", ", p.word.as_str()].concat();
            let select = if props.beside { Msg::SelectBeside(p.uid.clone()) } else { Msg::Select(p.uid.clone()) };
            html! {
                <button type="button" role="treeitem" key={p.uid.to_string()} class={tone(p.health)} aria-selected={selected} tabindex="-1" data-item="" data-uid={p.uid.to_string()} title={label.clone()} aria-label={label} onclick={go.on(select)}>
                    if large { { hl(lang, p.health) } }
                </button>
            }
        }
        Place::Wanted => html! { <i key={i} class="want"></i> },
        Place::Space => html! { <i key={i}></i> },
    };
    html! { <div class={classes!("squares", if large { "s24" } else { "s10" })} role="group">{ for props.places.iter().enumerate().map(square) }</div> }
}
