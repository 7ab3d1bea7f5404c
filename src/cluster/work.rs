//! Syncs: a loop takes a key and runs through, its requests answered one after the other, busy for their latency.
//! Where the client's rate limit makes it wait, or a person steps into it, the sync waits as a value and goes on later.

use super::activity::SyncRecord;
use super::agenda::Actor;
use super::faults::{self, Asked, OnRequest, Rules};
use super::process::{InFlight, Limiter, Loop, Process};
use super::{Cluster, Detail, LoopId};
use crate::api::{Answer, Request, Status, Str, Verb};
use crate::apiserver::ApiServer;
use crate::client::controller::{Effects, Exchange, Memory, Progress, Recorded, Stop, Sync};
use crate::client::queue::{Causes, Queue};
use crate::client::recorder::{Source, Style};
use crate::controllers::Home;
use crate::util::{Draws, Time};
use std::rc::Rc;

/// What the record of a sync says whose process died in it.
const DIED: &str = "the process died";
/// A request is answered after this long.
const REQUEST_MS: (u64, u64) = (2, 6);

/// Where the effects of a running sync go.
struct Doing<'a> {
    server: &'a mut ApiServer,
    rules: &'a mut Rules,
    memory: &'a mut Memory,
    queue: &'a mut Queue,
    limiter: &'a mut Limiter,
    draws: &'a Draws,
    name: &'a Str,
    process: &'a Str,
    node: &'a Str,
    /// The process cannot reach the server.
    cut: bool,
    tries: &'a mut u32,
    late: &'a mut Option<Status>,
    /// Writes of this sync that succeeded so far.
    written: u64,
    /// The rule by which the process has died, and the request whose answer it no longer heard.
    died: Option<(u64, Exchange)>,
    manager: &'static str,
    now: Time,
    elapsed_ms: u64,
    /// Requests that may still be answered in this go; None: no limit.
    budget: Option<u32>,
    resume_at: Time,
    events: Vec<Recorded>,
    /// (revision, milliseconds after `now`) of each write
    offsets: Vec<(u64, u64)>,
}

impl Effects for Doing<'_> {
    fn request(&mut self, request: Rc<Request>) -> Option<Result<Answer, Status>> {
        if self.died.is_some() {
            return None;
        }
        if let Some(status) = self.late.take() {
            return Some(Err(status));
        }
        if self.budget == Some(0) {
            self.resume_at = self.now;
            return None;
        }
        if let Err(at) = self.limiter.take(self.now.after_ms(self.elapsed_ms)) {
            self.resume_at = at;
            return None;
        }
        if let Some(budget) = &mut self.budget {
            *budget -= 1;
        }
        let nth = self.server.etcd.revision() + self.elapsed_ms;
        self.elapsed_ms += self.draws.between("request", self.name, nth, REQUEST_MS.0, REQUEST_MS.1);
        if self.cut {
            return Some(Err(faults::no_route()));
        }
        if self.rules.is_empty() { Some(self.handle(&request)) } else { self.disturbed(request) }
    }

    fn memory(&mut self) -> &mut Memory {
        self.memory
    }

    fn queue(&mut self) -> &mut Queue {
        self.queue
    }

    fn event(&mut self, event: Recorded) {
        self.events.push(event);
    }
}

impl Doing<'_> {
    /// A request while faults are in force.
    #[inline(never)]
    fn disturbed(&mut self, request: Rc<Request>) -> Option<Result<Answer, Status>> {
        self.elapsed_ms += self.rules.slow_ms(&request);
        let asked = Asked { of: self.name, process: self.process, node: self.node, request: &request, tries: *self.tries };
        match self.rules.on_request(&asked) {
            OnRequest::Goes => {}
            OnRequest::Refused(status) => {
                *self.tries = 0;
                return Some(Err(status));
            }
            OnRequest::Again(ms) => {
                *self.tries += 1;
                self.resume_at = self.now.after_ms(self.elapsed_ms + ms);
                return None;
            }
            OnRequest::TimesOut { status, commits, late_ms } => {
                if commits {
                    let _ = self.handle(&request);
                }
                if late_ms == 0 {
                    return Some(Err(status));
                }
                *self.late = Some(status);
                self.resume_at = self.now.after_ms(self.elapsed_ms + late_ms);
                return None;
            }
        }
        *self.tries = 0;
        let answer = self.handle(&request);
        if answer.is_ok() && is_write(request.verb) {
            self.written += 1;
            if let Some(rule) = self.rules.crashes(self.name, self.process, self.node, self.written) {
                self.died = Some((rule, Exchange { request, answer }));
                return None;
            }
        }
        Some(answer)
    }

    /// The server answers a request.
    fn handle(&mut self, request: &Rc<Request>) -> Result<Answer, Status> {
        let before = self.server.etcd.revision();
        let answer = if request.manager.is_empty() {
            let signed = Request { manager: Str::fixed(self.manager), ..(**request).clone() };
            self.server.handle(&signed, self.now)
        } else {
            self.server.handle(request, self.now)
        };
        for revision in before + 1..=self.server.etcd.revision() {
            self.offsets.push((revision, self.elapsed_ms));
        }
        answer
    }
}

fn is_write(verb: Verb) -> bool {
    !matches!(verb, Verb::Get | Verb::List)
}

/// How many writes of a sync succeeded so far.
fn writes_of(progress: &Progress) -> u64 {
    let all = progress.answers.iter().flatten().chain(&progress.arrived);
    all.filter(|e| e.answer.is_ok() && is_write(e.request.verb)).count() as u64
}

/// What came of a go.
struct Went {
    result: Result<(), Stop>,
    record: SyncRecord,
    elapsed_ms: u64,
    resume_at: Time,
    offsets: Vec<(u64, u64)>,
    /// The rule by which the process died, and what it had just done.
    died: Option<(u64, Str)>,
}

impl Cluster {
    /// A loop takes a key and runs its sync. `budget`: how many requests may be answered before it waits.
    #[inline(never)]
    pub(super) fn sync(&mut self, of: LoopId, chosen: Option<&str>, budget: Option<u32>) -> (Causes, Detail) {
        let now = self.now;
        let process = Rc::make_mut(&mut self.processes[usize::from(of.process)]);
        let l = Rc::make_mut(&mut process.loops[usize::from(of.index)]);
        l.queue.promote(now);
        l.release(now);
        let taken = match chosen {
            Some(key) => l.queue.take_key(key),
            None => l.queue.take(),
        };
        let Some((key, causes)) = taken else {
            self.reschedule(&Actor::Loop(of));
            return (Causes::default(), Detail::None);
        };
        let memory = l.memory.clone();
        let caches = process.caches.clone();
        let flight = InFlight {
            key,
            causes: causes.clone(),
            began: now,
            caches,
            memory,
            progress: Progress::default(),
            resume_at: now,
            told: 0,
            tries: 0,
            late: None,
        };
        (causes, self.go_on(of, flight, budget))
    }

    /// A sync that waited goes on.
    #[inline(never)]
    pub(super) fn resume(&mut self, of: LoopId, key: &str, budget: Option<u32>) -> (Causes, Detail) {
        let process = Rc::make_mut(&mut self.processes[usize::from(of.process)]);
        let l = Rc::make_mut(&mut process.loops[usize::from(of.index)]);
        let Some(place) = l.in_flight.iter().position(|f| f.key == *key) else {
            self.reschedule(&Actor::Loop(of));
            return (Causes::default(), Detail::None);
        };
        let flight = Rc::unwrap_or_clone(l.in_flight.remove(place));
        (flight.causes.clone(), self.go_on(of, flight, budget))
    }

    #[inline(never)]
    fn go_on(&mut self, of: LoopId, mut flight: InFlight, budget: Option<u32>) -> Detail {
        let went = self.run(of, &mut flight, budget);
        let now = self.now;
        for (revision, ms) in &went.offsets {
            self.settling.set_offset(*revision, *ms);
        }
        if let Some((rule, about)) = went.died {
            self.die(of, rule, about);
            return Detail::Synced(Box::new(went.record));
        }
        let events = went.record.events.clone();
        let process = Rc::make_mut(&mut self.processes[usize::from(of.process)]);
        let l = Rc::make_mut(&mut process.loops[usize::from(of.index)]);
        l.queue.cause = self.records.len() as u64;
        let (key, over) = (flight.key.clone(), now.after_ms(went.elapsed_ms));
        match &went.result {
            Err(Stop::Halted) => {
                flight.resume_at = went.resume_at;
                flight.told = flight.progress.answers.iter().map(Vec::len).sum::<usize>() + flight.progress.arrived.len();
                l.in_flight.push(Rc::new(flight));
            }
            Ok(()) => l.queue.forget(&key),
            Err(Stop::Failed(_)) => l.queue.add_rate_limited_within(key.clone(), over, l.controller.longest_retry_ms()),
        }
        if went.result != Err(Stop::Halted) {
            l.busy.push((over, key));
        }
        l.release(now);
        self.record_events(of, &events);
        self.reschedule(&Actor::Loop(of));
        Detail::Synced(Box::new(went.record))
    }

    /// Runs a sync as far as it gets.
    #[inline(never)]
    fn run(&mut self, of: LoopId, flight: &mut InFlight, budget: Option<u32>) -> Went {
        let process = Rc::make_mut(&mut self.processes[usize::from(of.process)]);
        let manager = process.manager();
        let Process { loops, heard, name: process_name, node, cut, .. } = process;
        let cache_revision = *heard;
        let l = Rc::make_mut(&mut loops[usize::from(of.index)]);
        let Loop { controller, memory, queue, limiter, name, .. } = l;
        let written = if self.rules.is_empty() { 0 } else { writes_of(&flight.progress) };
        let mut doing = Doing {
            server: &mut self.server,
            rules: &mut self.rules,
            memory,
            queue,
            limiter,
            draws: &self.draws,
            name,
            process: process_name,
            node,
            cut: *cut,
            tries: &mut flight.tries,
            late: &mut flight.late,
            written,
            died: None,
            manager,
            now: self.now,
            elapsed_ms: 0,
            budget,
            resume_at: self.now,
            events: Vec::new(),
            offsets: Vec::new(),
        };
        let (mut saw, mut differs) = (Vec::new(), Vec::new());
        // The requests of a batch are answered without running the sync again for each.
        let result = if flight.progress.pump(&mut doing) {
            let mut sync = Sync::new(flight.began, &flight.caches, &flight.memory, &self.draws, &mut doing, &mut flight.progress);
            let result = controller.sync(&mut sync, &flight.key);
            (saw, differs) = (std::mem::take(&mut sync.saw), std::mem::take(&mut sync.differs));
            result
        } else {
            Err(Stop::Halted)
        };
        let Doing { elapsed_ms, resume_at, events, offsets, died, .. } = doing;
        let mut exchanges: Vec<Exchange> =
            flight.progress.answers.iter().flatten().chain(&flight.progress.arrived).skip(flight.told).cloned().collect();
        let failed = match &result {
            Err(Stop::Failed(s)) => Some(s.message.clone()),
            _ => None,
        };
        let died = died.map(|(rule, last)| {
            let about = faults::said(&last.request);
            exchanges.push(last);
            (rule, about)
        });
        let failed = if died.is_some() { Some(Str::fixed(DIED)) } else { failed };
        let waits = died.is_none() && result == Err(Stop::Halted);
        let record = SyncRecord { of, key: flight.key.clone(), cache_revision, saw, differs, exchanges, events, waits, failed };
        Went { result, record, elapsed_ms, resume_at, offsets, died }
    }

    /// Writes the Events that a sync wanted recorded.
    #[inline(never)]
    fn record_events(&mut self, of: LoopId, events: &[Recorded]) {
        if self.process(of.process).cut {
            return;
        }
        for event in events {
            let process = Rc::make_mut(&mut self.processes[usize::from(of.process)]);
            let manager = process.manager();
            let (home, host) = (process.home, process.node.clone());
            let l = Rc::make_mut(&mut process.loops[usize::from(of.index)]);
            let style = match home {
                Home::Scheduler => Style::New { action: if event.reason == "Scheduled" { "Binding" } else { "Scheduling" } },
                _ => Style::Core,
            };
            let source = Source { component: l.controller.component(), host, manager, style };
            if let Some(request) = l.recorder.record(event, &source, self.now) {
                // An event that cannot be written is dropped, as upstream drops it.
                let _ = self.server.handle(&request, self.now);
            }
        }
    }

    /// Delayed keys that are due come into the queue.
    #[inline(never)]
    pub(super) fn wake(&mut self, of: LoopId) -> (Causes, Detail) {
        let now = self.now;
        let process = Rc::make_mut(&mut self.processes[usize::from(of.process)]);
        let l = Rc::make_mut(&mut process.loops[usize::from(of.index)]);
        l.queue.cause = self.records.len() as u64;
        l.queue.promote(now);
        l.release(now);
        self.reschedule(&Actor::Loop(of));
        (Causes::default(), Detail::None)
    }
}
