//! How many of an owner's pods are active, ready and terminating, kept as pods change, so that a loop need not look
//! at each pod at each event. Counts are kept apart for each set of labels: a selector is asked once for each.

use crate::api::{Object, Value};

/// With more sets of labels than this, counting is not worth it.
const GROUPS_MAX: usize = 16;

/// Pods of one owner that have the same labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub labels: Value,
    /// neither finished nor being deleted
    pub active: usize,
    /// active ones that are ready
    pub ready: usize,
    /// being deleted and not finished
    pub terminating: usize,
}

/// The pods of one owner, counted.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    groups: Vec<Group>,
    given_up: bool,
}

/// What a pod counts as.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Class {
    active: bool,
    ready: bool,
    terminating: bool,
}

fn class(pod: &Object) -> Class {
    let finished = matches!(pod.status().get("phase").text(), "Succeeded" | "Failed");
    let deleting = pod.is_deleting();
    let active = !finished && !deleting;
    Class { active, ready: active && pod.condition_is_true("Ready"), terminating: !finished && deleting }
}

impl Tally {
    /// The counts, unless the pods are too different.
    pub fn groups(&self) -> Option<&[Group]> {
        (!self.given_up).then_some(&self.groups)
    }

    pub(super) fn add(&mut self, pod: &Object) {
        if self.given_up {
            return;
        }
        let place = self.place(pod.labels()).unwrap_or_else(|| {
            self.groups.push(Group { labels: pod.labels().clone(), active: 0, ready: 0, terminating: 0 });
            self.groups.len() - 1
        });
        if place >= GROUPS_MAX {
            *self = Tally { groups: Vec::new(), given_up: true };
            return;
        }
        let (c, g) = (class(pod), &mut self.groups[place]);
        g.active += usize::from(c.active);
        g.ready += usize::from(c.ready);
        g.terminating += usize::from(c.terminating);
    }

    pub(super) fn take(&mut self, pod: &Object) {
        let Some(place) = self.place(pod.labels()) else { return };
        let (c, g) = (class(pod), &mut self.groups[place]);
        g.active -= usize::from(c.active);
        g.ready -= usize::from(c.ready);
        g.terminating -= usize::from(c.terminating);
        if g.active + g.terminating == 0 {
            self.groups.swap_remove(place);
        }
    }

    fn place(&self, labels: &Value) -> Option<usize> {
        let same = self.groups.iter().position(|g| g.labels.same(labels));
        same.or_else(|| self.groups.iter().position(|g| g.labels == *labels))
    }
}

/// Whether a change of a pod changes any count.
pub(super) fn is_news(old: &Object, new: &Object) -> bool {
    let same_state = old.status().same(new.status()) && old.is_deleting() == new.is_deleting();
    !same_state && class(old) != class(new) || !(old.labels().same(new.labels()) || old.labels() == new.labels())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Cache;
    use crate::util::Draws;
    use crate::value;

    fn pod(name: u64, how: u64, tier: u64) -> Object {
        let mut o = value!({
            "kind": "Pod",
            "metadata": {
                "name": (format!("p{name}")), "namespace": "default", "labels": {"tier": (format!("t{tier}"))},
                "ownerReferences": [{"uid": "rs", "controller": true}]
            },
            "status": {"phase": (if how == 0 { "Succeeded" } else { "Running" })}
        });
        if how >= 2 {
            o.set_at(&["status", "conditions"], value!([{"type": "Ready", "status": "True"}]));
        }
        if how == 3 {
            o.set_at(&["metadata", "deletionTimestamp"], "2026-01-01T00:00:00Z");
        }
        Object(o)
    }

    /// Whatever happens to the pods, counting one by one gives the same.
    #[test]
    fn counts_are_what_counting_would_give() {
        let draws = Draws::new(5);
        for tiers in [0, 2, 40] {
            let mut cache = Cache::default();
            for step in 0..600 {
                let d = |what: &str, high: u64| draws.between(what, "x", step, 0, high);
                let p = pod(d("name", 60), d("how", 3), d("tier", tiers));
                if d("gone", 4) == 0 {
                    drop(cache.take(&p.key()))
                } else {
                    drop(cache.put(p))
                }
                let Some(groups) = cache.tally("rs").and_then(Tally::groups) else { continue };
                let sum = |f: fn(&Group) -> usize| groups.iter().map(f).sum::<usize>();
                let count = |f: fn(Class) -> bool| cache.controlled_by("rs").filter(|p| f(class(p))).count();
                assert_eq!(sum(|g| g.active), count(|c| c.active));
                assert_eq!(sum(|g| g.ready), count(|c| c.ready));
                assert_eq!(sum(|g| g.terminating), count(|c| c.terminating));
            }
        }
    }
}
