//! The transport: to the start, back, step, tick, run, and how fast. On a phone the big button is Apply when it is your turn.

use super::bits::{seconds, square, thousands, use_dispatch, use_lang};
use super::icons::{BACK, FIRST, FORWARD, PAUSE, RUN, STEP, TICK, ic};
use super::ui::{Msg, Speed};
use crate::session::action::Action;
use crate::session::view::{NextKind, Text, Top, Transport};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TransportProps {
    pub view: Transport,
    pub top: Rc<Top>,
    pub kind: NextKind,
    pub running: bool,
    pub speed: Speed,
}

#[component]
pub fn TransportPanel(props: &TransportProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let v = &props.view;
    let past = props.top.past.is_some();
    let first = props.top.first;
    let why = past.then_some("why.past").or(first.then_some("why.first"));
    let yours = first || props.kind == NextKind::You;
    let no_back = past.then_some("why.past").or((!v.can_back).then_some("why.none"));
    let q = "btn q sq";
    let main = match v.timer_s {
        Some(n) => html! {<>{ ic(TICK) }{ lang.fill("tp.timer", &[("n", n.into())]) }</>},
        None => html! {<>{ ic(STEP) }{ lang.raw("tp.step") }<kbd>{ "S" }</kbd></>},
    };
    html! {
        <section class="tp" aria-label={lang.raw("tp.step")}>
            <div class={classes!("row", v.can_redo.then_some("tight"), v.timer_s.map(|_| "timer"))}>
                { square(lang, q, FIRST, &Text::word("tp.start"), no_back, go.on(Action::ScrubTo { step: 0 })) }
                { square(lang, q, BACK, &Text::word("tp.back"), no_back, go.on(Action::Back)) }
                if v.can_redo { { square(lang, q, FORWARD, &Text::word("tp.redo"), past.then_some("why.past"), go.on(Action::Redo)) } }
                if yours { <button type="button" class="btn write main ap glow" onclick={go.on(Msg::Apply)}>{ lang.raw("ed.apply") }</button> }
                <button type="button" class={classes!("btn", "main", if yours { "line" } else { "time" })} disabled={why.is_some()} title={why.map(|w| lang.raw(w))} onclick={go.on(Action::Step)}>{ main }</button>
                <button type="button" class="btn line" disabled={why.is_some()} title={why.map(|w| lang.raw(w))} onclick={go.on(Action::Tick)}>{ lang.raw("tp.tick") }</button>
                <button type="button" class="btn line run" disabled={why.is_some()} title={why.map(|w| lang.raw(w))} aria-pressed={if props.running { "true" } else { "false" }} onclick={go.on(Msg::Run(!props.running))}>
                    { ic(if props.running { PAUSE } else { RUN }) }{ lang.raw(if props.running { "tp.pause" } else { "tp.run" }) }
                </button>
            </div>
            if let Some((done, all)) = v.busy {
                <p class="meta busy" role="status"><progress value={done.to_string()} max={all.to_string()}></progress><span class="dim">{ lang.fill("tp.busy", &[("a", thousands(done).into()), ("b", thousands(all).into())]) }</span><button type="button" class="spd" onclick={go.on(Msg::Run(false))}>{ lang.raw("tp.stop") }</button></p>
            } else {
                <p class="m dim meta"><span>{ "t " }{ seconds(props.top.time_ms) }{ "s" }</span><span>{ "step " }{ thousands(props.top.step) }</span><button type="button" class="spd" onclick={go.on(Msg::Speed(props.speed.next()))}>{ lang.raw("tp.speed") }{ " " }{ props.speed.label() }</button></p>
            }
        </section>
    }
}
