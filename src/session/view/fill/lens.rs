//! What every panel asks of the world: who wrote what, who moves next, and what that move would do.

use super::seen::{Pods, pods};
use crate::api::resource::DEPLOYMENTS;
use crate::api::{Object, Resource, Str};
use crate::cluster::{Activity, Cluster, LoopId, StepRecord, SyncRecord, UserAction, Verdict, Wire};
use crate::session::Session;
use crate::session::action::Action;
use crate::session::view::Writer;
use crate::util::Time;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What comes no later than this is somebody's move; what comes later is a timer.
const SOON_MS: u64 = 2_000;
/// How far ahead a timer is looked for.
const AHEAD_MS: u64 = 300_000;
/// In a large world only this far.
const AHEAD_LARGE_MS: u64 = 20_000;
const LARGE_PROCESSES: usize = 16;

/// A world and what was found out about it once.
pub struct Lens<'a> {
    pub world: &'a Cluster,
    /// Nothing was ever applied.
    pub first: bool,
    /// Who owes the next sync.
    pub owes: Option<LoopId>,
    /// What that sync would do, were it to run now.
    pub preview: Option<Rc<StepRecord>>,
    /// When the next sync comes, if nobody can move now.
    pub timer: Option<Time>,
    /// What exists but is not as asked.
    pub gaps: Vec<Str>,
    pub pods: Pods,
    /// The newest sync of each writer's, if it is not long ago.
    last: OnceCell<Vec<(Writer, Rc<StepRecord>)>>,
}

/// The record that a world ended with, its time, and what was found to come next.
type Lately = (Rc<StepRecord>, Time, Option<Rc<StepRecord>>);

thread_local! {
    /// What came next in the world that was asked last.
    static LATELY: RefCell<Option<Lately>> = const { RefCell::new(None) };
}

impl<'a> Lens<'a> {
    pub fn of(session: &'a Session) -> Lens<'a> {
        let moment = session.moment();
        let world = &moment.world;
        let first = moment.stored.is_empty() && session.actions().iter().all(Action::is_of_lesson) && world.etcd().count(&DEPLOYMENTS) == 0;
        let coming = if first { None } else { happened(session).unwrap_or_else(|| next_sync(world)) };
        Lens::with(world, first, coming)
    }

    /// A world that is not this run's newest.
    pub fn of_world(world: &'a Cluster, first: bool) -> Lens<'a> {
        Lens::with(world, first, if first { None } else { next_sync(world) })
    }

    fn with(world: &'a Cluster, first: bool, coming: Option<Rc<StepRecord>>) -> Lens<'a> {
        let soon = coming.as_ref().filter(|r| r.at.since_ms(world.now()) <= SOON_MS);
        let owes = soon.and_then(|r| r.sync()).map(|s| s.of);
        let preview = soon.cloned();
        let timer = if preview.is_some() { None } else { coming.map(|r| r.at) };
        let pods = pods(world);
        let gaps = world.gaps_with(pods.iter().filter(|p| !p.even).map(|p| &p.pod));
        Lens { world, first, owes, preview, timer, gaps, pods, last: OnceCell::new() }
    }

    /// The sync that would run next.
    pub fn upcoming(&self) -> Option<&SyncRecord> {
        self.preview.as_ref().and_then(|r| r.sync())
    }

    /// Milliseconds since the world was ready for its first user.
    pub fn shown_ms(&self, at: Time) -> u64 {
        at.since_ms(self.world.epoch())
    }

    /// Seconds to the next timer, when nobody can move.
    pub fn timer_s(&self) -> Option<u64> {
        self.timer.map(|at| at.since_ms(self.world.now()).div_ceil(1000)).filter(|s| *s > 0)
    }

    /// Nothing is left to do but timers that change nothing.
    pub fn at_rest(&self) -> bool {
        !self.first
            && self.owes.is_none()
            && (self.gaps.is_empty() && !self.world.is_busy() || self.timer.is_none() || self.world.verdict() != Verdict::Moving)
    }

    /// Who did a step.
    pub fn writer(&self, record: &StepRecord) -> Option<Writer> {
        match &record.activity {
            Activity::Sync { of } | Activity::SyncKey { of, .. } | Activity::Resume { of, .. } | Activity::Wake { of } => {
                Some(writer_named(&self.world.the_loop(*of).name))
            }
            Activity::Poll { .. } | Activity::User(UserAction::Kubectl { .. }) => Some(Writer::Me),
            Activity::User(_) => Some(Writer::Me),
            _ => None,
        }
    }

    /// Who wrote a revision.
    pub fn writer_of(&self, revision: u64) -> Option<Writer> {
        let record = self.world.record(self.world.writer(revision)?)?;
        self.writer(record)
    }

    /// Who wrote the newest version of an object.
    pub fn last_writer(&self, object: &Object) -> Option<Writer> {
        self.writer_of(object.revision())
    }

    /// The loops of a writer.
    pub fn loops_of(&self, writer: Writer) -> Vec<LoopId> {
        self.world.loops().filter(|of| writer_named(&self.world.the_loop(*of).name) == writer).collect()
    }

    /// The newest sync of a loop, if it is not long ago.
    pub fn last_sync(&self, writer: Writer) -> Option<Rc<StepRecord>> {
        self.last.get_or_init(|| self.last_syncs()).iter().find(|(w, _)| *w == writer).map(|(_, r)| r.clone())
    }

    fn last_syncs(&self) -> Vec<(Writer, Rc<StepRecord>)> {
        const LOOK_BACK: usize = 3_000;
        let records = self.world.records();
        let from = records.len().saturating_sub(LOOK_BACK);
        let (mut loops, mut out) = (BTreeSet::new(), Vec::new());
        for record in (from..records.len()).rev().filter_map(|i| records.get(i)) {
            let Some(sync) = record.sync().filter(|s| !s.key.starts_with('~') && !loops.contains(&s.of)) else { continue };
            loops.insert(sync.of);
            let writer = writer_named(&self.world.the_loop(sync.of).name);
            if out.iter().all(|(w, _)| *w != writer) {
                out.push((writer, record.clone()));
            }
        }
        out
    }
}

/// How far ahead the next sync is looked for.
fn horizon(world: &Cluster) -> Time {
    let large = world.processes().count() > LARGE_PROCESSES;
    world.now().after_ms(if large { AHEAD_LARGE_MS } else { AHEAD_MS })
}

/// The next sync that is not housekeeping, as it would run. Found once for each state: a world changes with its records and its time.
fn next_sync(world: &Cluster) -> Option<Rc<StepRecord>> {
    let Some(newest) = world.records().last() else { return world.clone().step_next(horizon(world)) };
    LATELY.with_borrow_mut(|lately| {
        if let Some((record, now, coming)) = lately
            && Rc::ptr_eq(record, newest)
            && *now == world.now()
        {
            return coming.clone();
        }
        let coming = world.clone().step_next(horizon(world));
        *lately = Some((newest.clone(), world.now(), coming.clone()));
        coming
    })
}

/// What came next after the moment looked at, if nobody but loops did anything before it: there is nothing to find out.
fn happened(session: &Session) -> Option<Option<Rc<StepRecord>>> {
    session.behind()?;
    let (world, newest) = (&session.moment().world, &session.newest().world);
    let until = horizon(world);
    for record in (world.records().len() as u64..).map_while(|n| newest.record(n)) {
        if matches!(record.activity, Activity::User(_)) {
            return None;
        }
        if record.at > until {
            return Some(None);
        }
        if record.sync().is_some_and(|s| !newest.the_loop(s.of).controller.is_periodic(&s.key)) {
            return Some(Some(record.clone()));
        }
    }
    Some(next_sync(newest).filter(|r| r.at <= until))
}

/// The hue and letters of a loop.
pub fn writer_named(name: &str) -> Writer {
    match name {
        "deployment" => Writer::De,
        "replicaset" => Writer::Rs,
        "scheduler" => Writer::Sc,
        "kubelet" => Writer::Ku,
        "endpointslice" => Writer::Es,
        "namespace" => Writer::Ns,
        "serviceaccount" => Writer::Sa,
        "root-ca-certificate-publisher" => Writer::Ca,
        "node-lifecycle" => Writer::Nl,
        "taint-eviction-controller" => Writer::Te,
        "node-ipam" => Writer::Ni,
        "pod-garbage-collector" => Writer::Pg,
        "resourcequota" => Writer::Rq,
        "disruption" => Writer::Db,
        _ => Writer::Gc,
    }
}

/// The first revision that was lost on a wire and not made good since.
pub fn stale_from(world: &Cluster, process: &crate::cluster::Process, resource: &Resource, wire: &Wire) -> Option<u64> {
    not_made_good(world, process, resource, wire).next()
}

/// The revisions of the events that were lost on a wire and not made good since.
pub fn not_made_good<'a>(
    world: &'a Cluster,
    process: &'a crate::cluster::Process,
    resource: &'a Resource,
    wire: &'a Wire,
) -> impl Iterator<Item = u64> + 'a {
    let cache = process.caches.of(resource);
    let wrong = move |t: &&crate::cluster::Token| {
        let key = t.object.key();
        let (known, real) = (cache.by_key(&key).map(Object::revision), world.etcd().get(resource, &key).map(Object::revision));
        known != real && !wire.tokens().any(|later| later.object.key() == key)
    };
    wire.lost.iter().filter(wrong).map(|t| t.revision)
}

/// The pods that a person would count: not yet ended.
pub fn is_live(pod: &Object) -> bool {
    !pod.is_deleting() && !matches!(pod.status().get("phase").text(), "Succeeded" | "Failed")
}
