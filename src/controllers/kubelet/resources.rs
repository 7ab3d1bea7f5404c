//! The sums of a pod's requests and limits that its status shows. Follows upstream `component-helpers/resource/helpers.go`.

use super::sync::is_sidecar;
use crate::api::quantity::Quantity;
use crate::api::{Object, Str, Value};

/// The sum over the containers of `requests` or `limits`: init containers run alone, beside the sidecars before them.
fn total(pod: &Object, field: &str) -> Value {
    let spec = pod.spec();
    let mut sum: Vec<(Str, Quantity)> = Vec::new();
    let mut most: Vec<(Str, Quantity)> = Vec::new();
    let mut sidecars: Vec<(Str, Quantity)> = Vec::new();
    for c in spec.get("initContainers").items() {
        let own = c.at(&["resources", field]);
        let mut here = sidecars.clone();
        add(&mut here, own);
        if is_sidecar(c) {
            sidecars.clone_from(&here);
        }
        raise(&mut most, &here);
    }
    for c in spec.get("containers").items() {
        add(&mut sum, c.at(&["resources", field]));
    }
    for (name, q) in &sidecars {
        put(&mut sum, name, |have| have + *q, *q);
    }
    raise(&mut sum, &most);
    sum.into_iter().map(|(name, q)| (name, Value::from(q.to_string()))).collect()
}

fn put(all: &mut Vec<(Str, Quantity)>, name: &Str, change: impl FnOnce(Quantity) -> Quantity, new: Quantity) {
    match all.iter_mut().find(|(n, _)| n == name) {
        Some((_, q)) => *q = change(*q),
        None => all.push((name.clone(), new)),
    }
}

fn add(all: &mut Vec<(Str, Quantity)>, amounts: &Value) {
    for (name, amount) in amounts.entries() {
        let q = Quantity::of_or_zero(amount);
        put(all, name, |have| have + q, q);
    }
}

fn raise(all: &mut Vec<(Str, Quantity)>, to: &[(Str, Quantity)]) {
    for (name, q) in to {
        put(all, name, |have| if *q > have { *q } else { have }, *q);
    }
}

/// Sets `allocatedResources` and `resources`. What the kubelet reads from the pod's cgroup is gone with it.
pub fn pod_resources(pod: &Object, cgroup_gone: bool, status: &mut Value) {
    let (mut requests, mut limits) = (total(pod, "requests"), total(pod, "limits"));
    if !requests.is_empty() {
        status.set("allocatedResources", &requests);
    }
    if cgroup_gone {
        requests.remove("cpu");
        limits.remove("cpu");
        limits.remove("memory");
    }
    let mut resources = Value::map();
    for (field, amounts) in [("requests", requests), ("limits", limits)] {
        if !amounts.is_empty() {
            resources.set(field, amounts);
        }
    }
    status.set("resources", resources);
}
