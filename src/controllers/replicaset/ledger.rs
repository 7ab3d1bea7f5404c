//! The edge-triggered twin's memory: how many active pods each ReplicaSet has, kept by counting watch events one by one.
//!
//! No such loop exists upstream. It does the same job as the real one and is right as long as no event is lost or doubled: it
//! begins from its first list, as every client must, and then adds and subtracts. Nothing ever tells it that its sum is wrong:
//! neither a sync nor a resync nor another list, since it never counts again.

use crate::api::{Object, Str};
use crate::client::{Change, EventType};
use crate::controllers::common::pod::is_active;
use crate::util::Tree;

/// What the twin believes, by the ReplicaSets' UIDs.
#[derive(Clone, Default)]
pub(super) struct Ledger {
    /// The first list is over: from now on only events count.
    pub begun: bool,
    sums: Tree<Str, i64>,
    /// Pods that were subtracted already and will be heard of once more, when they are gone: by UID.
    leaving: Tree<Str, ()>,
}

impl Ledger {
    /// How many active pods a ReplicaSet has, as far as was heard.
    pub fn sum(&self, set_uid: &str) -> i64 {
        self.sums.get(set_uid).copied().unwrap_or(0)
    }

    /// Takes in one change of a pod.
    pub fn count(&mut self, change: &Change) {
        match (change.event, &change.old, &change.new) {
            (None, _, Some(pod)) if !self.begun => self.appeared(pod),
            (Some(EventType::Added), _, Some(pod)) => self.appeared(pod),
            (Some(EventType::Modified), old, Some(pod)) => self.changed(old.as_ref(), pod),
            (Some(EventType::Deleted), Some(pod), _) => self.disappeared(pod),
            _ => {}
        }
    }

    fn add(&mut self, pod: &Object, change: i64) {
        if let Some(owner) = pod.controller_uid() {
            let sum = self.sum(&owner) + change;
            self.sums.insert_mut(owner, sum);
        }
    }

    fn appeared(&mut self, pod: &Object) {
        if is_active(pod) { self.add(pod, 1) } else { self.leaves(pod) }
    }

    fn changed(&mut self, old: Option<&Object>, new: &Object) {
        if self.leaving.get(new.uid()).is_some() {
            return;
        }
        if let Some(old) = old.filter(|old| old.controller_uid() != new.controller_uid()) {
            self.add(old, -1);
            self.add(new, 1);
        }
        if !is_active(new) {
            self.add(new, -1);
            self.leaves(new);
        }
    }

    fn disappeared(&mut self, pod: &Object) {
        if !self.leaving.remove_mut(pod.uid()) {
            self.add(pod, -1);
        }
    }

    fn leaves(&mut self, pod: &Object) {
        self.leaving.insert_mut(Str::from(pod.uid()), ());
    }
}
