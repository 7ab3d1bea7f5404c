//! Why nobody moves: what is found of it, with the pictures that go with some causes. Looked for only where a run has come to
//! rest with something amiss, or a pod says itself that it is stuck: never in a world that moves.

use super::board::Tally;
use super::lens::{Lens, all_pods, is_live};
use super::nodes::{nodes, requests};
use super::pods::glance;
use crate::api::resource::{PODS, SERVICES};
use crate::api::{Object, ObjectKey, Str};
use crate::cluster::StepRecord;
use crate::diagnosis::{Diagnosis, Fix, Said, diagnose};
use crate::session::action::WireId;
use crate::session::view::{Remedy, Room, Slots, Text, Twin, Why};
use std::cell::RefCell;
use std::rc::Rc;

/// More nodes than this would fill the panel.
const ROOMS_MAX: usize = 6;
const MANAGER: &str = "kube-controller-manager";

/// The record after which a diagnosis was made, and the diagnosis.
type Lately = (Rc<StepRecord>, Rc<Vec<Diagnosis>>);

thread_local! {
    /// The newest record of the world that was looked at last, and what was found: a world changes with its records alone.
    static LATELY: RefCell<Option<Lately>> = const { RefCell::new(None) };
}

/// What is stuck, if it is time to ask.
pub fn stuck(lens: &Lens, tally: &Tally) -> Rc<Vec<Diagnosis>> {
    if lens.first || lens.owes.is_some() {
        return Rc::default();
    }
    let told = !tally.unschedulable.is_empty() || !tally.broken.is_empty();
    // A stale cache writes a status that agrees with itself: only the count of pods tells.
    if told || lens.at_rest() && (!tally.uneven.is_empty() || is_amiss(lens)) { known(lens) } else { Rc::default() }
}

/// Something is not as asked, or may lead nowhere.
fn is_amiss(lens: &Lens) -> bool {
    let etcd = lens.world.etcd();
    let going = || etcd.resources().filter(|r| **r != PODS).any(|r| etcd.list(r, "").any(Object::is_deleting));
    !lens.gaps.is_empty() || etcd.count(&SERVICES) > 1 || going()
}

#[inline(never)]
fn known(lens: &Lens) -> Rc<Vec<Diagnosis>> {
    let Some(newest) = lens.world.records().last() else { return Rc::default() };
    LATELY.with_borrow_mut(|lately| {
        if let Some((record, found)) = lately
            && Rc::ptr_eq(record, newest)
        {
            return found.clone();
        }
        let found = Rc::new(diagnose(lens.world));
        *lately = Some((newest.clone(), found.clone()));
        found
    })
}

/// The object that explains the standstill.
pub fn attention(stuck: &[Diagnosis]) -> Str {
    stuck.first().map(|d| d.object.uid.clone()).unwrap_or_default()
}

/// A text of a cause with the arguments of a diagnosis.
pub fn said(said: &'static Said, d: &Diagnosis) -> Text {
    Text::Said(said, d.args.clone().into())
}

/// An event or a wake-up is gone, rather than a move refused.
pub fn is_lost(d: &Diagnosis) -> bool {
    matches!(d.code, "cache-stale" | "wake-up-lost")
}

pub fn why(lens: &Lens, object: &Object, stuck: &[Diagnosis]) -> Option<Why> {
    let d = stuck.iter().find(|d| d.object.uid == *object.uid()).or_else(|| stuck.iter().find(|d| is_another(lens, object, d)))?;
    let cause = d.cause();
    let remedy = |fix: &Fix| match fix {
        Fix::StartLoop(name) => Some(Remedy::StartLoop(name.clone())),
        Fix::StartProcess(name) => Some(Remedy::Restart(name.clone())),
        Fix::Relist { process, resource } => Some(Remedy::Relist(WireId { process: process.clone(), resource: resource.0.clone() })),
        Fix::Resync { process, resource } => Some(Remedy::Resync(WireId { process: process.clone(), resource: resource.0.clone() })),
        _ => None,
    };
    let short_of_cpu = d.code == "pod-unschedulable-resources" && d.proof.line.contains("Insufficient cpu");
    let ask = requests(object).0;
    Some(Why {
        code: Str::fixed(d.code),
        head: said(&cause.headline, d),
        detail: said(&cause.cause, d),
        proof: Some(d.proof.clone()),
        fix: said(&cause.fix, d),
        deeds: d.fixes.iter().filter(|f| remedy(f).is_none()).map(|f| f.line().into()).collect(),
        lost: is_lost(d),
        twin: if is_lost(d) && object.kind() == "ReplicaSet" { twin(lens, object) } else { None },
        remedies: d.fixes.iter().filter_map(remedy).collect(),
        notes: if d.code == "cache-stale" { vec![Text::word("lost.next"), Text::word("wire.teach")] } else { Vec::new() },
        rooms: if short_of_cpu { rooms(lens, ask) } else { Vec::new() },
        ask: format!("{ask}m").into(),
    })
}

/// A pod beside the one that is told of, with the same owner and the same look.
fn is_another(lens: &Lens, pod: &Object, d: &Diagnosis) -> bool {
    let named = || lens.world.etcd().get(&PODS, &ObjectKey::new(d.object.namespace.clone(), d.object.name.clone()));
    let alike = |first: &Object| first.controller_uid() == pod.controller_uid() && glance(first) == glance(pod);
    d.others > 0 && d.object.kind == *"Pod" && pod.kind() == "Pod" && pod.controller().is_some() && named().is_some_and(alike)
}

fn rooms(lens: &Lens, ask: u64) -> Vec<Room> {
    let all = nodes(lens);
    let room =
        |n: &crate::session::view::Node| Room { node: n.name.clone(), cpu_milli: n.cpu_milli, used_milli: n.used_milli, ask_milli: ask };
    all.list.iter().take(ROOMS_MAX).map(room).collect()
}

/// What the cache says beside what the board says.
fn twin(lens: &Lens, set: &Object) -> Option<Twin> {
    let wanted = set.spec().get("replicas").int().max(0) as u64;
    let real = all_pods(lens.world).filter(|p| is_live(p) && p.controller_uid().is_some_and(|u| u == *set.uid())).count() as u64;
    let process = lens.world.process(lens.world.process_named(MANAGER)?);
    let cached = process.caches.of(&PODS).controlled_by(set.uid()).filter(|p| is_live(p)).count() as u64;
    let slots = |filled| Slots { wanted, filled, half: 0, over: 0 };
    Some(Twin { cache: slots(cached), board: slots(real) })
}
