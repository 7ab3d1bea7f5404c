//! create, update and patch. Follows apiserver `registry/generic/registry/store.go` and `endpoints/handlers`.

use super::registry::rules;
use super::{ApiServer, hooks};
use crate::api::resource::PODS;
use crate::api::scheme::KindInfo;
use crate::api::{Object, ObjectKey, PatchType, Request, Status, Str, Value, Verb, patch};
use crate::util::{Time, draws};

/// Tries of a create with generateName before the clash is reported.
const NAME_TRIES: usize = 8;
/// Fields of metadata that a client cannot change.
const KEPT: [&str; 6] = ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"];

impl ApiServer {
    #[inline(never)]
    pub(super) fn create(&mut self, request: &Request, info: &KindInfo, now: Time) -> Result<Object, Status> {
        let mut object = Object(request.body.clone());
        self.check_identity(request, info, &mut object)?;
        object = hooks::decode(self, request, info, object)?;
        self.name(request, info, &mut object)?;
        self.stamp_new(info, &mut object, now);
        hooks::default(self, info, &mut object);
        hooks::own(self, None, &mut object, request, info, now);
        self.admit_new(request, info, &mut object, now)?;
        let key = object.key();
        if self.etcd.get(&info.resource, &key).is_some() {
            return Err(Status::already_exists(&info.resource.0, &key.name));
        }
        if request.dry_run {
            return Ok(object);
        }
        let stored = self.etcd.put(&info.resource, object, now);
        Ok(hooks::stored(self, info, stored, now))
    }

    /// Admission, preparation and validation of a new object.
    #[inline(never)]
    fn admit_new(&mut self, request: &Request, info: &KindInfo, object: &mut Object, now: Time) -> Result<(), Status> {
        hooks::admit(self, request, info, None, object)?;
        hooks::prepare_create(self, info, object, now);
        hooks::allocate(self, info, None, object)?;
        hooks::validate_create(self, info, object)?;
        hooks::admit_last(self, request, info, None, object, now)
    }

    /// Kind, version and namespace of the body must be those of the path.
    fn check_identity(&self, request: &Request, info: &KindInfo, object: &mut Object) -> Result<(), Status> {
        if object.0.as_map().is_none() {
            return Err(Status::bad_request("the object provided is not a map"));
        }
        if object.api_version().is_empty() {
            object.0.set("apiVersion", info.api_version());
        }
        if object.kind().is_empty() {
            object.0.set("kind", info.kind.clone());
        }
        if object.kind() != info.kind.as_str() {
            let (kind, api_version) = (object.kind(), object.api_version());
            let why = format!(
                "{kind} in version \"{}\" cannot be handled as a {}: no kind \"{kind}\" is registered for version \"{api_version}\" in scheme \"pkg/runtime/scheme.go:111\"",
                info.version, info.kind
            );
            return Err(Status::bad_request(why));
        }
        let namespace = object.namespace();
        if info.namespaced {
            if namespace.is_empty() {
                object.0.entry_at(&["metadata"]).set("namespace", request.namespace.clone());
            } else if namespace != request.namespace.as_str() {
                let why = format!(
                    "the namespace of the provided object does not match the namespace sent on the request ({namespace} != {})",
                    request.namespace
                );
                return Err(Status::bad_request(why));
            }
        } else if !namespace.is_empty() {
            object.0.entry_at(&["metadata"]).remove("namespace");
        }
        Ok(())
    }

    /// Gives an object with `generateName` its name.
    #[inline(never)]
    fn name(&mut self, _request: &Request, info: &KindInfo, object: &mut Object) -> Result<(), Status> {
        if !object.name().is_empty() {
            return Ok(());
        }
        let base = object.meta().get("generateName").to_str();
        if base.is_empty() {
            return hooks::name_required(info, object);
        }
        let about = Str::of(&[&info.resource.0, "/", object.namespace(), "/", &base]);
        for _ in 0..NAME_TRIES {
            let name = format!("{base}{}", draws::suffix(self.draws.next("name", &about), 5));
            if self.etcd.get(&info.resource, &ObjectKey::new(object.namespace(), name.as_str())).is_none() {
                object.0.entry_at(&["metadata"]).set("name", name);
                return Ok(());
            }
        }
        Err(Status::already_exists(&info.resource.0, &base))
    }

    #[inline(never)]
    pub(super) fn stamp_new(&mut self, info: &KindInfo, object: &mut Object, now: Time) {
        let about = Str::of(&[&info.resource.0, "/", &object.key().joined()]);
        let uid = draws::uuid(self.draws.next("uid", &about));
        let meta = object.0.entry_at(&["metadata"]);
        for field in ["resourceVersion", "selfLink", "managedFields", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"] {
            meta.remove(field);
        }
        meta.set("uid", uid);
        meta.set("creationTimestamp", now.rfc3339());
    }

    #[inline(never)]
    pub(super) fn update(&mut self, request: &Request, info: &KindInfo, now: Time) -> Result<Object, Status> {
        let old = self.get(request)?;
        let mut object = Object(request.body.clone());
        self.check_identity(request, info, &mut object)?;
        if object.name() != request.name.as_str() {
            let why = format!("the name of the object ({}) does not match the name on the URL ({})", object.name(), request.name);
            return Err(Status::bad_request(why));
        }
        object = hooks::decode(self, request, info, object)?;
        self.replace(request, info, old, object, now)
    }

    #[inline(never)]
    pub(super) fn patch(&mut self, request: &Request, kind: PatchType, info: &KindInfo, now: Time) -> Result<Object, Status> {
        if kind == PatchType::Apply {
            return self.apply(request, info, now);
        }
        let old = self.get(request)?;
        let patched = match kind {
            PatchType::Json => patch::json::apply(&old.0, &request.body)?,
            PatchType::Merge => patch::merge::apply(&old.0, &request.body)?,
            PatchType::Strategic | PatchType::Apply => hooks::strategic(self, info, &old.0, &request.body)?,
        };
        let object = hooks::decode(self, request, info, Object(patched))?;
        self.replace(request, info, old, object, now)
    }

    #[inline(never)]
    fn apply(&mut self, request: &Request, info: &KindInfo, now: Time) -> Result<Object, Status> {
        let live = self.get(request).ok();
        let mut config = Object(request.body.clone());
        self.check_identity(request, info, &mut config)?;
        config = hooks::decode(self, request, info, config)?;
        let applied = hooks::apply(self, live.as_ref(), &config, request, info, now)?;
        match live {
            Some(old) => self.replace_owned(request, info, old, applied, now, true),
            None => {
                let create = Request { verb: crate::api::Verb::Create, body: applied.0, ..request.clone() };
                self.create_applied(&create, info, now)
            }
        }
    }

    /// As `create`, for an object whose managed fields server-side apply has set.
    #[inline(never)]
    fn create_applied(&mut self, request: &Request, info: &KindInfo, now: Time) -> Result<Object, Status> {
        let mut object = Object(request.body.clone());
        let managed = object.meta().get("managedFields").clone();
        self.stamp_new(info, &mut object, now);
        hooks::default(self, info, &mut object);
        self.admit_new(request, info, &mut object, now)?;
        object.0.entry_at(&["metadata"]).set("managedFields", managed);
        if request.dry_run {
            return Ok(object);
        }
        let stored = self.etcd.put(&info.resource, object, now);
        Ok(hooks::stored(self, info, stored, now))
    }

    pub(super) fn replace(&mut self, request: &Request, info: &KindInfo, old: Object, object: Object, now: Time) -> Result<Object, Status> {
        self.replace_owned(request, info, old, object, now, false)
    }

    /// Stores a new version of an object, if it differs. `owned`: its managed fields are set already.
    #[inline(never)]
    pub(super) fn replace_owned(
        &mut self,
        request: &Request,
        info: &KindInfo,
        old: Object,
        mut object: Object,
        now: Time,
        owned: bool,
    ) -> Result<Object, Status> {
        let sent = object.meta().get("resourceVersion");
        if !sent.is_empty() && sent != old.meta().get("resourceVersion") {
            return Err(Status::conflict(&info.resource.0, &request.name));
        }
        let uid = object.uid();
        if !uid.is_empty() && uid != old.uid() {
            if matches!(request.verb, Verb::Patch(_)) {
                let cause = rules::invalid("metadata.uid", object.meta().get("uid"), "field is immutable");
                return Err(Status::invalid(&info.group_kind(), &request.name, &[cause]));
            }
            let why = format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {}", old.uid());
            return Err(Status::conflict_because(&info.resource.0, &request.name, &why));
        }
        keep_metadata(&old, &mut object, owned);
        // A pod is given defaults in its spec only, and what is stored has them.
        if info.resource != PODS || !old.spec().same(object.spec()) {
            hooks::default(self, info, &mut object);
        }
        if !owned {
            hooks::own(self, Some(&old), &mut object, request, info, now);
        }
        hooks::admit(self, request, info, Some(&old), &mut object)?;
        hooks::prepare_update(self, info, &mut object, &old, request.subresource);
        hooks::allocate(self, info, Some(&old), &mut object)?;
        hooks::validate_update(self, info, &object, &old, request.subresource)?;
        if same_but_for_revision(&old, &object) {
            return Ok(old);
        }
        if request.dry_run {
            return Ok(object);
        }
        hooks::admit_last(self, request, info, Some(&old), &object, now)?;
        if is_ready_to_go(info, &object) {
            return Ok(self.remove(info, object, now));
        }
        let stored = self.etcd.put(&info.resource, object, now);
        Ok(hooks::stored(self, info, stored, now))
    }

    /// Takes an object out of etcd, in its last version.
    #[inline(never)]
    pub(super) fn remove(&mut self, info: &KindInfo, object: Object, now: Time) -> Object {
        let gone = self.etcd.delete(&info.resource, &object.key(), now).unwrap_or(object);
        hooks::removed(self, info, &gone, now);
        gone
    }
}

/// What the client cannot change stays as it was.
#[inline(never)]
fn keep_metadata(old: &Object, object: &mut Object, owned: bool) {
    let meta = object.0.entry_at(&["metadata"]);
    for field in KEPT {
        let was = old.meta().get(field);
        if meta.get(field) != was {
            if was.is_null() {
                meta.remove(field);
            } else {
                meta.set(field, was);
            }
        }
    }
    meta.set("resourceVersion", old.meta().get("resourceVersion"));
    // A client that sends no managed fields keeps those there are; one that sends an empty list resets them.
    if !owned && meta.get("managedFields").is_null() {
        let was = old.meta().get("managedFields");
        if !was.is_null() {
            meta.set("managedFields", was);
        }
    }
}

/// A write that changes nothing but the times of its managed fields is no write.
#[inline(never)]
fn same_but_for_revision(old: &Object, new: &Object) -> bool {
    let same = |key: &Str, a: &Value, b: &Value| key == "metadata" && same_metadata(a, b) || a == b;
    let (a, b) = (old.0.entries(), new.0.entries());
    a.len() == b.len() && a.iter().zip(b).all(|((k, x), (l, y))| k == l && same(k, x, y))
}

fn same_metadata(a: &Value, b: &Value) -> bool {
    let (a, b) = (a.entries(), b.entries());
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|((k, x), (l, y))| k == l && (x == y || k == "resourceVersion" || k == "managedFields" && same_managers(x, y)))
}

fn same_managers(a: &Value, b: &Value) -> bool {
    let untimed = |v: &Value| {
        let mut v = v.clone();
        v.remove("time");
        v
    };
    a.items().len() == b.items().len() && a.items().iter().zip(b.items()).all(|(x, y)| x == y || untimed(x) == untimed(y))
}

/// Deleting, nothing holds it, and its grace period is over.
fn is_ready_to_go(info: &KindInfo, object: &Object) -> bool {
    object.is_deleting()
        && object.meta().get("finalizers").is_empty()
        && object.meta().get("deletionGracePeriodSeconds").int() == 0
        && (info.resource != crate::api::resource::NAMESPACES || object.spec().get("finalizers").is_empty())
}
