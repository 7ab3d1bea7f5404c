//! The contract of a controller: handlers put keys into a queue, a sync takes one key, compares what the cache
//! says with the goal, and sends requests.
//!
//! A sync can be interrupted at each request and is a value meanwhile. It is then run again from its start on the
//! same caches and memory, with the answers so far played back: effects (requests, events, memory, queue) that were
//! performed already are not performed again. So a `sync` must depend on nothing but its `Sync`.

use super::{Cache, Caches, Queue};
use crate::api::{Answer, Object, Request, Resource, Status, Str};
use crate::util::{Draws, Time};
use std::any::Any;
use std::rc::Rc;

/// What a loop knows beside its caches: expectations, assumed pods, back-offs, the containers of a node.
/// A value: cloned when it is changed while a snapshot of the world still holds it.
#[derive(Clone)]
pub struct Memory(Rc<dyn AnyMemory>);

trait AnyMemory {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn copy(&self) -> Rc<dyn AnyMemory>;
}

impl<T: Clone + 'static> AnyMemory for T {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn copy(&self) -> Rc<dyn AnyMemory> {
        Rc::new(self.clone())
    }
}

impl Memory {
    pub fn new<T: Clone + 'static>(memory: T) -> Memory {
        Memory(Rc::new(memory))
    }

    /// The memory as its controller's type.
    pub fn get<T: Clone + 'static>(&self) -> &T {
        (*self.0).as_any().downcast_ref().expect("a loop's memory has its controller's type")
    }

    pub fn get_mut<T: Clone + 'static>(&mut self) -> &mut T {
        if Rc::get_mut(&mut self.0).is_none() {
            self.0 = (*self.0).copy();
        }
        Rc::get_mut(&mut self.0).expect("copied above").as_any_mut().downcast_mut().expect("a loop's memory has its controller's type")
    }
}

/// A change of a cache, as a handler hears of it. A resync is an update whose versions are the same.
#[derive(Clone, Debug)]
pub struct Change {
    pub resource: Resource,
    /// None: added
    pub old: Option<Object>,
    /// None: deleted (`old` is the last version known)
    pub new: Option<Object>,
    /// The watch event that brought it; None: a list or a resync.
    pub event: Option<EventType>,
}

/// What a watch event says happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventType {
    Added,
    Modified,
    Deleted,
}

impl Change {
    /// The newest version known.
    pub fn object(&self) -> &Object {
        self.new.as_ref().or(self.old.as_ref()).expect("a change has a version")
    }

    pub fn is_added(&self) -> bool {
        self.old.is_none()
    }

    pub fn is_deleted(&self) -> bool {
        self.new.is_none()
    }
}

/// What a handler may look at and change.
pub struct Handling<'a> {
    pub now: Time,
    pub caches: &'a Caches,
    pub memory: &'a mut Memory,
    pub queue: &'a mut Queue,
}

/// One loop's code. It has no state of its own: that is its `Memory`.
pub trait Controller: std::marker::Sync {
    /// As in upstream's logs, short: `deployment`, `replicaset`, `scheduler`, `kubelet`.
    fn name(&self) -> &'static str;

    /// The kinds whose changes it wants to hear of.
    fn watches(&self) -> &'static [Resource];

    /// The kinds it reads from the cache without handlers.
    fn reads(&self) -> &'static [Resource] {
        &[]
    }

    /// How many keys it works on at a time.
    fn workers(&self) -> usize {
        1
    }

    /// Its client's rate limit: requests per second and burst. 0: none.
    fn rate_limit(&self) -> (u64, u64) {
        (20, 30)
    }

    /// A key that failed comes back after this long at the most.
    fn longest_retry_ms(&self) -> u64 {
        u64::MAX
    }

    /// The component that its Events name: `deployment-controller`.
    fn component(&self) -> &'static str;

    /// A fresh memory, as after the start of the process. `node` is "" but for kubelets.
    fn memory(&self, node: &Str) -> Memory;

    /// Called once when the loop starts and its caches are filled: first keys, periodic keys.
    fn started(&self, _h: &mut Handling<'_>) {}

    /// Called for each change of a watched cache.
    fn handle(&self, h: &mut Handling<'_>, change: &Change);

    /// The objects that it remembers by itself and that a list no longer has, as last known: it is told that they are gone.
    fn missing(&self, _memory: &Memory, _resource: &Resource, _cache: &Cache) -> Vec<Object> {
        Vec::new()
    }

    /// Whether a key comes round by the clock and mostly finds nothing to do: steps and ticks pass over it.
    fn is_periodic(&self, key: &str) -> bool {
        key.starts_with('~')
    }

    /// Works on one key.
    ///
    /// # Errors
    /// `Stop::Halted` is passed on with `?`, never swallowed. `Stop::Failed` puts the key back with back-off.
    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop>;
}

/// Why a sync ends before its end.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// It waits for an answer, and will be run again with it.
    Halted,
    /// It failed; the key comes back after a back-off.
    Failed(Status),
}

impl From<Status> for Stop {
    fn from(s: Status) -> Stop {
        Stop::Failed(s)
    }
}

/// Something a sync saw or found to differ: a code and its arguments, put into words by the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    pub code: &'static str,
    pub args: Vec<Str>,
}

/// One request of a sync and what came of it.
#[derive(Clone, Debug)]
pub struct Exchange {
    pub request: Rc<Request>,
    pub answer: Result<Answer, Status>,
}

/// An Event that a sync wants recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    pub about: Object,
    /// `involvedObject.fieldPath`: `spec.containers{web}`, or ""
    pub field_path: Str,
    pub kind: &'static str,
    pub reason: Str,
    pub message: Str,
}

/// Where the effects of a sync go; made by the cluster.
pub trait Effects {
    /// Sends a request, or says that its answer must be waited for.
    fn request(&mut self, request: Rc<Request>) -> Option<Result<Answer, Status>>;
    fn memory(&mut self) -> &mut Memory;
    fn queue(&mut self) -> &mut Queue;
    fn event(&mut self, event: Recorded);
}

/// What a sync has done so far; kept while it waits.
#[derive(Clone, Default)]
pub struct Progress {
    /// Answers so far, in order: single requests are batches of one.
    pub answers: Vec<Vec<Exchange>>,
    /// How many effects were performed.
    pub performed: usize,
    /// The requests that are waited for (a slow-start batch is one effect of n requests), and the answers that came.
    pub waiting: Vec<Rc<Request>>,
    pub arrived: Vec<Exchange>,
}

impl Progress {
    /// Answers what is waited for, as far as `effects` goes; whether the sync can go on.
    pub fn pump(&mut self, effects: &mut dyn Effects) -> bool {
        let mut sent = 0;
        for request in &self.waiting {
            let Some(answer) = effects.request(request.clone()) else { break };
            self.arrived.push(Exchange { request: request.clone(), answer });
            sent += 1;
        }
        self.waiting.drain(..sent);
        if self.waiting.is_empty() && !self.arrived.is_empty() {
            self.answers.push(std::mem::take(&mut self.arrived));
        }
        self.waiting.is_empty()
    }
}

/// What a sync sees of the world and does to it.
pub struct Sync<'a> {
    now: Time,
    caches: &'a Caches,
    memory: &'a Memory,
    draws: &'a Draws,
    effects: &'a mut dyn Effects,
    progress: &'a mut Progress,
    effect: usize,
    batch: usize,
    pub saw: Vec<Fact>,
    pub differs: Vec<Fact>,
}

impl<'a> Sync<'a> {
    /// `memory` is the loop's memory as it was when the sync began.
    pub fn new(
        now: Time,
        caches: &'a Caches,
        memory: &'a Memory,
        draws: &'a Draws,
        effects: &'a mut dyn Effects,
        progress: &'a mut Progress,
    ) -> Sync<'a> {
        Sync { now, caches, memory, draws, effects, progress, effect: 0, batch: 0, saw: Vec::new(), differs: Vec::new() }
    }

    /// The instant at which the sync began.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The process's cache of a kind, as it was when the sync began.
    pub fn cache(&self, resource: &Resource) -> &'a Cache {
        self.caches.of(resource)
    }

    pub fn caches(&self) -> &'a Caches {
        self.caches
    }

    /// The loop's memory as it was when the sync began.
    pub fn memory<T: Clone + 'static>(&self) -> &'a T {
        self.memory.get()
    }

    /// Changes the loop's memory, once.
    pub fn remember<T: Clone + 'static>(&mut self, change: impl FnOnce(&mut T)) {
        if self.first_time() {
            change(self.effects.memory().get_mut());
        }
    }

    /// Changes the loop's queue, once.
    pub fn queue(&mut self, change: impl FnOnce(&mut Queue)) {
        if self.first_time() {
            change(self.effects.queue());
        }
    }

    /// Puts a key in again after `ms` milliseconds.
    pub fn requeue_after(&mut self, key: &str, ms: u64) {
        let (now, key) = (self.now, Str::from(key));
        self.queue(|q| q.add_after(key, now, ms));
    }

    /// Records an Event, once.
    pub fn event(&mut self, about: &Object, kind: &'static str, reason: impl Into<Str>, message: impl Into<Str>) {
        self.event_at(about, "", kind, reason, message);
    }

    /// As `event`, with `involvedObject.fieldPath`, as the kubelet's events about containers have.
    pub fn event_at(&mut self, about: &Object, path: impl Into<Str>, kind: &'static str, reason: impl Into<Str>, message: impl Into<Str>) {
        if self.first_time() {
            let field_path = path.into();
            self.effects.event(Recorded { about: about.clone(), field_path, kind, reason: reason.into(), message: message.into() });
        }
    }

    fn first_time(&mut self) -> bool {
        let first = self.effect >= self.progress.performed;
        self.effect += 1;
        if first {
            self.progress.performed = self.effect;
        }
        first
    }

    /// Sends one request.
    ///
    /// # Errors
    /// The server's refusal, or `Halted` while the answer is waited for.
    pub fn request(&mut self, request: Request) -> Result<Answer, Stop> {
        let mut answers = self.batch(vec![request])?;
        Ok(answers.pop().expect("one request has one answer")?)
    }

    /// Sends several requests at once (upstream: goroutines and a wait group) and waits for all.
    ///
    /// # Errors
    /// Only `Halted`; refusals are among the answers.
    pub fn batch(&mut self, requests: Vec<Request>) -> Result<Vec<Result<Answer, Status>>, Stop> {
        let index = self.batch;
        self.batch += 1;
        if let Some(done) = self.progress.answers.get(index) {
            return Ok(done.iter().map(|e| e.answer.clone()).collect());
        }
        if requests.is_empty() {
            self.progress.answers.push(Vec::new());
            return Ok(Vec::new());
        }
        self.progress.waiting = requests.into_iter().map(Rc::new).collect();
        if !self.progress.pump(self.effects) {
            return Err(Stop::Halted);
        }
        let done = self.progress.answers.last().expect("pump put the answers in");
        Ok(done.iter().map(|e| e.answer.clone()).collect())
    }

    /// Notes what was seen, for the card and the log.
    pub fn saw(&mut self, code: &'static str, args: Vec<Str>) {
        self.saw.push(Fact { code, args });
    }

    /// Notes what differs from the goal.
    pub fn differs(&mut self, code: &'static str, args: Vec<Str>) {
        self.differs.push(Fact { code, args });
    }

    /// The `nth` draw of `purpose` about `object`, from `low` to `high`.
    pub fn between(&self, purpose: &str, object: &str, nth: u64, low: u64, high: u64) -> u64 {
        self.draws.between(purpose, object, nth, low, high)
    }

    pub fn draw(&self, purpose: &str, object: &str, nth: u64) -> u64 {
        self.draws.at(purpose, object, nth)
    }
}
