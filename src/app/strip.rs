//! The stage strip: who owes the next move, how far it got, how many are ready.

use super::bits::{bd, decimal, slots, thousands, use_dispatch, use_lang};
use super::icons::{CHECK, hl, ic};
use super::ui::{Msg, Sheet};
use super::words::Lang;
use crate::session::view::{Health, Next, NextKind, Ready, Slots, Station, StationState};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct StripProps {
    pub next: Rc<Next>,
    pub stations: Rc<Vec<Station>>,
    pub ready: Ready,
}

fn state_class(state: StationState) -> &'static str {
    match state {
        StationState::Ok => "ok",
        StationState::Now => "now",
        StationState::Wait => "wait",
        StationState::Stuck => "stuck",
        StationState::Error => "err",
        StationState::Blind => "blind",
        StationState::Idle => "idle",
        StationState::Off => "off",
    }
}

/// The state's name for those who do not see the rail.
fn state_word(state: StationState) -> &'static str {
    match state {
        StationState::Ok => "strip.agree",
        StationState::Now => "loop.s.next",
        StationState::Wait => "loop.s.wait",
        StationState::Stuck => "loop.s.stuck",
        StationState::Error => "st.refused",
        StationState::Blind => "strip.blind",
        StationState::Idle => "strip.notyet",
        StationState::Off => "loop.s.stopped",
    }
}

fn head(lang: Lang, next: &Next) -> Html {
    let alarm = matches!(next.kind, NextKind::Stuck | NextKind::Lost);
    let sign = match (next.kind, next.who) {
        (NextKind::Stuck, _) => hl(lang, Health::Stuck),
        (NextKind::Lost, _) => hl(lang, Health::Wanted),
        (NextKind::Done, _) => hl(lang, Health::Ok),
        // Nobody moves, and that is not the same as everything being well.
        (_, None) => hl(lang, Health::Going),
        (_, Some(w)) => bd(lang, w, "l"),
    };
    html! {
        <div class={classes!("nx", alarm.then_some("alarm"))}>
            <span class="lbl">{ lang.raw("strip.next") }</span>
            <strong>{ sign }<span>{ lang.say(&next.head) }</span></strong>
            <span class="p">{ lang.say(&next.detail) }</span>
        </div>
    }
}

#[component]
pub fn Strip(props: &StripProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let cell = |(i, s): (usize, &Station)| {
        let mark = match s.state {
            StationState::Ok => html! { <span class="tick">{ ic(CHECK) }</span> },
            StationState::Stuck | StationState::Error => hl(lang, Health::Stuck),
            _ => Html::default(),
        };
        let badge = match s.writer {
            Some(w) => bd(lang, w, if s.state == StationState::Idle { "o" } else { "" }),
            None => html! { <b class="etcd" aria-hidden="true"></b> },
        };
        let current = matches!(s.state, StationState::Now | StationState::Stuck).then_some("step");
        let note = lang.say(&s.note);
        let go = (!s.loop_id.is_empty()).then(|| {
            let (go, id) = (go.clone(), s.loop_id.clone());
            Callback::from(move |_: MouseEvent| {
                go.send(Msg::Sheet(Sheet::Loops));
                super::keys::focus_loop(&id);
            })
        });
        html! {
            <li key={i} class={classes!("cell", state_class(s.state), (i == 1).then_some("fence"))} data-w={s.writer.map(|w| w.hue())} aria-current={current} onclick={go}>
                <span class="who">{ badge }<b>{ lang.say(&s.name) }</b>{ mark }</span>
                <span class="note" title={note.clone()}>{ if note.is_empty() { "\u{a0}".to_string() } else { note } }</span>
                <span class="vh">{ lang.raw(state_word(s.state)) }</span>
                <i class="rail"></i>
            </li>
        }
    };
    html! {
        <section class="strip" aria-label={lang.raw("strip.label")}>
            { head(lang, &props.next) }
            <ol class="cells">
                { for props.stations.iter().enumerate().map(cell) }
                <li class="flag" aria-hidden="true">{ lang.raw("strip.end") }</li>
            </ol>
            { meter(lang, props.ready) }
        </section>
    }
}

fn meter(lang: Lang, r: Ready) -> Html {
    let body = if r.wanted == 0 {
        html! { <strong class="num"><small>{ "—" }</small></strong> }
    } else {
        let picture = if r.wanted > 8 {
            let percent = (r.ready * 1000 / r.wanted).min(1000) as f64 / 10.0;
            html! { <span class="meter" role="img" aria-label={lang.fill("a11y.ready", &[("a", r.wanted.into()), ("b", r.ready.into())])}><i style={["width:", &decimal(percent), "%"].concat()}></i></span> }
        } else {
            slots(lang, Slots { wanted: r.wanted, filled: r.ready, half: r.half.min(r.wanted.saturating_sub(r.ready)), over: 0 })
        };
        html! {<><strong class="num">{ thousands(r.ready) }<small>{ "/" }{ thousands(r.wanted) }</small></strong>{ picture }</>}
    };
    html! { <div class="rd"><span class="lbl">{ lang.raw("strip.ready") }</span>{ body }</div> }
}
