//! Keeps as many pods as a ReplicaSet wants. Follows upstream `pkg/controller/replicaset/replica_set.go` and
//! `replica_set_utils.go`. Left out: ReplicationController, metrics. Related pods of other ReplicaSets are found by
//! owner instead of by selector.
//!
//! The same loop exists a second time as its edge-triggered twin, which counts events where this one counts its cache
//! (`ledger.rs`): everything else, waiting for what it asked for included, is the same code.

mod handlers;
mod ledger;
mod manage;
mod status;

use super::common::claim::{Claim, claim};
use super::common::expectations::Expectations;
use super::common::{num, pod};
use crate::api::resource::{PODS, REPLICA_SETS};
use crate::api::{Object, ObjectKey, Resource, Selector, Str};
use crate::client::tally::Tally;
use crate::client::{Change, Controller, Handling, Memory, Stop, Sync};
use ledger::Ledger;

/// The ReplicaSet loop, and its twin.
pub struct ReplicaSetController {
    edge: bool,
}

/// The real one: it compares whole states.
pub static LEVEL: ReplicaSetController = ReplicaSetController { edge: false };
/// The twin that consumes events.
pub static EDGE: ReplicaSetController = ReplicaSetController { edge: true };

/// What the loop remembers.
#[derive(Clone, Default)]
struct Known {
    expectations: Expectations,
    /// The twin's alone.
    ledger: Option<Ledger>,
}

const WATCHES: &[Resource] = &[REPLICA_SETS, PODS];

impl Controller for ReplicaSetController {
    fn name(&self) -> &'static str {
        "replicaset"
    }

    fn watches(&self) -> &'static [Resource] {
        WATCHES
    }

    fn workers(&self) -> usize {
        5
    }

    fn component(&self) -> &'static str {
        "replicaset-controller"
    }

    fn memory(&self, _node: &Str) -> Memory {
        Memory::new(Known { ledger: self.edge.then(Ledger::default), ..Known::default() })
    }

    fn started(&self, h: &mut Handling<'_>) {
        if self.edge
            && let Some(ledger) = &mut h.memory.get_mut::<Known>().ledger
        {
            ledger.begun = true;
        }
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        if self.edge && change.resource == PODS {
            h.memory.get_mut::<Known>().ledger.get_or_insert_default().count(change);
        }
        if change.resource == PODS { handlers::pod(h, change) } else { handlers::replica_set(h, change) }
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let Some(rs) = sync.cache(&REPLICA_SETS).by_key(&ObjectKey::split(key)) else {
            sync.remember(|m: &mut Known| m.expectations.forget(key));
            return Ok(());
        };
        let satisfied = sync.memory::<Known>().expectations.satisfied(key, sync.now());
        let selector = Selector::of_object(rs.spec().get("selector"));
        let mut pods = pods_of(sync, rs, &selector)?;
        if let Some(ledger) = &sync.memory::<Known>().ledger {
            // What this sync adopted or released is known from the answers, before any event says so.
            let cached = sync.cache(&PODS).controlled_by(rs.uid()).filter(|p| pod::is_active(p)).count() as i64;
            pods.active += ledger.sum(rs.uid()) - cached;
        }
        let desired = desired_replicas(rs);
        sync.saw("saw.replicaset", vec![num(pods.active), num(desired), num(pods.ready), num(pods.terminating)]);
        let mut failed = None;
        if !satisfied {
            let (creations, deletions) = sync.memory::<Known>().expectations.pending(key);
            sync.saw("saw.replicaset.expects", vec![num(creations), num(deletions as i64)]);
        } else if !rs.is_deleting() {
            failed = manage::manage(sync, key, rs, &selector, &pods)?;
        }
        status::write(sync, key, rs, &pods, failed.as_ref())?;
        failed.map_or(Ok(()), |e| Err(Stop::Failed(e)))
    }
}

/// The pods of a ReplicaSet, as its cache knows them, counted.
#[derive(Default)]
struct Pods {
    active: i64,
    terminating: i64,
    fully_labeled: i64,
    ready: i64,
    available: i64,
    /// when the next ready pod will be available
    next_available_ms: Option<u64>,
}

/// Counts the pods, by the cache's own tally where that tells all that is asked; adopts and releases otherwise.
fn pods_of(sync: &mut Sync<'_>, rs: &Object, selector: &Selector) -> Result<Pods, Stop> {
    let template = Selector::from_map(rs.spec().at(&["template", "metadata", "labels"]));
    if let Some(pods) = counted(sync, rs, selector, &template) {
        return Ok(pods);
    }
    let (now, min_ready_s) = (sync.now(), rs.spec().get("minReadySeconds").int());
    let mut pods = Pods::default();
    for p in active_pods(sync, rs, selector)? {
        pods.active += 1;
        pods.fully_labeled += i64::from(template.matches(p.labels()));
        match pod::available_in_ms(p, min_ready_s, now) {
            None => continue,
            Some(0) => pods.available += 1,
            Some(ms) => pods.next_available_ms = Some(pods.next_available_ms.map_or(ms, |next| next.min(ms))),
        }
        pods.ready += 1;
    }
    let counts = |p: &&Object| pod::is_terminating(p) && selector.matches(p.labels());
    pods.terminating = sync.cache(&PODS).controlled_by(rs.uid()).filter(counts).count() as i64;
    Ok(pods)
}

fn active_pods<'a>(sync: &mut Sync<'a>, rs: &Object, selector: &Selector) -> Result<Vec<&'a Object>, Stop> {
    claim(sync, &Claim { owner: rs, owner_resource: &REPLICA_SETS, selector, resource: &PODS }, pod::is_active)
}

/// The counts without a look at each pod: none is to be adopted or released, and ready means available.
fn counted(sync: &Sync<'_>, rs: &Object, selector: &Selector, template: &Selector) -> Option<Pods> {
    let cache = sync.cache(&PODS);
    let orphan = |p: &Object| p.namespace() == rs.namespace() && selector.matches(p.labels());
    if rs.spec().get("minReadySeconds").int() > 0 || cache.controlled_by("").any(orphan) {
        return None;
    }
    let mut pods = Pods::default();
    for group in cache.tally(rs.uid()).map_or(Some(&[][..]), Tally::groups)? {
        if !selector.matches(&group.labels) {
            return None;
        }
        pods.active += group.active as i64;
        pods.ready += group.ready as i64;
        pods.terminating += group.terminating as i64;
        pods.fully_labeled += if template.matches(&group.labels) { group.active as i64 } else { 0 };
    }
    pods.available = pods.ready;
    Some(pods)
}

/// `spec.replicas`, 1 if it is absent.
fn desired_replicas(rs: &Object) -> i64 {
    rs.spec().get("replicas").as_int().unwrap_or(1)
}
