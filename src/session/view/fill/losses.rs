//! What a person made loops miss, and what made it good again. A lost wake-up ends with the loop's next sync of that key,
//! a loss on the wire with a list or a later event about the same object. Read from the records alone.

use super::lens::{Lens, stale_from, writer_named};
use super::tickets::named;
use crate::api::{ObjectKey, Resource, Str};
use crate::cluster::{Activity, Cluster, Detail, Fault, ProcessId, StepRecord, TokenDeed, UserAction};
use crate::session::Session;
use crate::session::action::{Action, EventFault};
use crate::session::view::Text;

/// One thing missed.
#[derive(Clone)]
pub struct Loss {
    pub process: ProcessId,
    pub resource: Resource,
    key: ObjectKey,
    /// The newest event missed.
    pub rev: u64,
    /// The loop that was not woken; none if the cache missed it.
    pub asleep: Option<Str>,
    /// Nothing was eaten yet: a rule waits for it.
    armed: bool,
    /// What made it good.
    pub healed: Option<Text>,
    /// The record that did.
    pub healed_at: u64,
}

fn loses(action: &Action) -> bool {
    use EventFault::{Drop, LoseWakeUp};
    matches!(action, Action::Event { fault: Drop | LoseWakeUp, .. } | Action::Lose { .. } | Action::DropNext { .. } | Action::Fault { .. })
}

/// All losses of a run up to the moment looked at, oldest first.
pub fn losses(session: &Session, lens: &Lens) -> Vec<Loss> {
    let mut all = session.moment().missed.all.clone();
    all.retain(|l| l.healed.is_some() || l.asleep.is_some() || is_stale(lens.world, l));
    all
}

fn is_stale(world: &Cluster, loss: &Loss) -> bool {
    let process = world.process(loss.process);
    process.wires.get(&loss.resource).is_some_and(|w| stale_from(world, process, &loss.resource, w).is_some())
}

/// One event about one object.
struct Event<'a> {
    resource: &'a Resource,
    key: &'a ObjectKey,
    rev: u64,
}

/// What was missed in a run, read from its records as they are made.
#[derive(Clone, Default)]
pub struct Missed {
    /// So many records were read.
    read: u64,
    all: Vec<Loss>,
    /// Process, revision and loop of single wake-ups that will be lost.
    sleeping: Vec<(Str, u64, Str)>,
    /// Rules that lose wake-ups.
    rules: Vec<Fault>,
    /// Wires whose next event will be lost, and the record that asked for it.
    next: Vec<(ProcessId, Resource, u64)>,
    /// Processes started since they last missed something.
    started: Vec<Str>,
}

impl Missed {
    /// Reads what an action did. Until something is lost there is nothing to read.
    pub fn follow(&mut self, world: &Cluster, action: &Action) {
        let end = world.records().len() as u64;
        let idle = self.all.is_empty() && self.sleeping.is_empty() && self.rules.is_empty() && self.next.is_empty();
        if !idle || loses(action) {
            for record in (self.read..end).filter_map(|n| world.record(n)) {
                self.read(world, record);
            }
            self.eaten(world);
        }
        self.read = end;
    }

    /// Events that a rule for the next one has taken.
    fn eaten(&mut self, world: &Cluster) {
        for (id, resource, since) in std::mem::take(&mut self.next) {
            let process = world.process(id);
            let wire = process.wires.get(&resource);
            match wire.and_then(|w| w.lost.iter().find(|t| t.record > since)) {
                Some(token) => {
                    let event = Event { resource: &resource, key: &token.object.key(), rev: token.revision };
                    self.miss(world, &process.name, &event, None, false);
                }
                None => self.next.push((id, resource, since)),
            }
        }
    }

    fn read(&mut self, world: &Cluster, record: &StepRecord) {
        match (&record.activity, &record.detail) {
            (Activity::User(UserAction::Token { process, revision, deed: TokenDeed::LoseWakeUp { of }, .. }), Detail::None) => {
                self.sleeping.push((process.clone(), *revision, of.clone()));
            }
            (Activity::User(UserAction::Token { process, resource, .. }), Detail::Delivered { key, revision, lost: true, .. }) => {
                self.miss(world, process, &Event { resource, key, rev: *revision }, None, false);
            }
            (Activity::User(UserAction::Fault(rule)), Detail::None) => match rule.inner() {
                Fault::LostOnWire { process, about } => {
                    let key = ObjectKey::new(about.namespace.clone(), about.name.clone());
                    self.miss(world, process, &Event { resource: &about.resource, key: &key, rev: record.revisions.1 }, None, true);
                }
                Fault::LostWakeUp { .. } => self.rules.push(rule.inner().clone()),
                Fault::Next { process, resource, late_ms: None } => {
                    self.next.extend(world.process_named(process).map(|id| (id, resource.clone(), record.number)));
                }
                _ => {}
            },
            (Activity::User(UserAction::ClearFaults), _) => {
                self.rules.clear();
                self.next.clear();
                self.all.retain(|l| !l.armed || is_stale(world, l));
            }
            (Activity::User(UserAction::StartProcess(name)), _) => self.started.push(name.clone()),
            (Activity::Deliver { process, resource }, Detail::Delivered { key, revision, woke, .. }) => {
                self.delivered(world, record, *process, &Event { resource, key, rev: *revision }, woke);
            }
            (Activity::List { process, resource }, Detail::Listed { revision, .. }) => {
                let restarted = self.started.contains(&world.process(*process).name);
                let by = Text::word(if restarted { "heal.restart" } else { "heal.relist" });
                let ate = |l: &Loss| {
                    !l.armed || world.etcd().versions(&l.resource, &l.key).any(|c| c.revision > l.rev && c.revision <= *revision)
                };
                self.heal(record, &by, |l| l.asleep.is_none() && l.process == *process && l.resource == *resource && ate(l));
            }
            (_, Detail::Synced(sync)) => {
                let name = world.the_loop(sync.of).name.clone();
                let waits = |l: &Loss| l.healed.is_none() && l.process == sync.of.process && l.asleep.as_ref() == Some(&name);
                for i in 0..self.all.len() {
                    if waits(&self.all[i]) && keys(world, &self.all[i]).contains(&sync.key) {
                        let by = cause(world, record, self.all[i].rev);
                        self.all[i].healed = Some(by);
                        self.all[i].healed_at = record.number;
                    }
                }
            }
            _ => {}
        }
    }

    fn delivered(&mut self, world: &Cluster, record: &StepRecord, id: ProcessId, event: &Event, woke: &[u16]) {
        let Event { resource, key, rev: revision } = *event;
        let process = world.process(id);
        self.heal(record, &Text::word("heal.later"), |l| {
            l.asleep.is_none() && !l.armed && l.process == id && l.resource == *resource && l.key == *key
        });
        let mut asleep: Vec<Str> = Vec::new();
        for (p, rev, of) in &self.sleeping {
            if *p == process.name && *rev == revision {
                asleep.push(of.clone());
            }
        }
        for rule in &self.rules {
            if let Fault::LostWakeUp { of, about } = rule
                && about.resource == *resource
                && about.name == key.name
            {
                asleep.push(of.clone());
            }
        }
        for of in asleep {
            let index = process.loops.iter().position(|l| l.name == of);
            if index.is_some_and(|i| process.loops[i].controller.watches().contains(resource) && !woke.contains(&(i as u16))) {
                self.miss(world, &process.name, event, Some(of), false);
            }
        }
    }

    fn miss(&mut self, world: &Cluster, process: &str, event: &Event, asleep: Option<Str>, armed: bool) {
        let Event { resource, key, rev } = *event;
        self.started.retain(|name| name != process);
        let Some(process) = world.process_named(process) else { return };
        self.all.retain(|l| l.healed.is_some() || l.asleep != asleep || l.key != *key || l.resource != *resource || l.process != process);
        self.all.push(Loss { process, resource: resource.clone(), key: key.clone(), rev, asleep, armed, healed: None, healed_at: 0 });
    }

    fn heal(&mut self, record: &StepRecord, by: &Text, which: impl Fn(&Loss) -> bool) {
        for loss in self.all.iter_mut().filter(|l| l.healed.is_none() && which(l)) {
            loss.healed = Some(by.clone());
            loss.healed_at = record.number;
        }
    }
}

/// What made a loop turn that had missed a revision.
fn cause(world: &Cluster, record: &StepRecord, missed: u64) -> Text {
    let first = record.causes.records.iter().filter_map(|n| world.record(*n)).next();
    let Some(first) = first else { return Text::word("heal.turn") };
    if first.revisions.0 < missed && missed <= first.revisions.1 {
        return Text::word("heal.later");
    }
    match &first.activity {
        Activity::User(UserAction::Fault(Fault::Resync { .. })) => Text::word("heal.resync"),
        Activity::User(UserAction::Kubectl { words, .. }) => Text::from(["kubectl ", words.first().map_or("", Str::as_str)].concat()),
        Activity::List { .. } => Text::word("heal.relist"),
        Activity::Sync { of } | Activity::SyncKey { of, .. } | Activity::Resume { of, .. } => {
            Text::with("heal.write", [("loop", writer_named(&world.the_loop(*of).name).name())])
        }
        _ => Text::word("heal.turn"),
    }
}

/// The queue keys that a missed event would have brought.
fn keys(world: &Cluster, loss: &Loss) -> Vec<Str> {
    let mut out = vec![loss.key.joined()];
    if let Some(commit) = world.etcd().commit(loss.rev) {
        out.extend(commit.object.owners().iter().map(|o| ObjectKey::new(loss.key.namespace.clone(), o.get("name").to_str()).joined()));
    }
    out
}

impl Loss {
    /// The object, as tickets name it.
    pub fn object(&self, lens: &Lens) -> Str {
        let newest = lens.world.etcd().versions(&self.resource, &self.key).last();
        newest.map_or_else(|| self.key.name.clone(), |c| named(&c.object))
    }

    /// The whole of it in a sentence or two.
    pub fn said(&self, lens: &Lens) -> Text {
        let process = lens.world.process(self.process);
        let who = self.asleep.as_ref().map_or_else(|| Text::from(process.name.clone()), |l| writer_named(l).name());
        let what =
            Text::with(if self.asleep.is_some() { "loss.wake" } else { "loss.wire" }, [("obj", self.object(lens).into()), ("who", who)]);
        match &self.healed {
            Some(by) => Text::with("loss.healed", [("what", what), ("by", by.clone())]),
            None => Text::with(if self.asleep.is_some() { "loss.asleep" } else { "loss.stale" }, [("what", what)]),
        }
    }
}

/// The newest loss that stands, or that one of the last few actions made good.
pub fn notice(session: &Session, lens: &Lens, all: &[Loss]) -> Option<Text> {
    const ACTIONS: usize = 6;
    if let Some(open) = all.iter().rev().find(|l| l.healed.is_none()) {
        return Some(open.said(lens));
    }
    let steps = session.steps();
    let ends: Vec<u64> = session.ends().filter(|e| e.0 <= steps).map(|e| e.1).collect();
    let since = ends.len().checked_sub(1 + ACTIONS).map_or(0, |i| ends[i]);
    all.iter().rev().find(|l| l.healed_at >= since).map(|l| l.said(lens))
}
