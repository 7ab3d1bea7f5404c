//! Ingresses, NetworkPolicies and EndpointSlices, after upstream's `pkg/apis/networking` and `pkg/apis/discovery`.

use super::check;
use super::edit::{edit, edit_each, put};
use super::{Generation, PLAIN, StatusAtCreate, Strategy, spec_changed};
use crate::api::{Str, Value};
use crate::value;

pub const INGRESSES: Strategy = Strategy {
    resource: "ingresses.networking.k8s.io",
    has_status: true,
    status: StatusAtCreate::Set(|| value!({"loadBalancer": {}})),
    generation: Generation::Counts(spec_changed),
    validate: check::networking::ingress,
    ..PLAIN
};

pub const CLASSES: Strategy =
    Strategy { resource: "ingressclasses.networking.k8s.io", generation: Generation::Counts(spec_changed), ..PLAIN };

pub const NETWORK_POLICIES: Strategy = Strategy {
    resource: "networkpolicies.networking.k8s.io",
    default: default_policy,
    generation: Generation::Counts(spec_changed),
    validate: check::networking::network_policy,
    ..PLAIN
};

pub const ENDPOINT_SLICES: Strategy = Strategy {
    resource: "endpointslices.discovery.k8s.io",
    default: default_slice,
    generation: Generation::Counts(slice_changed),
    ..PLAIN
};

fn default_policy(object: &mut Value) {
    edit(object, "spec", |spec| {
        for direction in ["ingress", "egress"] {
            edit_each(spec, direction, |rule| edit_each(rule, "ports", |port| put(port, "protocol", "TCP")));
        }
        if spec.get("policyTypes").is_empty() {
            let mut types = vec![Value::from("Ingress")];
            if !spec.get("egress").is_empty() {
                types.push(Value::from("Egress"));
            }
            spec.set("policyTypes", types);
        }
    });
}

fn default_slice(object: &mut Value) {
    for field in ["endpoints", "ports"] {
        if object.as_map().is_some_and(|m| !m.contains(field)) {
            object.set(Str::fixed(field), Value::Null);
        }
    }
    edit_each(object, "ports", |port| {
        if port.get("name").is_null() {
            port.set("name", "");
        }
        put(port, "protocol", "TCP");
    });
}

/// Anything but metadata, and the labels.
fn slice_changed(new: &Value, old: &Value) -> bool {
    ["addressType", "endpoints", "ports"].iter().any(|f| new.get(f) != old.get(f))
        || new.at(&["metadata", "labels"]) != old.at(&["metadata", "labels"])
}
