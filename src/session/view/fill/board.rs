//! The board: Deployments with their ReplicaSets and pods, everything else that a person made beside them. And the counts
//! that the strip and the cards need, from the same walk.

use super::lens::{Lens, all_pods, is_live};
use super::pods::{glance, image_tag, is_unschedulable};
use crate::api::resource::{DEPLOYMENTS, REPLICA_SETS};
use crate::api::{Object, Resource, Str};
use crate::session::view::{Board, Count, Health, Kid, Obj, Ready, Row, Slots, Text, Tree};
use crate::util::Order;
use std::collections::BTreeMap;

/// An owner with more pods than this shows counts alone.
const PODS_SHOWN_MAX: usize = 300;
/// Kinds that have their own place, or that a cluster is full of before anybody came.
const HIDDEN: [&str; 13] = [
    "pods",
    "replicasets.apps",
    "deployments.apps",
    "nodes",
    "namespaces",
    "events",
    "leases.coordination.k8s.io",
    "serviceaccounts",
    "endpointslices.discovery.k8s.io",
    "priorityclasses.scheduling.k8s.io",
    "events.events.k8s.io",
    "controllerrevisions.apps",
    "endpoints",
];

/// What was counted on the way.
#[derive(Default)]
pub struct Tally {
    pub ready: Ready,
    pub deployments: u64,
    /// `spec.replicas` of the ReplicaSets that want pods.
    pub split: Vec<u64>,
    /// Pods that ReplicaSets want and that are there.
    pub wanted: u64,
    pub active: u64,
    /// Ready pods of ReplicaSets.
    pub up: u64,
    pub unplaced: u64,
    pub placed: u64,
    pub running: u64,
    /// Pods that no node can take.
    pub unschedulable: Vec<Object>,
    /// Pods that a kubelet cannot run, with kubectl's word.
    pub broken: Vec<(Object, String)>,
    /// ReplicaSets with fewer or more pods than they want.
    pub uneven: Vec<Object>,
}

pub fn board(lens: &Lens) -> (Board, Tally) {
    let world = lens.world;
    let mut tally = Tally::default();
    let mut pods_of: BTreeMap<Str, Vec<&Object>> = BTreeMap::new();
    for pod in all_pods(world) {
        count(&mut tally, pod);
        pods_of.entry(pod.controller_uid().unwrap_or_default()).or_default().push(pod);
    }
    let mut sets_of: BTreeMap<Str, Vec<&Object>> = BTreeMap::new();
    for set in world.etcd().list(&REPLICA_SETS, "") {
        sets_of.entry(set.controller_uid().unwrap_or_default()).or_default().push(set);
    }
    let mut pen = Pen { lens, pods_of, tally };
    let mut trees = Vec::new();
    for d in world.etcd().list(&DEPLOYMENTS, "") {
        let mut sets = sets_of.remove(d.uid()).unwrap_or_default();
        sets.order_by_key(|s| std::cmp::Reverse(revision(s)));
        trees.push(pen.deployment(d, &sets));
    }
    for set in sets_of.into_values().flatten() {
        let row = pen.row(set, None);
        trees.push(Tree { root: None, rows: vec![row] });
        pen.tally.ready.wanted += set.spec().get("replicas").int().max(0) as u64;
    }
    let rest: Vec<&Object> = std::mem::take(&mut pen.pods_of).into_values().flatten().collect();
    if !rest.is_empty() {
        trees.push(Tree {
            root: None,
            rows: vec![Row { owner: None, pods: rest.iter().map(|p| kid(lens, p, "")).collect(), missing: 0, counts: counts(&rest) }],
        });
    }
    let tally = pen.tally;
    (Board { rev: world.etcd().revision(), trees, others: others(lens) }, tally)
}

fn count(tally: &mut Tally, pod: &Object) {
    if !is_live(pod) {
        return;
    }
    if pod.spec().get("nodeName").text().is_empty() {
        tally.unplaced += 1;
    } else {
        tally.placed += 1;
    }
    if pod.condition_is_true("Ready") {
        tally.ready.ready += 1;
    }
    if pod.status().get("phase").text() == "Running" {
        tally.running += 1;
    }
    let (word, health) = glance(pod);
    if is_unschedulable(pod) {
        tally.unschedulable.push(pod.clone());
    } else if health == Health::Stuck {
        tally.broken.push((pod.clone(), word));
    }
}

/// The number of a rollout.
fn revision(set: &Object) -> i64 {
    set.annotation("deployment.kubernetes.io/revision").and_then(|r| r.parse().ok()).unwrap_or(0)
}

struct Pen<'a> {
    lens: &'a Lens<'a>,
    pods_of: BTreeMap<Str, Vec<&'a Object>>,
    tally: Tally,
}

impl Pen<'_> {
    fn deployment(&mut self, d: &Object, sets: &[&Object]) -> Tree {
        let wanted = d.spec().get("replicas").int().max(0) as u64;
        let newest = sets.first().map(|s| revision(s)).unwrap_or(0);
        let shown: Vec<&&Object> = sets
            .iter()
            .filter(|s| revision(s) == newest || s.spec().get("replicas").int() > 0 || self.pods_of.contains_key(s.uid()))
            .collect();
        let many = shown.len() > 1;
        let (before, ready_before) = (self.tally.active, self.tally.up);
        let rows: Vec<Row> = shown
            .iter()
            .map(|s| self.row(s, many.then(|| Text::word(if revision(s) == newest { "board.new" } else { "board.old" }))))
            .collect();
        let (there, ready) = (self.tally.active - before, self.tally.up - ready_before);
        self.tally.deployments += 1;
        self.tally.ready.wanted += wanted;
        let slots =
            Slots { wanted, filled: ready.min(wanted), half: there.saturating_sub(ready).min(wanted.saturating_sub(ready)), over: 0 };
        let tag = image_tag(d.spec().at(&["template", "spec"])).to_string();
        Tree {
            root: Some(Obj {
                slots: Some(slots),
                word: Str::fixed("ready"),
                note: tag.into(),
                conditions: conditions(d),
                ..self.obj("Deployment", d)
            }),
            rows,
        }
    }

    fn row(&mut self, set: &Object, tag: Option<Text>) -> Row {
        let wanted = set.spec().get("replicas").int().max(0) as u64;
        let pods = self.pods_of.remove(set.uid()).unwrap_or_default();
        let live: Vec<&&Object> = pods.iter().filter(|p| is_live(p)).collect();
        let ready = live.iter().filter(|p| p.condition_is_true("Ready")).count() as u64;
        let active = live.len() as u64;
        if wanted > 0 || active > 0 {
            self.tally.split.push(wanted);
        }
        self.tally.wanted += wanted;
        self.tally.active += active;
        self.tally.up += ready;
        if active != wanted {
            self.tally.uneven.push(set.clone());
        }
        let slots = Slots {
            wanted,
            filled: ready.min(wanted),
            half: active.saturating_sub(ready).min(wanted.saturating_sub(ready)),
            over: active.saturating_sub(wanted),
        };
        let next = self.lens.upcoming().is_some_and(|s| s.key == set.key().joined());
        let note = image_tag(set.spec().at(&["template", "spec"])).to_string();
        let owner = Obj { tag, slots: Some(slots), note: note.into(), next, ..self.obj("ReplicaSet", set) };
        let many = pods.len() > PODS_SHOWN_MAX;
        let drawn = if many { Vec::new() } else { pods.iter().map(|p| kid(self.lens, p, set.name())).collect() };
        Row {
            owner: Some(owner),
            pods: drawn,
            missing: wanted.saturating_sub(active),
            counts: if many { counts(&pods) } else { Vec::new() },
        }
    }

    fn obj(&self, kind: &'static str, o: &Object) -> Obj {
        obj(self.lens, kind, o)
    }
}

fn obj(lens: &Lens, kind: &str, o: &Object) -> Obj {
    Obj {
        uid: o.uid().into(),
        kind: kind.into(),
        namespace: o.namespace().into(),
        name: o.name().into(),
        writer: lens.last_writer(o),
        rev: o.revision(),
        deleting: o.is_deleting(),
        ..Obj::default()
    }
}

fn kid(lens: &Lens, pod: &Object, owner: &str) -> Kid {
    let (word, health) = glance(pod);
    let name = pod.name();
    let short = name.strip_prefix(owner).map_or(name, |s| s.trim_start_matches('-'));
    Kid {
        uid: pod.uid().into(),
        namespace: pod.namespace().into(),
        name: name.into(),
        short: (if short.is_empty() { name } else { short }).into(),
        health,
        word: word.into(),
        writer: lens.last_writer(pod),
        rev: pod.revision(),
        node: pod.spec().get("nodeName").to_str(),
        containers: pod.spec().get("containers").items().iter().map(|c| c.get("name").to_str()).collect(),
    }
}

fn counts(pods: &[&Object]) -> Vec<Count> {
    let mut all: BTreeMap<(Health, String), u64> = BTreeMap::new();
    for pod in pods {
        let (word, health) = glance(pod);
        *all.entry((health, word)).or_default() += 1;
    }
    all.into_iter().map(|((health, word), count)| Count { health, count, word: word.into() }).collect()
}

fn conditions(d: &Object) -> Vec<(Health, Str)> {
    let one = |c: &crate::api::Value| {
        let (kind, yes) = (c.get("type").text(), c.get("status").text() == "True");
        let health = match (kind, yes, c.get("reason").text()) {
            ("Progressing", true, "NewReplicaSetAvailable") | ("Available", true, _) => Health::Ok,
            ("Progressing", false, _) | ("ReplicaFailure", true, _) => Health::Stuck,
            _ => Health::Going,
        };
        (health, c.get("type").to_str())
    };
    d.status().get("conditions").items().iter().map(one).collect()
}

fn others(lens: &Lens) -> Vec<Obj> {
    let etcd = lens.world.etcd();
    let shown = |r: &&Resource| !HIDDEN.contains(&r.0.as_str());
    let system = |o: &Object| {
        o.namespace().starts_with("kube-") || o.name() == "kube-root-ca.crt" || o.namespace() == "default" && o.name() == "kubernetes"
    };
    etcd.resources().filter(shown).flat_map(|r| etcd.list(r, "").filter(|o| !system(o)).take(40).map(|o| obj(lens, o.kind(), o))).collect()
}
