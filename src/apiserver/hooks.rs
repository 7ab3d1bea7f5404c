//! What the pipeline asks of the registry, of admission, of the schema and of the field managers, in one place.

use super::admission::{self, Attributes, Operation, View};
use super::managed::{self, Writer};
use super::{ApiServer, crd, decode, registry};
use crate::api::resource::{CUSTOM_RESOURCE_DEFINITIONS, EVENTS, NAMESPACES, PODS};
use crate::api::scheme::KindInfo;
use crate::api::{Object, ObjectKey, PatchType, Request, Resource, Status, Str, Subresource, Value, Verb, patch};
use crate::util::Time;

impl View for ApiServer {
    fn get(&self, resource: &Resource, key: &ObjectKey) -> Option<Object> {
        self.etcd.get(resource, key).cloned()
    }

    fn list(&self, resource: &Resource, namespace: &str) -> Vec<Object> {
        self.etcd.list(resource, namespace).cloned().collect()
    }
}

/// Events come thousandfold and have no defaults worth the time; nothing of them depends on other objects.
fn is_plain(info: &KindInfo) -> bool {
    info.resource == EVENTS
}

pub fn decode(server: &ApiServer, request: &Request, info: &KindInfo, mut object: Object) -> Result<Object, Status> {
    if let Some(custom) = server.customs.get(&info.resource) {
        let unknown: Vec<String> = custom.prune(&mut object.0).iter().map(|path| format!("unknown field \"{path}\"")).collect();
        if request.strict && !unknown.is_empty() {
            let kind = object.kind();
            let version = object.api_version().rsplit('/').next().unwrap_or("");
            let why =
                format!("{kind} in version \"{version}\" cannot be handled as a {kind}: strict decoding error: {}", unknown.join(", "));
            return Err(Status::bad_request(why));
        }
        return Ok(object);
    }
    // Controllers write what they read here; only what people wrote has to be looked at.
    if !(request.strict || request.manager.starts_with("kubectl")) || is_plain(info) {
        return Ok(object);
    }
    let decoded = match request.verb {
        Verb::Patch(PatchType::Apply) => decode::partial(object.0, info, request.strict),
        _ => decode::object(object.0, info, request.strict),
    };
    decoded.map(Object).map_err(Status::from)
}

pub fn name_required(info: &KindInfo, _object: &Object) -> Result<(), Status> {
    let cause = crate::api::status::Cause::new("metadata.name", "FieldValueRequired", "Required value: name or generateName is required");
    Err(Status::invalid(&info.group_kind(), "", &[cause]))
}

pub fn default(server: &ApiServer, info: &KindInfo, object: &mut Object) {
    match server.customs.get(&info.resource) {
        Some(custom) => custom.default(&mut object.0),
        None if !is_plain(info) => registry::default(&info.resource, &mut object.0),
        None => {}
    }
}

pub fn prepare_create(server: &ApiServer, info: &KindInfo, object: &mut Object, now: Time) {
    match server.customs.get(&info.resource) {
        Some(custom) => custom.prepare_create(&mut object.0),
        None => registry::prepare_create(&info.resource, &mut object.0, &registry::Facts { now }),
    }
}

pub fn prepare_update(server: &ApiServer, info: &KindInfo, object: &mut Object, old: &Object, subresource: Option<Subresource>) {
    match server.customs.get(&info.resource) {
        Some(custom) => custom.prepare_update(&mut object.0, &old.0, subresource),
        None => registry::prepare_update(&info.resource, &mut object.0, &old.0, subresource),
    }
}

fn attributes<'a>(request: &'a Request, info: &'a KindInfo, old: Option<&'a Object>, draw: u64) -> Attributes<'a> {
    let operation = if old.is_some() { Operation::Update } else { Operation::Create };
    Attributes {
        resource: &info.resource,
        namespace: if info.namespaced { &request.namespace } else { "" },
        name: &request.name,
        operation,
        subresource: request.subresource,
        old: old.map(|o| &o.0),
        draw,
    }
}

/// The mutating plugins.
pub fn admit(server: &mut ApiServer, request: &Request, info: &KindInfo, old: Option<&Object>, object: &mut Object) -> Result<(), Status> {
    if is_plain(info) && old.is_some() {
        return Ok(());
    }
    let draw = if info.resource == PODS && old.is_none() { server.draws.at("token", &object.key().joined(), 0) } else { 0 };
    admission::mutate(&*server, &attributes(request, info, old, draw), &mut object.0)
}

/// What is given out by the server: cluster addresses and node ports.
pub fn allocate(server: &ApiServer, info: &KindInfo, old: Option<&Object>, object: &mut Object) -> Result<(), Status> {
    let about = object.key().joined();
    registry::allocate(&info.resource, &mut object.0, old.map(|o| &o.0), server, &|nth| server.draws.at("address", &about, nth))
}

pub fn validate_create(server: &ApiServer, info: &KindInfo, object: &Object) -> Result<(), Status> {
    if is_plain(info) {
        return Ok(());
    }
    let causes = match server.customs.get(&info.resource) {
        Some(custom) => custom.validate_create(&object.0),
        None => registry::validate_create(&info.resource, &object.0),
    };
    refuse(info, object, &causes)
}

pub fn validate_update(
    server: &ApiServer,
    info: &KindInfo,
    object: &Object,
    old: &Object,
    subresource: Option<Subresource>,
) -> Result<(), Status> {
    if is_plain(info) {
        return Ok(());
    }
    let causes = match server.customs.get(&info.resource) {
        Some(custom) => custom.validate_update(&object.0, &old.0),
        None => registry::validate_update(&info.resource, &object.0, &old.0, subresource),
    };
    refuse(info, object, &causes)
}

fn refuse(info: &KindInfo, object: &Object, causes: &[crate::api::status::Cause]) -> Result<(), Status> {
    if causes.is_empty() { Ok(()) } else { Err(Status::invalid(&info.group_kind(), object.name(), causes)) }
}

/// The validating plugins. What they charge to quotas is stored with the object.
pub fn admit_last(
    server: &mut ApiServer,
    request: &Request,
    info: &KindInfo,
    old: Option<&Object>,
    object: &Object,
    now: Time,
) -> Result<(), Status> {
    if is_plain(info) {
        return Ok(());
    }
    let charged = admission::validate(&*server, &attributes(request, info, old, 0), &object.0)?;
    for quota in charged {
        server.put_status(&crate::api::resource::RESOURCE_QUOTAS, quota, now);
    }
    Ok(())
}

/// Namespaces that the server itself needs cannot be deleted.
pub fn admit_delete(_server: &ApiServer, _request: &Request, info: &KindInfo, old: &Object) -> Result<(), Status> {
    let needed = matches!(old.name(), "default" | "kube-system" | "kube-public");
    if info.resource == NAMESPACES && needed {
        return Err(Status::forbidden("namespaces", old.name(), "this namespace may not be deleted"));
    }
    Ok(())
}

pub fn strategic(server: &ApiServer, info: &KindInfo, old: &Value, change: &Value) -> Result<Value, Status> {
    let schema = server.schema_of(&info.resource, old);
    let mut patched = patch::strategic::apply(old, change, schema.as_ref())?;
    if info.resource == PODS && !change.at(&["status", "conditions"]).is_null() {
        // A strategic merge drops nulls, but this one is always written.
        for condition in patched.entry_at(&["status", "conditions"]).list_mut() {
            if condition.as_map().is_some_and(|c| !c.contains("lastProbeTime")) {
                condition.set("lastProbeTime", Value::Null);
            }
        }
    }
    // What Go leaves out when it is empty does not stay behind when its last entry goes.
    for field in ["finalizers", "ownerReferences"] {
        let list = patched.at(&["metadata", field]);
        if !list.is_null() && list.is_empty() {
            patched.entry_at(&["metadata"]).remove(field);
        }
    }
    Ok(patched)
}

/// Notes who wrote which field.
pub fn own(server: &ApiServer, old: Option<&Object>, object: &mut Object, request: &Request, info: &KindInfo, now: Time) {
    let schema = server.schema_of(&info.resource, &object.0);
    let writer = writer(object, request, false);
    managed::on_update(old, object, &writer, now, schema.as_ref(), reset(server, info, &writer));
}

/// Server-side apply: the live object with what the configuration says, and who owns it.
pub fn apply(
    server: &ApiServer,
    live: Option<&Object>,
    config: &Object,
    request: &Request,
    info: &KindInfo,
    now: Time,
) -> Result<Object, Status> {
    let schema = server.schema_of(&info.resource, &config.0);
    let writer = writer(config, request, true);
    let reset = reset(server, info, &writer);
    managed::apply(live, &config.0, &managed::Apply { writer: &writer, force: request.force, now, schema: schema.as_ref(), reset })
}

fn writer(object: &Object, request: &Request, apply: bool) -> Writer {
    Writer {
        manager: request.manager.clone(),
        apply,
        api_version: object.0.get("apiVersion").to_str(),
        subresource: subresource_name(request.subresource),
    }
}

fn reset(server: &ApiServer, info: &KindInfo, writer: &Writer) -> managed::reset::Paths {
    managed::reset::fields(&info.kind, server.customs.get(&info.resource).is_some(), &writer.subresource)
}

/// What the server does after a write: a new kind is served once its definition is stored, its names are accepted
/// and it is established.
pub fn stored(server: &mut ApiServer, info: &KindInfo, object: Object, now: Time) -> Object {
    if info.resource == CUSTOM_RESOURCE_DEFINITIONS && !object.is_deleting() {
        serve_defined(server, info, &object, now);
    }
    object
}

#[inline(never)]
fn serve_defined(server: &mut ApiServer, info: &KindInfo, object: &Object, now: Time) {
    let own = crd::definition::defined_resource(&object.0);
    for status in crd::definition::next_statuses(&object.0, server.kinds.iter(), now) {
        let mut next = server.etcd.get(&info.resource, &object.key()).cloned().unwrap_or_else(|| object.clone());
        next.0.set("status", status);
        server.put_status(&info.resource, next, now);
    }
    let now_stored = server.etcd.get(&info.resource, &object.key()).cloned();
    if let Some(definition) = now_stored.filter(|d| d.condition_is_true("Established")) {
        let custom = server.customs.add(&definition);
        debug_assert_eq!(custom.info.resource.0, own);
        server.kinds.add(custom.info.clone());
    }
}

/// A definition that goes takes its kind along, and all objects of it.
pub fn removed(server: &mut ApiServer, info: &KindInfo, object: &Object, now: Time) {
    if info.resource == CUSTOM_RESOURCE_DEFINITIONS {
        serve_no_longer(server, object, now);
    }
}

#[inline(never)]
fn serve_no_longer(server: &mut ApiServer, object: &Object, now: Time) {
    let resource = Resource::named(crd::definition::defined_resource(&object.0));
    let keys: Vec<ObjectKey> = server.etcd.list(&resource, "").map(Object::key).collect();
    for key in keys {
        server.etcd.delete(&resource, &key, now);
    }
    server.customs.remove(&resource);
    server.kinds.remove(&resource);
}

impl ApiServer {
    /// Writes a status as the server itself does it, outside any client's request.
    pub(super) fn put_status(&mut self, resource: &Resource, object: Object, now: Time) {
        let key = object.key();
        let Some(info) = self.kinds.by_resource(resource).cloned() else { return };
        let request = Request::update_status(resource, object.clone()).by("kube-apiserver");
        let old = self.etcd.get(resource, &key).cloned();
        let mut object = object;
        own(self, old.as_ref(), &mut object, &request, &info, now);
        self.etcd.put(resource, object, now);
    }
}

/// Whether a verb writes.
pub fn writes(verb: Verb) -> bool {
    !matches!(verb, Verb::Get | Verb::List)
}

/// The name of a subresource in managed fields.
pub fn subresource_name(subresource: Option<Subresource>) -> Str {
    subresource.map_or(Str::default(), |s| Str::fixed(s.name()))
}
