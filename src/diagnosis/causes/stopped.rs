//! A loop or a whole process does not run, and would have something to do if it did. Kubelets are told of as nodes.

use super::{Cause, said};
use crate::api::resource::{DEPLOYMENTS, NAMESPACES, NODES, PODS, REPLICA_SETS, SERVICES};
use crate::api::{Object, ObjectKey, Resource};
use crate::cluster::{LoopId, Process, UserAction};
use crate::diagnosis::sight::{Move, Sight, slashed, title};
use crate::diagnosis::{Finding, Fix, Owes};

pub static CAUSES: &[Cause] = &[
    Cause {
        code: "process-not-running",
        headline: said("{process} 프로세스가 멈춰 있다", "{process} is not running"),
        cause: said(
            "{kind} {name}에 할 일이 남았는데 {loop} 루프가 사는 {process} 프로세스가 멈춰 있다. 다른 루프는 이 일을 대신하지 않는다.",
            "{kind} {name} still needs work, and the {loop} loop that does it lives in {process}, which is not running. No other loop steps in.",
        ),
        fix: said(
            "{process} 프로세스를 다시 띄운다. 처음부터 목록을 다시 읽으므로 놓친 것이 없다.",
            "Start {process} again. It lists everything from the server, so nothing was missed.",
        ),
    },
    Cause {
        code: "loop-not-running",
        headline: said("{loop} 루프가 멈춰 있다", "The {loop} loop is stopped"),
        cause: said(
            "{kind} {name}에 할 일이 남았는데 {loop} 루프가 멈춰 있다. 큐에 넣은 키는 그대로 기다린다.",
            "{kind} {name} still needs work, and the {loop} loop is stopped. Its key waits in the queue.",
        ),
        fix: said("{loop} 루프를 다시 돌린다.", "Start the {loop} loop again."),
    },
];

/// A process needs this long to start and list; then its loops have their say.
const AFTER_START_MS: u64 = 6_000;
const AFTER_LOOP_MS: u64 = 2_000;

pub fn look(sight: &Sight<'_>, _: &[Finding]) -> Vec<Finding> {
    let mut found = Vec::new();
    let in_control = |p: &&Process| p.node.is_empty();
    for process in sight.world.processes().filter(in_control).filter(|p| !p.running) {
        let own = |of: LoopId| sight.world.process(of.process).name == process.name && sight.world.the_loop(of).running;
        let start = UserAction::StartProcess(process.name.clone());
        let Some(owed) = sight.would_write(Some(start), AFTER_START_MS, &own) else { continue };
        found.extend(tell("process-not-running", sight, &owed, Fix::StartProcess(process.name.clone())));
    }
    for of in sight.world.loops() {
        let (process, l) = (sight.world.process(of.process), sight.world.the_loop(of));
        if l.running || !process.running || !process.node.is_empty() {
            continue;
        }
        let start = UserAction::StartLoop(l.name.clone());
        if let Some(owed) = sight.would_write(Some(start), AFTER_LOOP_MS, &|id| id == of) {
            found.extend(tell("loop-not-running", sight, &owed, Fix::StartLoop(l.name.clone())));
        }
    }
    found
}

fn tell(code: &'static str, sight: &Sight<'_>, owed: &Move, fix: Fix) -> Option<Finding> {
    let object = subject(sight, owed)?;
    let name = sight.world.the_loop(owed.of).name.clone();
    let process = sight.world.process(owed.of.process).name.clone();
    let finding = Finding::new(code, object, Owes::Loop(name.clone())).arg("loop", title(&name)).arg("process", process.clone());
    let mut finding = finding.proved(&format!("get {}", slashed(object)), &[object.name()]).fix(fix);
    finding.group = if code == "loop-not-running" { name } else { process };
    Some(finding)
}

/// The object that a loop would look at, or the one that it would write.
pub fn subject<'a>(sight: &Sight<'a>, owed: &Move) -> Option<&'a Object> {
    let by_key = |resource: &Resource| {
        let key = ObjectKey::split(&owed.key);
        sight.get(resource, &key.namespace, &key.name)
    };
    let known = match sight.world.the_loop(owed.of).name.as_str() {
        "deployment" => by_key(&DEPLOYMENTS),
        "replicaset" => by_key(&REPLICA_SETS),
        "scheduler" | "kubelet" => by_key(&PODS),
        "endpointslice" => by_key(&SERVICES),
        "namespace" => sight.get(&NAMESPACES, "", &owed.key),
        "node-lifecycle" => sight.get(&NODES, "", &owed.key),
        _ => None,
    };
    known.or_else(|| sight.get(&owed.resource, &owed.target.namespace, &owed.target.name))
}
