//! The loops: one card each, above its own wire. The quiet ones are folded away until one of them has something to say.

mod card;
mod faults;
mod ticket;

use super::bits::{bd, use_dispatch, use_lang};
use super::icons::{CHEV, UP, ic};
use super::ui::Msg;
use crate::api::Str;
use crate::session::view::{LoopCard, LoopState, Text};
use card::Card;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct LoopsProps {
    pub loops: Rc<Vec<LoopCard>>,
    pub quiet: Rc<Vec<LoopCard>>,
    pub quiet_open: bool,
    /// What a person made them miss, or what just made it good.
    pub loss: Option<Text>,
    pub past: bool,
    pub fault_menu: Option<Str>,
    pub token: Option<Str>,
}

#[component]
pub fn Loops(props: &LoopsProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let card = |l: &LoopCard| {
        html! { <Card key={l.id.to_string()} card={Rc::new(l.clone())} past={props.past} faults={props.fault_menu.as_ref() == Some(&l.id)} token={props.token.clone()} /> }
    };
    let busy = props.quiet.iter().any(|l| l.state != LoopState::Quiet);
    let badges = props.quiet.iter().filter_map(|l| l.writer).take(3).map(|w| bd(lang, w, "s o"));
    let note = match &props.loss {
        Some(loss) => html! { <span class="loss" role="status" title={lang.say(loss)}>{ lang.say(loss) }</span> },
        None => html! { <span>{ lang.raw("loops.note") }</span> },
    };
    html! {
        <section class="loops" aria-label={lang.raw("loops.title")}>
            <header class="sh">
                <h2>{ lang.raw("loops.title") }</h2>{ note }<span class="grow"></span>
                if !props.quiet.is_empty() {
                    <button type="button" class={classes!("more", busy.then_some("busy"))} aria-expanded={if props.quiet_open { "true" } else { "false" }} onclick={go.on(Msg::Quiet(!props.quiet_open))}>
                        { for badges }{ lang.fill("loops.more", &[("n", (props.quiet.len() as u64).into())]) }{ ic(if props.quiet_open { UP } else { CHEV }) }
                    </button>
                }
            </header>
            <div class="lanes" role="list">{ for props.loops.iter().map(card) }</div>
            if props.quiet_open { <div class="lanes folded" role="list">{ for props.quiet.iter().map(card) }</div> }
        </section>
    }
}
