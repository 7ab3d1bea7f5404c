//! Why nobody moves: the pod that finds no node, the container that does not run, the cache that does not know.

use super::board::Tally;
use super::lens::{Lens, all_pods, is_live, stale_from};
use super::nodes::{nodes, requests};
use super::pods::{glance, is_unschedulable};
use crate::api::resource::{PODS, REPLICA_SETS};
use crate::api::{Object, Str};
use crate::session::action::WireId;
use crate::session::view::{Health, Remedy, Room, Slots, Text, Twin, Why};

/// More nodes than this would fill the panel.
const ROOMS_MAX: usize = 6;
const MANAGER: &str = "kube-controller-manager";

/// The object that explains the standstill.
pub fn attention(lens: &Lens, tally: &Tally) -> Str {
    if lens.owes.is_some() || lens.first {
        return Str::default();
    }
    let stuck = tally.unschedulable.first().or_else(|| tally.broken.first().map(|b| &b.0));
    let uneven = || tally.uneven.first().filter(|_| !lens.world.is_busy());
    stuck.or_else(uneven).map(|o| Str::from(o.uid())).unwrap_or_default()
}

pub fn why(lens: &Lens, object: &Object) -> Option<Why> {
    match object.kind() {
        "Pod" if is_unschedulable(object) => Some(unplaced(lens, object)),
        "Pod" => broken(object),
        "ReplicaSet" => uneven(lens, object),
        _ => None,
    }
}

fn unplaced(lens: &Lens, pod: &Object) -> Why {
    let ask = requests(pod).0;
    let short_of_cpu = pod.condition("PodScheduled").is_some_and(|c| c.get("message").text().contains("Insufficient cpu"));
    let all = nodes(lens);
    let room =
        |n: &crate::session::view::Node| Room { node: n.name.clone(), cpu_milli: n.cpu_milli, used_milli: n.used_milli, ask_milli: ask };
    let rooms = if short_of_cpu { all.list.iter().take(ROOMS_MAX).map(room).collect() } else { Vec::new() };
    Why {
        head: Text::word("why.unplaced"),
        detail: Text::word(if short_of_cpu { "stuck.look" } else { "why.placeable" }),
        rooms,
        ask: format!("{ask}m").into(),
        ..Why::default()
    }
}

fn broken(pod: &Object) -> Option<Why> {
    let (word, health) = glance(pod);
    if health != Health::Stuck {
        return None;
    }
    let (head, detail) = match word.as_str() {
        "CrashLoopBackOff" | "Error" => ("why.crash", "why.crash.look"),
        "OOMKilled" => ("why.oom", "why.oom.look"),
        "ImagePullBackOff" | "ErrImagePull" | "InvalidImageName" => ("why.pull", "why.pull.look"),
        "CreateContainerConfigError" => ("why.config", "why.config.look"),
        _ => ("why.container", "why.crash.look"),
    };
    Some(Why { head: Text::word(head), detail: Text::word(detail), ..Why::default() })
}

/// A ReplicaSet whose pods are not as many as it wants, while its loop does nothing about it.
fn uneven(lens: &Lens, set: &Object) -> Option<Why> {
    let wanted = set.spec().get("replicas").int().max(0) as u64;
    let real = all_pods(lens.world).filter(|p| is_live(p) && p.controller_uid().is_some_and(|u| u == *set.uid())).count() as u64;
    if real == wanted || lens.owes.is_some() || lens.world.is_busy() {
        return None;
    }
    let process = lens.world.process(lens.world.process_named(MANAGER)?);
    let the_loop = process.loops.iter().find(|l| l.name == "replicaset")?;
    if !process.running || !the_loop.running {
        let remedy = if process.running { Remedy::StartLoop(the_loop.name.clone()) } else { Remedy::Restart(process.name.clone()) };
        return Some(Why { head: Text::word("why.off"), detail: Text::word("why.off.look"), remedies: vec![remedy], ..Why::default() });
    }
    let cached = process.caches.of(&PODS).controlled_by(set.uid()).filter(|p| is_live(p)).count() as u64;
    let wire = WireId { process: process.name.clone(), resource: PODS.0.clone() };
    let stale = process.wires.get(&PODS).and_then(|w| stale_from(lens.world, process, &PODS, w)).is_some();
    let twin = Twin { cache: Slots { wanted, filled: cached, half: 0, over: 0 }, board: Slots { wanted, filled: real, half: 0, over: 0 } };
    if stale {
        let remedies = vec![Remedy::Relist(wire), Remedy::Restart(process.name.clone())];
        let head = Text::with("why.lost", [("n", cached.into())]);
        return Some(Why {
            head,
            detail: Text::word("lost.q"),
            lost: true,
            twin: Some(twin),
            remedies,
            notes: vec![Text::word("lost.next"), Text::word("wire.teach")],
            ..Why::default()
        });
    }
    // Pods that come again unchanged wake nobody; ReplicaSets do.
    let sets = WireId { process: process.name.clone(), resource: REPLICA_SETS.0.clone() };
    (cached != wanted).then(|| Why {
        head: Text::word("why.asleep"),
        detail: Text::word("why.asleep.look"),
        lost: true,
        twin: Some(twin),
        remedies: vec![Remedy::Resync(sets)],
        ..Why::default()
    })
}
