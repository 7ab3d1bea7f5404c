//! One loop: what it sees, what differs, what it does; its queue and how far its cache lags; its buttons.

use super::super::bits::{bd, slots, square, use_dispatch, use_lang};
use super::super::icons::{FAULT, INTO, START, STEP, STOP, hl, ic};
use super::super::ui::Msg;
use super::super::words::Lang;
use super::faults::FaultMenu;
use super::ticket::Wires;
use crate::api::Str;
use crate::session::action::Action;
use crate::session::view::{Health, LoopCard, LoopState, Stage, Text};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct CardProps {
    pub card: Rc<LoopCard>,
    pub past: bool,
    /// Its fault menu is open.
    pub faults: bool,
    pub token: Option<Str>,
}

fn state(l: LoopState) -> (&'static str, &'static str) {
    match l {
        LoopState::Next => ("next", "loop.s.next"),
        LoopState::Quiet => ("quiet", "loop.s.quiet"),
        LoopState::Wait => ("wait", "loop.s.wait"),
        LoopState::Stuck => ("stuck", "loop.s.stuck"),
        LoopState::Stopped => ("off", "loop.s.stopped"),
        LoopState::Running => ("run", "loop.s.run"),
    }
}

#[component]
pub fn Card(props: &CardProps) -> Html {
    let lang = use_lang();
    let l = &*props.card;
    let (class, word) = state(l.state);
    let label = lang.fill("w.loop", &[("loop", l.name.clone())]);
    html! {
        <div role="listitem" class={classes!("lane", class, l.owes.then_some("owes"))} data-w={l.writer.map(|w| w.hue())} data-loop={l.id.to_string()} aria-label={[&label, ", ", lang.raw(word)].concat()}>
            <div class="card" tabindex="-1">
                <header>
                    { l.writer.map(|w| bd(lang, w, "")).unwrap_or_default() }
                    <h3>{ lang.say(&l.name) }</h3>
                    <span class="pill">
                        if l.state == LoopState::Stuck { { hl(lang, Health::Stuck) } }
                        // A second instance says more than the state, which the card's look says, too; there is no room for both.
                        if l.instances > 1 { <b class="num">{ "×" }{ l.instances }</b> } else { { stage(lang, l.stage).unwrap_or_else(|| lang.raw(word).to_string()) } }
                    </span>
                </header>
                if let Some(intro) = &l.intro { <p class="intro">{ lang.say(intro) }</p> } else { { facts(lang, l) } }
                if l.intro.is_none() { <Buttons card={props.card.clone()} past={props.past} /> }
                if props.faults { <FaultMenu card={props.card.clone()} /> }
            </div>
            <Wires card={props.card.clone()} past={props.past} token={props.token.clone()} />
        </div>
    }
}

fn stage(lang: Lang, stage: Option<Stage>) -> Option<String> {
    Some(match stage? {
        Stage::Sees => lang.raw("lo.s.sees").to_string(),
        Stage::Differs => lang.raw("lo.s.differs").to_string(),
        Stage::Writes(a, b) => lang.fill("lo.s.writes", &[("a", u64::from(a).into()), ("b", u64::from(b).into())]),
    })
}

/// Revision and lag longer than this do not fit beside each other on a narrow card.
const LAG_CHARS: usize = 9;

fn facts(lang: Lang, l: &LoopCard) -> Html {
    let bad = |yes: bool| yes.then_some("bad");
    let differs = match &l.differs {
        // What it has not looked at yet, it cannot know.
        None => html! { { lang.raw(if l.state == LoopState::Wait { "loop.unseen" } else { "loop.none" }) } },
        Some(d) => {
            html! {<>{ d.slots.map(|s| slots(lang, s)).unwrap_or_default() }<b class={classes!(bad(d.bad))}>{ lang.say(&d.text) }</b></>}
        }
    };
    let acts = l
        .acts
        .as_ref()
        .map_or_else(|| lang.raw(if l.state == LoopState::Wait { "loop.unacted" } else { "loop.noact" }).to_string(), |t| lang.say(t));
    let sans = matches!(l.acts, Some(Text::Word(..))).then_some("sansb");
    let queue = if l.parked > 0 {
        lang.fill("loop.parked", &[("n", l.parked.into())])
    } else {
        [lang.raw("loop.queue"), " ", &l.queue.to_string()].concat()
    };
    let hot = l.queue > 0 || l.parked > 0;
    let keys = l.keys.iter().map(|k| k.as_str()).collect::<Vec<_>>().join("\n");
    let sees = lang.say(&l.sees);
    let rev = l.cache_rev.to_string();
    let lag = if l.behind > 0 { lang.fill("loop.behind", &[("n", l.behind.into())]) } else { String::new() };
    // Where a card is narrow, the lag says more than the revision.
    let long = l.behind > 0 && rev.len() + lag.chars().count() > LAG_CHARS;
    html! {<>
        <dl class="oda">
            <div><dt>{ lang.raw("loop.observed") }</dt><dd class="num" title={sees.clone()}>if l.blind { <b class="bad">{ sees }</b> } else { { sees } }</dd></div>
            <div class={classes!(l.differs.is_none().then_some("nil"))}><dt>{ lang.raw("loop.differs") }</dt><dd class="num">{ differs }</dd></div>
            <div class={classes!(l.acts.is_none().then_some("nil"))}><dt>{ lang.raw("loop.act") }</dt><dd class={classes!("m", sans)} title={acts.clone()}>{ acts }</dd></div>
        </dl>
        <p class="facts num">
            <span class={classes!(hot.then_some("hot"))} title={keys}>{ queue }</span>
            <span class={classes!((l.behind > 0).then_some("hot"), bad(l.blind))}>{ lang.raw("loop.cache") }{ " " }<span class={classes!(long.then_some("crev"))}>{ rev }if l.behind > 0 { { " · " } }</span>{ lag }</span>
        </p>
    </>}
}

#[derive(Properties, PartialEq)]
struct ButtonsProps {
    card: Rc<LoopCard>,
    past: bool,
}

#[component]
fn Buttons(props: &ButtonsProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let l = &*props.card;
    let stopped = l.state == LoopState::Stopped;
    let past = props.past.then_some("why.past");
    let no = past.or(stopped.then_some("why.stop")).or((!l.can_step).then_some("why.quiet"));
    let turn = l.owes && no.is_none();
    let title = no.map(|w| lang.raw(w));
    let id = l.id.clone();
    let (power, power_word, power_action) = if stopped {
        (START, "loop.start", Action::StartLoop { loop_id: id.clone() })
    } else {
        (STOP, "loop.stop", Action::StopLoop { loop_id: id.clone() })
    };
    let quiet = "btn sm q sq";
    html! {
        <footer>
            <button type="button" class={classes!("btn", "sm", "st", if turn { "turn" } else { "q" })} disabled={no.is_some()} title={title} onclick={go.on(Action::StepLoop { loop_id: id.clone() })}>{ ic(STEP) }<span>{ lang.raw("loop.step") }</span></button>
            <span class="grow"></span>
            { square(lang, quiet, INTO, &Text::word("loop.into"), no, go.on(Action::StepInto { loop_id: id.clone() })) }
            { square(lang, quiet, power, &Text::word(power_word), past, go.on(power_action)) }
            { square(lang, quiet, FAULT, &Text::word("loop.fault"), past, go.on(Msg::FaultMenu(Some(id)))) }
        </footer>
    }
}
