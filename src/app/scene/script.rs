//! A script over plain machines on one side, the loops on the other, after the same history.

use super::super::icons::hl;
use super::super::words::Lang;
use crate::cluster::Cluster;
use crate::scenes::script::{Halves, Line, Machine, Pod, Runner, Script, Version};
use crate::session::view::{Health, Text};
use yew::prelude::*;

/// The picture of a world in which a new version was applied, or not yet.
pub fn picture(lang: Lang, world: &Cluster) -> Html {
    let halves = Halves::of(world);
    html! { <div class="pscr">{ script(lang, &halves) }{ loops(lang, &halves) }</div> }
}

fn script(lang: Lang, halves: &Halves) -> Html {
    let script = &halves.script;
    let (at, dead) = match script.runner {
        Runner::At { line, .. } => (Some(line), false),
        Runner::Died { line, .. } | Runner::Failed { line, .. } => (Some(line), true),
        Runner::Idle | Runner::Done => (None, false),
    };
    let line = |line: Line| {
        let here = at == Some(line);
        let class = if !here {
            ""
        } else if dead {
            "died"
        } else {
            "at"
        };
        html! { <li class={class} aria-current={here.then_some("step")}><span class="dim">{ line as usize + 1 }</span><code class="wide">{ line.text() }</code><span class="nw">{ lang.raw(word_of(line)) }</span></li> }
    };
    let machine = |(i, m): (usize, &Machine)| {
        let name = format!("web-{}", i + 1);
        chip(lang, m.serves(script.now), if m.up { "ps.off" } else { "ps.down" }, &name)
    };
    html! {
        <section aria-label={lang.raw("ps.script")}>
            <h4>{ lang.raw("ps.script") }{ process(lang, !dead, "deploy.sh") }</h4>
            <ol>{ for Line::ALL.into_iter().map(line) }</ol>
            <div class="vs">{ for script.machines.iter().enumerate().map(machine) }</div>
            <p class="sum">{ said_of_script(lang, halves) }</p>
        </section>
    }
}

fn loops(lang: Lang, halves: &Halves) -> Html {
    let (version, wanted) = halves.wanted;
    let image = if version == Version::V1 { "my-app:v1" } else { "my-app:v2" };
    let ready = halves.ready(version);
    let pod = |p: &Pod| {
        let shown = Some(p.version);
        if p.ready { chip(lang, shown, "ps.off", "Pod") } else { chip(lang, None, "ps.starting", "Pod") }
    };
    html! {
        <section class="on" aria-label={lang.raw("ps.loops")}>
            <h4>{ lang.raw("ps.loops") }{ process(lang, halves.alive, "kube-controller-manager") }</h4>
            <p class="sp"><span class="m">{ "spec " }<b>{ wanted }{ " × " }{ image }</b></span><span class="m">{ "status " }<b>{ ready }{ "/" }{ wanted }</b></span></p>
            <div class="vs">{ for halves.pods.iter().take(5).map(pod) }</div>
            <p class="sum">{ said_of_loops(lang, halves) }</p>
        </section>
    }
}

fn process(lang: Lang, alive: bool, name: &'static str) -> Html {
    if alive {
        return html! { <span class="pr m">{ name }</span> };
    }
    html! { <span class="pr dead">{ hl(lang, Health::Stuck) }{ lang.raw("ps.dead") }</span> }
}

/// What answers on a machine or in a pod; `none` is the word for nothing.
fn chip(lang: Lang, version: Option<Version>, none: &'static str, name: &str) -> Html {
    let (class, text) = match version {
        Some(Version::V1) => ("", "v1"),
        Some(Version::V2) => ("n", "v2"),
        None => ("x", lang.raw(none)),
    };
    html! { <span><i class={class}>{ text }</i>{ name.to_string() }</span> }
}

fn word_of(line: Line) -> &'static str {
    match line {
        Line::Stop => "ps.1",
        Line::Copy => "ps.2",
        Line::Start => "ps.3",
        Line::Health => "ps.4",
    }
}

fn place(lang: Lang, word: &'static str, machine: usize, line: Line) -> String {
    let machine = Text::Verbatim(format!("web-{}", machine + 1).into());
    lang.fill(word, &[("m", machine), ("n", (line as u64 + 1).into())])
}

fn said_of_script(lang: Lang, halves: &Halves) -> String {
    let Script { runner, runs, machines, .. } = &halves.script;
    match *runner {
        Runner::Idle => lang.fill("ps.idle", &[]),
        Runner::At { machine, line } => place(lang, "ps.at", machine, line),
        Runner::Died { machine, line } => place(lang, if halves.alive { "ps.still" } else { "ps.died" }, machine, line),
        Runner::Failed { machine, line } => place(lang, "ps.failed", machine, line),
        Runner::Done if machines.iter().any(|m| !m.up) => lang.fill("ps.gone", &[]),
        Runner::Done => lang.fill(if *runs > 1 { "ps.again" } else { "ps.done" }, &[]),
    }
}

fn said_of_loops(lang: Lang, halves: &Halves) -> String {
    let (version, wanted) = halves.wanted;
    let done = halves.ready(version) as u64 == wanted;
    let word = match (halves.alive, done) {
        (false, _) => "ps.l.dead",
        (true, false) => "ps.l.going",
        (true, true) if version == Version::V1 => "ps.l.idle",
        (true, true) if halves.script.machines.iter().any(|m| !m.up) => "ps.l.moved",
        (true, true) if halves.script.runs > 1 => "ps.l.again",
        (true, true) => "ps.l.done",
    };
    lang.fill(word, &[("n", wanted.into())])
}
