//! Writes down which pods stand behind a Service. Follows upstream `pkg/controller/endpointslice` and
//! `k8s.io/endpointslice` (reconciler.go, utils.go, util/). Left out: topology hints, IPv6, trigger times of slices
//! that others changed, the Endpoints object.

mod endpoint;
mod handlers;
mod reconcile;
mod slice;

use super::common::num;
use crate::api::resource::{ENDPOINT_SLICES, NODES, PODS, SERVICES};
use crate::api::{Object, ObjectKey, Resource, Selector, Str};
use crate::client::{Change, Controller, Handling, Memory, Stop, Sync};
use crate::util::Time;
use crate::util::Tree;

/// The EndpointSlice loop.
pub struct EndpointSliceController;

const WATCHES: &[Resource] = &[SERVICES, PODS, ENDPOINT_SLICES];
const READS: &[Resource] = &[NODES];

pub(super) const SERVICE_NAME: &str = "kubernetes.io/service-name";
pub(super) const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
pub(super) const ME: &str = "endpointslice-controller.k8s.io";
pub(super) const HEADLESS: &str = "service.kubernetes.io/headless";
pub(super) const TRIGGER_TIME: &str = "endpoints.kubernetes.io/last-change-trigger-time";
/// After finding its cache of slices stale, it waits this long.
const STALE_MS: u64 = 1000;

/// What the loop remembers.
#[derive(Clone, Default)]
pub(super) struct Known {
    /// generation of each slice as last written, by service and by the slice's uid
    written: Tree<Str, Tree<Str, i64>>,
    /// when the service and its pods last changed, as seen by the last sync
    triggers: Tree<Str, Triggers>,
}

#[derive(Clone, Default, PartialEq)]
pub(super) struct Triggers {
    service: Option<Time>,
    pods: Tree<Str, Time>,
}

impl Controller for EndpointSliceController {
    fn name(&self) -> &'static str {
        "endpointslice"
    }

    fn watches(&self) -> &'static [Resource] {
        WATCHES
    }

    fn reads(&self) -> &'static [Resource] {
        READS
    }

    fn workers(&self) -> usize {
        5
    }

    fn component(&self) -> &'static str {
        "endpoint-slice-controller"
    }

    fn memory(&self, _node: &Str) -> Memory {
        Memory::new(Known::default())
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        handlers::changed(h, change);
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let id = ObjectKey::split(key);
        let Some(service) = sync.cache(&SERVICES).by_key(&id) else {
            sync.remember(|m: &mut Known| {
                m.written.remove_mut(key);
                m.triggers.remove_mut(key);
            });
            return Ok(());
        };
        let spec = service.spec();
        if spec.get("type").text() == "ExternalName" || spec.get("selector").is_null() {
            return Ok(());
        }
        let slices = slices_of(sync, service);
        if is_stale(sync, key, &slices) {
            sync.requeue_after(key, STALE_MS);
            return Ok(());
        }
        let selector = Selector::from_map(spec.get("selector"));
        let pods: Vec<&Object> = sync.cache(&PODS).in_namespace(&id.namespace).filter(|p| selector.matches(p.labels())).collect();
        let ready = slices.iter().flat_map(|s| s.get("endpoints").items()).filter(|e| e.at(&["conditions", "ready"]).is_true()).count();
        sync.saw("saw.endpointslice", vec![num(pods.len() as i64), num(slices.len() as i64), num(ready as i64)]);
        let trigger = note_triggers(sync, key, service, &pods);
        reconcile::reconcile(sync, key, service, &pods, &slices, trigger)
    }
}

/// The slices of a service that this loop made, as the cache knows them.
fn slices_of<'a>(sync: &Sync<'a>, service: &Object) -> Vec<&'a Object> {
    let mine = |s: &&Object| s.label(MANAGED_BY) == Some(ME) && s.label(SERVICE_NAME) == Some(service.name()) && !s.is_deleting();
    sync.cache(&ENDPOINT_SLICES).owned_by(service.uid()).filter(mine).collect()
}

/// Whether the cache has not yet heard of what this loop wrote last.
fn is_stale(sync: &Sync<'_>, key: &str, slices: &[&Object]) -> bool {
    let Some(written) = sync.memory::<Known>().written.get(key) else { return false };
    written.iter().any(|(uid, generation)| slices.iter().find(|s| s.uid() == uid.as_str()).is_none_or(|s| s.generation() < *generation))
}

/// The earliest change of the service or a pod that the last sync did not know of (`ComputeEndpointLastChangeTriggerTime`).
fn note_triggers(sync: &mut Sync<'_>, key: &str, service: &Object, pods: &[&Object]) -> Option<Time> {
    let before = sync.memory::<Known>().triggers.get(key).cloned().unwrap_or_default();
    let mut now = Triggers { service: super::common::pod::created(service), pods: Tree::new() };
    let mut first: Option<Time> = None;
    let mut note = |t: Time, old: Option<Time>| {
        if old.is_none_or(|o| t > o) {
            first = Some(first.map_or(t, |f| f.min(t)));
        }
    };
    for pod in pods {
        if let Some(t) = super::common::pod::ready_changed(pod) {
            let name = pod.meta().get("name").to_str();
            note(t, before.pods.get(&name).copied());
            now.pods.insert_mut(name, t);
        }
    }
    if let Some(t) = now.service {
        note(t, before.service);
    }
    if now != before {
        sync.remember(|m: &mut Known| drop(m.triggers.insert_mut(Str::from(key), now)));
    }
    first
}
