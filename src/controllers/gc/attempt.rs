//! Looks whether an object still has an owner, and deletes it if not (`attemptToDeleteItem`).

use super::orphan::{remove_finalizer, without_owners};
use super::{
    FOREGROUND, Known, ORPHAN, cached_owner, count, dependents, has_finalizer, is_deleting_dependents, key_of, owner_resource, parse_key,
};
use crate::api::{Object, ObjectKey, PatchType, Propagation, Request, Resource, Str, Value};
use crate::client::{Stop, Sync};
use crate::controllers::common::attempt;
use crate::value;

/// The owner references of an object by what became of the owner.
#[derive(Default)]
struct Owners {
    solid: Vec<Value>,
    dangling: Vec<Value>,
    /// the owner waits for its dependents to be deleted
    waiting: Vec<Value>,
}

pub(super) fn attempt_to_delete(sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
    let Some((resource, id)) = parse_key(key) else { return Ok(()) };
    let Some(cached) = sync.cache(&resource).by_key(&id) else { return Ok(()) };
    if cached.is_deleting() && !is_deleting_dependents(cached) {
        return Ok(());
    }
    let latest = match attempt(sync, Request::get(&resource, id.namespace.clone(), id.name.clone()))? {
        Ok(latest) if latest.uid() == cached.uid() => latest,
        Ok(_) => return Ok(()),
        Err(e) if e.is_not_found() => return Ok(()),
        Err(e) => return Err(Stop::Failed(e)),
    };
    if is_deleting_dependents(cached) {
        return wait_for_dependents(sync, &resource, cached);
    }
    if latest.owners().is_empty() {
        return Ok(());
    }
    let owners = classify(sync, &latest)?;
    let args = vec![id.name.clone(), count(&owners.solid), count(&owners.dangling), count(&owners.waiting)];
    sync.saw("saw.gc", args);
    if !owners.solid.is_empty() {
        let gone: Vec<Value> = owners.dangling.into_iter().chain(owners.waiting).collect();
        return if gone.is_empty() { Ok(()) } else { drop_references(sync, &resource, &latest, &gone) };
    }
    let policy = policy(sync, &resource, &latest, !owners.waiting.is_empty())?;
    delete(sync, &resource, &latest, policy)
}

/// How to delete an object: with its own dependents first if its owner waits for it, else as its finalizers say.
fn policy(sync: &mut Sync<'_>, resource: &Resource, latest: &Object, owner_waits: bool) -> Result<Propagation, Stop> {
    let caches = sync.caches();
    let mut own = dependents(caches, latest.uid()).peekable();
    if owner_waits && own.peek().is_some() {
        if own.any(|(_, d)| is_deleting_dependents(d)) {
            unblock(sync, resource, latest)?;
        }
        return Ok(Propagation::Foreground);
    }
    Ok(if has_finalizer(latest, ORPHAN) {
        Propagation::Orphan
    } else if has_finalizer(latest, FOREGROUND) {
        Propagation::Foreground
    } else {
        Propagation::Background
    })
}

/// Two objects may wait for each other; so that neither waits for ever, this one no longer blocks its owners.
fn unblock(sync: &mut Sync<'_>, resource: &Resource, object: &Object) -> Result<(), Stop> {
    let loose = object.owners().iter().filter(|r| r.get("blockOwnerDeletion").is_true()).map(|r| {
        let mut r = r.clone();
        r.set("blockOwnerDeletion", false);
        r
    });
    let patch = value!({"metadata": {"ownerReferences": (loose.collect::<Value>()), "uid": (object.meta().get("uid"))}});
    let key = object.key();
    attempt(sync, Request::patch(PatchType::Strategic, resource, key.namespace, key.name, patch))?.map(drop).map_err(Stop::Failed)
}

fn classify(sync: &mut Sync<'_>, object: &Object) -> Result<Owners, Stop> {
    let mut owners = Owners::default();
    for reference in object.owners() {
        let waits = |o: &Object| is_deleting_dependents(o) && reference.get("blockOwnerDeletion").is_true();
        let owner = match cached_owner(sync.caches(), object, reference) {
            Some(owner) => Some(owner.clone()),
            None => ask_for_owner(sync, object, reference)?,
        };
        match owner {
            None => owners.dangling.push(reference.clone()),
            Some(o) if waits(&o) => owners.waiting.push(reference.clone()),
            Some(_) => owners.solid.push(reference.clone()),
        }
    }
    Ok(owners)
}

/// The owner as the server has it; one of a kind that is not watched counts as there.
fn ask_for_owner(sync: &mut Sync<'_>, object: &Object, reference: &Value) -> Result<Option<Object>, Stop> {
    let Some(resource) = owner_resource(reference) else { return Ok(Some(Object::default())) };
    let uid = reference.get("uid").to_str();
    if sync.memory::<Known>().absent.contains_key(&uid) {
        return Ok(None);
    }
    let namespace = if *resource == super::NODES { Str::default() } else { object.meta().get("namespace").to_str() };
    match attempt(sync, Request::get(resource, namespace, reference.get("name").to_str()))? {
        Ok(owner) if owner.uid() == uid.as_str() => Ok(Some(owner)),
        Err(e) if !e.is_not_found() => Err(Stop::Failed(e)),
        _ => {
            sync.remember(|m: &mut Known| m.note_absent(&uid));
            Ok(None)
        }
    }
}

/// Some owners live: the object stays, without the references to the others.
fn drop_references(sync: &mut Sync<'_>, resource: &Resource, object: &Object, gone: &[Value]) -> Result<(), Stop> {
    sync.differs("differs.gc.references", vec![object.meta().get("name").to_str()]);
    match attempt(sync, without_owners(resource, object, gone))? {
        Err(e) if !e.is_not_found() => Err(Stop::Failed(e)),
        _ => Ok(()),
    }
}

fn delete(sync: &mut Sync<'_>, resource: &Resource, object: &Object, policy: Propagation) -> Result<(), Stop> {
    let ObjectKey { namespace, name } = object.key();
    let how = match policy {
        Propagation::Background => "Background",
        Propagation::Foreground => "Foreground",
        Propagation::Orphan => "Orphan",
    };
    sync.differs("differs.gc.delete", vec![name.clone(), Str::fixed(how)]);
    let mut request = Request::delete(resource, namespace, name);
    request.delete.propagation = Some(policy);
    request.delete.precondition_uid = Some(object.meta().get("uid").to_str());
    match attempt(sync, request)? {
        Err(e) if !e.is_not_found() => Err(Stop::Failed(e)),
        _ => Ok(()),
    }
}

/// Lets an object go when nothing blocks its deletion; else goes on with what blocks it (`processDeletingDependentsItem`).
fn wait_for_dependents(sync: &mut Sync<'_>, resource: &Resource, object: &Object) -> Result<(), Stop> {
    let blocks = |d: &Object| d.owners().iter().any(|r| r.get("uid").text() == object.uid() && r.get("blockOwnerDeletion").is_true());
    let blocking: Vec<_> = dependents(sync.caches(), object.uid()).filter(|(_, d)| blocks(d)).collect();
    sync.saw("saw.gc.waits", vec![object.meta().get("name").to_str(), Str::from(blocking.len().to_string())]);
    if blocking.is_empty() {
        return remove_finalizer(sync, resource, object, FOREGROUND);
    }
    for (r, dependent) in blocking.into_iter().filter(|(_, d)| !is_deleting_dependents(d)) {
        let key = key_of(r, dependent);
        // One that is being deleted already has nothing to be attempted; its end wakes this object.
        if !dependent.is_deleting() {
            sync.queue(|q| q.add(key));
        }
    }
    Ok(())
}
