//! The strip: who owes the next move, and how far it got, station by station.

use super::board::Tally;
use super::counted;
use super::lens::Lens;
use super::losses::Loss;
use super::pods::{image_tag, unschedulable_reason};
use super::spoken::act_of;
use crate::api::resource::DEPLOYMENTS;
use crate::api::{Object, Str, Verb};
use crate::cluster::{Activity, UserAction};
use crate::diagnosis::{Diagnosis, Owes};
use crate::session::Moment;
use crate::session::view::{LoopCard, LoopState, Next, NextKind, Problem, Station, StationState, Text, TicketState, Writer};

pub fn next(lens: &Lens, tally: &Tally, stuck: &[Diagnosis], losses: &[Loss], problems: &[Problem]) -> Next {
    if let Some(problem) = problems.first().filter(|_| lens.owes.is_none()) {
        let detail = if problem.line > 0 { counted("nx.fix", u64::from(problem.line)) } else { Text::word("st.refused") };
        return Next { who: Some(Writer::Me), kind: NextKind::You, head: Text::word("strip.you"), detail };
    }
    if lens.first {
        return Next { who: Some(Writer::Me), kind: NextKind::You, head: Text::word("strip.you"), detail: Text::word("nx.first") };
    }
    if let Some(of) = lens.owes {
        let writer = super::lens::writer_named(&lens.world.the_loop(of).name);
        return Next {
            who: Some(writer),
            kind: NextKind::Loop,
            head: Text::with("w.loop", [("loop", writer.name())]),
            detail: about_to(lens),
        };
    }
    if let Some(first) = stuck.first() {
        return blocked(first);
    }
    if lens.gaps.is_empty() && !lens.world.is_busy() && tally.wanted == tally.active {
        return Next { who: None, kind: NextKind::Done, head: Text::word("strip.done"), detail: Text::word("nx.done") };
    }
    let nobody = Text::word("strip.none");
    let stopped = lens.world.loops().any(|of| !lens.world.the_loop(of).running) || lens.world.processes().any(|p| !p.running);
    if stopped && lens.timer.is_none() {
        return Next { who: None, kind: NextKind::Timer, head: nobody, detail: Text::word("nx.stopped") };
    }
    if lens.world.processes().any(|p| p.wires.values().any(|w| w.tokens().next().is_some_and(|t| super::tickets::is_held(lens, t)))) {
        return Next { who: None, kind: NextKind::Timer, head: nobody, detail: Text::word("nx.held") };
    }
    let gap = tally.wanted.abs_diff(tally.active);
    if gap > 0 && !lens.world.is_busy() {
        let kind = if stopped { NextKind::Timer } else { NextKind::Lost };
        let known = losses.iter().any(|l| l.healed.is_none() && l.asleep.is_some());
        let lost = if known { "nx.asleep" } else { "nx.lost" };
        return Next { who: None, kind, head: nobody, detail: if stopped { Text::word("nx.stopped") } else { counted(lost, gap) } };
    }
    let alone = !lens.world.is_busy() && lens.gaps.len() == lens.world.unserved().count();
    if let Some(u) = lens.world.unserved().next().filter(|_| alone) {
        let name = Text::from(Str::from(u.object.name()));
        let head = Text::with("nx.noloop", [("kind", u.kind.into()), ("name", name)]);
        return Next { who: None, kind: NextKind::Stuck, head, detail: Text::word("nx.noloop.why") };
    }
    let detail = lens.timer_s().map_or_else(Text::default, |s| counted("nx.timer", s));
    Next { who: Some(Writer::Ku).filter(|_| tally.placed > tally.ready.ready), kind: NextKind::Timer, head: nobody, detail }
}

/// Names what stands first in the chain.
#[inline(never)]
fn blocked(d: &Diagnosis) -> Next {
    let who = match &d.owes {
        Owes::You => Some(Writer::Me),
        Owes::Loop(name) => Some(super::lens::writer_named(name)),
        Owes::Outside(_) => None,
    };
    let (kind, name) = (d.object.kind.as_str(), short(&d.object.kind, &d.object.name));
    let object = Text::from(if kind == "Pod" { name } else { [kind, " ", &name].concat() });
    let kind = if super::why::is_lost(d) { NextKind::Lost } else { NextKind::Stuck };
    let detail = if d.others > 0 { Text::with("nx.others", [("obj", object), ("n", d.others.into())]) } else { object };
    Next { who, kind, head: super::why::said(&d.cause().headline, d), detail }
}

/// What the next sync is about to do.
fn about_to(lens: &Lens) -> Text {
    let Some(sync) = lens.upcoming() else { return Text::default() };
    let Some(act) = act_of(sync) else { return Text::with("nx.look", [("obj", sync.key.clone().into())]) };
    let (kind, n) = (Text::from(act.kind()), Text::from(act.count));
    match (act.verb, act.subresource) {
        (_, "binding") => Text::with("nx.bind", [("n", n)]),
        (_, "status") => Text::with("nx.status", [("obj", Text::from(short(&act.kind(), &act.name)))]),
        (Verb::Create, _) => Text::with("nx.create", [("kind", kind), ("n", n)]),
        (Verb::Delete | Verb::DeleteCollection, _) => Text::with("nx.delete", [("kind", kind), ("n", n)]),
        _ => Text::with("nx.update", [("kind", kind), ("n", n)]),
    }
}

/// As tickets name it: a pod by what its owner added.
fn short(kind: &str, name: &str) -> String {
    match name.rsplit_once('-') {
        Some((_, tail)) if kind == "Pod" => ["Pod ", tail].concat(),
        _ => name.to_string(),
    }
}

pub fn stations(lens: &Lens, tally: &Tally, cards: &[LoopCard], moment: &Moment) -> Vec<Station> {
    let newest = lens.world.etcd().list(&DEPLOYMENTS, "").max_by_key(|d| d.revision());
    let mut all = vec![apply(lens, newest, moment), stored(lens)];
    all.extend(cards.iter().map(|c| station(tally, c, lens)));
    all
}

fn apply(lens: &Lens, newest: Option<&Object>, moment: &Moment) -> Station {
    let base = Station { writer: Some(Writer::Me), name: Text::word("strip.apply"), ..Station::default() };
    if let Some(problem) = moment.problems.first() {
        let note = if problem.line > 0 { counted("st.line", u64::from(problem.line)) } else { Text::word("st.refused") };
        return Station { state: StationState::Error, note, ..base };
    }
    if lens.first {
        return Station { state: StationState::Now, note: Text::word("strip.notyet"), ..base };
    }
    let image = newest.map_or("", |d| d.spec().at(&["template", "spec", "containers"]).item(0).get("image").text());
    let note =
        if image.len() > 16 { image_tag(newest.map_or(&crate::api::Value::Null, |d| d.spec().at(&["template", "spec"]))) } else { image };
    Station { state: StationState::Ok, note: Text::from(Str::from(note)), ..base }
}

fn stored(lens: &Lens) -> Station {
    const LOOK_BACK: usize = 20_000;
    let base = Station { name: Text::word("strip.stored"), ..Station::default() };
    if lens.first {
        return base;
    }
    let records = lens.world.records();
    let from = records.len().saturating_sub(LOOK_BACK);
    let mine = |r: &&std::rc::Rc<crate::cluster::StepRecord>| r.wrote() && matches!(r.activity, Activity::User(UserAction::Kubectl { .. }));
    let last = (from..records.len()).rev().filter_map(|i| records.get(i)).find(mine);
    if last.is_none() && lens.world.etcd().count(&DEPLOYMENTS) == 0 {
        return base;
    }
    Station { state: StationState::Ok, note: last.map_or_else(Text::default, |r| counted("st.rev", r.revisions.1)), ..base }
}

fn station(tally: &Tally, card: &LoopCard, lens: &Lens) -> Station {
    let writer = card.writer.unwrap_or(Writer::Ap);
    let reached = match writer {
        Writer::De => tally.deployments > 0,
        Writer::Rs => !tally.split.is_empty(),
        Writer::Sc => tally.placed + tally.unplaced > 0,
        _ => tally.placed > 0,
    };
    let state = match card.state {
        _ if lens.first => StationState::Idle,
        LoopState::Stopped => StationState::Off,
        LoopState::Next => StationState::Now,
        LoopState::Stuck => StationState::Stuck,
        _ if card.blind => StationState::Blind,
        LoopState::Quiet if card.wire.iter().any(|t| t.state == TicketState::WakeLost) => StationState::Blind,
        LoopState::Wait | LoopState::Running => StationState::Wait,
        LoopState::Quiet if reached => StationState::Ok,
        LoopState::Quiet => StationState::Idle,
    };
    Station {
        writer: card.writer,
        name: card.name.clone(),
        state,
        note: if lens.first { Text::default() } else { note(tally, card, state, reached) },
        loop_id: card.id.clone(),
    }
}

fn note(tally: &Tally, card: &LoopCard, state: StationState, reached: bool) -> Text {
    if state == StationState::Off {
        return Text::word("loop.s.stopped");
    }
    if state == StationState::Blind && card.behind > 0 {
        return counted("st.behind", card.behind);
    }
    let waiting: u64 = card.wire.iter().filter(|t| t.rev > 0).map(|t| t.count).sum();
    if state == StationState::Wait && waiting > 0 {
        return counted("st.wire", waiting);
    }
    if state == StationState::Wait && card.queue > 0 {
        return counted("st.queue", card.queue);
    }
    match card.writer {
        Some(Writer::De) if tally.split.len() > 1 => {
            let parts: Vec<String> = tally.split.iter().map(u64::to_string).collect();
            Text::with("st.split", [("n", Text::from(parts.join(" + ")))])
        }
        Some(Writer::De) if reached => counted("st.rs", tally.split.len() as u64),
        Some(Writer::Rs) if tally.wanted > tally.active => counted("st.short", tally.wanted - tally.active),
        Some(Writer::Rs) if tally.active > tally.wanted => counted("st.over", tally.active - tally.wanted),
        Some(Writer::Rs) if reached => Text::with("st.pods", [("a", tally.active.into()), ("b", tally.wanted.into())]),
        Some(Writer::Sc) if !tally.unschedulable.is_empty() => Text::from(unschedulable_reason(&tally.unschedulable[0])),
        Some(Writer::Sc) if tally.unplaced > 0 => counted("st.unplaced", tally.unplaced),
        Some(Writer::Sc) if reached => Text::word("st.placed"),
        Some(Writer::Ku) if !tally.broken.is_empty() => Text::from(tally.broken[0].1.clone()),
        Some(Writer::Ku) if reached => counted("st.running", tally.running),
        Some(Writer::Ku) if tally.unplaced > 0 => Text::word("st.none"),
        _ => Text::default(),
    }
}
