//! Pods, after upstream's `pkg/registry/core/pod/strategy.go` and `pkg/apis/core/v1/helper/qos`.

use super::check;
use super::edit::{copy_field, edit, ensure};
use super::podspec::{default_pod_only, default_spec};
use super::{Generation, PLAIN, StatusAtCreate, Strategy, spec_changed};
use crate::api::Value;
use crate::value;
use std::cell::RefCell;

pub const PODS: Strategy = Strategy {
    resource: "pods",
    default: |object| {
        ensure(object, "spec", |spec| match known_default(spec) {
            Some(known) => *spec = known,
            None => default_new(spec),
        });
    },
    has_status: true,
    status: StatusAtCreate::Set(|| value!({"phase": "Pending"})),
    generation: Generation::Counts(spec_changed),
    prepare_create: |object, _| {
        let class = qos_class(object.get("spec"));
        object.entry_at(&["status"]).set("qosClass", class);
        if !object.at(&["spec", "schedulingGates"]).is_empty() {
            note_gates(object);
        }
    },
    validate: check::pod::pod,
    validate_update: check::pod::pod_update,
    ..PLAIN
};

thread_local! {
    /// The spec that was given defaults last, and what came of it: pods of one template share both.
    static LATELY: RefCell<(Value, Value)> = RefCell::default();
}

fn known_default(spec: &Value) -> Option<Value> {
    LATELY.with_borrow(|(before, after)| before.same(spec).then(|| after.clone()))
}

#[inline(never)]
fn default_new(spec: &mut Value) {
    let before = spec.clone();
    default_spec(spec);
    default_pod_only(spec);
    LATELY.with_borrow_mut(|lately| *lately = (before, spec.clone()));
}

/// `applySchedulingGatedCondition`: says who keeps the scheduler away.
#[inline(never)]
fn note_gates(object: &mut Value) {
    let gated = value!({
        "type": "PodScheduled", "status": "False", "reason": "SchedulingGated",
        "message": "Scheduling is blocked due to non-empty scheduling gates", "lastProbeTime": null, "lastTransitionTime": null
    });
    let status = object.entry_at(&["status"]);
    if status.get("conditions").find("type", "PodScheduled").is_none() {
        let all: Vec<Value> = status.get("conditions").items().iter().cloned().chain([gated]).collect();
        status.set("conditions", Value::from(all));
    }
}

/// A status write keeps the class that the pod got when it was made.
pub fn prepare_status(object: &mut Value, old: &Value) {
    if object.at(&["status", "qosClass"]).is_empty() && !object.get("status").same(old.get("status")) {
        edit(object, "status", |status| copy_field(status, old.get("status"), "qosClass"));
    }
}

/// `ComputePodQOS`: Guaranteed if each container's cpu and memory limits are there and equal its requests, BestEffort if nothing is said.
pub fn qos_class(spec: &Value) -> &'static str {
    let containers = || spec.get("initContainers").items().iter().chain(spec.get("containers").items());
    let (mut said, mut guaranteed) = (false, true);
    for container in containers() {
        let resources = container.get("resources");
        for name in ["cpu", "memory"] {
            let request = resources.at(&["requests", name]);
            let limit = resources.at(&["limits", name]);
            let (request_is_none, limit_is_none) = (is_none(request), is_none(limit));
            said |= !request_is_none || !limit_is_none;
            guaranteed &= !limit_is_none && (request_is_none || request == limit);
        }
    }
    match (said, guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

/// Absent or zero.
fn is_none(quantity: &Value) -> bool {
    match quantity {
        Value::Str(text) => text.is_empty() || text.as_str() == "0",
        other => other.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_class_follows_requests_and_limits() {
        for (name, resources, class) in [
            ("nothing said", value!({}), "BestEffort"),
            ("a request", value!({"requests": {"cpu": "1"}}), "Burstable"),
            ("one limit", value!({"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}), "Burstable"),
            ("equal", value!({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}}), "Guaranteed"),
            ("less", value!({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m", "memory": "1Gi"}}), "Burstable"),
            ("zero", value!({"requests": {"cpu": "0"}}), "BestEffort"),
        ] {
            assert_eq!(qos_class(&value!({"containers": [{"resources": resources}]})), class, "{name}");
        }
    }
}
