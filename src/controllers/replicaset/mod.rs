//! Keeps as many pods as a ReplicaSet wants. Follows upstream `pkg/controller/replicaset/replica_set.go` and
//! `replica_set_utils.go`. Left out: ReplicationController, metrics. Related pods of other ReplicaSets are found by
//! owner instead of by selector.

mod handlers;
mod manage;
mod status;

use super::common::claim::{Claim, claim};
use super::common::expectations::Expectations;
use super::common::{num, pod};
use crate::api::resource::{PODS, REPLICA_SETS};
use crate::api::{Object, ObjectKey, Resource, Selector, Str};
use crate::client::{Change, Controller, Handling, Memory, Stop, Sync};

/// The ReplicaSet loop.
pub struct ReplicaSetController;

/// What the loop remembers.
#[derive(Clone, Default)]
struct Known {
    expectations: Expectations,
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
        Memory::new(Known::default())
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        if change.resource == PODS { handlers::pod(h, change) } else { handlers::replica_set(h, change) }
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let Some(rs) = sync.cache(&REPLICA_SETS).by_key(&ObjectKey::split(key)) else {
            sync.remember(|m: &mut Known| m.expectations.forget(key));
            return Ok(());
        };
        let satisfied = sync.memory::<Known>().expectations.satisfied(key, sync.now());
        let selector = Selector::of_object(rs.spec().get("selector"));
        let pods = pods_of(sync, rs, &selector)?;
        let desired = desired_replicas(rs);
        let active = pods.active.len() as i64;
        let ready = pods.active.iter().filter(|p| pod::is_ready(p)).count();
        sync.saw("saw.replicaset", vec![num(active), num(desired), num(ready as i64), num(pods.terminating as i64)]);
        let mut failed = None;
        if !satisfied {
            let (creations, deletions) = sync.memory::<Known>().expectations.pending(key);
            sync.saw("saw.replicaset.expects", vec![num(creations), num(deletions as i64)]);
        } else if !rs.is_deleting() {
            failed = manage::manage(sync, key, rs, &pods.active)?;
        }
        status::write(sync, key, rs, &pods, failed.as_ref())?;
        failed.map_or(Ok(()), |e| Err(Stop::Failed(e)))
    }
}

/// The pods of a ReplicaSet, as its cache knows them.
struct Pods<'a> {
    active: Vec<&'a Object>,
    terminating: usize,
}

fn pods_of<'a>(sync: &mut Sync<'a>, rs: &Object, selector: &Selector) -> Result<Pods<'a>, Stop> {
    let c = Claim { owner: rs, owner_resource: &REPLICA_SETS, selector, resource: &PODS };
    let active = claim(sync, &c, pod::is_active)?;
    let counts = |p: &&Object| pod::is_terminating(p) && selector.matches(p.labels());
    let terminating = sync.cache(&PODS).controlled_by(rs.uid()).filter(counts).count();
    Ok(Pods { active, terminating })
}

/// `spec.replicas`, 1 if it is absent.
fn desired_replicas(rs: &Object) -> i64 {
    rs.spec().get("replicas").as_int().unwrap_or(1)
}
