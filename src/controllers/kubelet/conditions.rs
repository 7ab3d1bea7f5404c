//! The conditions of a pod that belong to the kubelet. Follows upstream `pkg/kubelet/status/generate.go`.

use super::sync::is_sidecar;
use crate::api::{Map, Object, Str, Value, each_pair};
use crate::util::Time;

const OWNED: [&str; 5] = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];

/// A condition's status with its reason and message ("" where there is none).
struct Said {
    is: bool,
    reason: &'static str,
    message: String,
}

fn plainly(is: bool, reason: &'static str) -> Said {
    Said { is, reason, message: String::new() }
}

/// All conditions of a pod: those of others as they are, then the kubelet's own.
#[inline(never)]
pub fn of_pod(pod: &Object, phase: &str, status: &Value, sandbox_ready: bool, old: &Value, at: Time) -> Value {
    let known = pod.status().get("conditions");
    let mut all: Vec<Value> = known.items().iter().filter(|c| !OWNED.contains(&c.get("type").text())).cloned().collect();
    let containers = containers_ready(pod, phase, status);
    let ready = ready(pod, phase, status);
    let mut add = |kind: &'static str, said: Said| {
        let before = old.get("conditions").find("type", kind).or_else(|| known.find("type", kind));
        let word = if said.is { "True" } else { "False" };
        let kept = before.filter(|b| b.get("status").text() == word).map(|b| b.get("lastTransitionTime").clone());
        let mut c: Vec<(Str, Value)> = Vec::with_capacity(7);
        let mut put = |field: &'static str, value: Value| c.push((Str::fixed(field), value));
        put("lastProbeTime", Value::Null);
        put("lastTransitionTime", kept.unwrap_or_else(|| Value::from(at.rfc3339())));
        if !said.message.is_empty() {
            put("message", Value::from(said.message));
        }
        put("observedGeneration", Value::from(pod.generation()));
        if !said.reason.is_empty() {
            put("reason", Value::from(said.reason));
        }
        put("status", Value::from(word));
        put("type", Value::from(kind));
        let c = Value::Map(Map::from_sorted(c));
        // One that says the same stays the very same shared one, which nobody has to look into again.
        all.push(before.filter(|b| **b == c).cloned().unwrap_or(c));
    };
    add("PodReadyToStartContainers", plainly(sandbox_ready, ""));
    add("Initialized", initialized(pod, phase, status));
    add("Ready", ready);
    add("ContainersReady", containers);
    add("PodScheduled", plainly(true, ""));
    Value::from(all)
}

/// Whether two statuses differ in what a kubelet says: all but the conditions of others.
pub fn differ(a: &Value, b: &Value) -> bool {
    let own = |s: &Value| s.get("conditions").items().iter().filter(|c| OWNED.contains(&c.get("type").text())).cloned().collect();
    let (mine, theirs): (Vec<Value>, Vec<Value>) = (own(a), own(b));
    let same = |key: &str, x: &Value, y: Option<&Value>| y.is_some_and(|y| x == y) || key == "conditions";
    let mut differs = mine.len() != theirs.len() || mine.iter().any(|c| !theirs.contains(c));
    each_pair(a, b, &mut |key, before, after| differs |= !same(key, before.unwrap_or(&Value::Null), after));
    differs
}

#[inline(never)]
fn initialized(pod: &Object, phase: &str, status: &Value) -> Said {
    let specs = pod.spec().get("initContainers").items();
    let ended = |c: &Value| c.at(&["state", "terminated", "exitCode"]).as_int() == Some(0);
    let statuses = status.get("initContainerStatuses");
    let incomplete: Vec<&str> = specs
        .iter()
        .filter(|c| {
            let s = statuses.find("name", c.get("name").text());
            !s.is_some_and(|s| if is_sidecar(c) { s.get("started").is_true() } else { ended(s) || s.get("ready").is_true() })
        })
        .map(|c| c.get("name").text())
        .collect();
    if phase == "Succeeded" {
        return plainly(true, "PodCompleted");
    }
    // Once a container has been made, initialization is over for good.
    let begun = status.get("containerStatuses").items().iter().any(|s| !s.get("containerID").is_null());
    if incomplete.is_empty() || begun {
        return plainly(true, "");
    }
    let message = format!("containers with incomplete status: [{}]", incomplete.join(" "));
    Said { is: false, reason: "ContainersNotInitialized", message }
}

#[inline(never)]
fn containers_ready(pod: &Object, phase: &str, status: &Value) -> Said {
    match phase {
        "Succeeded" => return plainly(false, "PodCompleted"),
        "Failed" => return plainly(false, "PodFailed"),
        _ => {}
    }
    let sidecars = pod.spec().get("initContainers").items().iter().filter(|c| is_sidecar(c)).map(|c| (c, "initContainerStatuses"));
    let main = pod.spec().get("containers").items().iter().map(|c| (c, "containerStatuses"));
    let unready: Vec<&str> = sidecars
        .chain(main)
        .map(|(c, list)| (c.get("name").text(), list))
        .filter(|(name, list)| !status.get(list).find("name", name).is_some_and(|s| s.get("ready").is_true()))
        .map(|(name, _)| name)
        .collect();
    if unready.is_empty() {
        return plainly(true, "");
    }
    Said { is: false, reason: "ContainersNotReady", message: format!("containers with unready status: [{}]", unready.join(" ")) }
}

#[inline(never)]
fn ready(pod: &Object, phase: &str, status: &Value) -> Said {
    let containers = containers_ready(pod, phase, status);
    if !containers.is {
        return containers;
    }
    let mut lacking = Vec::new();
    for gate in pod.spec().get("readinessGates").items() {
        let kind = gate.get("conditionType").text();
        match pod.condition(kind) {
            None => lacking.push(format!("corresponding condition of pod readiness gate \"{kind}\" does not exist.")),
            Some(c) if c.get("status").text() != "True" => {
                lacking.push(format!("the status of pod readiness gate \"{kind}\" is not \"True\", but {}", c.get("status").text()));
            }
            Some(_) => {}
        }
    }
    if lacking.is_empty() {
        return plainly(true, "");
    }
    Said { is: false, reason: "ReadinessGatesNotReady", message: lacking.join(", ") }
}
