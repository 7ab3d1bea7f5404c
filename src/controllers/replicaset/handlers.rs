//! Which ReplicaSets a change wakes, and which expectations it fulfils.

use super::Known;
use crate::api::resource::REPLICA_SETS;
use crate::api::{Object, ObjectKey, Selector, Str};
use crate::client::{Change, Handling};
use crate::controllers::common::pod::is_ready;

pub(super) fn replica_set(h: &mut Handling<'_>, change: &Change) {
    let replaced = matches!((&change.old, &change.new), (Some(old), Some(new)) if old.uid() != new.uid());
    let key = change.object().key().joined();
    if change.is_deleted() || replaced {
        h.memory.get_mut::<Known>().expectations.forget(&key);
    }
    h.queue.add(key);
}

pub(super) fn pod(h: &mut Handling<'_>, change: &Change) {
    match (&change.old, &change.new) {
        (None, Some(new)) if new.is_deleting() => deleted(h, new),
        (None, Some(new)) => added(h, new),
        (Some(old), None) => deleted(h, old),
        (Some(old), Some(new)) => updated(h, old, new),
        (None, None) => {}
    }
}

fn added(h: &mut Handling<'_>, pod: &Object) {
    if pod.controller().is_none() {
        wake_matching(h, pod);
    } else if let Some(rs) = owner(h, pod) {
        let key = rs.key().joined();
        h.memory.get_mut::<Known>().expectations.creations_observed(&key, 1);
        h.queue.add(key);
    }
}

fn updated(h: &mut Handling<'_>, old: &Object, new: &Object) {
    if old.revision() == new.revision() {
        return;
    }
    let relabelled = old.labels() != new.labels();
    if new.is_deleting() {
        // A pod that is being deleted is gone for its ReplicaSet; do not wait until the kubelet has deleted it.
        deleted(h, new);
        if relabelled {
            deleted(h, old);
        }
        return;
    }
    let moved = old.controller() != new.controller();
    if moved && let Some(rs) = owner(h, old) {
        let key = rs.key().joined();
        h.queue.add(key);
    }
    if new.controller().is_none() {
        if relabelled || moved {
            wake_matching(h, new);
        }
    } else if let Some(rs) = owner(h, new) {
        let (key, min_ready_s) = (rs.key().joined(), rs.spec().get("minReadySeconds").int());
        h.queue.add(key.clone());
        if min_ready_s > 0 && !is_ready(old) && is_ready(new) {
            h.queue.add_after(key, h.now, (min_ready_s.unsigned_abs() + 1) * 1000);
        }
    }
}

fn deleted(h: &mut Handling<'_>, pod: &Object) {
    if let Some(rs) = owner(h, pod) {
        let key = rs.key().joined();
        h.memory.get_mut::<Known>().expectations.deletion_observed(&key, &pod.key().joined());
        h.queue.add(key);
    }
}

/// The ReplicaSet that a pod's controller reference names, if it is that very one.
fn owner<'a>(h: &Handling<'a>, pod: &Object) -> Option<&'a Object> {
    let reference = pod.controller().filter(|r| r.get("kind").text() == "ReplicaSet")?;
    let key = ObjectKey::new(pod.meta().get("namespace").to_str(), reference.get("name").to_str());
    h.caches.of(&REPLICA_SETS).by_key(&key).filter(|rs| rs.uid() == reference.get("uid").text())
}

/// Wakes every ReplicaSet that could adopt an orphan.
fn wake_matching(h: &mut Handling<'_>, pod: &Object) {
    let candidates = h.caches.of(&REPLICA_SETS).in_namespace(pod.namespace());
    let selects = |rs: &&Object| Selector::of_object(rs.spec().get("selector")).matches(pod.labels());
    let keys: Vec<Str> = candidates.filter(selects).map(|rs| rs.key().joined()).collect();
    for key in keys {
        h.queue.add(key);
    }
}
