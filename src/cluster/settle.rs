//! When a world has settled, and whether what exists is what was asked for.

use super::Cluster;
use crate::api::resource::{DEPLOYMENTS, EVENTS, LEASES, NODES, PODS, REPLICA_SETS};
use crate::api::{Object, Str, Value};
use crate::apiserver::{Change, Commit};
use crate::util::Time;
use rpds::RedBlackTreeMap;

/// Nothing moves for at least this long before the world counts as settled.
const QUIET_MS: u64 = 10_000;
/// Back-offs of containers and pulls end at five minutes, and are looked at a little later.
const BACK_OFF_MS: u64 = 330_000;

/// How a settled world stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Something still moves.
    Moving,
    /// Nothing moves, and all is as asked.
    Converged,
    /// Nothing moves, and these are not as asked: kind and name.
    Stuck(Vec<Str>),
}

/// Remembers when the world last changed in a way that counts, and how long after its step a write is seen.
#[derive(Clone, Default)]
pub(super) struct Settling {
    last_change: Time,
    offsets: RedBlackTreeMap<u64, u64>,
}

impl Settling {
    pub fn touch(&mut self, now: Time) {
        self.last_change = now;
    }

    pub fn set_offset(&mut self, revision: u64, ms: u64) {
        self.offsets.insert_mut(revision, ms);
    }

    /// Milliseconds between the step and the moment its request was answered.
    pub fn offset_ms(&self, revision: u64) -> u64 {
        self.offsets.get(&revision).copied().unwrap_or(0)
    }

    /// Takes note of a write, if it is more than a heartbeat, a timestamp or a count.
    pub fn heard(&mut self, commit: &Commit) {
        if counts(commit) {
            self.last_change = self.last_change.max(commit.at);
        }
    }

    /// Forgets offsets that were used.
    pub fn forget_offsets(&mut self) {
        if !self.offsets.is_empty() {
            self.offsets = RedBlackTreeMap::new();
        }
    }
}

fn counts(commit: &Commit) -> bool {
    if commit.resource == EVENTS || commit.resource == LEASES {
        return false;
    }
    let Some(old) = &commit.previous else { return true };
    if commit.change == Change::Deleted {
        return true;
    }
    if commit.resource == NODES {
        return old.spec() != commit.object.spec() || conditions(old) != conditions(&commit.object);
    }
    if commit.resource == PODS {
        return old.is_deleting() != commit.object.is_deleting()
            || old.spec() != commit.object.spec()
            || outline(old) != outline(&commit.object);
    }
    !old.spec().same(commit.object.spec()) || old.status() != commit.object.status() || old.is_deleting() != commit.object.is_deleting()
}

fn conditions(o: &Object) -> Vec<(&str, &str)> {
    o.status().get("conditions").items().iter().map(|c| (c.get("type").text(), c.get("status").text())).collect()
}

/// What of a pod's status is more than a repetition: a container that restarts again and again stays as it was.
fn outline(pod: &Object) -> (&str, Vec<(&str, &str)>, Vec<bool>) {
    let containers = ["initContainerStatuses", "containerStatuses"];
    let all = containers.iter().flat_map(|f| pod.status().get(f).items());
    let restarting = |c: &Value| c.get("restartCount").int() > 1;
    (
        pod.status().get("phase").text(),
        if all.clone().any(restarting) { Vec::new() } else { conditions(pod) },
        all.map(|c| restarting(c) || c.at(&["state", "running"]).is_null()).collect(),
    )
}

impl Cluster {
    /// Whether anything still moves, and if not, whether all is as asked.
    pub fn verdict(&self) -> Verdict {
        if self.is_busy() || self.now.since_ms(self.settling.last_change) < self.longest_wait_ms() {
            return Verdict::Moving;
        }
        let gaps = self.gaps();
        if gaps.is_empty() { Verdict::Converged } else { Verdict::Stuck(gaps) }
    }

    /// Somebody has a key, a sync or an event now.
    pub fn is_busy(&self) -> bool {
        self.processes.iter().filter(|p| p.running).any(|p| {
            p.wires.values().any(|w| w.list_at.is_some() || !w.pending.is_empty())
                || p.loops.iter().any(|l| {
                    l.running && (!l.queue.is_empty() || !l.in_flight.is_empty() || l.busy.iter().any(|(_, key)| l.queue.comes_back(key)))
                })
        })
    }

    /// The longest time that something which waits may need to show itself.
    fn longest_wait_ms(&self) -> u64 {
        let backing_off = self.etcd().list(&PODS, "").any(|p| {
            let waits = |c: &Value| {
                let reason = c.at(&["state", "waiting", "reason"]).text();
                reason.ends_with("BackOff") || reason.starts_with("ErrImage") || c.get("restartCount").int() > 0
            };
            ["initContainerStatuses", "containerStatuses"].iter().flat_map(|f| p.status().get(f).items()).any(waits)
        });
        if backing_off {
            return BACK_OFF_MS;
        }
        let progressing = |d: &&Object| {
            let c = d.condition("Progressing");
            c.is_some_and(|c| c.get("status").text() == "True" && c.get("reason").text() != "NewReplicaSetAvailable")
        };
        let deadline = self.etcd().list(&DEPLOYMENTS, "").filter(progressing).map(|d| d.spec().get("progressDeadlineSeconds").int()).max();
        let deadline = deadline.and_then(|s| u64::try_from(s).ok()).unwrap_or(0);
        QUIET_MS.max(if deadline > 0 { deadline * 1000 + QUIET_MS } else { 0 })
    }

    /// What exists but is not as asked: kind and name.
    pub fn gaps(&self) -> Vec<Str> {
        let mut gaps = Vec::new();
        let mut note = |kind: &str, o: &Object| gaps.push(Str::from(format!("{kind}/{}", o.name())));
        for d in self.etcd().list(&DEPLOYMENTS, "") {
            let (want, status) = (d.spec().get("replicas").int(), d.status());
            let agrees = status.get("observedGeneration").int() == d.generation()
                && status.get("replicas").int() == want
                && status.get("updatedReplicas").int() == want
                && status.get("availableReplicas").int() == want;
            if !agrees || d.is_deleting() {
                note("deployment", d);
            }
        }
        for r in self.etcd().list(&REPLICA_SETS, "") {
            let want = r.spec().get("replicas").int();
            if r.status().get("replicas").int() != want || r.status().get("availableReplicas").int() != want || r.is_deleting() {
                note("replicaset", r);
            }
        }
        for p in self.etcd().list(&PODS, "") {
            let done = p.status().get("phase").text() == "Succeeded";
            if !done && (!p.condition_is_true("Ready") || p.is_deleting()) {
                note("pod", p);
            }
        }
        gaps
    }

    /// When the world last changed in a way that counts.
    pub fn last_change(&self) -> Time {
        self.settling.last_change
    }

    /// Lets everything happen until the world has settled, at most up to `until`.
    pub fn run_until_settled(&mut self, until: Time) -> Verdict {
        let mut look = self.now;
        loop {
            if self.now >= look {
                let verdict = self.verdict();
                if verdict != Verdict::Moving || self.now >= until {
                    return verdict;
                }
                look = self.now.after_ms(1000).min(until);
            }
            self.advance(look);
        }
    }
}
