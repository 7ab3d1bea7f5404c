//! Nodes and PriorityClasses, after upstream's `pkg/registry/core/node` and `pkg/apis/scheduling`.

use super::check;
use super::edit::put;
use super::{Generation, PLAIN, Strategy};
use crate::api::{Str, Value};

pub const NODES: Strategy = Strategy {
    resource: "nodes",
    default: default_node,
    has_status: true,
    validate: check::core::node,
    validate_update: check::core::node_update,
    ..PLAIN
};

pub const PRIORITY_CLASSES: Strategy = Strategy {
    resource: "priorityclasses.scheduling.k8s.io",
    default: |object| {
        put(object, "preemptionPolicy", "PreemptLowerPriority");
        if object.get("value").is_null() {
            object.set("value", 0_i64);
        }
    },
    generation: Generation::Counts(|_, _| false),
    validate: check::policy::priority_class,
    validate_update: check::policy::priority_class_update,
    ..PLAIN
};

/// What can be allocated is what there is, where the node says nothing else.
fn default_node(object: &mut Value) {
    put(object, "spec", Value::map());
    put(object, "status", Value::map());
    let capacity = object.at(&["status", "capacity"]).clone();
    for (name, amount) in capacity.entries() {
        if object.at(&["status", "allocatable", name]).is_null() {
            object.entry_at(&["status", "allocatable"]).set(Str::clone(name), amount);
        }
    }
}
