//! Deletes what nobody owns any more. Follows upstream `pkg/controller/garbagecollector` (garbagecollector.go,
//! graph_builder.go, operations.go). Left out: a graph of its own (the caches' index by owner says the same),
//! custom kinds, owners in a namespace that cannot own.

mod attempt;
mod handlers;
mod orphan;

use super::common::num;
use crate::api::resource::{
    CONFIG_MAPS, DAEMON_SETS, DEPLOYMENTS, ENDPOINT_SLICES, NODES, PERSISTENT_VOLUME_CLAIMS, PODS, REPLICA_SETS, SECRETS, SERVICE_ACCOUNTS,
    SERVICES, STATEFUL_SETS,
};
use crate::api::{Object, ObjectKey, Resource, Str, Value};
use crate::client::{Caches, Change, Controller, Handling, Memory, Stop, Sync};
use crate::util::Tree;

/// The garbage collector's loop.
pub struct GarbageCollector;

const JOBS: Resource = Resource::fixed("jobs.batch");
const CRON_JOBS: Resource = Resource::fixed("cronjobs.batch");
const REVISIONS: Resource = Resource::fixed("controllerrevisions.apps");
const CONTROLLERS: Resource = Resource::fixed("replicationcontrollers");

/// The kinds that own or are owned.
const WATCHES: &[Resource] = &[
    PODS,
    REPLICA_SETS,
    DEPLOYMENTS,
    STATEFUL_SETS,
    DAEMON_SETS,
    REVISIONS,
    JOBS,
    CRON_JOBS,
    CONTROLLERS,
    SERVICES,
    ENDPOINT_SLICES,
    CONFIG_MAPS,
    SECRETS,
    SERVICE_ACCOUNTS,
    PERSISTENT_VOLUME_CLAIMS,
    NODES,
];

/// Kind, API group and resource of what can own.
const OWNERS: &[(&str, &str, &Resource)] = &[
    ("Pod", "", &PODS),
    ("ReplicaSet", "apps", &REPLICA_SETS),
    ("Deployment", "apps", &DEPLOYMENTS),
    ("StatefulSet", "apps", &STATEFUL_SETS),
    ("DaemonSet", "apps", &DAEMON_SETS),
    ("ControllerRevision", "apps", &REVISIONS),
    ("Job", "batch", &JOBS),
    ("CronJob", "batch", &CRON_JOBS),
    ("ReplicationController", "", &CONTROLLERS),
    ("Service", "", &SERVICES),
    ("EndpointSlice", "discovery.k8s.io", &ENDPOINT_SLICES),
    ("ConfigMap", "", &CONFIG_MAPS),
    ("Secret", "", &SECRETS),
    ("ServiceAccount", "", &SERVICE_ACCOUNTS),
    ("PersistentVolumeClaim", "", &PERSISTENT_VOLUME_CLAIMS),
    ("Node", "", &NODES),
];

const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";
/// A key with this prefix asks to orphan the dependents of what follows.
const ORPHAN_KEY: &str = "orphan/";
/// How many owners that are known to be gone are remembered.
const ABSENT_KEPT: usize = 500;

/// Owners that the server said do not exist, in order of arrival.
#[derive(Clone, Default)]
struct Known {
    absent: Tree<Str, u64>,
    order: Tree<u64, Str>,
    count: u64,
}

impl Known {
    fn note_absent(&mut self, uid: &str) {
        if self.absent.contains_key(uid) {
            return;
        }
        self.count += 1;
        self.absent.insert_mut(Str::from(uid), self.count);
        self.order.insert_mut(self.count, Str::from(uid));
        if self.order.size() > ABSENT_KEPT
            && let Some((at, oldest)) = self.order.first().map(|(a, u)| (*a, u.clone()))
        {
            self.order.remove_mut(&at);
            self.absent.remove_mut(&oldest);
        }
    }
}

impl Controller for GarbageCollector {
    fn name(&self) -> &'static str {
        "garbage-collector"
    }

    fn watches(&self) -> &'static [Resource] {
        WATCHES
    }

    fn workers(&self) -> usize {
        20
    }

    /// Each deletion takes two requests, so upstream doubles the rate.
    fn rate_limit(&self) -> (u64, u64) {
        (40, 30)
    }

    fn component(&self) -> &'static str {
        "garbage-collector-controller"
    }

    fn memory(&self, _node: &Str) -> Memory {
        Memory::new(Known::default())
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        handlers::changed(h, change);
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        match key.strip_prefix(ORPHAN_KEY) {
            Some(owner) => orphan::orphan(sync, owner),
            None => attempt::attempt_to_delete(sync, key),
        }
    }
}

/// The queue's key of an object: `pods/default/web-1`.
fn key_of(resource: &Resource, object: &Object) -> Str {
    Str::from(format!("{resource}/{}/{}", object.namespace(), object.name()))
}

/// The resource and object that a key names.
fn parse_key(key: &str) -> Option<(Resource, ObjectKey)> {
    let mut parts = key.splitn(3, '/');
    let (resource, namespace, name) = (parts.next()?, parts.next()?, parts.next()?);
    let known = WATCHES.iter().find(|r| r.0 == *resource)?;
    Some((known.clone(), ObjectKey::new(namespace, name)))
}

/// The resource that an owner reference names, if it is one of those watched.
fn owner_resource(reference: &Value) -> Option<&'static Resource> {
    let kind = reference.get("kind").text();
    let group = reference.get("apiVersion").text().split_once('/').map_or("", |(g, _)| g);
    OWNERS.iter().find(|(k, g, _)| *k == kind && *g == group).map(|(_, _, r)| *r)
}

/// The owner that a reference of an object names, as the cache knows it.
fn cached_owner<'a>(caches: &'a Caches, object: &Object, reference: &Value) -> Option<&'a Object> {
    let resource = owner_resource(reference)?;
    let namespace = if *resource == NODES { "" } else { object.namespace() };
    let owner = caches.of(resource).get(namespace, reference.get("name").text())?;
    (owner.uid() == reference.get("uid").text()).then_some(owner)
}

/// Everything in the caches that names this uid as an owner.
fn dependents<'a>(caches: &'a Caches, uid: &'a str) -> impl Iterator<Item = (&'static Resource, &'a Object)> {
    WATCHES.iter().flat_map(move |r| caches.of(r).owned_by(uid).map(move |o| (r, o)))
}

fn has_finalizer(object: &Object, name: &str) -> bool {
    object.meta().get("finalizers").items().iter().any(|f| f.text() == name)
}

/// Whether an object waits until its dependents are deleted.
fn is_deleting_dependents(object: &Object) -> bool {
    object.is_deleting() && has_finalizer(object, FOREGROUND)
}

fn count(items: &[Value]) -> Str {
    num(items.len() as i64)
}
