//! A loop believes what is no longer so, or knows and was not woken.

use super::stopped::subject;
use super::{Cause, said};
use crate::api::resource::{DEPLOYMENTS, PODS, REPLICA_SETS};
use crate::api::{Object, Resource};
use crate::cluster::{Fault, LoopId, Process, UserAction, Wire};
use crate::diagnosis::sight::{Sight, is_live, slashed, title};
use crate::diagnosis::{Finding, Fix, Owes};

pub static CAUSES: &[Cause] = &[
    Cause {
        code: "cache-stale",
        headline: said("watch 이벤트가 유실되어 {loop} 루프의 캐시가 옛것이다", "A watch event is lost; the {loop} loop's cache is stale"),
        cause: said(
            "{process}의 {resource} 캐시는 서버와 다르다. {kind} {name}에 차이가 있어도 {loop} 루프의 눈에는 없다.",
            "The {resource} cache of {process} differs from the server. {kind} {name} has a gap that the {loop} loop cannot see.",
        ),
        fix: said(
            "서버에서 목록을 다시 읽는 re-list가 메운다. 캐시를 다시 훑는 resync로는 안 된다.",
            "A re-list, read from the server, heals it. A resync only walks the cache.",
        ),
    },
    Cause {
        code: "wake-up-lost",
        headline: said("캐시는 알지만 {loop} 루프를 아무도 깨우지 않았다", "The cache knows, but nobody woke the {loop} loop"),
        cause: said(
            "{kind} {name}에 차이가 있고 캐시도 최신인데 키가 {loop} 루프의 큐에 없다. 다음에 깨울 일이 생길 때까지 이대로다.",
            "{kind} {name} has a gap and the cache is current, yet its key is not in the {loop} loop's queue. It stays so until something wakes the loop.",
        ),
        fix: said(
            "캐시를 다시 훑는 resync가 키를 큐에 넣는다. 그 객체를 고쳐도 깨어난다.",
            "A resync walks the cache and queues the key. Any change to the object wakes the loop, too.",
        ),
    },
];

/// So long after a list its consequences have begun.
const AFTER_LIST_MS: u64 = 3_000;

pub fn look(sight: &Sight<'_>, _: &[Finding]) -> Vec<Finding> {
    let mut found = stale(sight);
    if found.is_empty() {
        found = asleep(sight);
    }
    found
}

fn stale(sight: &Sight<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for process in sight.world.processes().filter(|p| p.running) {
        for (resource, _) in process.wires.iter().filter(|(r, w)| is_stale(sight, process, r, w)) {
            let own = |of: LoopId| sight.world.process(of.process).name == process.name;
            if sight.would_write(None, AFTER_LIST_MS, &own).is_some() {
                continue;
            }
            let relist = Fault::Relist { process: process.name.clone(), resource: resource.clone() };
            let Some(owed) = sight.would_write(Some(UserAction::Fault(relist)), AFTER_LIST_MS, &own) else { continue };
            let Some(object) = subject(sight, &owed) else { continue };
            let name = sight.world.the_loop(owed.of).name.clone();
            let finding = Finding::new("cache-stale", object, Owes::Loop(name.clone())).arg("loop", title(&name));
            let finding = finding.arg("process", process.name.clone()).arg("resource", resource.plural());
            found.push(
                finding
                    .proved(&format!("get {}", slashed(object)), &[object.name()])
                    .fix(Fix::Relist { process: process.name.clone(), resource: resource.clone() })
                    .fix(Fix::StartProcess(process.name.clone())),
            );
        }
    }
    found
}

/// An event was lost on a wire, and the cache still says otherwise than the server.
fn is_stale(sight: &Sight<'_>, process: &Process, resource: &Resource, wire: &Wire) -> bool {
    let cache = process.caches.of(resource);
    wire.list_at.is_none()
        && wire.lost.iter().any(|t| {
            let key = t.object.key();
            let real = sight.get(resource, &key.namespace, &key.name).map(Object::revision);
            cache.by_key(&key).map(Object::revision) != real && !wire.pending.iter().any(|later| later.object.key() == key)
        })
}

/// Objects with a gap whose loop does nothing, though it would if it looked.
fn asleep(sight: &Sight<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (name, resource) in [("deployment", &DEPLOYMENTS), ("replicaset", &REPLICA_SETS), ("scheduler", &PODS)] {
        let Some(of) = sight.world.loops_named(name).next() else { continue };
        if !sight.runs(name) || sight.is_moving(of) {
            continue;
        }
        let l = sight.world.the_loop(of);
        let waits = |o: &Object| l.queue.waits().any(|(key, _)| *key == o.key().joined());
        let mut gaps = sight.list(resource).filter(|o| !o.is_deleting() && has_gap(sight, o) && !waits(o)).peekable();
        if gaps.peek().is_none() || sight.would_write(None, AFTER_LIST_MS, &|id| id == of).is_some() {
            continue;
        }
        let resync = Fault::Resync { process: sight.world.process(of.process).name.clone(), resource: resource.clone() };
        let Some(owed) = sight.would_write(Some(UserAction::Fault(resync)), AFTER_LIST_MS, &|id| id == of) else { continue };
        let Some(object) = gaps.find(|o| o.key().joined() == owed.key) else { continue };
        let process = sight.world.process(of.process).name.clone();
        let finding =
            Finding::new("wake-up-lost", object, Owes::Loop(name.into())).arg("loop", title(name)).arg("process", process.clone());
        let finding = finding.proved(&format!("get {}", slashed(object)), &[object.name()]);
        found.push(finding.fix(Fix::Resync { process, resource: resource.clone() }));
    }
    found
}

/// What a loop would look at first: the numbers of a workload do not agree, a pod was never tried.
fn has_gap(sight: &Sight<'_>, object: &Object) -> bool {
    let (spec, status) = (object.spec(), object.status());
    let want = spec.get("replicas").int();
    match object.kind() {
        "Deployment" => {
            status.get("observedGeneration").int() != object.generation()
                || ["replicas", "updatedReplicas", "availableReplicas"].iter().any(|f| status.get(f).int() != want)
        }
        "ReplicaSet" => {
            let real = sight.list(&PODS).filter(|p| is_live(p) && p.controller_uid().is_some_and(|u| u == *object.uid()));
            real.count() as i64 != want
                || status.get("replicas").int() != want
                || status.get("observedGeneration").int() != object.generation()
        }
        _ => is_live(object) && spec.get("nodeName").text().is_empty() && object.condition("PodScheduled").is_none(),
    }
}
