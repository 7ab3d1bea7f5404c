//! When a world has settled, and whether what exists is what was asked for.

use super::Cluster;
use crate::api::resource::{DEPLOYMENTS, EVENTS, LEASES, NODES, PODS, REPLICA_SETS};
use crate::api::{Object, ObjectKey, Str, Value};
use crate::apiserver::{Change, Commit};
use crate::controllers::{Home, absent};
use crate::util::Time;
use crate::util::Tree;

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
    /// The history is as long as it may become: what would still happen is not known.
    Full,
}

/// An object that wants something which only a loop could do that is not there.
pub struct Unserved<'a> {
    pub object: &'a Object,
    pub kind: &'static str,
    /// What upstream calls the loop.
    pub upstream: &'static str,
}

/// Remembers when the world last changed in a way that counts, and how long after its step a write is seen.
#[derive(Clone, Default)]
pub(super) struct Settling {
    last_change: Time,
    offsets: Tree<u64, u64>,
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
            self.offsets = Tree::new();
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
            || !old.status().same(commit.object.status()) && outline(old) != outline(&commit.object);
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
        if self.is_full() {
            return Verdict::Full;
        }
        if self.will_change_by_itself()
            || self.is_busy()
            || self.a_silence_will_be_noticed()
            || self.now.since_ms(self.settling.last_change) < self.longest_wait_ms()
        {
            return Verdict::Moving;
        }
        let gaps = self.gaps();
        if gaps.is_empty() { Verdict::Converged } else { Verdict::Stuck(gaps) }
    }

    /// A fault ends or a process is started again without anybody's doing.
    fn will_change_by_itself(&self) -> bool {
        !self.restarts.is_empty() || self.rules.iter().any(|r| r.until.is_some())
    }

    /// Somebody has a key, a sync or an event now.
    pub fn is_busy(&self) -> bool {
        self.processes.iter().filter(|p| p.running).any(|p| {
            !p.cut && p.wires.values().any(|w| w.due().is_some())
                || p.loops.iter().any(|l| {
                    l.running && (!l.queue.is_empty() || !l.in_flight.is_empty() || l.busy.iter().any(|(_, key)| l.queue.comes_back(key)))
                })
        })
    }

    /// The longest time that something which waits may need to show itself.
    fn longest_wait_ms(&self) -> u64 {
        let timers = self.longest_timer_ms().map_or(0, |ms| ms.saturating_add(QUIET_MS));
        QUIET_MS.max(timers).max(if self.is_backing_off() { BACK_OFF_MS } else { self.deadline_ms() })
    }

    /// The longest of the waits after which a loop looks at something again. Those that come round for ever are none, and
    /// a Deployment's looks at its deadline count only while it has one.
    fn longest_timer_ms(&self) -> Option<u64> {
        let processes = self.processes.iter().filter(|p| p.running);
        let loops = processes.flat_map(|p| &p.loops).filter(|l| l.running && l.name != "deployment" && l.name != "node-lifecycle");
        loops.flat_map(|l| l.queue.waits()).filter(|(key, _)| !key.starts_with('~')).map(|(_, ms)| ms).max()
    }

    /// A kubelet does not run, its node does not show that yet, and somebody is going to look.
    fn a_silence_will_be_noticed(&self) -> bool {
        let watched = |node: &str| {
            let mut monitors = self.loops_named("node-lifecycle").filter(|id| self.process(id.process).running).map(|id| self.the_loop(id));
            monitors.any(|l| l.running && l.queue.waits().any(|(key, _)| key.rsplit('/').next() == Some(node)))
        };
        let known = |node: &Object| node.condition("Ready").is_some_and(|c| c.get("status").text() != "Unknown");
        let shown = |node: &Str| self.etcd().get(&NODES, &ObjectKey::new("", node.clone())).is_some_and(known);
        self.processes.iter().any(|p| p.home == Home::Kubelet && (!p.running || p.cut) && shown(&p.node) && watched(&p.node))
    }

    fn is_backing_off(&self) -> bool {
        self.etcd().list(&PODS, "").any(|p| {
            let waits = |c: &Value| {
                let reason = c.at(&["state", "waiting", "reason"]).text();
                reason.ends_with("BackOff") || reason.starts_with("ErrImage") || c.get("restartCount").int() > 0
            };
            ["initContainerStatuses", "containerStatuses"].iter().flat_map(|f| p.status().get(f).items()).any(waits)
        })
    }

    /// How long rollouts may be without progress; 0 if none is under way.
    fn deadline_ms(&self) -> u64 {
        let progressing = |d: &&Object| {
            let c = d.condition("Progressing");
            c.is_some_and(|c| c.get("status").text() == "True" && c.get("reason").text() != "NewReplicaSetAvailable")
        };
        let deadline = self.etcd().list(&DEPLOYMENTS, "").filter(progressing).map(|d| d.spec().get("progressDeadlineSeconds").int()).max();
        let deadline = deadline.and_then(|s| u64::try_from(s).ok()).unwrap_or(0);
        if deadline > 0 { deadline * 1000 + QUIET_MS } else { 0 }
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
        for a in absent::ALL {
            let waits = self.etcd().list(&a.resource, "").filter(|o| (a.wants)(o) || o.is_deleting());
            waits.for_each(|o| note(&a.kind.to_ascii_lowercase(), o));
        }
        gaps
    }

    /// What waits for a loop that is not there.
    pub fn unserved(&self) -> impl Iterator<Item = Unserved<'_>> {
        absent::ALL.iter().flat_map(|a| {
            let waits = self.etcd().list(&a.resource, "").filter(|o| (a.wants)(o) && !o.is_deleting());
            waits.map(|object| Unserved { object, kind: a.kind, upstream: a.upstream })
        })
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
