//! Which Services a change wakes (`util.GetServicesToUpdateOnPodChange`).

use super::{Known, MANAGED_BY, ME, SERVICE_NAME};
use crate::api::resource::{PODS, SERVICES};
use crate::api::{Object, Selector, Str};
use crate::client::{Change, Handling};
use crate::controllers::common::pod::{is_finished, is_ready};

pub(super) fn changed(h: &mut Handling<'_>, change: &Change) {
    if change.resource == SERVICES {
        h.queue.add(change.object().key().joined());
    } else if change.resource == PODS {
        pod(h, change);
    } else {
        slice(h, change);
    }
}

fn pod(h: &mut Handling<'_>, change: &Change) {
    let (labels_changed, endpoint_changed) = match (&change.old, &change.new) {
        (Some(old), Some(new)) if old.revision() == new.revision() => return,
        (Some(old), Some(new)) => (labels_changed(old, new), endpoint_changed(old, new)),
        _ => (false, true),
    };
    if !labels_changed && !endpoint_changed {
        return;
    }
    let namespace = change.object().namespace();
    let mut keys: Vec<Str> = Vec::new();
    for service in h.caches.of(&SERVICES).in_namespace(namespace) {
        let selector = service.spec().get("selector");
        if selector.is_empty() {
            continue;
        }
        let selector = Selector::from_map(selector);
        let selects = |o: &Option<Object>| o.as_ref().is_some_and(|o| selector.matches(o.labels()));
        let (before, after) = (selects(&change.old), selects(&change.new));
        if (endpoint_changed && (after || before)) || (labels_changed && before != after) {
            keys.push(service.key().joined());
        }
    }
    for key in keys {
        h.queue.add(key);
    }
}

fn labels_changed(old: &Object, new: &Object) -> bool {
    let named = |o: &Object| (o.spec().get("hostname").to_str(), o.spec().get("subdomain").to_str());
    old.labels() != new.labels() || named(old) != named(new)
}

fn endpoint_changed(old: &Object, new: &Object) -> bool {
    let ips = |o: &Object| o.status().get("podIPs").clone();
    old.is_deleting() != new.is_deleting()
        || is_ready(old) != is_ready(new)
        || is_finished(old) != is_finished(new)
        || old.spec().get("nodeName") != new.spec().get("nodeName")
        || old.status().get("podIP") != new.status().get("podIP")
        || ips(old) != ips(new)
}

/// A slice that somebody else changed or deleted is put right.
fn slice(h: &mut Handling<'_>, change: &Change) {
    let slice = change.object();
    let Some(service) = slice.label(SERVICE_NAME).filter(|_| slice.label(MANAGED_BY) == Some(ME)) else { return };
    let key = Str::from(format!("{}/{service}", slice.namespace()));
    let written = h.memory.get::<Known>().written.get(&key).and_then(|w| w.get(slice.uid())).copied();
    let surprising = match (change.is_deleted(), written) {
        (true, written) => written.is_some(),
        (false, Some(generation)) => slice.generation() > generation,
        (false, None) => false,
    };
    if !surprising {
        return;
    }
    let uid = Str::from(slice.uid());
    if let Some(w) = h.memory.get_mut::<Known>().written.get_mut(&key) {
        if change.is_deleted() {
            w.remove_mut(&uid);
        } else {
            w.insert_mut(uid, slice.generation());
        }
    }
    h.queue.add(key);
}
