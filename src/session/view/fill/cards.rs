//! The loop cards: what each loop's cache says, what differs, what it is about to do.

use super::board::Tally;
use super::lens::{Lens, is_live, not_made_good, writer_named};
use super::losses::Loss;
use super::spoken::{act_of, differs_of};
use super::tickets::tickets;
use super::{counted, num};
use crate::api::resource::{PODS, REPLICA_SETS};
use crate::api::{ObjectKey, Resource, Str};
use crate::cluster::LoopId;
use crate::session::action::WireId;
use crate::session::view::{Differs, LoopCard, LoopState, Slots, Stage, Text, TicketState, Wire, Writer};

/// The row, in order.
pub const ROW: [Writer; 4] = [Writer::De, Writer::Rs, Writer::Sc, Writer::Ku];
const KEYS_SHOWN: usize = 10;

/// The four of the row, and the quiet ones.
pub fn cards(lens: &Lens, tally: &Tally, losses: &[Loss]) -> (Vec<LoopCard>, Vec<LoopCard>) {
    let row = ROW.iter().map(|w| card(lens, tally, losses, &lens.loops_of(*w), *w, true)).collect();
    let mut rest = Vec::new();
    for of in lens.world.loops() {
        let name = &lens.world.the_loop(of).name;
        let writer = writer_named(name);
        if ROW.contains(&writer) || rest.iter().any(|c: &LoopCard| c.id == *name) {
            continue;
        }
        // A loop that runs twice has one card, which says so.
        let both: Vec<LoopId> = lens.world.loops_named(name).collect();
        rest.push(card(lens, tally, losses, &both, writer, false));
    }
    (row, rest)
}

fn card(lens: &Lens, tally: &Tally, losses: &[Loss], loops: &[LoopId], writer: Writer, shown: bool) -> LoopCard {
    let world = lens.world;
    let Some(first) = loops.first().copied() else { return LoopCard { writer: Some(writer), name: writer.name(), ..LoopCard::default() } };
    let name = world.the_loop(first).name.clone();
    let owes = lens.owes.is_some_and(|of| loops.contains(&of));
    let of = if owes { lens.owes.unwrap_or(first) } else { first };
    let process = world.process(of.process);
    let upcoming = if owes { lens.upcoming() } else { None };
    let queue: usize = loops.iter().map(|l| world.the_loop(*l).queue.keys().filter(|k| !k.starts_with('~')).count()).sum();
    let in_flight: usize = loops.iter().map(|l| world.the_loop(*l).in_flight.len()).sum();
    let running = loops.iter().any(|l| world.the_loop(*l).running && world.process(l.process).running);
    let (cache_rev, behind, stale) = freshness(lens, loops);
    let wire = if shown && !lens.first { tickets(lens, losses, loops, writer) } else { Vec::new() };
    let moving = wire.iter().any(|t| !matches!(t.state, TicketState::Lost) && (t.state != TicketState::WakeLost || t.rev > cache_rev));
    let parked = if writer == Writer::Sc && queue == 0 && !owes { tally.unschedulable.len() as u64 } else { 0 };
    let stuck = !owes && (parked > 0 || writer == Writer::Ku && !tally.broken.is_empty());
    let delayed = loops.iter().any(|l| world.the_loop(*l).queue.waiting().any(|(_, k)| !k.starts_with('~')));
    let state = if !running {
        LoopState::Stopped
    } else if owes {
        LoopState::Next
    } else if stuck {
        LoopState::Stuck
    } else if queue > 0 || in_flight > 0 || moving {
        LoopState::Wait
    } else {
        LoopState::Quiet
    };
    LoopCard {
        id: name.clone(),
        process: process.name.clone(),
        writer: Some(writer),
        name: if shown { writer.name() } else { Text::from(name) },
        instances: if writer == Writer::Ku { 1 } else { loops.len() as u64 },
        state,
        intro: lens.first.then(|| intro(writer)),
        sees: sees(lens, tally, of, writer, upcoming.map(|s| &s.key)),
        blind: stale,
        differs: upcoming.and_then(differs_of).or_else(|| trouble(tally, writer, stuck)),
        acts: upcoming
            .and_then(|s| act_of(s).map(|a| Text::from(a.line())))
            .or_else(|| (stuck && writer == Writer::Sc).then(|| Text::word("lo.retry"))),
        stage: world.the_loop(of).in_flight.first().map(|f| {
            Stage::Writes(f.progress.answers.len() as u32 + 1, (f.progress.answers.len() + f.progress.waiting.len()).max(1) as u32)
        }),
        queue: queue as u64,
        parked,
        keys: loops
            .iter()
            .flat_map(|l| world.the_loop(*l).queue.keys().filter(|k| !k.starts_with('~')))
            .take(KEYS_SHOWN)
            .cloned()
            .collect(),
        cache_rev,
        behind,
        owes,
        can_step: running && (queue > 0 || in_flight > 0 || moving || delayed || owes),
        wire,
        watches: watches(lens, of),
    }
}

fn intro(writer: Writer) -> Text {
    Text::word(match writer {
        Writer::De => "loop.w.de",
        Writer::Rs => "loop.w.rs",
        Writer::Sc => "loop.w.sc",
        Writer::Ku => "loop.w.ku",
        _ => "loop.intro",
    })
}

/// What stands in the way of a stuck loop.
fn trouble(tally: &Tally, writer: Writer, stuck: bool) -> Option<Differs> {
    if !stuck {
        return None;
    }
    let text = match writer {
        Writer::Sc => super::pods::unschedulable_reason(tally.unschedulable.first()?),
        _ => tally.broken.first()?.1.clone(),
    };
    Some(Differs { slots: None, text: text.into(), bad: true })
}

/// The kinds that a loop's card speaks of: those it hears of, less the pods that only a Recreate needs.
pub fn kinds(lens: &Lens, of: LoopId) -> impl Iterator<Item = &'static Resource> {
    let l = lens.world.the_loop(of);
    let deployment = l.name == "deployment";
    l.controller.watches().iter().filter(move |r| !(deployment && **r == PODS))
}

/// The revision that the loops' caches stand at, how many events behind that is, and whether one of them was lost. Most revisions are
/// other kinds' (leases above all), so their distance would say nothing.
fn freshness(lens: &Lens, loops: &[LoopId]) -> (u64, u64, bool) {
    let world = lens.world;
    let (mut at, mut behind, mut stale) = (world.etcd().revision(), 0, false);
    for of in loops {
        let process = world.process(of.process);
        if !process.running {
            continue;
        }
        for resource in kinds(lens, *of) {
            let Some(wire) = process.wires.get(resource) else { continue };
            for token in wire.tokens() {
                at = at.min(token.revision.saturating_sub(1));
                behind += 1;
            }
            for lost in not_made_good(world, process, resource, wire) {
                at = at.min(lost.saturating_sub(1));
                behind += 1;
                stale = true;
            }
        }
    }
    (at, behind, stale)
}

fn watches(lens: &Lens, of: LoopId) -> Vec<Wire> {
    let process = lens.world.process(of.process);
    let wire = |resource: &Resource| {
        let wire = process.wires.get(resource)?;
        let kind = crate::api::scheme::by_resource(resource).map_or_else(|| resource.plural().into(), |k| Str::from(k.kind.as_str()));
        Some(Wire { id: WireId { process: process.name.clone(), resource: resource.0.clone() }, kind, connected: wire.connected })
    };
    kinds(lens, of).take(6).filter_map(wire).collect()
}

fn sees(lens: &Lens, tally: &Tally, of: LoopId, writer: Writer, key: Option<&Str>) -> Text {
    let world = lens.world;
    if !world.process(of.process).running {
        return Text::word("lo.dead");
    }
    let caches = &world.process(of.process).caches;
    match writer {
        Writer::De => {
            let sizes: Vec<String> = caches
                .of(&REPLICA_SETS)
                .all()
                .map(|s| s.spec().get("replicas").int())
                .filter(|n| *n > 0)
                .take(4)
                .map(|n| n.to_string())
                .collect();
            Text::with("lo.rs", [("n", Text::from(if sizes.is_empty() { "0".to_string() } else { sizes.join(" + ") }))])
        }
        Writer::Rs => {
            let pods = caches.of(&PODS);
            if let Some(set) = key.and_then(|k| caches.of(&REPLICA_SETS).by_key(&ObjectKey::split(k))) {
                let there = pods.controlled_by(set.uid()).filter(|p| is_live(p)).count() as u64;
                let name = set.name();
                let hash = name.rsplit_once('-').map_or(name, |n| n.1);
                let short: String = hash.chars().take(5).collect();
                return Text::with("lo.pods", [("n", there.into()), ("of", Text::from([&short, "…"].concat()))]);
            }
            let (mut there, mut wanted) = (0, 0);
            for set in caches.of(&REPLICA_SETS).all() {
                wanted += set.spec().get("replicas").int().max(0) as u64;
                there += pods.controlled_by(set.uid()).filter(|p| is_live(p)).count() as u64;
            }
            Text::from(format!("Pod {there} / {wanted}"))
        }
        Writer::Sc => counted("lo.unplaced", caches.of(&PODS).on_node("").filter(|p| is_live(p)).count() as u64),
        Writer::Ku => Text::with("lo.mine", [("a", tally.running.into()), ("b", tally.placed.into())]),
        _ => lens.last_sync(writer).and_then(|r| r.sync().map(|s| Text::from(s.key.clone()))).unwrap_or_else(|| Text::word("loop.intro")),
    }
}

/// A pair as slots, for a difference of pods.
pub fn pod_slots(there: u64, wanted: u64) -> Option<Slots> {
    (wanted <= 6 && there <= 6).then_some(Slots { wanted, filled: there.min(wanted), half: 0, over: 0 })
}

/// A signed number with a real minus.
pub fn signed(text: &str) -> Str {
    match text.strip_prefix('-') {
        Some(rest) => Str::from(["−", rest].concat()),
        None if text.starts_with('+') => Str::from(text),
        None => num(format!("+{text}")),
    }
}
