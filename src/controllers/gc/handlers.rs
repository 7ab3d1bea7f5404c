//! What a change of an object means for its owners and dependents (`GraphBuilder.processGraphChanges`).

use super::{
    FOREGROUND, Known, ORPHAN, ORPHAN_KEY, cached_owner, dependents, has_finalizer, is_deleting_dependents, key_of, owner_resource,
};
use crate::api::{Object, Resource, Str, Value};
use crate::client::{Change, Handling};

pub(super) fn changed(h: &mut Handling<'_>, change: &Change) {
    match (&change.old, &change.new) {
        (None, Some(new)) => added(h, &change.resource, new),
        (Some(old), Some(new)) if old.uid() != new.uid() => {
            deleted(h, old);
            added(h, &change.resource, new);
        }
        (Some(old), Some(new)) => updated(h, &change.resource, old, new),
        (Some(old), None) => deleted(h, old),
        (None, None) => {}
    }
}

fn added(h: &mut Handling<'_>, resource: &Resource, object: &Object) {
    let unknown = |r: &Value| owner_resource(r).is_some() && cached_owner(h.caches, object, r).is_none();
    if object.owners().iter().any(unknown) {
        h.queue.add(key_of(resource, object));
    }
    transitions(h, resource, None, object);
}

fn updated(h: &mut Handling<'_>, resource: &Resource, old: &Object, new: &Object) {
    if !old.meta().get("ownerReferences").same(new.meta().get("ownerReferences")) && old.owners() != new.owners() {
        wake_unblocked_owners(h, old, new);
        let added = |r: &&Value| !old.owners().iter().any(|o| o.get("uid") == r.get("uid"));
        if new.owners().iter().filter(added).any(|r| owner_resource(r).is_some() && cached_owner(h.caches, new, r).is_none()) {
            h.queue.add(key_of(resource, new));
        }
    }
    if new.is_deleting() {
        transitions(h, resource, Some(old), new);
    }
}

/// An owner that waits for its dependents may go on when one no longer blocks it.
fn wake_unblocked_owners(h: &mut Handling<'_>, old: &Object, new: &Object) {
    for before in old.owners().iter().filter(|r| r.get("blockOwnerDeletion").is_true()) {
        let now = new.owners().iter().find(|r| r.get("uid") == before.get("uid"));
        if now.is_some_and(|r| r.get("blockOwnerDeletion").is_true()) {
            continue;
        }
        wake_owner(h, old, before, |_| true);
    }
}

fn wake_owner(h: &mut Handling<'_>, object: &Object, reference: &Value, when: impl Fn(&Object) -> bool) {
    let Some(owner) = cached_owner(h.caches, object, reference).filter(|o| when(o)) else { return };
    let Some(resource) = owner_resource(reference) else { return };
    let key = key_of(resource, owner);
    h.queue.add(key);
}

/// Starts to orphan or to delete the dependents of an object that has just begun to wait for that.
fn transitions(h: &mut Handling<'_>, resource: &Resource, old: Option<&Object>, new: &Object) {
    let begins = |finalizer: &str| {
        let waits = |o: &Object| o.is_deleting() && has_finalizer(o, finalizer);
        waits(new) && !old.is_some_and(waits)
    };
    let key = key_of(resource, new);
    if begins(ORPHAN) {
        h.queue.add(format!("{ORPHAN_KEY}{key}"));
    } else if begins(FOREGROUND) {
        let keys: Vec<Str> = dependents(h.caches, new.uid()).map(|(r, o)| key_of(r, o)).collect();
        for dependent in keys {
            h.queue.add(dependent);
        }
        h.queue.add(key);
    }
}

fn deleted(h: &mut Handling<'_>, object: &Object) {
    let keys: Vec<Str> = dependents(h.caches, object.uid()).map(|(r, o)| key_of(r, o)).collect();
    if !keys.is_empty() {
        h.memory.get_mut::<Known>().note_absent(object.uid());
    }
    for key in keys {
        h.queue.add(key);
    }
    for reference in object.owners() {
        wake_owner(h, object, reference, is_deleting_dependents);
    }
}
