//! The world as a value: the server, the processes with their wires and loops, time, faults and the record of what happened.
//! `runnable` lists what can happen, `step` lets one thing happen and says what it did. Nothing else changes the world.

pub mod activity;
mod agenda;
mod boot;
mod command;
mod control;
mod deliver;
pub mod faults;
mod limits;
mod process;
mod settle;
mod turn;
mod work;

pub use activity::{About, Activity, Detail, LoopId, ProcessId, StepRecord, SyncRecord, TokenDeed, UserAction};
pub use boot::{Config, Node};
pub use faults::{FailWith, Fault, Mark, Phase, Rule};
pub use limits::NODES_MAX;
pub use process::{InFlight, Loop, Process, Token, Wire};
pub use settle::{Unserved, Verdict};

use crate::api::{Resource, Str};
use crate::apiserver::{ApiServer, Etcd};
use crate::runtime::Images;
use crate::util::Tree;
use crate::util::draws::hash;
use crate::util::{Draws, Time, room};
use agenda::{Actor, Agenda};
use command::Command;
use faults::Rules;
use rpds::Vector;
use std::rc::Rc;

/// Whether there is a loop of this name in any world.
pub fn is_loop(name: &str) -> bool {
    crate::controllers::ALL.iter().any(|r| r.controller.name() == name)
}

/// So many steps need less memory than is kept ahead.
const ROOM_EVERY: u64 = 512;

/// The world. Cheap to clone: everything in it is shared until it changes.
#[derive(Clone)]
pub struct Cluster {
    now: Time,
    epoch: Time,
    server: ApiServer,
    draws: Draws,
    processes: Vec<Rc<Process>>,
    agenda: Agenda,
    /// Who watches all objects of a kind.
    watchers: Tree<Resource, Rc<Vec<ProcessId>>>,
    kubelets: Tree<Str, ProcessId>,
    machines: Tree<Str, Rc<boot::Hardware>>,
    images: Rc<Images>,
    edge_triggered: bool,
    rules: Rules,
    /// When processes that died are started again.
    restarts: Tree<ProcessId, Time>,
    commands: Tree<u32, Rc<Command>>,
    commands_started: u32,
    /// It may hold so many writes.
    writes_max: u64,
    records: Vector<Rc<StepRecord>>,
    /// For each revision since the first, the record of the step that wrote it.
    writers: Vector<u64>,
    /// Writes up to this revision were put on the wires.
    dispatched: u64,
    settling: settle::Settling,
}

impl Cluster {
    pub fn now(&self) -> Time {
        self.now
    }

    /// When the world was ready for its first user; times are shown from here.
    pub fn epoch(&self) -> Time {
        self.epoch
    }

    pub fn etcd(&self) -> &Etcd {
        &self.server.etcd
    }

    pub fn server(&self) -> &ApiServer {
        &self.server
    }

    pub fn processes(&self) -> impl Iterator<Item = &Process> {
        self.processes.iter().map(Rc::as_ref).filter(|p| !p.retired)
    }

    pub fn process(&self, id: ProcessId) -> &Process {
        &self.processes[usize::from(id)]
    }

    pub fn process_named(&self, name: &str) -> Option<ProcessId> {
        self.processes.iter().position(|p| p.name == *name && !p.retired).and_then(|i| ProcessId::try_from(i).ok())
    }

    pub fn the_loop(&self, id: LoopId) -> &Loop {
        &self.process(id.process).loops[usize::from(id.index)]
    }

    /// The loops of a name: one, or one a node.
    pub fn loops_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = LoopId> + 'a {
        self.loops().filter(move |id| self.the_loop(*id).name == *name)
    }

    pub fn loops(&self) -> impl Iterator<Item = LoopId> + '_ {
        self.processes
            .iter()
            .enumerate()
            .filter(|(_, p)| !p.retired)
            .flat_map(|(p, process)| (0..process.loops.len()).map(move |i| LoopId { process: p as ProcessId, index: i as u16 }))
    }

    pub fn records(&self) -> &Vector<Rc<StepRecord>> {
        &self.records
    }

    pub fn record(&self, number: u64) -> Option<&Rc<StepRecord>> {
        self.records.get(usize::try_from(number).ok()?)
    }

    /// The step that wrote a revision.
    pub fn writer(&self, revision: u64) -> Option<u64> {
        self.writers.get(usize::try_from(revision.checked_sub(1)?).ok()?).copied()
    }

    pub fn images(&self) -> &Images {
        &self.images
    }

    /// The faults that are in force.
    pub fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.rules.iter().map(|r| &r.fault)
    }

    /// What can happen, and from when on, in the order in which it would.
    pub fn runnable(&self) -> impl Iterator<Item = (Time, Activity)> + '_ {
        self.agenda.iter().map(|(at, actor)| (at, self.activity_of(actor, at)))
    }

    /// What happens next by itself, and when.
    pub fn next(&self) -> Option<(Time, Activity)> {
        self.agenda.first().map(|(at, actor)| (at.max(self.now), self.activity_of(actor, at.max(self.now))))
    }

    fn activity_of(&self, actor: &Actor, at: Time) -> Activity {
        match actor {
            Actor::Wire(process, resource) => {
                let listing = self.process(*process).wires.get(resource).is_some_and(|w| w.list_at.is_some());
                let (process, resource) = (*process, resource.clone());
                if listing { Activity::List { process, resource } } else { Activity::Deliver { process, resource } }
            }
            Actor::Loop(of) => {
                let l = self.the_loop(*of);
                let ready = l.in_flight.iter().filter(|f| f.resume_at <= at).min_by_key(|f| f.resume_at);
                match ready {
                    Some(f) => Activity::Resume { of: *of, key: f.key.clone() },
                    None if l.queue.is_empty() && l.queue.next_due().is_none_or(|due| due > at) => Activity::Wake { of: *of },
                    None => Activity::Sync { of: *of },
                }
            }
            Actor::Command(command) => Activity::Poll { command: *command },
            Actor::Rule(rule) => Activity::FaultEnds { rule: *rule },
            Actor::Restart(process) => Activity::Restart { process: *process },
        }
    }

    /// Lets one thing happen now, or at its due time if that is later, and says what it did.
    pub fn step(&mut self, activity: Activity) -> Rc<StepRecord> {
        let number = self.records.len() as u64;
        let before = self.server.etcd.revision();
        let (causes, detail) = match &activity {
            Activity::Deliver { process, resource } => self.deliver(*process, resource),
            Activity::List { process, resource } => self.list(*process, resource),
            Activity::Sync { of } => self.sync(*of, None, None),
            Activity::SyncKey { of, key } => self.sync(*of, Some(key), None),
            Activity::Resume { of, key } => self.resume(*of, key, None),
            Activity::Wake { of } => self.wake(*of),
            Activity::Poll { command } => self.poll(*command),
            Activity::User(action) => self.user(action),
            Activity::FaultEnds { rule } => {
                self.rule_is_due(*rule);
                Default::default()
            }
            Activity::Restart { process } => {
                self.restart(*process);
                Default::default()
            }
        };
        self.finish(number, before, activity, causes, detail)
    }

    /// Puts the writes of a step on the wires and the step into the record.
    fn finish(
        &mut self,
        number: u64,
        before: u64,
        activity: Activity,
        causes: crate::client::queue::Causes,
        detail: Detail,
    ) -> Rc<StepRecord> {
        if number.is_multiple_of(ROOM_EVERY) {
            room::keep_ahead();
        }
        self.dispatch(number);
        self.settling.forget_offsets();
        let revisions = (before, self.server.etcd.revision());
        let faults = self.rules.take_marks();
        let record = Rc::new(StepRecord { number, at: self.now, activity, causes, revisions, detail, faults });
        self.records.push_back_mut(record.clone());
        record
    }

    /// Lets the next thing happen, if there is one no later than `until` and room for it; otherwise it becomes `until`.
    pub fn advance(&mut self, until: Time) -> Option<Rc<StepRecord>> {
        match self.next() {
            Some((at, activity)) if at <= until && !self.is_full() => {
                self.now = self.now.max(at);
                Some(self.step(activity))
            }
            _ => {
                self.now = self.now.max(until);
                None
            }
        }
    }

    /// Lets everything happen up to `until`.
    pub fn run_until(&mut self, until: Time) {
        while self.advance(until).is_some() {}
    }

    /// A hash of the whole state that can be seen: time, revision and every object.
    pub fn digest(&self) -> u64 {
        let mut state = hash(self.now.0, &self.etcd().revision().to_be_bytes());
        for resource in self.etcd().resources() {
            for object in self.etcd().list(resource, "") {
                state = hash(state, serde_json::to_string(&object.0).expect("a value can be written").as_bytes());
            }
        }
        state
    }

    /// Keeps the agenda true after an actor changed.
    fn reschedule(&mut self, actor: &Actor) {
        let due = match actor {
            Actor::Wire(process, resource) => {
                let p = self.process(*process);
                if p.running && !p.cut { p.wires.get(resource).and_then(Wire::due) } else { None }
            }
            Actor::Loop(of) => {
                let p = self.process(of.process);
                if p.running && p.ready { self.the_loop(*of).due(self.now) } else { None }
            }
            Actor::Command(command) => self.commands.get(command).and_then(|c| c.due),
            Actor::Rule(rule) => self.rules.get(*rule).and_then(|r| r.until),
            Actor::Restart(process) => self.restarts.get(process).copied(),
        };
        self.agenda.set(actor, due);
    }
}
