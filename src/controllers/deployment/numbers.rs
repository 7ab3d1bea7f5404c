//! A rollout's arithmetic: surge, unavailability, sums over ReplicaSets, annotations that hold numbers.
//! Follows upstream `util/deployment_util.go` and apimachinery `util/intstr`.

use crate::api::{Object, Value};
use crate::controllers::common::{conditions, pod};
use crate::util::Time;
use std::cmp::Ordering;

pub(super) const REVISION: &str = "deployment.kubernetes.io/revision";
pub(super) const REVISION_HISTORY: &str = "deployment.kubernetes.io/revision-history";
pub(super) const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
pub(super) const MAX: &str = "deployment.kubernetes.io/max-replicas";

/// `spec.replicas`, 1 if it is absent.
pub(super) fn replicas(object: &Object) -> i64 {
    object.spec().get("replicas").as_int().unwrap_or(1)
}

pub(super) fn available(rs: &Object) -> i64 {
    rs.status().get("availableReplicas").int()
}

/// Sums over ReplicaSets.
pub(super) trait Sets {
    fn sum(&self, of: impl Fn(&Object) -> i64) -> i64;

    /// what they should have
    fn replicas(&self) -> i64 {
        self.sum(replicas)
    }

    /// what they have
    fn actual(&self) -> i64 {
        self.sum(|rs| rs.status().get("replicas").int())
    }

    fn ready(&self) -> i64 {
        self.sum(|rs| rs.status().get("readyReplicas").int())
    }

    fn available(&self) -> i64 {
        self.sum(available)
    }
}

impl Sets for [Object] {
    fn sum(&self, of: impl Fn(&Object) -> i64) -> i64 {
        self.iter().map(of).sum()
    }
}

impl Sets for [&Object] {
    fn sum(&self, of: impl Fn(&Object) -> i64) -> i64 {
        self.iter().map(|rs| of(rs)).sum()
    }
}

/// The terminating pods of all, unless one does not say (then Go has a nil).
pub(super) fn terminating(sets: &[&Object]) -> Option<i64> {
    let mut total = 0;
    for rs in sets {
        match rs.status().get("terminatingReplicas") {
            Value::Int(n) => total += n,
            _ if rs.status().get("replicas").int() == 0 => {}
            _ => return None,
        }
    }
    Some(total)
}

fn rolls(d: &Object) -> bool {
    d.spec().at(&["strategy", "type"]).text() != "Recreate"
}

/// A number, or a percentage of `total`.
pub(super) fn scaled(value: &Value, total: i64, round_up: bool) -> i64 {
    match value {
        Value::Int(n) => *n,
        Value::Str(s) => {
            let percent: i64 = s.strip_suffix('%').and_then(|p| p.parse().ok()).unwrap_or(0);
            let product = percent * total;
            if round_up { (product + 99).div_euclid(100) } else { product.div_euclid(100) }
        }
        _ => 0,
    }
}

/// Surge (rounded up) and unavailability (rounded down); never both 0.
fn fenceposts(d: &Object) -> (i64, i64) {
    let rolling = d.spec().at(&["strategy", "rollingUpdate"]);
    let surge = scaled(rolling.get("maxSurge"), replicas(d), true);
    let unavailable = scaled(rolling.get("maxUnavailable"), replicas(d), false);
    if surge == 0 && unavailable == 0 { (0, 1) } else { (surge, unavailable) }
}

pub(super) fn max_surge(d: &Object) -> i64 {
    if rolls(d) { fenceposts(d).0 } else { 0 }
}

pub(super) fn max_unavailable(d: &Object) -> i64 {
    if rolls(d) && replicas(d) > 0 { fenceposts(d).1.min(replicas(d)) } else { 0 }
}

/// How large the new ReplicaSet may be now (`NewRSNewReplicas`). `total`: what all have.
pub(super) fn new_size(d: &Object, total: i64, new: i64) -> i64 {
    if !rolls(d) {
        return replicas(d);
    }
    let room = replicas(d) + scaled(d.spec().at(&["strategy", "rollingUpdate", "maxSurge"]), replicas(d), true) - total;
    if room <= 0 { new } else { new + room.min(replicas(d) - new) }
}

pub(super) fn annotation_int(object: &Object, key: &str) -> Option<i64> {
    object.annotation(key)?.parse::<i32>().ok().map(i64::from)
}

/// The revision annotation; 0 if there is none or it is no number.
pub(super) fn revision(rs: &Object) -> i64 {
    rs.annotation(REVISION).and_then(|r| r.parse().ok()).unwrap_or(0)
}

/// Writes the desired and the largest number; says whether that changed anything.
pub(super) fn set_replicas_annotations(rs: &mut Object, d: &Object) -> bool {
    let mut changed = false;
    for (key, n) in [(DESIRED, replicas(d)), (MAX, replicas(d) + max_surge(d))] {
        let text = n.to_string();
        if rs.annotation(key) != Some(&text) {
            rs.0.entry_at(&["metadata", "annotations"]).set(key, text);
            changed = true;
        }
    }
    changed
}

/// Older first; equal ones by name.
pub(super) fn by_creation(a: &Object, b: &Object) -> Ordering {
    pod::created(a).cmp(&pod::created(b)).then_with(|| a.name().cmp(b.name()))
}

/// A Deployment's conditions have a time of update, too.
pub(super) fn set_condition(list: &mut Value, mut new: Value, now: Time) {
    if new.get("lastUpdateTime").is_null() {
        new.set("lastUpdateTime", now.rfc3339());
    }
    conditions::set(list, new, true);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value;

    fn deployment(replicas: i64, surge: Value, unavailable: Value) -> Object {
        Object(value!({"spec": {
            "replicas": replicas,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
        }}))
    }

    #[test]
    fn surge_rounds_up_unavailability_down_and_one_of_them_is_never_0() {
        let percent = || Value::from("25%");
        let table = [
            ("quarter of 4", 4, percent(), percent(), (1, 1)),
            ("quarter of 3", 3, percent(), percent(), (1, 0)),
            ("quarter of 10", 10, percent(), percent(), (3, 2)),
            ("nothing of nothing", 0, percent(), percent(), (0, 0)),
            ("both 0", 3, Value::Int(0), Value::Int(0), (0, 1)),
            ("numbers", 3, Value::Int(1), Value::Int(2), (1, 2)),
            ("more than there are", 3, Value::Int(1), Value::Int(9), (1, 3)),
        ];
        for (name, replicas, surge, unavailable, expected) in table {
            let d = deployment(replicas, surge, unavailable);
            assert_eq!((max_surge(&d), max_unavailable(&d)), expected, "{name}");
        }
    }

    #[test]
    fn the_new_set_grows_into_the_room_that_surge_leaves() {
        let d = deployment(4, Value::Int(1), Value::Int(0));
        for (total, new, expected) in [(0, 0, 4), (4, 0, 1), (5, 1, 1), (4, 1, 2), (3, 3, 4)] {
            assert_eq!(new_size(&d, total, new), expected, "{new} of {total}");
        }
    }
}
