//! The taints that a node's conditions mean: NoSchedule for each, NoExecute for a node that is not ready or
//! unreachable (`doNoScheduleTaintingPass`, `processTaintBaseEviction`).

use crate::api::resource::NODES;
use crate::api::{Object, PatchType, Request, Str, Value};
use crate::client::{Stop, Sync};
use crate::controllers::common::send;
use crate::value;

const NOT_READY: &str = "node.kubernetes.io/not-ready";
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";
/// Condition, the status that is bad, and the taint it means.
const BY_CONDITION: [(&str, &str, &str); 6] = [
    ("Ready", "False", NOT_READY),
    ("Ready", "Unknown", UNREACHABLE),
    ("MemoryPressure", "True", "node.kubernetes.io/memory-pressure"),
    ("DiskPressure", "True", "node.kubernetes.io/disk-pressure"),
    ("NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"),
    ("PIDPressure", "True", "node.kubernetes.io/pid-pressure"),
];

/// The NoExecute taints that a node's readiness means.
fn execute(node: &Object) -> &'static [&'static str] {
    match node.condition("Ready").map(|c| c.get("status").text()) {
        Some("False") => &[NOT_READY],
        Some("Unknown") => &[UNREACHABLE],
        _ => &[],
    }
}

/// Whether the monitor's next pass would drive pods off the node.
pub(super) fn will_execute(node: &Object) -> bool {
    let has = |key: &str| {
        let taints = node.spec().get("taints").items();
        taints.iter().any(|t| t.get("effect").text() == "NoExecute" && t.get("key").text() == key)
    };
    execute(node).iter().any(|key| !has(key))
}

/// Puts the taints there that the node's state means; those that drive pods off come with the monitor's passes alone.
pub(super) fn update(sync: &mut Sync<'_>, node: &Object, monitors: bool) -> Result<(), Stop> {
    let is = |kind: &str, status: &str| node.condition(kind).is_some_and(|c| c.get("status").text() == status);
    let mut schedule: Vec<&'static str> = BY_CONDITION.iter().filter(|(kind, bad, _)| is(kind, bad)).map(|(_, _, taint)| *taint).collect();
    if node.spec().get("unschedulable").is_true() {
        schedule.push(UNSCHEDULABLE);
    }
    let ours = BY_CONDITION.iter().map(|(_, _, taint)| *taint).chain([UNSCHEDULABLE]).collect::<Vec<_>>();
    let node = &swap(sync, node, "NoSchedule", &ours, &schedule)?;
    let execute = execute(node);
    if !execute.is_empty() && !monitors {
        return Ok(());
    }
    swap(sync, node, "NoExecute", &[NOT_READY, UNREACHABLE], execute).map(drop)
}

/// Makes the taints of one effect, among those this loop owns, what they should be.
fn swap(sync: &mut Sync<'_>, node: &Object, effect: &'static str, ours: &[&str], wanted: &[&'static str]) -> Result<Object, Stop> {
    let old = node.spec().get("taints").items();
    let mine = |t: &Value| t.get("effect").text() == effect && ours.contains(&t.get("key").text());
    let has = |key: &str| old.iter().any(|t| mine(t) && t.get("key").text() == key);
    let surplus = old.iter().filter(|t| mine(t)).any(|t| !wanted.contains(&t.get("key").text()));
    if !surplus && wanted.iter().all(|k| has(k)) {
        return Ok(node.clone());
    }
    let added = wanted.iter().filter(|k| !has(k));
    let at = sync.now().rfc3339();
    let mut taints: Vec<Value> = old.iter().filter(|t| !mine(t) || wanted.contains(&t.get("key").text())).cloned().collect();
    taints.extend(added.map(|k| value!({"key": (*k), "effect": effect, "timeAdded": (at.clone())})));
    let name = node.meta().get("name").to_str();
    sync.differs("differs.node.taints", vec![name.clone(), Str::fixed(effect)]);
    let taints = if taints.is_empty() { Value::Null } else { Value::from(taints) };
    let patch = value!({"metadata": {"resourceVersion": (node.meta().get("resourceVersion"))}, "spec": {"taints": taints}});
    send(sync, Request::patch(PatchType::Merge, &NODES, "", name, patch))
}
