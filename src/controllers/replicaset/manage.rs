//! Creates the pods that lack and deletes those that are too many.

use super::{Known, Pods, active_pods, desired_replicas};
use crate::api::resource::{PODS, REPLICA_SETS};
use crate::api::{Object, Request, Selector, Status, Str};
use crate::client::{Stop, Sync};
use crate::controllers::common::pod::{Ranked, deletion_order, is_active};
use crate::controllers::common::{MANAGER, is_namespace_terminating, signed};
use crate::util::Order;
use crate::value;
use std::collections::BTreeMap;

/// At most this many pods are created or deleted in one sync.
const BURST: usize = 500;

/// Brings the number of pods to what is wanted. Gives the first refusal.
///
/// # Errors
/// Only `Halted`.
pub(super) fn manage(sync: &mut Sync<'_>, key: &str, rs: &Object, selector: &Selector, pods: &Pods) -> Result<Option<Status>, Stop> {
    let lacking = desired_replicas(rs) - pods.active;
    if lacking == 0 {
        return Ok(None);
    }
    sync.differs("differs.replicaset", vec![signed(lacking)]);
    let count = usize::try_from(lacking.unsigned_abs()).unwrap_or(BURST).min(BURST);
    if lacking > 0 {
        return create(sync, key, rs, count);
    }
    let active = active_pods(sync, rs, selector)?;
    delete(sync, key, rs, &active, count)
}

/// Creates in batches of 1, 2, 4, …; the first that is not all well is the last (`slowStartBatch`).
#[inline(never)]
fn create(sync: &mut Sync<'_>, key: &str, rs: &Object, count: usize) -> Result<Option<Status>, Stop> {
    let now = sync.now();
    sync.remember(|m: &mut Known| m.expectations.expect_creations(key, count as i64, now));
    let request = Request::create(&PODS, pod_from_template(rs)).by(MANAGER);
    let (mut created, mut size, mut failed) = (0, 1, None);
    while created < count && failed.is_none() {
        for answer in sync.batch(vec![request.clone(); size])? {
            match answer {
                Ok(pod) => {
                    created += 1;
                    sync.event(rs, "Normal", "SuccessfulCreate", format!("Created pod: {}", pod.object().name()));
                }
                // Nothing can be created in a namespace that goes away, so nobody need know.
                Err(e) if is_namespace_terminating(&e) => created += 1,
                Err(e) => {
                    sync.event(rs, "Warning", "FailedCreate", format!("Error creating: {}", e.message));
                    failed.get_or_insert(e);
                }
            }
        }
        size = (size * 2).min(count - created);
    }
    if created < count {
        sync.remember(|m: &mut Known| m.expectations.creations_observed(key, (count - created) as i64));
    }
    Ok(failed)
}

/// A pod as the template says, owned by the ReplicaSet (`GetPodFromTemplate`).
fn pod_from_template(rs: &Object) -> Object {
    let template = rs.spec().get("template");
    let mut meta = value!({
        "namespace": (rs.meta().get("namespace")),
        "generateName": (format!("{}-", rs.name())),
        "ownerReferences": [(rs.controller_ref())]
    });
    for field in ["labels", "annotations", "finalizers"] {
        let v = template.at(&["metadata", field]);
        if !v.is_empty() {
            meta.set(field, v);
        }
    }
    Object(value!({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": (template.get("spec"))}))
}

#[inline(never)]
fn delete(sync: &mut Sync<'_>, key: &str, rs: &Object, active: &[&Object], count: usize) -> Result<Option<Status>, Stop> {
    let victims = victims(sync, rs, active, count);
    let now = sync.now();
    let keys: Vec<Str> = victims.iter().map(|p| p.key().joined()).collect();
    sync.remember(|m: &mut Known| m.expectations.expect_deletions(key, keys, now));
    let request = |p: &&Object| {
        let key = p.key();
        Request::delete(&PODS, key.namespace, key.name).by(MANAGER)
    };
    let answers = sync.batch(victims.iter().map(request).collect())?;
    let mut failed = None;
    for (pod, answer) in victims.iter().zip(answers) {
        let Err(e) = answer else {
            sync.event(rs, "Normal", "SuccessfulDelete", format!("Deleted pod: {}", pod.name()));
            continue;
        };
        let gone = pod.key().joined();
        sync.remember(|m: &mut Known| m.expectations.deletion_observed(key, &gone));
        if !e.is_not_found() {
            sync.event(rs, "Warning", "FailedDelete", format!("Error deleting: {}", e.message));
            failed.get_or_insert(e);
        }
    }
    Ok(failed)
}

/// The pods to give up (`getPodsToDelete`).
#[inline(never)]
fn victims<'a>(sync: &Sync<'_>, rs: &Object, active: &[&'a Object], count: usize) -> Vec<&'a Object> {
    if count >= active.len() {
        return active.to_vec();
    }
    let crowd = related_on_nodes(sync, rs);
    let rank = |pod: &Object| crowd.get(pod.spec().get("nodeName").text()).copied().unwrap_or(0);
    let mut ranked: Vec<Ranked<'a>> = active.iter().map(|pod| Ranked { pod, rank: rank(pod) }).collect();
    let now = sync.now();
    ranked.order_by(|a, b| deletion_order(a, b, now));
    ranked.iter().take(count).map(|r| r.pod).collect()
}

/// How many active pods each node has of all ReplicaSets with the same owner.
fn related_on_nodes<'a>(sync: &Sync<'a>, rs: &Object) -> BTreeMap<&'a str, usize> {
    let mut crowd = BTreeMap::new();
    let Some(owner) = rs.controller_uid() else { return crowd };
    let (sets, pods) = (sync.cache(&REPLICA_SETS), sync.cache(&PODS));
    for sibling in sets.controlled_by(&owner) {
        for pod in pods.controlled_by(sibling.uid()).filter(|p| is_active(p)) {
            *crowd.entry(pod.spec().get("nodeName").text()).or_default() += 1;
        }
    }
    crowd
}
