//! What the kubelet knows of one pod, and when something is due for it. Follows upstream `pkg/kubelet/pod_workers.go`
//! and `pleg/generic.go`: one sync at a time, none before the runtime was listed after the last one.

use super::backoff::Backoff;
use super::probes::Probe;
use super::volumes::Mount;
use super::{Draw, NodeConfig};
use crate::api::{Object, Str, Value};
use crate::client::Caches;
use crate::runtime::{Images, Machine, PullError, Sandbox};
use crate::util::Time;
use std::rc::Rc;

/// What the kubelet's status manager holds of one container; probes look at this, not at the runtime.
#[derive(Clone, Debug)]
pub struct Shown {
    pub name: Str,
    pub id: Str,
    pub running_since: Option<Time>,
    pub terminated: bool,
    pub started: bool,
    pub ready: bool,
}

/// Why a container waits: upstream's reason cache.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    pub container: Str,
    pub reason: &'static str,
    pub message: Str,
}

/// What a pod's goroutine is doing.
#[derive(Clone, Debug, Default)]
pub enum Step {
    #[default]
    Idle,
    /// Waits for volumes.
    Mount { at: Time },
    /// Waits for containers that it stops before it starts others.
    Stop { until: Time },
    /// Starts the next container.
    Start { at: Time },
    /// Waits for a pull of the first container of the list.
    Pull { asked: Time, begin: Time, until: Time, error: Option<PullError> },
    /// Waits for all containers to end.
    End { until: Time },
}

/// How far the end of a pod has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    #[default]
    No,
    /// The next sync stops its containers.
    Wanted,
    Stopping,
    /// All containers have ended.
    Stopped,
    /// Nothing is left to do.
    Done,
}

/// That the server's status of a pod is to be brought back to the kubelet's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reconcile {
    /// It was seen to differ.
    Wanted,
    /// The status manager goes over all pods then.
    At(Time),
}

/// One pod's worker.
#[derive(Clone, Debug, Default)]
pub struct Worker {
    pub uid: Str,
    /// The newest version that the kubelet knows.
    pub pod: Object,
    /// The pod is no longer in the API.
    pub gone: bool,
    /// The status as the kubelet wants it to be; null before the first.
    pub status: Value,
    /// The phase before it is held back while containers may run.
    pub phase: &'static str,
    pub shown: Vec<Shown>,
    /// The instant whose runtime state the status shows, and whether all containers had ended by then.
    pub looked: Time,
    pub terminal: bool,
    /// The status is not written yet.
    pub dirty: bool,
    /// When the status is written over what somebody else wrote.
    pub reconcile: Option<Reconcile>,
    /// When the last sync ended.
    pub synced: Option<Time>,
    /// When the pod was to end, and whether a sync was wished for then.
    pub interrupted: Option<(Time, bool)>,
    /// A second sync, which finds nothing new, waits for the listing at this instant.
    pub second: Option<Time>,
    /// The earliest wish for a sync.
    pub trigger: Option<Time>,
    /// When the work queue brings it back.
    pub resync: Option<Time>,
    /// Up to when changes of containers were seen.
    pub seen: Time,
    pub step: Step,
    /// The containers still to start in this sync.
    pub todo: Vec<Str>,
    /// The runtime's state at the last listing before this sync.
    pub visible: Time,
    /// What goes wrong in this sync: the earliest end of a back-off, or another error.
    pub retry: Option<Time>,
    pub failed: bool,
    /// When the start of a container shows in the status.
    pub publish: Option<Time>,
    pub mount: Mount,
    pub restarts: Backoff,
    pub pulls: Backoff,
    pub pull_errors: Vec<(Str, Str)>,
    pub reasons: Vec<Reason>,
    pub probing: bool,
    pub probes: Vec<Probe>,
    pub ending: Ending,
    /// `DeadlineExceeded`, once the pod's active deadline has passed.
    pub overdue: bool,
    /// The last DELETE was sent.
    pub deleted: bool,
    /// How many draws were made about it.
    pub draws: u64,
}

/// An Event about a container ("" : about the pod).
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    pub path: Str,
    pub kind: &'static str,
    pub reason: &'static str,
    pub message: Str,
}

/// One pod's turn: what its worker sees, and what comes of it.
pub struct Turn<'a> {
    pub now: Time,
    pub config: &'a NodeConfig,
    pub images: &'a Images,
    pub caches: &'a Caches,
    pub pod_prefix: Str,
    pub draw: &'a Draw<'a>,
    /// The phases of the kubelet's two one-second clocks, in milliseconds: listing the runtime, looking at the work queue.
    pub relist_ms: u64,
    pub tick_ms: u64,
    /// The phase of the clock at which the status manager goes over all pods, in milliseconds.
    pub batch_ms: u64,
    pub machine: Machine,
    pub said: Vec<Said>,
}

/// A kubelet that is busy does things at the instants at which they were due, unless it is later than this.
const LATE_MS: u64 = 1_000;

/// How often the status manager goes over all pods.
pub const BATCH_MS: u64 = 10_000;

/// The first instant after `at` of a clock that ticks each second with this phase.
fn next_tick(at: Time, phase_ms: u64) -> Time {
    next_of(1000, at, phase_ms)
}

/// The first instant after `at` of a clock that ticks each `period_ms` with this phase.
fn next_of(period_ms: u64, at: Time, phase_ms: u64) -> Time {
    let offset = (at.0 + period_ms - phase_ms) % period_ms;
    at.after_ms(period_ms - offset)
}

impl Turn<'_> {
    /// The first listing of the runtime after `at`.
    pub fn relist_after(&self, at: Time) -> Time {
        next_tick(at, self.relist_ms)
    }

    /// The last listing of the runtime at or before `at`.
    pub fn relist_before(&self, at: Time) -> Time {
        Time(next_tick(at, self.relist_ms).0.saturating_sub(1000))
    }

    /// The first time after `at` that the status manager goes over all pods.
    fn batch_after(&self, at: Time) -> Time {
        next_of(BATCH_MS, at, self.batch_ms)
    }

    /// The first look at the work queue at or after `at`.
    pub fn tick_at(&self, at: Time) -> Time {
        next_tick(Time(at.0.saturating_sub(1)), self.tick_ms)
    }

    pub fn say(&mut self, path: impl Into<Str>, kind: &'static str, reason: &'static str, message: impl Into<Str>) {
        self.said.push(Said { path: path.into(), kind, reason, message: message.into() });
    }

    pub fn sandbox(&self, uid: &str) -> Option<Rc<Sandbox>> {
        self.machine.sandbox(uid).cloned()
    }

    /// Changes a pod's sandbox.
    pub fn change(&mut self, uid: &Str, change: impl FnOnce(&mut Sandbox)) {
        let mut sandbox = self.machine.sandbox(uid).cloned().unwrap_or_default();
        change(Rc::make_mut(&mut sandbox));
        self.machine.put_sandbox(uid, sandbox);
    }
}

impl Worker {
    pub fn new(pod: &Object) -> Worker {
        Worker { uid: pod.meta().get("uid").to_str(), pod: pod.clone(), phase: "Pending", ..Worker::default() }
    }

    /// Wishes for a sync at `at`, unless one is wished for earlier.
    pub fn wish(&mut self, at: Time) {
        self.trigger = Some(self.trigger.map_or(at, |t| t.min(at)));
    }

    /// The next draw about this pod, from `low` to `high`.
    pub fn draw(&mut self, turn: &Turn<'_>, purpose: &'static str, low: u64, high: u64) -> u64 {
        self.draws += 1;
        (turn.draw)(purpose, &self.uid, self.draws, low, high)
    }

    pub fn shown(&self, name: &str) -> Option<&Shown> {
        self.shown.iter().find(|s| s.name == *name)
    }

    /// Whether the pod is to end: deleted, evicted, finished, or gone.
    pub fn is_ending(&self) -> bool {
        self.ending != Ending::No || self.gone || self.pod.is_deleting()
    }

    /// When the next listing brings news of a container that starts or exits.
    fn news(&self, turn: &Turn<'_>) -> Option<Time> {
        let sandbox = turn.machine.sandbox(&self.uid)?;
        let mut at: Option<Time> = None;
        for c in &sandbox.containers {
            let exit = c.exit.as_ref().map(|e| e.at);
            let start = Some(c.started).filter(|_| self.wants_starts());
            for t in [start, exit].into_iter().flatten() {
                if t > self.seen {
                    at = Some(at.map_or(t, |a| a.min(t)));
                }
            }
        }
        // A sandbox without a container is news, too.
        if sandbox.containers.is_empty() && sandbox.created > self.seen && self.failed {
            at = Some(sandbox.created);
        }
        at.map(|t| turn.relist_after(t))
    }

    /// Whether a sync after the start of a container would do something: another container waits for this one,
    /// or a readiness probe is to be asked again.
    fn wants_starts(&self) -> bool {
        self.failed
            || !self.pod.spec().get("initContainers").is_empty()
            || self.probes.iter().any(|p| p.kind == super::probes::Kind::Readiness && p.result != Some(true))
    }

    /// When the next sync begins, if one is wished for.
    fn next_sync(&self, turn: &Turn<'_>) -> Option<Time> {
        let finished = matches!(self.ending, Ending::Stopped | Ending::Done);
        let news = if finished { None } else { self.news(turn) };
        let resync = if finished { None } else { self.resync };
        let wished = [self.trigger, resync, news].into_iter().flatten().min()?;
        let allowed = self.synced.map_or(Time(0), |s| turn.relist_after(s));
        Some(wished.max(allowed))
    }

    /// When something is due for this pod.
    pub fn due(&self, turn: &Turn<'_>) -> Option<Time> {
        let step = match &self.step {
            Step::Idle => self.next_sync(turn),
            Step::Mount { at } | Step::Start { at } => Some(*at),
            Step::Stop { until } | Step::Pull { until, .. } | Step::End { until } => Some(*until),
        };
        let probes = match self.ending {
            Ending::No if !self.is_ending() => self.next_probe(turn),
            Ending::No | Ending::Stopping => self.next_cut_probe(),
            _ => None,
        };
        [step, self.publish, self.batch(turn), probes].into_iter().flatten().min()
    }

    /// When the status manager writes this pod's status over what somebody else wrote.
    fn batch(&self, turn: &Turn<'_>) -> Option<Time> {
        match self.reconcile? {
            Reconcile::Wanted => Some(turn.batch_after(turn.now)),
            Reconcile::At(at) => Some(at),
        }
    }

    /// Does what is due up to now, each thing at its own instant.
    pub fn advance(&mut self, turn: &mut Turn<'_>) {
        if self.reconcile == Some(Reconcile::Wanted) {
            self.reconcile = Some(Reconcile::At(turn.batch_after(turn.now)));
        }
        self.hold_end(turn);
        self.skip_idle_sync(turn);
        while let Some(due) = self.due(turn).filter(|at| *at <= turn.now) {
            // A kubelet that was away for long did nothing meanwhile.
            let at = if turn.now.since_ms(due) > LATE_MS { turn.now } else { due };
            if self.batch(turn).is_some_and(|r| r <= at) {
                self.reconcile = None;
                self.dirty = true;
            } else if self.publish.is_some_and(|p| p <= at) {
                self.publish = None;
                self.generate(turn, at, at, false);
            } else if !self.is_ending() && self.next_probe(turn).is_some_and(|p| p <= at) {
                self.probe(turn, at);
            } else if self.is_ending()
                && matches!(self.ending, Ending::No | Ending::Stopping)
                && self.next_cut_probe().is_some_and(|p| p <= at)
            {
                self.cut_probes(turn, at);
            } else {
                self.work(turn, at);
            }
            self.skip_idle_sync(turn);
        }
    }

    /// The sync that follows the start of a container and finds nothing to do only moves the instant of the last sync.
    fn skip_idle_sync(&mut self, turn: &Turn<'_>) {
        let Some(sandbox) = turn.machine.sandbox(&self.uid) else { return };
        if !matches!(self.step, Step::Idle) || self.wants_starts() || self.is_ending() && self.ending != Ending::No {
            return;
        }
        let Some(start) = sandbox.containers.iter().map(|c| c.started).max().filter(|s| *s > self.seen) else { return };
        let at = turn.relist_after(start);
        if at <= turn.now && self.next_sync(turn).is_none_or(|next| at < next) {
            self.seen = at;
            self.synced = Some(at.after_ms(2));
        }
    }

    fn work(&mut self, turn: &mut Turn<'_>, at: Time) {
        match std::mem::take(&mut self.step) {
            Step::Idle => self.begin(turn, at),
            Step::Mount { .. } => self.mounting(turn, at),
            Step::Stop { .. } | Step::Start { .. } => self.start_next(turn, at),
            Step::Pull { asked, begin, error, .. } => self.pulled(turn, (asked, begin), error, at),
            Step::End { .. } => self.ended(turn, at),
        }
    }

    fn begin(&mut self, turn: &mut Turn<'_>, at: Time) {
        let wished = self.trigger.take();
        self.resync = None;
        self.visible = turn.relist_before(at);
        // What the listing found while a sync waited for it asks for another one.
        let found = self.news(turn).is_some_and(|news| news <= self.visible);
        self.second = wished.filter(|w| found && *w < self.visible).map(|_| turn.relist_after(at));
        self.seen = self.seen.max(self.visible);
        match self.ending {
            Ending::Stopped => self.finish(turn, at),
            Ending::Done => {}
            _ if self.is_ending() => self.end(turn, at),
            _ => self.sync_pod(turn, at),
        }
    }
}
