//! A ReplicaSet's status, from the pods that were there before this sync made or deleted any.

use super::{Pods, desired_replicas};
use crate::api::resource::REPLICA_SETS;
use crate::api::{Object, Request, Status, Value};
use crate::client::{Stop, Sync};
use crate::controllers::common::{attempt, conditions, send};
use crate::util::Time;

const FAILURE: &str = "ReplicaFailure";
/// The counts, and whether Go writes them when they are 0.
const COUNTS: [(&str, bool); 5] = [
    ("replicas", true),
    ("fullyLabeledReplicas", false),
    ("readyReplicas", false),
    ("availableReplicas", false),
    ("terminatingReplicas", true),
];

/// Writes the status if it changed, with one retry on the server's newest version, and comes back for pods that
/// are ready but not yet available.
///
/// # Errors
/// If the status could not be written, or `Halted`.
#[inline(never)]
pub(super) fn write(sync: &mut Sync<'_>, key: &str, rs: &Object, pods: &Pods, failed: Option<&Status>) -> Result<(), Stop> {
    let now = sync.now();
    let mut status = calculate(rs, pods, failed, now);
    let old = rs.status();
    let unchanged = COUNTS
        .iter()
        .all(|(f, _)| old.get(f) == status.get(f) || (old.get(f).is_empty() && status.get(f).is_empty() && *f != "terminatingReplicas"))
        && old.get("observedGeneration").int() == rs.generation()
        && (old.get("conditions") == status.get("conditions") || (old.get("conditions").is_empty() && status.get("conditions").is_empty()));
    if !unchanged {
        status.set("observedGeneration", rs.generation());
        sync.differs("differs.status", Vec::new());
        put(sync, rs, &status)?;
    }
    let min_ready_s = rs.spec().get("minReadySeconds").int();
    if min_ready_s > 0 && failed.is_none() && pods.ready != pods.available {
        let ms = pods.next_available_ms.unwrap_or(min_ready_s.unsigned_abs() * 1000);
        sync.requeue_after(key, ms);
    }
    Ok(())
}

#[inline(never)]
fn put(sync: &mut Sync<'_>, rs: &Object, status: &Value) -> Result<(), Stop> {
    let with = |rs: &Object| {
        let mut changed = rs.clone();
        changed.0.set("status", status);
        Request::update_status(&REPLICA_SETS, changed)
    };
    if attempt(sync, with(rs))?.is_err() {
        let fresh = send(sync, Request::get(&REPLICA_SETS, rs.meta().get("namespace").to_str(), rs.meta().get("name").to_str()))?;
        send(sync, with(&fresh))?;
    }
    Ok(())
}

/// The new status (`calculateStatus`).
#[inline(never)]
fn calculate(rs: &Object, pods: &Pods, failed: Option<&Status>, now: Time) -> Value {
    let mut status = rs.status().clone();
    let counts = [pods.active, pods.fully_labeled, pods.ready, pods.available, pods.terminating];
    for ((field, always), count) in COUNTS.into_iter().zip(counts) {
        if always || count != 0 {
            status.set(field, count);
        } else {
            status.remove(field);
        }
    }
    let was_failing = rs.condition(FAILURE).is_some();
    if let Some(e) = failed.filter(|_| !was_failing) {
        let reason = if pods.active < desired_replicas(rs) { "FailedCreate" } else { "FailedDelete" };
        let mut list = rs.status().get("conditions").clone();
        conditions::set(&mut list, conditions::condition(FAILURE, "True", reason, e.message.clone(), now), false);
        status.set("conditions", list);
    } else if failed.is_none() && was_failing {
        let mut list = rs.status().get("conditions").clone();
        conditions::remove(&mut list, FAILURE);
        if list.is_empty() { drop(status.remove("conditions")) } else { status.set("conditions", list) }
    }
    status
}
