//! Who owns what: adopts orphans that a selector matches, releases what it no longer matches.
//! Follows upstream `pkg/controller/controller_ref_manager.go`.

use super::{attempt, send};
use crate::api::{Object, PatchType, Request, Resource, Selector, Status, Value};
use crate::client::{Stop, Sync};
use crate::value;

/// One owner's view of what could be its own.
pub struct Claim<'a> {
    pub owner: &'a Object,
    pub owner_resource: &'a Resource,
    pub selector: &'a Selector,
    /// the kind of what is owned
    pub resource: &'a Resource,
}

/// The objects that belong to the owner, after adopting and releasing. `eligible` leaves out what does not count.
///
/// # Errors
/// The first refusal (after the others were tried), or `Halted`.
pub fn claim<'a>(sync: &mut Sync<'a>, c: &Claim<'_>, eligible: impl Fn(&Object) -> bool) -> Result<Vec<&'a Object>, Stop> {
    let cache = sync.cache(c.resource);
    let mut mine = Vec::new();
    let mut failed: Option<Status> = None;
    for object in cache.controlled_by(c.owner.uid()).filter(|o| eligible(o)) {
        if c.selector.matches(object.labels()) {
            mine.push(object);
        } else if !c.owner.is_deleting()
            && let Err(e) = release(sync, c, object)?
        {
            failed.get_or_insert(e);
        }
    }
    if !c.owner.is_deleting() {
        let namespace = c.owner.namespace();
        let wanted = |o: &&Object| o.namespace() == namespace && !o.is_deleting() && c.selector.matches(o.labels()) && eligible(o);
        let orphans: Vec<&Object> = cache.controlled_by("").filter(wanted).collect();
        if !orphans.is_empty() && may_adopt(sync, c)? {
            for object in orphans {
                match adopt(sync, c, object)? {
                    Ok(true) => mine.push(object),
                    Ok(false) => {}
                    Err(e) => {
                        failed.get_or_insert(e);
                    }
                }
            }
        }
    }
    failed.map_or(Ok(mine), |e| Err(Stop::Failed(e)))
}

/// Asks the server, not the cache, whether the owner still lives.
fn may_adopt(sync: &mut Sync<'_>, c: &Claim<'_>) -> Result<bool, Stop> {
    let fresh = send(sync, Request::get(c.owner_resource, c.owner.namespace().to_string(), c.owner.name().to_string()))?;
    Ok(fresh.uid() == c.owner.uid() && !fresh.is_deleting())
}

fn adopt(sync: &mut Sync<'_>, c: &Claim<'_>, object: &Object) -> Result<Result<bool, Status>, Stop> {
    let patch = value!({"metadata": {"uid": (object.meta().get("uid")), "ownerReferences": [(c.owner.controller_ref())]}});
    match attempt(sync, patch_request(c, object, patch))? {
        Ok(_) => Ok(Ok(true)),
        Err(e) if e.is_not_found() => Ok(Ok(false)),
        Err(e) => Ok(Err(e)),
    }
}

fn release(sync: &mut Sync<'_>, c: &Claim<'_>, object: &Object) -> Result<Result<(), Status>, Stop> {
    let reference = value!({"$patch": "delete", "uid": (c.owner.meta().get("uid"))});
    let patch = value!({"metadata": {"uid": (object.meta().get("uid")), "ownerReferences": [reference]}});
    match attempt(sync, patch_request(c, object, patch))? {
        Err(e) if !e.is_not_found() && !e.is_invalid() => Ok(Err(e)),
        _ => Ok(Ok(())),
    }
}

fn patch_request(c: &Claim<'_>, object: &Object, patch: Value) -> Request {
    let key = object.key();
    Request::patch(PatchType::Strategic, c.resource, key.namespace, key.name, patch)
}
