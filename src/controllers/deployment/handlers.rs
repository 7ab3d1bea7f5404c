//! Which Deployments a change wakes.

use crate::api::resource::{DEPLOYMENTS, PODS, REPLICA_SETS};
use crate::api::{Object, ObjectKey, Resource, Selector, Str};
use crate::client::{Caches, Change, Handling};

pub(super) fn replica_set(h: &mut Handling<'_>, change: &Change) {
    match (&change.old, &change.new) {
        (None, Some(new)) if !new.is_deleting() && new.controller().is_none() => wake_matching(h, new),
        (Some(old), Some(new)) => updated(h, old, new),
        _ => wake_owner(h, change.object()),
    }
}

fn updated(h: &mut Handling<'_>, old: &Object, new: &Object) {
    if old.revision() == new.revision() {
        return;
    }
    let moved = old.controller() != new.controller();
    if moved {
        wake_owner(h, old);
    }
    if new.controller().is_some() {
        wake_owner(h, new);
    } else if moved || old.labels() != new.labels() {
        wake_matching(h, new);
    }
}

/// A Deployment that recreates waits until the last pod is gone.
pub(super) fn pod(h: &mut Handling<'_>, change: &Change) {
    if !change.is_deleted() {
        return;
    }
    let Some(rs) = owner(h.caches, change.object(), "ReplicaSet", &REPLICA_SETS) else { return };
    let Some(d) = owner(h.caches, rs, "Deployment", &DEPLOYMENTS) else { return };
    if d.spec().at(&["strategy", "type"]).text() != "Recreate" {
        return;
    }
    let (sets, pods) = (h.caches.of(&REPLICA_SETS), h.caches.of(&PODS));
    if sets.controlled_by(d.uid()).all(|rs| pods.controlled_by(rs.uid()).next().is_none()) {
        let key = d.key().joined();
        h.queue.add(key);
    }
}

/// The object that a controller reference names, if it is of this kind and that very one.
fn owner<'a>(caches: &'a Caches, object: &Object, kind: &str, resource: &Resource) -> Option<&'a Object> {
    let reference = object.controller().filter(|r| r.get("kind").text() == kind)?;
    let key = ObjectKey::new(object.meta().get("namespace").to_str(), reference.get("name").to_str());
    caches.of(resource).by_key(&key).filter(|o| o.uid() == reference.get("uid").text())
}

fn wake_owner(h: &mut Handling<'_>, rs: &Object) {
    if let Some(d) = owner(h.caches, rs, "Deployment", &DEPLOYMENTS) {
        let key = d.key().joined();
        h.queue.add(key);
    }
}

/// Wakes every Deployment that could adopt an orphan.
fn wake_matching(h: &mut Handling<'_>, rs: &Object) {
    let selects = |d: &&Object| Selector::of_object(d.spec().get("selector")).matches(rs.labels());
    let found = h.caches.of(&DEPLOYMENTS).in_namespace(rs.namespace()).filter(selects);
    let keys: Vec<Str> = found.map(|d| d.key().joined()).collect();
    for key in keys {
        h.queue.add(key);
    }
}
