//! What every cause asks of a world: objects and their Events, who is about to move, and what would happen if.

use super::{Proof, proof};
use crate::api::resource::{EVENTS, LEASES, NODES, PODS};
use crate::api::{Object, ObjectKey, Request, Resource, Str, Value, Verb};
use crate::cluster::{Activity, Cluster, LoopId, Process, SyncRecord, UserAction};
use crate::util::{Order, Time};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A write that a loop would do.
pub struct Move {
    pub of: LoopId,
    pub key: Str,
    pub resource: Resource,
    pub target: ObjectKey,
}

/// A world, looked at once.
pub struct Sight<'a> {
    pub world: &'a Cluster,
    events: BTreeMap<Str, Vec<&'a Object>>,
    outputs: RefCell<BTreeMap<String, Rc<str>>>,
}

impl<'a> Sight<'a> {
    pub fn of(world: &'a Cluster) -> Sight<'a> {
        let mut events: BTreeMap<Str, Vec<&Object>> = BTreeMap::new();
        for event in world.etcd().list(&EVENTS, "") {
            events.entry(event.at(&["involvedObject", "uid"]).to_str()).or_default().push(event);
        }
        for of_one in events.values_mut() {
            of_one.order_by_key(|e| e.revision());
        }
        Sight { world, events, outputs: RefCell::default() }
    }

    pub fn prove(&self, command: &str, needles: &[Str]) -> Option<Proof> {
        let known = self.outputs.borrow().get(command).cloned();
        let output = known.unwrap_or_else(|| {
            let output: Rc<str> = proof::output(self.world, command).into();
            self.outputs.borrow_mut().insert(command.to_string(), output.clone());
            output
        });
        proof::line(command, &output, needles)
    }

    pub fn list(&self, resource: &Resource) -> impl Iterator<Item = &'a Object> + use<'a> {
        self.world.etcd().list(resource, "")
    }

    pub fn get(&self, resource: &Resource, namespace: &str, name: &str) -> Option<&'a Object> {
        self.world.etcd().get(resource, &ObjectKey::new(namespace, name))
    }

    /// Pods that have not ended and are not to end.
    pub fn pods(&self) -> impl Iterator<Item = &'a Object> + use<'a> {
        self.list(&PODS).filter(|p| is_live(p))
    }

    /// The newest Event about an object for a reason, whose message holds a text.
    pub fn event(&self, object: &Object, reason: &str, text: &str) -> Option<&'a Object> {
        let all = self.events.get(object.uid())?;
        all.iter().rev().find(|e| e.get("reason").text() == reason && e.get("message").text().contains(text)).copied()
    }

    /// Milliseconds since an instant of the API; 0 if it is none.
    pub fn since_ms(&self, instant: &Value) -> u64 {
        Time::parse_rfc3339(instant.text()).map_or(0, |at| self.world.now().since_ms(at))
    }

    /// Milliseconds since an object was made.
    pub fn age_ms(&self, object: &Object) -> u64 {
        self.since_ms(object.meta().get("creationTimestamp"))
    }

    /// Milliseconds since a condition last changed; 0 if it is not there.
    pub fn condition_ms(&self, object: &Object, kind: &str) -> u64 {
        object.condition(kind).map_or(0, |c| self.since_ms(c.get("lastTransitionTime")))
    }

    /// Whether a loop has something to do now, or news on its way to it.
    pub fn is_moving(&self, of: LoopId) -> bool {
        let (process, l) = (self.world.process(of.process), self.world.the_loop(of));
        let now = self.world.now();
        process.running
            && l.running
            && (hears(process) || !l.queue.is_empty() || !l.in_flight.is_empty() || l.busy.iter().any(|(until, _)| *until > now))
    }

    /// Whether any of the loops of a name has something to do now.
    pub fn moves(&self, name: &str) -> bool {
        self.world.loops_named(name).any(|of| self.is_moving(of))
    }

    /// Whether a workload's loops or the scheduler have something to do now.
    pub fn anybody_places(&self) -> bool {
        ["deployment", "replicaset", "scheduler", "garbage-collector"].iter().any(|name| self.moves(name))
    }

    /// A loop runs, and so does its process.
    pub fn runs(&self, name: &str) -> bool {
        let mut all = self.world.loops_named(name);
        all.any(|of| self.world.process(of.process).running && self.world.the_loop(of).running)
    }

    /// The first key for which one of the loops `by` would write within so long after a deed.
    pub fn would_write(&self, deed: Option<UserAction>, ms: u64, by: &dyn Fn(LoopId) -> bool) -> Option<Move> {
        let mut copy = self.world.clone();
        let from = copy.records().len();
        if let Some(deed) = deed {
            copy.step(Activity::User(deed));
        }
        let until = copy.now().after_ms(ms);
        copy.run_until(until);
        let records = copy.records();
        let sync = (from..records.len()).filter_map(|i| records.get(i)?.sync()).find(|s| by(s.of) && write_of(s).is_some())?;
        let request = write_of(sync)?;
        Some(Move {
            of: sync.of,
            key: sync.key.clone(),
            resource: request.resource.clone(),
            target: ObjectKey::new(request.namespace.clone(), request.name.clone()),
        })
    }
}

/// A list or an event is on its way to a process.
fn hears(process: &Process) -> bool {
    !process.ready || process.wires.values().any(|w| w.list_at.is_some() || !w.pending.is_empty())
}

/// The first write of a sync that is more than a sign of life.
fn write_of(sync: &SyncRecord) -> Option<&Request> {
    let counts = |r: &Resource| *r != EVENTS && *r != LEASES && *r != NODES;
    let written = sync.exchanges.iter().filter(|e| e.answer.is_ok()).map(|e| &*e.request);
    written.into_iter().find(|r| !matches!(r.verb, Verb::Get | Verb::List) && counts(&r.resource))
}

pub fn is_live(pod: &Object) -> bool {
    !pod.is_deleting() && !is_over(pod)
}

pub fn is_over(pod: &Object) -> bool {
    matches!(pod.status().get("phase").text(), "Succeeded" | "Failed")
}

/// A pod's `nodeName`; none if it has no node yet.
pub fn node_of(pod: &Object) -> Option<&str> {
    Some(pod.spec().get("nodeName").text()).filter(|n| !n.is_empty())
}

/// What a pod runs from, as a person would edit it: its Deployment, its ReplicaSet or the pod itself.
pub fn source<'a>(sight: &Sight<'a>, pod: &'a Object) -> &'a Object {
    use crate::api::resource::{DEPLOYMENTS, REPLICA_SETS};
    let owner = |o: &Object, kind: &str, resource: &Resource| {
        let name = o.controller().filter(|c| c.get("kind").text() == kind).map(|c| c.get("name").to_str())?;
        sight.get(resource, o.namespace(), &name)
    };
    let Some(set) = owner(pod, "ReplicaSet", &REPLICA_SETS) else { return pod };
    owner(set, "Deployment", &DEPLOYMENTS).unwrap_or(set)
}

/// `deployment/web`, as commands name it.
pub fn slashed(object: &Object) -> String {
    format!("{}/{}", object.kind().to_ascii_lowercase(), object.name())
}

/// Where the pod's spec stands in what a person edits.
pub fn spec_path(of: &Object) -> &'static str {
    if of.kind() == "Pod" { "spec" } else { "spec.template.spec" }
}

/// A loop's name as it is spoken.
pub fn title(name: &str) -> &str {
    match name {
        "deployment" => "Deployment",
        "replicaset" => "ReplicaSet",
        "endpointslice" => "EndpointSlice",
        "namespace" => "Namespace",
        "serviceaccount" => "ServiceAccount",
        other => other,
    }
}
