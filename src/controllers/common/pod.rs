//! What loops ask of a pod: is it active, ready, available; and which pods to give up first.
//! Follows upstream `pkg/api/v1/pod/util.go` and `pkg/controller/controller_utils.go`.

use crate::api::resource::PODS;
use crate::api::{Object, PatchType, Request, Subresource, Value};
use crate::util::Time;
use crate::value;
use std::cmp::Ordering;

const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

pub fn phase(pod: &Object) -> &str {
    pod.status().get("phase").text()
}

pub fn is_finished(pod: &Object) -> bool {
    matches!(phase(pod), "Succeeded" | "Failed")
}

/// Neither finished nor being deleted.
pub fn is_active(pod: &Object) -> bool {
    !is_finished(pod) && !pod.is_deleting()
}

/// Being deleted and not yet finished.
pub fn is_terminating(pod: &Object) -> bool {
    !is_finished(pod) && pod.is_deleting()
}

pub fn is_ready(pod: &Object) -> bool {
    pod.condition_is_true("Ready")
}

/// When the Ready condition last changed.
pub fn ready_changed(pod: &Object) -> Option<Time> {
    Time::parse_rfc3339(pod.condition("Ready")?.get("lastTransitionTime").text())
}

/// Milliseconds until a ready pod has been ready for `min_ready_s`; 0 if it is available, `None` if it is not ready.
pub fn available_in_ms(pod: &Object, min_ready_s: i64, now: Time) -> Option<u64> {
    if !is_ready(pod) {
        return None;
    }
    let wait = u64::try_from(min_ready_s).unwrap_or(0).saturating_mul(1000);
    if wait == 0 {
        return Some(0);
    }
    Some(ready_changed(pod)?.after_ms(wait).since_ms(now))
}

pub fn is_available(pod: &Object, min_ready_s: i64, now: Time) -> bool {
    available_in_ms(pod, min_ready_s, now) == Some(0)
}

pub fn created(object: &Object) -> Option<Time> {
    Time::parse_rfc3339(object.meta().get("creationTimestamp").text())
}

/// A pod with the number of related pods on its node.
pub struct Ranked<'a> {
    pub pod: &'a Object,
    pub rank: usize,
}

/// Which of two pods a ReplicaSet gives up first (`ActivePodsWithRanks.Less`). Ages are compared by their magnitude
/// (LogarithmicScaleDown), equal ones by uid.
pub fn deletion_order(a: &Ranked<'_>, b: &Ranked<'_>, now: Time) -> Ordering {
    let (p, q) = (a.pod, b.pod);
    let unassigned_first = is_assigned(p).cmp(&is_assigned(q));
    let by_phase = || phase_rank(p).cmp(&phase_rank(q));
    let unready_first = || is_ready(p).cmp(&is_ready(q));
    let by_cost = || deletion_cost(p).cmp(&deletion_cost(q));
    let crowded_first = || b.rank.cmp(&a.rank);
    let by_ready_time = || if is_ready(p) && is_ready(q) { by_age(ready_changed(p), ready_changed(q), p, q, now) } else { Ordering::Equal };
    let restarted_first = || restarts(q).cmp(&restarts(p));
    let by_creation = || by_age(created(p), created(q), p, q, now);
    unassigned_first
        .then_with(by_phase)
        .then_with(unready_first)
        .then_with(by_cost)
        .then_with(crowded_first)
        .then_with(by_ready_time)
        .then_with(restarted_first)
        .then_with(by_creation)
}

fn is_assigned(pod: &Object) -> bool {
    !pod.spec().get("nodeName").text().is_empty()
}

fn phase_rank(pod: &Object) -> u8 {
    match phase(pod) {
        "Pending" => 0,
        "Running" => 2,
        _ => 1,
    }
}

fn deletion_cost(pod: &Object) -> i64 {
    pod.annotation(DELETION_COST).and_then(|c| c.parse::<i32>().ok()).map_or(0, i64::from)
}

/// The most restarts of its containers, and of its sidecars.
fn restarts(pod: &Object) -> (i64, i64) {
    let most = |statuses: &Value| statuses.items().iter().map(|c| c.get("restartCount").int()).max().unwrap_or(0);
    let sidecar = |name: &str| {
        let container = pod.spec().get("initContainers").find("name", name);
        container.is_some_and(|c| c.get("restartPolicy").text() == "Always")
    };
    let init = pod.status().get("initContainerStatuses").items();
    let sidecars = init.iter().filter(|s| sidecar(s.get("name").text())).map(|c| c.get("restartCount").int()).max();
    (most(pod.status().get("containerStatuses")), sidecars.unwrap_or(0))
}

/// Younger before older by the logarithm of their age; within one magnitude by uid.
fn by_age(a: Option<Time>, b: Option<Time>, p: &Object, q: &Object, now: Time) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    let magnitude = |t: Option<Time>| {
        let ns = now.since_ms(t.unwrap_or_default()).saturating_mul(1_000_000);
        ns.checked_ilog2().map_or(-1, i64::from)
    };
    magnitude(a).cmp(&magnitude(b)).then_with(|| p.uid().cmp(q.uid()))
}

/// The condition of a pod that goes because of something other than its owner.
pub fn disruption(pod: &Object, reason: &'static str, message: &'static str, now: Time) -> Value {
    value!({
        "type": "DisruptionTarget", "status": "True", "reason": reason, "message": message,
        "observedGeneration": (pod.generation()), "lastProbeTime": null, "lastTransitionTime": (now.rfc3339())
    })
}

/// Writes parts of a pod's status, if it is still the same pod (`util/pod.PatchPodStatus`).
pub fn patch_status(pod: &Object, status: Value) -> Request {
    let body = value!({"metadata": {"uid": (pod.meta().get("uid"))}, "status": status});
    Request::patch(PatchType::Strategic, &PODS, pod.namespace(), pod.name(), body).on(Subresource::Status)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value;

    fn pod(name: &'static str, change: impl Fn(&mut Value)) -> Object {
        let mut v = value!({
            "metadata": {"name": name, "uid": name, "creationTimestamp": "2026-01-01T00:00:10Z"},
            "spec": {"nodeName": "n1"},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:20Z"}]}
        });
        change(&mut v);
        Object(v)
    }

    #[test]
    fn the_pod_that_costs_least_goes_first() {
        let plain = pod("b", |_| {});
        let table: [(&str, Object, usize); 8] = [
            ("unassigned", pod("z", |v| v.set_at(&["spec", "nodeName"], "")), 0),
            ("pending", pod("z", |v| v.set_at(&["status", "phase"], "Pending")), 0),
            ("not ready", pod("z", |v| v.set_at(&["status", "conditions"], Value::list())), 0),
            (
                "cheaper",
                pod("z", |v| v.set_at(&["metadata", "annotations"], value!({"controller.kubernetes.io/pod-deletion-cost": "-5"}))),
                0,
            ),
            ("crowded node", pod("z", |_| {}), 3),
            (
                "ready for far less time",
                pod("z", |v| {
                    let ready = value!([{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:59:50Z"}]);
                    v.set_at(&["status", "conditions"], ready);
                }),
                1,
            ),
            ("more restarts", pod("z", |v| v.set_at(&["status", "containerStatuses"], value!([{"restartCount": 2_i64}]))), 1),
            ("much younger", pod("z", |v| v.set_at(&["metadata", "creationTimestamp"], "2026-01-01T00:59:59Z")), 1),
        ];
        let now = Time(3_600_000);
        for (why, other, rank) in &table {
            let (a, b) = (Ranked { pod: other, rank: *rank }, Ranked { pod: &plain, rank: (*rank).min(1) });
            assert_eq!(deletion_order(&a, &b, now), Ordering::Less, "{why}");
            assert_eq!(deletion_order(&b, &a, now), Ordering::Greater, "{why}, turned round");
        }
    }

    #[test]
    fn a_ready_pod_becomes_available_after_its_seconds() {
        let p = pod("a", |_| {});
        assert_eq!(available_in_ms(&p, 0, Time(20_000)), Some(0));
        assert_eq!(available_in_ms(&p, 10, Time(25_000)), Some(5_000));
        assert!(is_available(&p, 10, Time(30_000)));
        assert_eq!(available_in_ms(&pod("b", |v| v.set("status", Value::map())), 10, Time(30_000)), None);
    }
}
