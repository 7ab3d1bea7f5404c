//! Processes, their wires and their loops: the parts of the world that can die, lag and be stopped.

use crate::api::{Object, Resource, Status, Str};
use crate::apiserver::{Change, Filter};
use crate::client::controller::Progress;
use crate::client::queue::Causes;
use crate::client::recorder::Recorder;
use crate::client::{Caches, Controller, Memory, Queue};
use crate::controllers::Home;
use crate::util::Time;
use crate::util::Tree;
use rpds::Queue as Fifo;
use std::rc::Rc;

/// A watch event on its way.
#[derive(Clone, Debug)]
pub struct Token {
    pub revision: u64,
    pub change: Change,
    pub object: Object,
    /// When it arrives.
    pub due: Time,
    /// The step that wrote it.
    pub record: u64,
    /// Loops whose wake-up by it is lost.
    pub unheard_by: Vec<Str>,
}

/// One kind's way from the server into a process's cache.
#[derive(Clone, Debug)]
pub struct Wire {
    pub filter: Filter,
    pub pending: Fifo<Token>,
    /// Waiting to list at this instant; nothing arrives meanwhile.
    pub list_at: Option<Time>,
    /// The revision up to which the server has sent.
    pub sent: u64,
    /// The arrival of the newest token; none overtakes another.
    pub newest: Time,
    /// Tokens that were lost on this wire since the last list, newest last; for showing.
    pub lost: Vec<Token>,
    pub connected: bool,
    /// Nothing arrives until a fault ends.
    pub frozen: bool,
}

impl Wire {
    pub fn new(filter: Filter) -> Wire {
        Wire { filter, pending: Fifo::new(), list_at: None, sent: 0, newest: Time(0), lost: Vec::new(), connected: false, frozen: false }
    }

    /// When this wire next does something.
    pub fn due(&self) -> Option<Time> {
        self.list_at.or_else(|| if self.frozen { None } else { self.pending.peek().map(|t| t.due) })
    }
}

/// A sync that waits for an answer, as a value.
#[derive(Clone)]
pub struct InFlight {
    pub key: Str,
    pub causes: Causes,
    pub began: Time,
    pub caches: Caches,
    pub memory: Memory,
    pub progress: Progress,
    /// When it can go on.
    pub resume_at: Time,
    /// How many facts and exchanges earlier records have told.
    pub told: usize,
    /// How often the server has asked to send the request that is waited for again later.
    pub tries: u32,
    /// What the loop will learn of a request whose time is running out.
    pub late: Option<Status>,
}

/// One loop of a process.
#[derive(Clone)]
pub struct Loop {
    pub controller: &'static dyn Controller,
    pub name: Str,
    pub memory: Memory,
    pub queue: Queue,
    pub running: bool,
    pub in_flight: Vec<Rc<InFlight>>,
    /// Workers whose last sync's requests are still being answered, until when, and the key they work on.
    pub busy: Vec<(Time, Str)>,
    pub limiter: Limiter,
    pub recorder: Recorder,
}

impl Loop {
    /// Workers that could take a key at `now`.
    pub fn free_workers(&self, now: Time) -> usize {
        let busy = self.busy.iter().filter(|(t, _)| *t > now).count();
        self.controller.workers().saturating_sub(busy + self.in_flight.len())
    }

    /// When this loop next does something.
    pub fn due(&self, now: Time) -> Option<Time> {
        if !self.running {
            return None;
        }
        let resume = self.in_flight.iter().map(|f| f.resume_at).min();
        let take = if self.queue.is_empty() { self.queue.next_due() } else { Some(now) };
        let take = take.and_then(|at| {
            if self.in_flight.len() >= self.controller.workers() {
                return None;
            }
            if self.free_workers(at) > 0 { Some(at) } else { self.busy.iter().map(|(t, _)| *t).filter(|t| *t > at).min() }
        });
        let back = self.busy.iter().filter(|(_, key)| self.queue.comes_back(key)).map(|(t, _)| *t).min();
        [resume, take, back].into_iter().flatten().min()
    }

    /// Ends the work on the keys whose requests are answered at `now`: those that were added meanwhile come back.
    pub fn release(&mut self, now: Time) {
        let (over, still): (Vec<_>, Vec<_>) = std::mem::take(&mut self.busy).into_iter().partition(|(t, _)| *t <= now);
        self.busy = still;
        for (_, key) in over {
            self.queue.done(&key);
        }
    }
}

/// client-go's token bucket: thousandths of a token, so that it stays in whole numbers.
#[derive(Clone, Copy, Debug)]
pub struct Limiter {
    per_s: u64,
    burst: u64,
    millitokens: u64,
    filled: Time,
}

impl Limiter {
    pub fn new((per_s, burst): (u64, u64)) -> Limiter {
        Limiter { per_s, burst, millitokens: burst * 1000, filled: Time(0) }
    }

    /// Takes a token at `now`, or says when there will be one.
    ///
    /// # Errors
    /// The instant at which a token is there.
    pub fn take(&mut self, now: Time) -> Result<(), Time> {
        if self.per_s == 0 {
            return Ok(());
        }
        self.millitokens = (self.millitokens + now.since_ms(self.filled) * self.per_s).min(self.burst * 1000);
        self.filled = self.filled.max(now);
        if self.millitokens >= 1000 {
            self.millitokens -= 1000;
            return Ok(());
        }
        Err(now.after_ms((1000 - self.millitokens).div_ceil(self.per_s).max(1)))
    }
}

/// What can die as one.
#[derive(Clone)]
pub struct Process {
    pub name: Str,
    pub home: Home,
    /// the node of a kubelet, otherwise ""
    pub node: Str,
    pub running: bool,
    pub caches: Caches,
    pub wires: Tree<Resource, Wire>,
    pub loops: Vec<Rc<Loop>>,
    /// The revision up to which any of its wires has heard.
    pub heard: u64,
    /// Its loops were told that the caches are filled.
    pub ready: bool,
    /// It cannot reach the API server.
    pub cut: bool,
    /// A second instance whose time is over: its place in the world is empty.
    pub retired: bool,
}

impl Process {
    /// The kinds that it watches when it runs.
    pub fn kinds(&self) -> Vec<Resource> {
        super::boot::resources_of(self.home)
    }

    /// The user agent's short name, which becomes the field manager.
    pub fn manager(&self) -> &'static str {
        match self.home {
            Home::ControllerManager => "kube-controller-manager",
            Home::Scheduler => "kube-scheduler",
            Home::Kubelet => "kubelet",
        }
    }
}
