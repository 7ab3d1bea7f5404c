//! The faults that one loop, its process and its wires can be given.

use super::super::bits::{square, use_dispatch, use_lang};
use super::super::icons::{CROSS, FAULT, LOOP, RELIST, TICK};
use crate::session::action::{Action, FailCode};
use crate::session::view::{LoopCard, LoopState, Text, Wire};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct FaultProps {
    pub card: Rc<LoopCard>,
}

#[component]
pub fn FaultMenu(props: &FaultProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let l = &*props.card;
    let stopped = l.state == LoopState::Stopped;
    let (id, process) = (l.id.clone(), l.process.clone());
    let fail = |code: FailCode| Action::FailNext { loop_id: id.clone(), code };
    let power = if stopped { Action::StartLoop { loop_id: id.clone() } } else { Action::StopLoop { loop_id: id.clone() } };
    let items = [
        (if stopped { "loop.start" } else { "flt.stop" }, power),
        ("flt.409", fail(FailCode::Conflict)),
        ("flt.500", fail(FailCode::Internal)),
        ("flt.timeout", fail(FailCode::Timeout)),
        ("flt.restart", Action::RestartProcess { process: process.clone() }),
        ("flt.process", Action::StopProcess { process: process.clone() }),
        ("flt.revive", Action::StartProcess { process: process.clone() }),
    ];
    // A process that runs cannot be started.
    let items = items.iter().filter(|i| stopped || i.0 != "flt.revive");
    let item = |(word, action): &(&'static str, Action)| html! { <button type="button" role="menuitem" data-item="" onclick={go.on(action.clone())}>{ lang.raw(word) }</button> };
    let small = "btn sm q sq";
    let wire = |w: &Wire| {
        let word = |key| Text::with("flt.on1", [("what", Text::word(key)), ("kind", w.kind.clone().into())]);
        html! {
            <p class="wrow" key={w.id.resource.to_string()}>
                <span class={classes!("m", (!w.connected).then_some("bad"))}>{ w.kind.to_string() }</span><span class="grow"></span>
                { square(lang, small, FAULT, &word("flt.drop"), None, go.on(Action::DropNext { wire: w.id.clone() })) }
                { square(lang, small, TICK, &word("flt.delay"), None, go.on(Action::DelayWire { wire: w.id.clone(), ms: 5_000 })) }
                { square(lang, small, CROSS, &word("flt.cut"), None, go.on(Action::Disconnect { wire: w.id.clone() })) }
                { square(lang, small, LOOP, &word("flt.resync"), None, go.on(Action::Resync { wire: w.id.clone() })) }
                { square(lang, small, RELIST, &word("flt.relist"), None, go.on(Action::Relist { wire: w.id.clone() })) }
            </p>
        }
    };
    html! {
        <div class="pop" role="menu" data-roving="" aria-label={lang.fill("flt.for", &[("loop", l.name.clone())])}>
            <p class="dim">{ lang.fill("flt.for", &[("loop", l.name.clone())]) }</p>
            { for items.map(item) }
            if !l.watches.is_empty() {
                <p class="dim wires">{ lang.fill("flt.wires", &[("process", process.into())]) }</p>
                { for l.watches.iter().map(wire) }
                <p class="dim teach">{ lang.raw("wire.teach") }{ " " }{ lang.raw("loop.teach") }</p>
            }
        </div>
    }
}
