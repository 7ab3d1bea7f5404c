//! A loop's wire: events on their way up, the write about to go down. Each waiting event can be delivered, held, lost or doubled.

use super::super::bits::{square, use_dispatch, use_lang};
use super::super::icons::{ASLEEP, CHEV, CROSS, GO, TICK, TWICE, ic};
use super::super::ui::Msg;
use super::super::words::Lang;
use crate::session::action::{Action, EventFault, WireId};
use crate::session::view::{LoopCard, Text, Ticket, TicketState};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct WiresProps {
    pub card: Rc<LoopCard>,
    pub past: bool,
    pub token: Option<(WireId, u64)>,
}

/// Tickets drawn one by one; the rest are counted in a stack.
const SHOWN_MAX: usize = 2;

#[component]
pub fn Wires(props: &WiresProps) -> Html {
    let lang = use_lang();
    let all = &props.card.wire;
    let (ghosts, events): (Vec<&Ticket>, Vec<&Ticket>) = all.iter().partition(|t| t.state == TicketState::Next);
    let room = if events.len() + ghosts.len() > SHOWN_MAX { SHOWN_MAX - 1 } else { SHOWN_MAX };
    let rest: u64 = events.iter().skip(room).map(|t| t.count.max(1)).sum();
    let strand = |class: &'static str, on: bool| html! { <i class={classes!("strand", class, on.then_some("on"))}></i> };
    let show = |t: &&Ticket| {
        let open = props.token.as_ref().is_some_and(|(w, n)| *w == t.wire && *n == t.event);
        html! { <Event key={t.event} ticket={Rc::new((*t).clone())} card={props.card.clone()} {open} past={props.past} /> }
    };
    html! {
        <div class="wire" data-roving="">
            { strand("up", !events.is_empty()) }{ strand("dn", !ghosts.is_empty()) }
            <div class="toks">
                { for events.iter().take(room).map(show) }
                if rest > 0 { <span class="token stack rest"><b class="num">{ "+" }{ rest }</b></span> }
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
struct EventProps {
    ticket: Rc<Ticket>,
    card: Rc<LoopCard>,
    open: bool,
    past: bool,
}

#[component]
fn Event(props: &EventProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let t = &*props.ticket;
    let args: [(&'static str, Text); 4] =
        [("loop", props.card.name.clone()), ("type", t.verb.clone().into()), ("obj", t.object.clone().into()), ("rv", t.rev.into())];
    let label = lang.fill("a11y.token", &args);
    let inner = html! {<><span class="ty">{ sign(&t.verb) }</span><span class="ob">{ t.object.to_string() }</span></>};
    match t.state {
        TicketState::Lost | TicketState::WakeLost => {
            let word = lang.raw(if t.state == TicketState::Lost { "wire.dropped" } else { "wire.wakelost" });
            html! { <span class="token lostt" role="img" aria-label={[&label, ", ", word].concat()}>{ inner }<span class="dim">{ t.rev }</span><b class="bad sansb">{ word }</b></span> }
        }
        _ => {
            let key = (t.wire.clone(), t.event);
            let toggle = go.on(Msg::Token(if props.open { None } else { Some(key) }));
            let name =
                [t.wire.process.as_str(), "|", t.wire.resource.as_str(), "|", &t.event.to_string(), "|", props.card.id.as_str()].concat();
            let held = t.state == TicketState::Held;
            html! {
                <span class={classes!("tokw", props.open.then_some("open"))} data-event={name}>
                    <button type="button" class={classes!("token", (t.count > 1).then_some("stack"), held.then_some("held"))} data-w={t.writer.hue()} data-item="" aria-label={label} aria-expanded={if props.open { "true" } else { "false" }} disabled={props.past} onclick={toggle}>
                        { inner }
                        if t.count > 1 { <b class="num">{ "×" }{ t.count }</b> } else { <span class="dim">{ t.rev }</span>{ ic(if held { TICK } else { CHEV }) } }
                    </button>
                    if !props.past { { acts(lang, &go, t, &props.card) } }
                </span>
            }
        }
    }
}

fn acts(lang: Lang, go: &super::super::bits::Dispatch, t: &Ticket, card: &LoopCard) -> Html {
    let act = |fault: EventFault| go.on(Action::Event { wire: t.wire.clone(), event: t.event, fault, loop_id: card.id.clone() });
    let class = "btn sm q sq";
    let mut drop = lang.raw("wire.drop").to_string();
    for w in &t.shared_with {
        drop.push_str(". ");
        drop.push_str(&lang.fill("wire.shared", &[("loop", w.name())]));
    }
    html! {
        <span class="acts" role="group" aria-label={lang.fill("wire.acts", &[("obj", t.object.clone().into())])}>
            { square(lang, class, GO, &Text::word("wire.deliver"), None, act(EventFault::Deliver)) }
            { square(lang, class, TICK, &Text::word("wire.delay"), None, act(EventFault::Delay)) }
            { square(lang, class, ASLEEP, &Text::word("wire.wake"), None, act(EventFault::LoseWakeUp)) }
            { square(lang, class, CROSS, &Text::from(drop), None, act(EventFault::Drop)) }
            { square(lang, class, TWICE, &Text::word("wire.dup"), None, act(EventFault::Duplicate)) }
        </span>
    }
}
