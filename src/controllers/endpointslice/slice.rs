//! A slice as it should be: labels, owner, ports (`newEndpointSlice`, `setEndpointSliceLabels`).

use super::{HEADLESS, MANAGED_BY, ME, SERVICE_NAME, TRIGGER_TIME};
use crate::api::{Object, Value};
use crate::util::Time;
use crate::value;

/// A new slice without endpoints.
pub(super) fn new(service: &Object, ports: &Value) -> Object {
    Object(value!({
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "generateName": (format!("{}-", service.name())),
            "namespace": (service.meta().get("namespace")),
            "labels": (labels(service)),
            "ownerReferences": [(service.controller_ref())]
        },
        "addressType": "IPv4",
        "endpoints": null,
        "ports": (if ports.is_empty() { Value::Null } else { ports.clone() })
    }))
}

/// The service's labels and the slice's own.
pub(super) fn labels(service: &Object) -> Value {
    let mut labels = Value::map();
    for (key, text) in service.labels().entries() {
        if ![SERVICE_NAME, MANAGED_BY, HEADLESS].contains(&key.as_str()) {
            labels.set(key.clone(), text);
        }
    }
    if service.spec().get("clusterIP").text() == "None" {
        labels.set(HEADLESS, "");
    }
    labels.set(SERVICE_NAME, service.meta().get("name"));
    labels.set(MANAGED_BY, ME);
    labels
}

/// Notes the change that caused a write, or that none is known.
pub(super) fn set_trigger(slice: &mut Object, trigger: Option<Time>) {
    match trigger {
        Some(t) => slice.0.entry_at(&["metadata", "annotations"]).set(TRIGGER_TIME, t.rfc3339()),
        None => {
            slice.0.remove_at(&["metadata", "annotations", TRIGGER_TIME]);
            if slice.meta().get("annotations").is_empty() {
                slice.0.remove_at(&["metadata", "annotations"]);
            }
        }
    }
}
