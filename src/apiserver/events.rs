//! The events.k8s.io group: the same stored Events under newer names (`pkg/apis/events/v1/conversion.go`).

use super::{ApiServer, hooks};
use crate::api::resource::EVENTS;
use crate::api::scheme::KindInfo;
use crate::api::{Object, Request, Resource, Status, Value, Verb, patch};
use crate::util::Time;

/// What the newer API calls Events.
pub const NEW_EVENTS: Resource = Resource::fixed("events.events.k8s.io");

/// Fields under their stored name and their newer one.
const RENAMED: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
];

impl ApiServer {
    /// A write of the newer API; reads go to the stored Events.
    #[inline(never)]
    pub(super) fn write_new_event(&mut self, request: &Request, info: &KindInfo, now: Time) -> Result<Object, Status> {
        let stored = Request { resource: EVENTS, ..request.clone() };
        match request.verb {
            Verb::Create => {
                let mut object = Object(request.body.clone());
                let place = KindInfo { resource: EVENTS, ..info.clone() };
                self.prepare_new_event(&place, &mut object, request, now);
                hooks::own(self, None, &mut object, request, info, now);
                Ok(self.etcd.put(&EVENTS, to_stored(&object), now))
            }
            Verb::Patch(_) => {
                let old = self.get(&stored)?;
                let newer = to_newer(&old);
                let mut object = Object(patch::merge::apply(&newer.0, &request.body)?);
                hooks::own(self, Some(&newer), &mut object, request, info, now);
                Ok(self.etcd.put(&EVENTS, to_stored(&object), now))
            }
            _ => Err(Status::other(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")),
        }
    }

    fn prepare_new_event(&mut self, place: &KindInfo, object: &mut Object, request: &Request, now: Time) {
        if object.namespace().is_empty() {
            object.0.entry_at(&["metadata"]).set("namespace", request.namespace.clone());
        }
        self.stamp_new(place, object, now);
    }
}

fn to_stored(newer: &Object) -> Object {
    let mut o = newer.0.clone();
    for (stored, new) in RENAMED {
        if let Some(v) = o.remove(new) {
            o.set(stored, v);
        }
    }
    o.set("apiVersion", "v1");
    if o.get("source").is_null() {
        o.set("source", Value::map());
    }
    for field in ["firstTimestamp", "lastTimestamp"] {
        if o.get(field).is_null() {
            o.set(field, Value::Null);
        }
    }
    Object(o)
}

fn to_newer(stored: &Object) -> Object {
    let mut o = stored.0.clone();
    for (old, new) in RENAMED {
        if let Some(v) = o.remove(old)
            && !v.is_empty()
        {
            o.set(new, v);
        }
    }
    o.set("apiVersion", "events.k8s.io/v1");
    Object(o)
}
