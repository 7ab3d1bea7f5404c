//! scale and pods/binding.

use super::{ApiServer, hooks};
use crate::api::resource::PODS;
use crate::api::scheme::KindInfo;
use crate::api::{Object, PatchType, Request, Status, Value, Verb, patch};
use crate::util::Time;
use crate::value;

impl ApiServer {
    #[inline(never)]
    pub(super) fn get_scale(&self, request: &Request) -> Result<Object, Status> {
        Ok(scale_of(&self.get(request)?))
    }

    /// A write of `scale` is a write of `spec.replicas`, under the scale's resourceVersion.
    #[inline(never)]
    pub(super) fn write_scale(&mut self, request: &Request, info: &KindInfo, now: Time) -> Result<Object, Status> {
        let old = self.get(request)?;
        let scale = scale_of(&old);
        let wanted = match request.verb {
            Verb::Patch(PatchType::Json) => patch::json::apply(&scale.0, &request.body)?,
            Verb::Patch(_) => patch::merge::apply(&scale.0, &request.body)?,
            _ => request.body.clone(),
        };
        let replicas = wanted.at(&["spec", "replicas"]).int();
        if replicas < 0 {
            let cause = crate::api::status::Cause::new(
                "spec.replicas",
                "FieldValueInvalid",
                format!("Invalid value: {replicas}: must be greater than or equal to 0"),
            );
            return Err(Status::invalid("Scale.autoscaling", &request.name, &[cause]));
        }
        let sent = wanted.at(&["metadata", "resourceVersion"]);
        if !sent.is_empty() && sent != old.meta().get("resourceVersion") {
            return Err(Status::conflict(&info.resource.0, &request.name));
        }
        let mut object = old.clone();
        object.0.set_at(&["spec", "replicas"], replicas);
        hooks::own(self, Some(&old), &mut object, request, info, now);
        if replicas == 0 {
            disown_replicas(&mut object);
        }
        let stored = self.replace_owned(request, info, old, object, now, true)?;
        Ok(scale_of(&stored))
    }

    /// `BindingREST.Create`: sets the node, once.
    #[inline(never)]
    pub(super) fn bind(&mut self, request: &Request, now: Time) -> Result<Object, Status> {
        let old = self.get(request)?;
        let node = request.body.at(&["target", "name"]).to_str();
        let refuse = |why: String| Err(Status::conflict_because("pods/binding", &request.name, &why));
        if old.is_deleting() {
            return refuse(format!("pod {} is being deleted, cannot be assigned to a host", request.name));
        }
        let bound = old.spec().get("nodeName").text();
        if !bound.is_empty() {
            return refuse(format!("pod {} is already assigned to node \"{bound}\"", request.name));
        }
        let uid = request.body.at(&["metadata", "uid"]).text();
        if !uid.is_empty() && uid != old.uid() {
            return refuse(format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {}", old.uid()));
        }
        let mut object = old.clone();
        object.0.entry_at(&["spec"]).set("nodeName", node);
        set_scheduled(&mut object, now);
        Ok(self.etcd.put(&PODS, object, now))
    }
}

/// A scale of nothing is written without its number, so nobody owns it.
fn disown_replicas(object: &mut Object) {
    let entries = object.0.entry_at(&["metadata", "managedFields"]).list_mut();
    for entry in entries.iter_mut().filter(|e| e.get("subresource").text() == "scale") {
        entry.entry_at(&["fieldsV1", "f:spec"]).remove("f:replicas");
        if entry.at(&["fieldsV1", "f:spec"]).is_empty() {
            entry.entry_at(&["fieldsV1"]).remove("f:spec");
        }
    }
    entries.retain(|e| !e.get("fieldsV1").is_empty());
}

/// PodScheduled becomes True, as `assignPod` in registry/core/pod/storage sets it.
fn set_scheduled(object: &mut Object, now: Time) {
    let condition = value!({
        "type": "PodScheduled", "status": "True", "lastProbeTime": null, "lastTransitionTime": (now.rfc3339())
    });
    // Where it was to go matters no more.
    if !object.status().get("nominatedNodeName").is_null() {
        object.0.entry_at(&["status"]).remove("nominatedNodeName");
    }
    let list = object.0.entry_at(&["status", "conditions"]).list_mut();
    match list.iter_mut().find(|c| c.get("type").as_str() == Some("PodScheduled")) {
        Some(there) => *there = condition,
        None => list.push(condition),
    }
}

/// The autoscaling/v1 Scale of a scalable object.
fn scale_of(object: &Object) -> Object {
    let mut meta = Value::map();
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        let v = object.meta().get(field);
        if !v.is_null() {
            meta.set(field, v);
        }
    }
    let selector = crate::api::selector::Selector::of_object(object.spec().get("selector")).to_string();
    Object(value!({
        "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": meta,
        "spec": {"replicas": (object.spec().get("replicas").int())},
        "status": {"replicas": (object.status().get("replicas").int()), "selector": selector}
    }))
}
