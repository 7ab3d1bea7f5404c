//! delete: grace periods, finalizers, propagation. Follows apiserver `registry/rest/delete.go` and
//! `registry/generic/registry/store.go` (`deletionFinalizersForGarbageCollection`).

use super::{ApiServer, hooks, registry};
use crate::api::resource::{NAMESPACES, PODS};
use crate::api::scheme::KindInfo;
use crate::api::{Listing, Object, Request, Status};
use crate::util::Time;

impl ApiServer {
    #[inline(never)]
    pub(super) fn delete(&mut self, request: &Request, info: &KindInfo, now: Time) -> Result<Object, Status> {
        let old = self.get(request)?;
        check_preconditions(request, info, &old)?;
        hooks::admit_delete(self, request, info, &old)?;
        if request.dry_run {
            return Ok(old);
        }
        let mut object = old.clone();
        if info.resource == PODS {
            let grace = grace_period_s(request, &old);
            let shortened = old.is_deleting() && grace >= old.meta().get("deletionGracePeriodSeconds").int();
            if shortened && grace > 0 {
                return Ok(old);
            }
            if grace > 0 {
                mark(&mut object, grace, now, true);
                return self.keep(info, object, now);
            }
            // A delete without grace ends the wait in a write of its own, which watchers see before the object goes.
            mark(&mut object, 0, now, true);
            object = self.etcd.put(&info.resource, object, now);
        }
        let finalizers = registry::finalizers_on_delete(&info.resource, &object.0, &request.delete);
        let held = !finalizers.is_empty() || info.resource == NAMESPACES && !old.spec().get("finalizers").is_empty();
        if !held {
            return Ok(self.remove(info, object, now));
        }
        let changed = object.meta().get("finalizers").items() != finalizers.as_slice();
        if old.is_deleting() && !changed {
            return Ok(old);
        }
        let meta = object.0.entry_at(&["metadata"]);
        if !finalizers.is_empty() {
            meta.set("finalizers", finalizers);
        }
        if !old.is_deleting() {
            // A namespace's own storage marks it, without a grace period.
            mark(&mut object, 0, now, info.resource != NAMESPACES);
            if info.resource == NAMESPACES {
                object.0.set_at(&["status", "phase"], "Terminating");
            }
        }
        self.keep(info, object, now)
    }

    fn keep(&mut self, info: &KindInfo, object: Object, now: Time) -> Result<Object, Status> {
        Ok(self.etcd.put(&info.resource, object, now))
    }

    #[inline(never)]
    pub(super) fn delete_collection(&mut self, request: &Request, info: &KindInfo, now: Time) -> Result<Listing, Status> {
        let found = self.list(request)?;
        let mut items = Vec::new();
        for object in found.items {
            let one =
                Request { verb: crate::api::Verb::Delete, name: object.key().name, namespace: object.key().namespace, ..request.clone() };
            match self.delete(&one, info, now) {
                Ok(gone) => items.push(gone),
                Err(e) if e.is_not_found() => {}
                Err(e) => return Err(e),
            }
        }
        Ok(Listing { items, revision: self.etcd.revision(), ..Listing::default() })
    }
}

fn check_preconditions(request: &Request, info: &KindInfo, old: &Object) -> Result<(), Status> {
    let conflict = |why: String| Err(Status::conflict_because(&info.resource.0, &request.name, &why));
    if let Some(uid) = &request.delete.precondition_uid
        && uid.as_str() != old.uid()
    {
        return conflict(format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {}", old.uid()));
    }
    if let Some(revision) = request.delete.precondition_revision
        && revision != old.revision()
    {
        return conflict(format!(
            "Precondition failed: ResourceVersion in precondition: {revision}, ResourceVersion in object meta: {}",
            old.revision()
        ));
    }
    Ok(())
}

/// Seconds of grace: as asked, as the running wait has it, or the pod's own.
fn grace_period_s(request: &Request, pod: &Object) -> i64 {
    let mut options = request.delete.clone();
    if options.grace_period_seconds.is_none() && pod.is_deleting() {
        options.grace_period_seconds = pod.meta().get("deletionGracePeriodSeconds").as_int();
    }
    registry::graceful(&PODS, &pod.0, &options).unwrap_or(0)
}

fn milliseconds(grace_s: i64) -> u64 {
    u64::try_from(grace_s).unwrap_or(0).saturating_mul(1000)
}

/// When a deletion under way began: its grace before it is due.
fn began(object: &Object, now: Time) -> Option<Time> {
    let meta = object.meta();
    let due = || Time::parse_rfc3339(meta.get("deletionTimestamp").text()).unwrap_or(now);
    object.is_deleting().then(|| Time(due().0.saturating_sub(milliseconds(meta.get("deletionGracePeriodSeconds").int()))))
}

/// Sets the deletion timestamp; the object's generation counts the first time as a change. A shorter grace counts
/// from when the deletion began.
fn mark(object: &mut Object, grace_s: i64, now: Time, with_grace: bool) {
    let began = began(object, now);
    let meta = object.0.entry_at(&["metadata"]);
    meta.set("deletionTimestamp", began.unwrap_or(now).after_ms(milliseconds(grace_s)).rfc3339());
    if with_grace {
        meta.set("deletionGracePeriodSeconds", grace_s);
    }
    let generation = meta.get("generation").int();
    if began.is_none() && generation > 0 {
        meta.set("generation", generation + 1);
    }
}
