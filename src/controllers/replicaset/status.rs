//! A ReplicaSet's status, from the pods that were there before this sync made or deleted any.

use super::{Pods, desired_replicas};
use crate::api::resource::REPLICA_SETS;
use crate::api::{Object, Request, Selector, Status, Value};
use crate::client::{Stop, Sync};
use crate::controllers::common::{attempt, conditions, pod, send};
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
pub(super) fn write(sync: &mut Sync<'_>, key: &str, rs: &Object, pods: &Pods<'_>, failed: Option<&Status>) -> Result<(), Stop> {
    let now = sync.now();
    let (mut status, counts) = calculate(rs, pods, failed, now);
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
    if min_ready_s > 0 && failed.is_none() && counts.ready != counts.available {
        let waits = pods.active.iter().filter_map(|p| pod::available_in_ms(p, min_ready_s, now)).filter(|ms| *ms > 0);
        let ms = waits.min().unwrap_or(min_ready_s.unsigned_abs() * 1000);
        sync.requeue_after(key, ms);
    }
    Ok(())
}

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

#[derive(Default)]
struct Counts {
    fully_labeled: i64,
    ready: i64,
    available: i64,
}

/// The new status (`calculateStatus`).
fn calculate(rs: &Object, pods: &Pods<'_>, failed: Option<&Status>, now: Time) -> (Value, Counts) {
    let labels = Selector::from_map(rs.spec().at(&["template", "metadata", "labels"]));
    let min_ready_s = rs.spec().get("minReadySeconds").int();
    let mut n = Counts::default();
    for p in &pods.active {
        n.fully_labeled += i64::from(labels.matches(p.labels()));
        n.ready += i64::from(pod::is_ready(p));
        n.available += i64::from(pod::is_available(p, min_ready_s, now));
    }
    let active = pods.active.len() as i64;
    let mut status = rs.status().clone();
    let counts = [active, n.fully_labeled, n.ready, n.available, pods.terminating as i64];
    for ((field, always), count) in COUNTS.into_iter().zip(counts) {
        if always || count != 0 {
            status.set(field, count);
        } else {
            status.remove(field);
        }
    }
    let was_failing = rs.condition(FAILURE).is_some();
    if let Some(e) = failed.filter(|_| !was_failing) {
        let reason = if active < desired_replicas(rs) { "FailedCreate" } else { "FailedDelete" };
        let mut list = rs.status().get("conditions").clone();
        conditions::set(&mut list, conditions::condition(FAILURE, "True", reason, e.message.clone(), now), false);
        status.set("conditions", list);
    } else if failed.is_none() && was_failing {
        let mut list = rs.status().get("conditions").clone();
        conditions::remove(&mut list, FAILURE);
        if list.is_empty() { drop(status.remove("conditions")) } else { status.set("conditions", list) }
    }
    (status, n)
}
