//! What waits on a loop's wires, what was lost on them, and the write about to go down.

use super::lens::{Lens, stale_from, writer_named};
use super::losses::Loss;
use super::spoken::{act_of, http};
use crate::api::{Object, Resource, Str};
use crate::apiserver::Change;
use crate::cluster::{LoopId, Process, Token};
use crate::session::action::WireId;
use crate::session::view::{Text, Ticket, TicketState, Writer};
use crate::util::Order;

/// An event that waits longer than this is held by a person.
const HELD_MS: u64 = 100_000_000;
/// More tickets than this are stacked by kind and verb.
const SINGLE_MAX: usize = 24;
/// Kinds whose events come by the clock and tell nobody anything.
const NOISE: [&str; 3] = ["leases.coordination.k8s.io", "events", "nodes"];

/// Whether a person holds an event back.
pub fn is_held(lens: &Lens, token: &Token) -> bool {
    token.due.since_ms(lens.world.now()) > HELD_MS
}

pub fn tickets(lens: &Lens, losses: &[Loss], loops: &[LoopId], writer: Writer) -> Vec<Ticket> {
    let mut waiting = Vec::new();
    let mut lost = Vec::new();
    for of in loops {
        let l = lens.world.the_loop(*of);
        let process = lens.world.process(of.process);
        if !process.running {
            continue;
        }
        for resource in super::cards::kinds(lens, *of).filter(|r| !NOISE.contains(&r.0.as_str())) {
            let Some(wire) = process.wires.get(resource) else { continue };
            for token in wire.tokens() {
                let held = is_held(lens, token);
                let state = if token.unheard_by.contains(&l.name) {
                    TicketState::WakeLost
                } else if held {
                    TicketState::Held
                } else {
                    TicketState::Waiting
                };
                waiting.push(ticket(lens, process, resource, token, state, &l.name));
            }
            if let Some(from) = stale_from(lens.world, process, resource, wire) {
                lost.extend(
                    wire.lost.iter().filter(|t| t.revision >= from).map(|t| ticket(lens, process, resource, t, TicketState::Lost, &l.name)),
                );
            }
        }
    }
    lost.extend(losses.iter().filter_map(|l| slept(lens, l, loops)));
    waiting.order_by_key(|t: &Ticket| t.rev);
    let mut all = lost;
    all.extend(stacked(waiting));
    if let Some(ghost) = ghost(lens, loops, writer) {
        all.push(ghost);
    }
    all
}

fn ticket(lens: &Lens, process: &Process, resource: &Resource, token: &Token, state: TicketState, own: &Str) -> Ticket {
    let others =
        process.loops.iter().filter(|l| l.name != *own && l.controller.watches().contains(resource)).map(|l| writer_named(&l.name));
    let mut shared_with: Vec<Writer> = others.filter(|w| super::cards::ROW.contains(w)).collect();
    shared_with.dedup();
    Ticket {
        wire: WireId { process: process.name.clone(), resource: resource.0.clone() },
        event: token.revision,
        writer: lens.world.record(token.record).and_then(|r| lens.writer(r)).unwrap_or(Writer::Ap),
        verb: Str::fixed(match token.change {
            Change::Added => "ADDED",
            Change::Modified => "MODIFIED",
            Change::Deleted => "DELETED",
        }),
        object: named(&token.object),
        about: (token.object.namespace().into(), token.object.name().into()),
        rev: token.revision,
        count: 1,
        state,
        note: None,
        shared_with,
    }
}

/// An event that its cache has, and that one of `loops` was not woken by.
fn slept(lens: &Lens, loss: &Loss, loops: &[LoopId]) -> Option<Ticket> {
    let of = loops.iter().find(|of| of.process == loss.process && loss.asleep.as_ref() == Some(&lens.world.the_loop(**of).name))?;
    let commit = lens.world.etcd().commit(loss.rev).filter(|_| loss.healed.is_none())?;
    let token = Token {
        revision: loss.rev,
        change: commit.change,
        object: commit.object.clone(),
        due: commit.at,
        record: lens.world.writer(loss.rev).unwrap_or(0),
        unheard_by: Vec::new(),
    };
    let process = lens.world.process(of.process);
    Some(ticket(lens, process, &loss.resource, &token, TicketState::WakeLost, &lens.world.the_loop(*of).name))
}

/// `Pod x8k2p`, `RS 7d4b9…`, `Deployment web`.
pub fn named(o: &Object) -> Str {
    let name = o.name();
    let tail = name.rsplit_once('-').map_or(name, |n| n.1);
    Str::from(match o.kind() {
        "Pod" => ["Pod ", tail].concat(),
        "ReplicaSet" => ["RS ", &tail.chars().take(5).collect::<String>(), "…"].concat(),
        kind => [kind, " ", name].concat(),
    })
}

/// Equal kinds as stacks, when there are many.
fn stacked(all: Vec<Ticket>) -> Vec<Ticket> {
    if all.len() <= SINGLE_MAX {
        return all;
    }
    let mut out: Vec<Ticket> = Vec::new();
    for t in all {
        let alike = |o: &&mut Ticket| {
            o.state == t.state
                && o.state == TicketState::Waiting
                && o.verb == t.verb
                && o.wire.resource == t.wire.resource
                && o.writer == t.writer
        };
        match out.iter_mut().find(alike) {
            Some(stack) => {
                stack.count += 1;
                stack.object = stack.object.split(' ').next().unwrap_or("").into();
            }
            None => out.push(t),
        }
    }
    out
}

fn ghost(lens: &Lens, loops: &[LoopId], writer: Writer) -> Option<Ticket> {
    lens.owes.filter(|of| loops.contains(of))?;
    let act = act_of(lens.upcoming()?)?;
    let object = if act.kind() == "ReplicaSet" { Str::fixed("RS") } else { act.kind() };
    Some(Ticket {
        wire: WireId { process: Str::default(), resource: act.resource.0.clone() },
        event: 0,
        writer,
        verb: Str::fixed(http(act.verb)),
        object,
        about: Default::default(),
        rev: 0,
        count: act.count,
        state: TicketState::Next,
        note: Some(Text::word("wire.next")),
        shared_with: Vec::new(),
    })
}
