//! How many pods a budget's pods are meant to be: the sum of the scales of what controls them, each counted once.

use super::REPLICATION_CONTROLLERS;
use crate::api::resource::{DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS};
use crate::api::{Object, Resource, Str, Value};
use crate::client::Sync;
use std::collections::BTreeMap;

/// What a budget's numbers are reckoned from.
pub struct Counted {
    pub expected: i64,
    pub desired: i64,
    /// Some pods have no controller, and the budget is relative.
    pub has_unmanaged: bool,
}

/// `getExpectedPodCount`.
///
/// # Errors
/// A pod's controller has no scale that anybody knows.
pub fn expected(sync: &Sync<'_>, budget: &Object, pods: &[&Object]) -> Result<Counted, String> {
    let (most, least) = (budget.spec().get("maxUnavailable"), budget.spec().get("minAvailable"));
    if !most.is_null() {
        let (expected, has_unmanaged) = total(sync, pods)?;
        return Ok(Counted { expected, desired: (expected - scaled(most, expected)?).max(0), has_unmanaged });
    }
    match least {
        Value::Int(n) => Ok(Counted { expected: pods.len() as i64, desired: *n, has_unmanaged: false }),
        Value::Str(_) => {
            let (expected, has_unmanaged) = total(sync, pods)?;
            Ok(Counted { expected, desired: scaled(least, expected)?, has_unmanaged })
        }
        _ => Ok(Counted { expected: 0, desired: 0, has_unmanaged: false }),
    }
}

/// A number, or a percentage rounded up.
fn scaled(value: &Value, total: i64) -> Result<i64, String> {
    let Value::Str(s) = value else { return Ok(value.int()) };
    let percent: Option<i64> = s.strip_suffix('%').and_then(|p| p.parse().ok());
    let percent = percent.ok_or("invalid value for IntOrString: invalid type: string is not a percentage")?;
    Ok((percent * total + 99).div_euclid(100))
}

/// `getExpectedScale`: the sum, and whether some pod has no controller.
fn total(sync: &Sync<'_>, pods: &[&Object]) -> Result<(i64, bool), String> {
    let mut scales: BTreeMap<Str, i64> = BTreeMap::new();
    let mut seen: BTreeMap<Str, ()> = BTreeMap::new();
    let mut has_unmanaged = false;
    for p in pods {
        let Some(owner) = p.controller() else {
            has_unmanaged = true;
            continue;
        };
        if seen.insert(owner.get("uid").to_str(), ()).is_none() {
            let (uid, scale) = scale_of(sync, p, owner)?;
            scales.insert(uid, scale);
        }
    }
    Ok((scales.values().sum(), has_unmanaged))
}

/// The uid and the scale of what controls a pod: of a ReplicaSet's Deployment, if it has one.
fn scale_of(sync: &Sync<'_>, pod: &Object, owner: &Value) -> Result<(Str, i64), String> {
    let found = |resource: &Resource, owner: &Value| {
        let object = sync.cache(resource).get(pod.namespace(), owner.get("name").text())?;
        Some(object).filter(|o| o.uid() == owner.get("uid").text())
    };
    let object = match (group(owner), owner.get("kind").text()) {
        ("", "ReplicationController") => found(&REPLICATION_CONTROLLERS, owner),
        ("apps", "StatefulSet") => found(&STATEFUL_SETS, owner),
        ("apps", "ReplicaSet") => found(&REPLICA_SETS, owner).and_then(|set| match set.controller() {
            Some(d) if group(d) == "apps" && d.get("kind").text() == "Deployment" => found(&DEPLOYMENTS, d),
            _ => Some(set),
        }),
        ("apps", "DaemonSet") => return Err("daemonsets.apps does not implement the scale subresource".to_string()),
        ("batch", "Job") => return Err("jobs.batch does not implement the scale subresource".to_string()),
        _ => None,
    };
    let object = object.ok_or_else(|| format!("found no controllers for pod \"{}\"", pod.name()))?;
    Ok((object.uid().into(), object.spec().get("replicas").int()))
}

fn group(owner: &Value) -> &str {
    owner.get("apiVersion").text().split_once('/').map_or("", |(group, _)| group)
}
