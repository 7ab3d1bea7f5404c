//! Why: what blocks this object, or the chain of who wrote what the next one saw.

use super::super::bits::{Dispatch, bd, slots, use_dispatch, use_lang};
use super::super::icons::{RELIST, ic};
use super::super::ui::Msg;
use super::super::words::Lang;
use super::status::{conditions, events, split};
use crate::diagnosis::Proof;
use crate::session::action::Action;
use crate::session::view::{Cause, Inspector, Remedy, Room, Why};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct WhyProps {
    pub view: Rc<Inspector>,
    pub past: bool,
}

#[component]
pub fn WhyTab(props: &WhyProps) -> Html {
    let lang = use_lang();
    let v = &*props.view;
    match &v.why {
        Some(why) => html! {<>
            <Blocked why={Rc::new(why.clone())} past={props.past} />
            { conditions(lang, &v.conditions) }
            { rooms(lang, why) }
            { split(lang, v) }
            <section><h3>{ lang.raw("in.events") }</h3>{ events(lang, &v.events) }</section>
            if !v.chain.is_empty() { { chain(lang, &v.chain) } }
        </>},
        None if v.chain.is_empty() => html! { <p class="dim">{ lang.raw("in.nowhy") }</p> },
        None => {
            html! {<><p class="gap">{ lang.raw("why.h") }</p>{ chain(lang, &v.chain) }<p class="legend dim">{ lang.raw("why.note") }</p></>}
        }
    }
}

fn chain(lang: Lang, causes: &[Cause]) -> Html {
    let one = |c: &Cause| {
        let rev = if c.rev > 0 { c.rev.to_string() } else { String::new() };
        html! {
            <li data-w={c.writer.hue()} class={classes!(c.next.then_some("nxt"))}>{ bd(lang, c.writer, "") }<span><b class="m">{ c.verb.to_string() }{ " " }{ c.object.to_string() }</b><br />{ lang.say(&c.detail) }</span><span class="m dim">{ rev }</span></li>
        }
    };
    html! { <ol class="chain">{ for causes.iter().map(one) }</ol> }
}

#[derive(Properties, PartialEq)]
struct BlockedProps {
    why: Rc<Why>,
    past: bool,
}

#[component]
fn Blocked(props: &BlockedProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let why = &*props.why;
    let remedy = |r: &Remedy| {
        let (icon, word, action) = match r {
            Remedy::Relist(wire) => (Some(RELIST), "lost.relist", Action::Relist { wire: wire.clone() }),
            Remedy::Restart(process) => (None, "lost.cut", Action::RestartProcess { process: process.clone() }),
            Remedy::StartLoop(id) => (None, "loop.start", Action::StartLoop { loop_id: id.clone() }),
            Remedy::Resync(wire) => (None, "lost.resync", Action::Resync { wire: wire.clone() }),
        };
        html! { <button type="button" class="btn line" disabled={props.past} onclick={go.on(action)}>{ icon.map(ic).unwrap_or_default() }{ lang.raw(word) }</button> }
    };
    html! {
        <div class={classes!("why", if why.lost { "lost" } else { "stuck" })}>
            <p><b>{ lang.say(&why.head) }</b></p>
            if let Some(t) = why.twin {
                <div class="twin">
                    <div><span class="dim">{ lang.fill("lost.cache", &[("n", t.cache.filled.into())]) }</span>{ slots(lang, t.cache) }</div>
                    <div><span class="dim">{ lang.fill("lost.board", &[("n", t.board.filled.into())]) }</span>{ slots(lang, t.board) }</div>
                </div>
            }
            if !why.detail.is_empty() { <p>{ lang.say(&why.detail) }</p> }
            if let Some(p) = &why.proof { { proof(lang, &go, p, props.past) } }
            if !why.fix.is_empty() { <p><b>{ lang.raw("why.fix") }</b>{ " " }{ lang.say(&why.fix) }</p> }
            if !why.deeds.is_empty() { <ul class="deeds m">{ for why.deeds.iter().map(|d| html! { <li>{ d.to_string() }</li> }) }</ul> }
            if !why.remedies.is_empty() { <p class="acts2">{ for why.remedies.iter().map(remedy) }</p> }
            if !why.notes.is_empty() { <p class="dim">{ for why.notes.iter().map(|n| html! {<>{ lang.say(n) }<br /></>}) }</p> }
        </div>
    }
}

/// The command, a button that runs it at the prompt, and the line of its output that proves the cause.
fn proof(lang: Lang, go: &Dispatch, proof: &Proof, past: bool) -> Html {
    let run = {
        let (go, line) = (go.clone(), proof.command.clone());
        Callback::from(move |_: MouseEvent| {
            go.send(Msg::Drawer(true));
            go.send(Action::Kubectl { line: line.clone() });
        })
    };
    html! {
        <div class="proof">
            <p class="m"><span>{ ["$ kubectl ", proof.command.as_str()].concat() }</span><button type="button" class="btn sm line" disabled={past} onclick={run}>{ lang.raw("why.run") }</button></p>
            <pre class="m" tabindex="0">{ proof.line.trim().to_string() }</pre>
        </div>
    }
}

fn rooms(lang: Lang, why: &Why) -> Html {
    if why.rooms.is_empty() {
        return Html::default();
    }
    let percent = |part: u64, whole: u64| (part * 1000 / whole.max(1)) as f64 / 10.0;
    let one = |r: &Room| {
        let (used, ask) = (percent(r.used_milli, r.cpu_milli), percent(r.ask_milli, r.cpu_milli));
        let free = r.cpu_milli.saturating_sub(r.used_milli) / 100;
        let free = [&(free / 10).to_string(), ".", &(free % 10).to_string()].concat();
        let hole = ["left:", &used.to_string(), "%;width:", &ask.to_string(), "%"].concat();
        html! { <p key={r.node.to_string()}><span class="m">{ r.node.to_string() }</span><span class="cap"><i style={["width:", &used.to_string(), "%"].concat()}></i><s style={hole}></s></span><span class="m dim">{ lang.fill("stuck.free", &[("n", free.into())]) }</span></p> }
    };
    html! { <section class="room"><h3>{ lang.fill("stuck.room", &[("r", why.ask.clone().into())]) }</h3>{ for why.rooms.iter().map(one) }</section> }
}
