//! Scaling: one ReplicaSet at a time, and all in proportion when a rollout is under way.
//! Follows upstream `sync.go` (`scale`, `scaleReplicaSet`) and `util/deployment_util.go`.

use super::Work;
use super::numbers::{self, DESIRED, MAX, Sets};
use crate::api::resource::REPLICA_SETS;
use crate::api::{Object, Request};
use crate::client::Stop;
use crate::controllers::common::{num, send};
use crate::util::Order;
use std::cmp::Ordering;

impl Work<'_, '_> {
    /// Whether an active ReplicaSet was last scaled for another `spec.replicas`.
    pub(super) fn is_scaling(&mut self) -> Result<bool, Stop> {
        let (new, old) = self.new_and_old(false)?;
        let desired = self.desired();
        let mut active = old.iter().chain(new.as_ref()).filter(|rs| numbers::replicas(rs) > 0);
        Ok(active.any(|rs| numbers::annotation_int(rs, DESIRED).is_some_and(|n| n != desired)))
    }

    /// What a paused or rescaled Deployment does: no rollout.
    pub(super) fn scale_only(&mut self) -> Result<(), Stop> {
        let (new, mut old) = self.new_and_old(false)?;
        self.scale_all(new.as_ref(), &mut old)?;
        if self.d.spec().get("paused").is_true() {
            self.clean_up(&old)?;
        }
        self.write_status_only(new.as_ref(), &old)
    }

    fn scale_all(&mut self, new: Option<&Object>, old: &mut [Object]) -> Result<(), Stop> {
        let desired = self.desired();
        old.order_by(|a, b| numbers::by_creation(b, a));
        let active: Vec<Object> = old.iter().chain(new).filter(|rs| numbers::replicas(rs) > 0).cloned().collect();
        let only = match active.len() {
            0 => new.or(old.first()),
            1 => active.first(),
            _ => None,
        };
        if active.len() < 2 {
            let Some(rs) = only else { return Ok(()) };
            if numbers::replicas(rs) != desired {
                self.scale_set(rs, desired)?;
            }
            return Ok(());
        }
        if new.is_some_and(|rs| self.is_saturated(rs)) {
            for rs in old.iter().filter(|rs| numbers::replicas(rs) > 0) {
                self.scale_set(rs, 0)?;
            }
            return Ok(());
        }
        if self.d.spec().at(&["strategy", "type"]).text() == "Recreate" {
            return Ok(());
        }
        for (rs, size) in proportions(&self.d, active) {
            self.scale_set(&rs, size)?;
        }
        Ok(())
    }

    fn is_saturated(&self, new: &Object) -> bool {
        let desired = self.desired();
        numbers::replicas(new) == desired && numbers::annotation_int(new, DESIRED) == Some(desired) && numbers::available(new) == desired
    }

    /// Changes a ReplicaSet's size and its annotations, if needed. Says whether the size changed.
    pub(super) fn scale_set(&mut self, rs: &Object, size: i64) -> Result<(bool, Object), Stop> {
        let before = numbers::replicas(rs);
        let mut changed = rs.clone();
        let annotated = numbers::set_replicas_annotations(&mut changed, &self.d);
        if before == size && !annotated {
            return Ok((false, changed));
        }
        changed.0.set_at(&["spec", "replicas"], size);
        let name = changed.meta().get("name").to_str();
        if before != size {
            self.sync.differs("differs.deployment.scale", vec![name.clone(), num(before), num(size)]);
        }
        let updated = send(self.sync, Request::update(&REPLICA_SETS, changed))?;
        if before != size {
            let way = if before < size { "up" } else { "down" };
            self.sync.event(&self.d, "Normal", "ScalingReplicaSet", format!("Scaled {way} replica set {name} from {before} to {size}"));
        }
        Ok((before != size, updated))
    }
}

/// The sizes that keep the shares of the active ReplicaSets, the largest getting what rounding leaves.
fn proportions(d: &Object, mut active: Vec<Object>) -> Vec<(Object, i64)> {
    let allowed = if numbers::replicas(d) > 0 { numbers::replicas(d) + numbers::max_surge(d) } else { 0 };
    let to_add = allowed - active.replicas();
    active.order_by(|a, b| {
        let by_size = numbers::replicas(b).cmp(&numbers::replicas(a));
        let by_age = numbers::by_creation(a, b);
        match to_add.cmp(&0) {
            Ordering::Greater => by_size.then(by_age.reverse()),
            Ordering::Less => by_size.then(by_age),
            Ordering::Equal => Ordering::Equal,
        }
    });
    let mut added = 0;
    let mut sizes: Vec<(Object, i64)> = Vec::with_capacity(active.len());
    for rs in active {
        let share = share(d, &rs, to_add, added);
        added += share;
        let size = numbers::replicas(&rs) + share;
        sizes.push((rs, size));
    }
    if let Some((_, largest)) = sizes.first_mut().filter(|_| to_add != 0) {
        *largest = (*largest + to_add - added).max(0);
    }
    sizes
}

/// What a ReplicaSet gets of the replicas to add (`GetReplicaSetProportion`).
fn share(d: &Object, rs: &Object, to_add: i64, added: i64) -> i64 {
    let size = numbers::replicas(rs);
    if size == 0 || to_add == 0 || to_add == added {
        return 0;
    }
    let fraction = fraction(d, rs, size);
    let left = to_add - added;
    if to_add > 0 { fraction.min(left) } else { fraction.max(left) }
}

fn fraction(d: &Object, rs: &Object, size: i64) -> i64 {
    if numbers::replicas(d) == 0 {
        return -size;
    }
    let max_now = numbers::replicas(d) + numbers::max_surge(d);
    let annotated = numbers::annotation_int(rs, MAX).filter(|n| *n > 0);
    let max_before = annotated.unwrap_or_else(|| d.status().get("replicas").int());
    if max_before == 0 {
        return 0;
    }
    // Rounded half up, as upstream rounds a float.
    (2 * size * max_now + max_before) / (2 * max_before) - size
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value;

    fn set(name: &'static str, size: i64, max: &'static str) -> Object {
        Object(value!({
            "metadata": {"name": name, "annotations": {"deployment.kubernetes.io/max-replicas": max}},
            "spec": {"replicas": size}
        }))
    }

    #[test]
    fn sets_keep_their_shares_and_the_largest_takes_the_rest() {
        let d = |replicas: i64, surge: i64| {
            let rolling = value!({"maxSurge": surge, "maxUnavailable": 1_i64});
            Object(value!({"spec": {"replicas": replicas, "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}}))
        };
        let table = [
            ("up", d(15, 3), vec![set("a", 5, "13"), set("b", 8, "13")], vec![("b", 11), ("a", 7)]),
            ("down", d(5, 0), vec![set("a", 5, "10"), set("b", 5, "10")], vec![("a", 2), ("b", 3)]),
            ("to nothing", d(0, 0), vec![set("a", 5, "10"), set("b", 5, "10")], vec![("a", 0), ("b", 0)]),
            ("nothing to do", d(10, 0), vec![set("a", 4, "10"), set("b", 6, "10")], vec![("a", 4), ("b", 6)]),
        ];
        for (name, d, sets, expected) in table {
            let sizes = proportions(&d, sets);
            let got: Vec<(&str, i64)> = sizes.iter().map(|(rs, n)| (rs.name(), *n)).collect();
            assert_eq!(got, expected, "{name}");
        }
    }
}
