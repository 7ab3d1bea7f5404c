//! What every panel asks of the world: who wrote what, who moves next, and what that move would do.

use crate::api::resource::{DEPLOYMENTS, PODS};
use crate::api::{Object, Resource, Str};
use crate::cluster::{Activity, Cluster, LoopId, StepRecord, SyncRecord, UserAction, Verdict, Wire};
use crate::session::Session;
use crate::session::action::Action;
use crate::session::view::Writer;
use crate::util::Time;
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
}

impl<'a> Lens<'a> {
    pub fn of(session: &'a Session) -> Lens<'a> {
        let moment = session.moment();
        let world = &moment.world;
        let first = moment.stored.is_empty() && session.actions().iter().all(Action::is_of_lesson) && world.etcd().count(&DEPLOYMENTS) == 0;
        Lens::of_world(world, first)
    }

    /// A world that is not this run's newest.
    pub fn of_world(world: &'a Cluster, first: bool) -> Lens<'a> {
        let coming = if first { None } else { next_sync(world) };
        let soon = coming.as_ref().filter(|r| r.at.since_ms(world.now()) <= SOON_MS);
        let owes = soon.and_then(|r| r.sync()).map(|s| s.of);
        let preview = soon.cloned();
        let timer = if preview.is_some() { None } else { coming.map(|r| r.at) };
        Lens { world, first, owes, preview, timer, gaps: world.gaps() }
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
        const LOOK_BACK: usize = 3_000;
        let records = self.world.records();
        let from = records.len().saturating_sub(LOOK_BACK);
        let about = |r: &&Rc<StepRecord>| {
            r.sync().is_some_and(|s| !s.key.starts_with('~') && writer_named(&self.world.the_loop(s.of).name) == writer)
        };
        (from..records.len()).rev().filter_map(|i| records.get(i)).find(about).cloned()
    }
}

/// The next sync that is not housekeeping, as it would run.
fn next_sync(world: &Cluster) -> Option<Rc<StepRecord>> {
    let large = world.processes().count() > LARGE_PROCESSES;
    let until = world.now().after_ms(if large { AHEAD_LARGE_MS } else { AHEAD_MS });
    world.clone().step_next(until)
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

/// All pods of the world.
pub fn all_pods(world: &Cluster) -> impl Iterator<Item = &Object> {
    world.etcd().list(&PODS, "")
}
