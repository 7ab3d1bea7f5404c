//! Lets dependents live without their owner (`attemptToOrphanWorker`, `removeFinalizer`).

use super::{ORPHAN, ORPHAN_KEY, dependents, has_finalizer, parse_key};
use crate::api::{Object, PatchType, Request, Resource, Status, Value};
use crate::client::{Stop, Sync};
use crate::controllers::common::{MANAGER, attempt, num};
use crate::value;

/// How often the removal of a finalizer is tried again after a conflict.
const TRIES: usize = 5;
/// Upstream sends a finalizer's removal right after the last patch was answered. Here a sync's requests take no time
/// for other loops, so it waits for them to see that their pods were let go.
const SETTLE_MS: u64 = 40;

pub(super) fn orphan(sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
    let Some((resource, id)) = parse_key(key) else { return Ok(()) };
    let Some(owner) = sync.cache(&resource).by_key(&id) else { return Ok(()) };
    if !owner.is_deleting() || !has_finalizer(owner, ORPHAN) {
        return Ok(());
    }
    let mine: Vec<(&Resource, &Object)> = dependents(sync.caches(), owner.uid()).collect();
    sync.saw("saw.gc.orphans", vec![id.name.clone(), num(mine.len() as i64)]);
    let reference = |o: &Object| o.owners().iter().filter(|r| r.get("uid").text() == owner.uid()).cloned().collect::<Vec<_>>();
    let requests = mine.iter().map(|(r, o)| without_owners(r, o, &reference(o)).by(MANAGER)).collect();
    for answer in sync.batch(requests)? {
        match answer {
            Err(e) if !e.is_not_found() => return Err(Stop::Failed(e)),
            _ => {}
        }
    }
    if !mine.is_empty() {
        sync.requeue_after(&format!("{ORPHAN_KEY}{key}"), SETTLE_MS);
        return Ok(());
    }
    remove_finalizer(sync, &resource, owner, ORPHAN)
}

/// A patch that takes owner references out.
pub(super) fn without_owners(resource: &Resource, object: &Object, gone: &[Value]) -> Request {
    let drop = gone.iter().map(|r| value!({"$patch": "delete", "uid": (r.get("uid"))}));
    let patch = value!({"metadata": {"ownerReferences": (drop.collect::<Value>()), "uid": (object.meta().get("uid"))}});
    let key = object.key();
    Request::patch(PatchType::Strategic, resource, key.namespace, key.name, patch)
}

pub(super) fn remove_finalizer(sync: &mut Sync<'_>, resource: &Resource, object: &Object, name: &str) -> Result<(), Stop> {
    for _ in 0..TRIES {
        let key = object.key();
        let fresh = match attempt(sync, Request::get(resource, key.namespace.clone(), key.name.clone()))? {
            Err(e) if e.is_not_found() => return Ok(()),
            Err(e) => return Err(Stop::Failed(e)),
            Ok(fresh) => fresh,
        };
        if fresh.uid() != object.uid() || !has_finalizer(&fresh, name) {
            return Ok(());
        }
        let kept: Value = fresh.meta().get("finalizers").items().iter().filter(|f| f.text() != name).cloned().collect();
        let patch = value!({"metadata": {"resourceVersion": (fresh.meta().get("resourceVersion")), "finalizers": kept}});
        match attempt(sync, Request::patch(PatchType::Merge, resource, key.namespace, key.name, patch))? {
            Err(e) if e.is_conflict() => {}
            Err(e) if !e.is_not_found() => return Err(Stop::Failed(e)),
            _ => return Ok(()),
        }
    }
    Err(Stop::Failed(Status::conflict(&resource.0, object.name())))
}
