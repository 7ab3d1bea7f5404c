//! A loop's wire: events on their way up, the write about to go down. Each waiting event can be delivered, held, lost or doubled.

use super::super::bits::{Dispatch, use_dispatch, use_lang};
use super::super::icons::{ASLEEP, CHEV, CROSS, GO, TICK, TWICE, ic};
use super::super::ui::Msg;
use super::super::words::Lang;
use crate::api::Str;
use crate::session::action::{Action, EventFault};
use crate::session::view::{LoopCard, Text, Ticket, TicketState};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct WiresProps {
    pub card: Rc<LoopCard>,
    pub past: bool,
    pub token: Option<Str>,
}

/// Tickets drawn one by one; the rest are counted in a stack.
const SHOWN_MAX: usize = 2;

#[component]
pub fn Wires(props: &WiresProps) -> Html {
    let lang = use_lang();
    let whole = use_state(|| false);
    let all = &props.card.wire;
    let (ghosts, events): (Vec<&Ticket>, Vec<&Ticket>) = all.iter().partition(|t| t.state == TicketState::Next);
    let few = if events.len() + ghosts.len() > SHOWN_MAX { SHOWN_MAX - 1 } else { SHOWN_MAX };
    let open = *whole && events.len() > few;
    let room = if open { events.len() } else { few };
    let rest: u64 = events.iter().skip(few).map(|t| t.count.max(1)).sum();
    let strand = |class: &'static str, on: bool| html! { <i class={classes!("strand", class, on.then_some("on"))}></i> };
    let show = |t: &&Ticket| {
        let open = props.token.as_ref().is_some_and(|name| *name == *event_name(t, &props.card));
        let key = [t.wire.resource.as_str(), &t.event.to_string()].concat();
        html! { <OneTicket {key} ticket={Rc::new((*t).clone())} card={props.card.clone()} {open} past={props.past} /> }
    };
    let close = {
        let whole = whole.clone();
        Callback::from(move |e: KeyboardEvent| {
            if open && e.key() == "Escape" {
                e.prevent_default();
                whole.set(false);
            }
        })
    };
    let flip = Callback::from(move |_: MouseEvent| whole.set(!open));
    html! {
        <div class="wire" data-roving="" onkeydown={close}>
            { strand("up", !events.is_empty()) }{ strand("dn", !ghosts.is_empty()) }
            <div class={classes!("toks", open.then_some("whole"))}>
                { for events.iter().take(room).map(show) }
                if rest > 0 {
                    <button type="button" class="token stack rest" data-item="" aria-expanded={if open { "true" } else { "false" }} onclick={flip}><span class="vh">{ lang.fill("wire.more", &[("n", rest.into())]) }</span><b class="num" aria-hidden="true">{ if open { "−".to_string() } else { ["+", &rest.to_string()].concat() } }</b></button>
                }
            </div>
            { for ghosts.iter().take(1).map(|t| ghost(lang, t, events.is_empty())) }
            <span class="sl u">{ "watch" }</span><span class="sl d">{ "write" }</span>
        </div>
    }
}

/// The sign of what happened to the object.
fn sign(verb: &str) -> &'static str {
    match verb {
        "ADDED" | "create" | "POST" => "+",
        "DELETED" | "delete" | "DELETE" => "−",
        _ => "~",
    }
}

fn ghost(lang: Lang, t: &Ticket, alone: bool) -> Html {
    html! { <span class="token ghost" data-w={t.writer.hue()}><span class="ty">{ sign(&t.verb) }</span>{ t.object.to_string() }if let Some(note) = t.note.as_ref().filter(|_| alone) { <span>{ lang.say(note) }</span> }</span> }
}

#[derive(Properties, PartialEq)]
struct TicketProps {
    ticket: Rc<Ticket>,
    card: Rc<LoopCard>,
    open: bool,
    past: bool,
}

#[component]
fn OneTicket(props: &TicketProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let all = use_state(|| false);
    let t = &*props.ticket;
    let args: [(&'static str, Text); 4] =
        [("loop", props.card.name.clone()), ("type", t.verb.clone().into()), ("obj", t.object.clone().into()), ("rv", t.rev.into())];
    let label = lang.fill("a11y.token", &args);
    let inner = html! {<><span class="ty" aria-hidden="true">{ sign(&t.verb) }</span><span class="ob" aria-hidden="true">{ t.object.to_string() }</span></>};
    if matches!(t.state, TicketState::Lost | TicketState::WakeLost) {
        let (class, word, short) =
            if t.state == TicketState::Lost { ("lostt", "flt.lost", "flt.lost.s") } else { ("lostt slept", "flt.wake", "flt.wake.s") };
        let word = lang.raw(word);
        return html! { <span class={classes!("token", class)} role="img" title={word} aria-label={[&label, ", ", word].concat()}>{ inner }<b class="bad sansb long">{ word }</b><b class="bad sansb short">{ lang.raw(short) }</b></span> };
    }
    let name = event_name(t, &props.card);
    let toggle = go.on(Msg::Token(if props.open { None } else { Some(name.as_str().into()) }));
    let held = t.state == TicketState::Held;
    html! {
        <span class={classes!("tokw", props.open.then_some("open"))} data-event={name.clone()}>
            <button type="button" class={classes!("token", held.then_some("held"))} data-w={t.writer.hue()} data-item="" aria-haspopup="dialog" aria-expanded={if props.open { "true" } else { "false" }} disabled={props.past} onclick={toggle}>
                <span class="vh">{ label }</span>{ inner }
                if t.count > 1 { <b class="num" aria-hidden="true">{ "×" }{ t.count }</b> } else { <span class="dim" aria-hidden="true">{ t.rev }</span> }
                { ic(if held { TICK } else { CHEV }) }
            </button>
            if props.open && !props.past { { choices(lang, &go, t, &props.card, &all) } }
        </span>
    }
}

/// The name of an event on one card.
fn event_name(t: &Ticket, card: &LoopCard) -> String {
    [t.wire.process.as_str(), "|", t.wire.resource.as_str(), "|", &t.event.to_string(), "|", card.id.as_str()].concat()
}

/// Everything that can be done to an event. Losing it has two forms, told apart before one chooses.
fn choices(lang: Lang, go: &Dispatch, t: &Ticket, card: &LoopCard, all: &UseStateHandle<bool>) -> Html {
    let act = |fault: EventFault| go.on(Action::Event { wire: t.wire.clone(), event: t.event, fault, loop_id: card.id.clone() });
    let (namespace, name) = t.about.clone();
    let lose = |loop_id: Str, fault| {
        let wire = t.wire.clone();
        if **all { go.on(Action::Lose { wire, namespace: namespace.clone(), name: name.clone(), loop_id }) } else { act(fault) }
    };
    let mut drop = lang.raw("drop.wire.d").to_string();
    for w in &t.shared_with {
        drop.push(' ');
        drop.push_str(&lang.fill("wire.shared", &[("loop", w.name())]));
        drop.push('.');
    }
    let plain = |icon, word: &'static str, fault| html! { <button type="button" class="btn sm line" data-item="" onclick={act(fault)}>{ ic(icon) }{ lang.raw(word) }</button> };
    let toggle = {
        let all = all.clone();
        Callback::from(move |_: Event| all.set(!*all))
    };
    html! {
        <div class="pop tk" role="dialog" data-roving="" aria-label={lang.fill("wire.acts", &[("obj", t.object.clone().into())])}>
            <p class="dim m">{ t.verb.to_string() }{ " " }{ t.object.to_string() }{ " · rev " }{ t.rev }</p>
            <p class="acts2">{ plain(GO, "wire.deliver", EventFault::Deliver) }{ plain(TICK, "wire.delay", EventFault::Delay) }{ plain(TWICE, "wire.dup", EventFault::Duplicate) }</p>
            <p class="dim wires">{ lang.raw("wire.drop") }</p>
            <label class="sw"><input type="checkbox" role="switch" checked={**all} onchange={toggle} /><span>{ lang.fill("drop.all", &[("obj", t.object.clone().into())]) }</span></label>
            <button type="button" class="two" id="lose" data-item="" onclick={lose(card.id.clone(), EventFault::LoseWakeUp)}>{ ic(ASLEEP) }<b>{ lang.raw("wire.wake") }</b><span>{ lang.raw("drop.wake.d") }</span></button>
            <button type="button" class="two" data-item="" onclick={lose(Str::default(), EventFault::Drop)}>{ ic(CROSS) }<b>{ lang.raw("wire.lose") }</b><span>{ drop }</span></button>
        </div>
    }
}
