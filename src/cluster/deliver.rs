//! Wires: writes are put on them, arrive in caches, and wake loops. Lists fill caches anew.

use super::agenda::Actor;
use super::faults::{OnWire, Rules};
use super::process::{Process, Token, Wire};
use super::{Cluster, Detail, LoopId, ProcessId};
use crate::api::resource::{NODES, PODS};
use crate::api::{Object, ObjectKey, Resource, Str};
use crate::apiserver::{Change, Commit};
use crate::client::queue::Causes;
use crate::client::{EventType, Handling, controller};
use crate::util::Time;
use std::rc::Rc;

/// A watch event travels this long.
const DELIVERY_MS: (u64, u64) = (1, 4);

impl Cluster {
    /// Puts the writes since the last dispatch on the wires of those who watch.
    #[inline(never)]
    pub(super) fn dispatch(&mut self, record: u64) {
        let revision = self.server.etcd.revision();
        if revision == self.dispatched {
            return;
        }
        for r in self.dispatched + 1..=revision {
            let Some(commit) = self.server.etcd.commit(r).cloned() else { continue };
            self.writers.push_back_mut(record);
            self.settling.heard(&commit);
            if let Some(all) = self.watchers.get(&commit.resource).cloned() {
                for process in all.iter() {
                    self.send(*process, &commit, record);
                }
            }
            self.send_to_kubelets(&commit, record);
        }
        self.dispatched = revision;
        self.wake_commands();
    }

    /// A pod concerns its node's kubelet only, a node its own.
    fn send_to_kubelets(&mut self, commit: &Rc<Commit>, record: u64) {
        let node_of = |o: &Object| o.spec().get("nodeName").to_str();
        if commit.resource == PODS {
            let now_on = node_of(&commit.object);
            let was_on = commit.previous.as_ref().map(node_of).unwrap_or_default();
            if let Some(process) = self.kubelets.get(&now_on).copied() {
                self.send(process, commit, record);
            }
            if was_on != now_on
                && let Some(process) = self.kubelets.get(&was_on).copied()
            {
                self.send(process, commit, record);
            }
        } else if commit.resource == NODES
            && let Some(process) = self.kubelets.get(&commit.key.name).copied()
        {
            self.send(process, commit, record);
        }
    }

    #[inline(never)]
    fn send(&mut self, id: ProcessId, commit: &Rc<Commit>, record: u64) {
        let process = &self.processes[usize::from(id)];
        if !process.running || process.cut {
            return;
        }
        let Some(wire) = process.wires.get(&commit.resource) else { return };
        if !wire.connected || wire.list_at.is_some() || commit.revision <= wire.sent {
            return;
        }
        let Some(event) = wire.filter.see(commit) else { return };
        let fate =
            if self.rules.is_empty() { OnWire::default() } else { self.rules.on_wire(&process.name, &commit.resource, &event.object) };
        let latency = self.draws.between("wire", &process.name, commit.revision, DELIVERY_MS.0, DELIVERY_MS.1);
        let after = self.settling.offset_ms(commit.revision);
        let due = self.now.after_ms(after + latency + fate.delay_ms).max(wire.newest);
        let token = Token { revision: commit.revision, change: event.change, object: event.object, due, record, unheard_by: Vec::new() };
        let process = Rc::make_mut(&mut self.processes[usize::from(id)]);
        let wire = process.wires.get_mut(&commit.resource).expect("found above");
        wire.sent = commit.revision;
        if fate.lost {
            wire.lost.push(token);
            return;
        }
        wire.newest = due;
        if let Some(ms) = fate.again_ms {
            let again = Token { due: due.after_ms(ms), ..token.clone() };
            wire.newest = again.due;
            wire.pending.enqueue_mut(token);
            wire.pending.enqueue_mut(again);
        } else {
            wire.pending.enqueue_mut(token);
        }
        if wire.pending.len() <= 2 {
            self.reschedule(&Actor::Wire(id, commit.resource.clone()));
        }
    }

    /// The next event of a wire reaches the cache, and the handlers of the loops.
    #[inline(never)]
    pub(super) fn deliver(&mut self, id: ProcessId, resource: &Resource) -> (Causes, Detail) {
        let process = Rc::make_mut(&mut self.processes[usize::from(id)]);
        let Some(token) = process.wires.get_mut(resource).and_then(|w| {
            let token = w.pending.peek().cloned();
            w.pending.dequeue_mut();
            token
        }) else {
            return (Causes::default(), Detail::None);
        };
        let causes = Causes { records: vec![token.record], count: 1 };
        let woke = self.take_in(id, resource, &token);
        self.reschedule(&Actor::Wire(id, resource.clone()));
        (causes, Detail::Delivered { key: token.object.key(), revision: token.revision, woke, lost: false })
    }

    /// Changes a process's cache by a token, and calls the handlers. Returns the loops that were called.
    #[inline(never)]
    pub(super) fn take_in(&mut self, id: ProcessId, resource: &Resource, token: &Token) -> Vec<u16> {
        let now = self.now;
        let process = Rc::make_mut(&mut self.processes[usize::from(id)]);
        process.heard = process.heard.max(token.revision);
        let cache = process.caches.of_mut(resource);
        cache.revision = cache.revision.max(token.revision);
        let change = match token.change {
            Change::Deleted => {
                let old = cache.take(&token.object.key()).unwrap_or_else(|| token.object.clone());
                let _ = old;
                controller::Change {
                    resource: resource.clone(),
                    old: Some(token.object.clone()),
                    new: None,
                    event: Some(EventType::Deleted),
                }
            }
            added_or_modified => {
                let old = cache.put(token.object.clone());
                let event = if added_or_modified == Change::Added { EventType::Added } else { EventType::Modified };
                controller::Change { resource: resource.clone(), old, new: Some(token.object.clone()), event: Some(event) }
            }
        };
        let rules = &self.rules;
        let (own, node) = (process.name.clone(), process.node.clone());
        let unheard = |name: &Str| {
            token.unheard_by.contains(name) || (!rules.is_empty() && rules.loses_wake_up(name, &own, &node, resource, &token.object))
        };
        let woke = call_handlers(process, now, token.record, &change, &unheard);
        for index in &woke {
            self.reschedule(&Actor::Loop(LoopId { process: id, index: *index }));
        }
        woke
    }

    /// Reads all objects of a kind into the cache, and watches from there.
    #[inline(never)]
    pub(super) fn list(&mut self, id: ProcessId, resource: &Resource) -> (Causes, Detail) {
        let now = self.now;
        let revision = self.server.etcd.revision();
        let record = self.records.len() as u64;
        let process = Rc::make_mut(&mut self.processes[usize::from(id)]);
        let wire = process.wires.get_mut(resource).expect("a wire lists");
        wire.list_at = None;
        wire.connected = true;
        wire.sent = revision;
        wire.pending = rpds::Queue::new();
        wire.newest = Time(0);
        wire.lost.clear();
        let filter = wire.filter.clone();
        let found: Vec<Object> = self.server.etcd.list(resource, "").filter(|o| filter.matches(o)).cloned().collect();
        let changes = replace(process, resource, &found, revision);
        process.heard = process.heard.max(revision);
        let (own, node) = (process.name.clone(), process.node.clone());
        for change in &changes {
            let rules = &self.rules;
            let unheard = |name: &Str| !rules.is_empty() && rules.loses_wake_up(name, &own, &node, resource, change.object());
            call_handlers(process, now, record, change, &unheard);
        }
        tell_missing(process, now, record, resource, &self.rules);
        if !process.ready && process.wires.values().all(|w| w.list_at.is_none()) {
            process.ready = true;
            let Process { caches, loops, .. } = process;
            for l in loops.iter_mut() {
                let l = Rc::make_mut(l);
                l.queue.cause = record;
                l.controller.started(&mut Handling { now, caches, memory: &mut l.memory, queue: &mut l.queue });
            }
        }
        self.reschedule_process(id);
        (Causes::default(), Detail::Listed { count: found.len() as u64, revision })
    }

    pub(super) fn reschedule_process(&mut self, id: ProcessId) {
        let resources: Vec<Resource> = self.process(id).wires.keys().cloned().collect();
        for resource in resources {
            self.reschedule(&Actor::Wire(id, resource));
        }
        for index in 0..self.process(id).loops.len() {
            self.reschedule(&Actor::Loop(LoopId { process: id, index: index as u16 }));
        }
    }

    /// The cache of a kind is replayed to the handlers: updates whose versions are the same.
    pub(super) fn resync(&mut self, id: ProcessId, resource: &Resource) {
        let now = self.now;
        let record = self.records.len() as u64;
        let process = Rc::make_mut(&mut self.processes[usize::from(id)]);
        let all: Vec<Object> = process.caches.of(resource).all().cloned().collect();
        for object in all {
            let change = controller::Change { resource: resource.clone(), old: Some(object.clone()), new: Some(object), event: None };
            call_handlers(process, now, record, &change, &|_| false);
        }
        self.reschedule_process(id);
    }

    /// The connection drops. The reflector watches again from the last revision it has heard, or lists if that is too old.
    pub(super) fn disconnect(&mut self, id: ProcessId, resource: &Resource) {
        let record = self.records.len() as u64;
        let from = self.process(id).caches.of(resource).revision;
        let missed: Option<Vec<Rc<Commit>>> =
            self.server.etcd.watch_from(from).ok().map(|c| c.filter(|c| c.resource == *resource).cloned().collect());
        let process = Rc::make_mut(&mut self.processes[usize::from(id)]);
        let Some(wire) = process.wires.get_mut(resource) else { return };
        wire.pending = rpds::Queue::new();
        match missed {
            Some(commits) => {
                wire.sent = from;
                wire.newest = Time(0);
                for commit in commits {
                    self.send(id, &commit, record);
                }
            }
            None => wire.list_at = Some(self.now.after_ms(1)),
        }
        self.reschedule(&Actor::Wire(id, resource.clone()));
    }

    /// The reflector lists again at once.
    pub(super) fn relist(&mut self, id: ProcessId, resource: &Resource) {
        let now = self.now;
        let process = Rc::make_mut(&mut self.processes[usize::from(id)]);
        if let Some(wire) = process.wires.get_mut(resource) {
            wire.list_at = Some(now.after_ms(1));
        }
        self.reschedule(&Actor::Wire(id, resource.clone()));
    }
}

/// Calls the handlers of the loops that watch the kind; returns their places.
fn call_handlers(process: &mut Process, now: Time, record: u64, change: &controller::Change, unheard: &dyn Fn(&Str) -> bool) -> Vec<u16> {
    let Process { caches, loops, .. } = process;
    let mut woke = Vec::new();
    for (index, l) in loops.iter_mut().enumerate() {
        if !l.controller.watches().contains(&change.resource) || unheard(&l.name) {
            continue;
        }
        let l = Rc::make_mut(l);
        l.queue.cause = record;
        l.controller.handle(&mut Handling { now, caches, memory: &mut l.memory, queue: &mut l.queue }, change);
        woke.push(index as u16);
    }
    woke
}

/// Tells loops of what they still remember although a list does not have it.
fn tell_missing(process: &mut Process, now: Time, record: u64, resource: &Resource, rules: &Rules) {
    let Process { caches, loops, name, node, .. } = process;
    for l in loops.iter_mut() {
        for object in l.controller.missing(&l.memory, resource, caches.of(resource)) {
            if rules.loses_wake_up(&l.name, name, node, resource, &object) {
                continue;
            }
            let l = Rc::make_mut(l);
            l.queue.cause = record;
            let change = controller::Change { resource: resource.clone(), old: Some(object), new: None, event: None };
            l.controller.handle(&mut Handling { now, caches, memory: &mut l.memory, queue: &mut l.queue }, &change);
        }
    }
}

/// Makes a cache say what a list says; returns what changed by that.
fn replace(process: &mut Process, resource: &Resource, found: &[Object], revision: u64) -> Vec<controller::Change> {
    let cache = process.caches.of_mut(resource);
    let keys: std::collections::BTreeSet<ObjectKey> = found.iter().map(Object::key).collect();
    let gone: Vec<ObjectKey> = cache.all().map(Object::key).filter(|k| !keys.contains(k)).collect();
    let mut changes = Vec::new();
    for key in gone {
        let old = cache.take(&key);
        changes.push(controller::Change { resource: resource.clone(), old, new: None, event: None });
    }
    for object in found {
        let old = cache.put(object.clone());
        // A pod that was replaced by another of the same name is a deletion and an addition.
        if let Some(before) = old.as_ref().filter(|o| o.uid() != object.uid()) {
            changes.push(controller::Change { resource: resource.clone(), old: Some(before.clone()), new: None, event: None });
            changes.push(controller::Change { resource: resource.clone(), old: None, new: Some(object.clone()), event: None });
        } else {
            changes.push(controller::Change { resource: resource.clone(), old, new: Some(object.clone()), event: None });
        }
    }
    cache.revision = revision;
    changes
}

impl Wire {
    /// The tokens that wait, in order of arrival.
    pub fn tokens(&self) -> impl Iterator<Item = &Token> {
        self.pending.iter()
    }
}
