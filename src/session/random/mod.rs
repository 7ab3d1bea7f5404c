//! Random runs: manifests, commands, faults and the order in which things happen all follow from one seed. A run is nothing
//! but actions, so a link holds it. When its faults have ended it must come to what its manifests ask for (`checks`).

mod checks;
mod deeds;

use super::action::{Action, WireId};
use super::{Moment, Session, Start, reduce};
use crate::api::resource::{DEPLOYMENTS, PODS, REPLICA_SETS};
use crate::api::{Object, Str};
use crate::cluster::{StepRecord, Verdict};
use crate::util::Draws;
use std::rc::Rc;

/// The scenario whose cluster all runs begin with.
const SCENARIO: &str = "first";
/// Deeds of a run; after these the faults end and everything runs until it settles.
const TURNS: u64 = 34;
/// After each deed the world goes on by as many activities at the most.
const ACTIVITIES_MAX: u64 = 50;
/// What moves on and on may take so many quarters of an hour to settle: a missed deadline and a back-off, one after the other.
const SETTLES_MAX: u32 = 4;
/// What has settled without converging is looked at again so often, each time after so long.
const TRIES_MAX: u32 = 4;
const LATER_MS: u64 = 60_000;
/// A loop waits so long for pods that it made and has not seen.
const EXPECTATIONS_MS: u64 = 5 * 60 * 1000;

/// A run that is being made.
pub struct Run {
    start: Start,
    moment: Moment,
    actions: Vec<Action>,
    draws: Draws,
    nth: u64,
}

/// How a run ended.
pub struct Outcome {
    pub seed: u64,
    /// What is not as it must be; empty if all is.
    pub problems: Vec<String>,
    /// How many records the run made, and how often rules acted.
    pub records: u64,
    pub acted: u64,
    /// The run as a link's fragment, if there are problems.
    pub link: Option<String>,
}

/// Plays the run of a seed and judges it.
pub fn judge(seed: u64) -> Outcome {
    let mut run = Run::new(seed);
    let verdict = run.play();
    let problems = checks::problems(&run.moment.world, &verdict);
    let records = run.moment.world.records();
    let acted = records.iter().flat_map(|r| &r.faults).filter(|m| m.phase == crate::cluster::Phase::Acted).map(|m| m.count).sum();
    let records = records.len() as u64;
    let link = (!problems.is_empty()).then(|| run.session().link());
    Outcome { seed, problems, records, acted, link }
}

impl Run {
    pub fn new(seed: u64) -> Run {
        let mut session = Session::begin(SCENARIO, seed);
        let (_, moment) = session.moments.pop().expect("the start is always there");
        Run { start: session.start, moment, actions: Vec::new(), draws: Draws::new(seed ^ 0x7261_6e64_6f6d), nth: 0 }
    }

    pub fn world(&self) -> &crate::cluster::Cluster {
        &self.moment.world
    }

    /// This run as a session at its end.
    pub fn session(&self) -> Session {
        let moments = vec![(self.actions.len(), self.moment.clone())];
        let (start, actions) = (self.start.clone(), self.actions.clone());
        Session { start, actions, moments, undone: Vec::new(), looking: None, notice: None, ..Session::begin(SCENARIO, 0) }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.nth += 1;
        self.draws.at("run", "", self.nth) % n
    }

    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        let at = self.below(all.len() as u64) as usize;
        all[at].clone()
    }

    fn act(&mut self, action: Action) {
        reduce::perform(&mut self.moment, &action);
        self.actions.push(action);
    }

    fn kubectl(&mut self, line: impl Into<Str>) {
        self.act(Action::Kubectl { line: line.into() });
    }

    /// Plays the whole run; says how it stands at the end.
    pub fn play(&mut self) -> Verdict {
        for _ in 0..TURNS {
            self.deed();
            self.go_on();
        }
        self.calm();
        let mut verdict = self.settle();
        // What upstream, too, cannot leave by itself.
        for _ in 0..TRIES_MAX {
            if verdict == Verdict::Converged {
                break;
            }
            self.delete_orphans();
            self.make_room();
            if !(self.look_again() | self.unlock()) {
                // What gets ready later than its deadline is not stuck for ever.
                self.act(Action::Advance { ms: LATER_MS });
            }
            verdict = self.settle();
        }
        verdict
    }

    fn settle(&mut self) -> Verdict {
        for _ in 0..SETTLES_MAX {
            self.act(Action::Settle);
            let verdict = self.world().verdict();
            if verdict != Verdict::Moving {
                return verdict;
            }
        }
        Verdict::Moving
    }

    /// Usually what is next, now and then something else that could happen, now and then a long time.
    fn go_on(&mut self) {
        if self.below(12) == 0 {
            let ms = self.one_of(&[2_000, 20_000, 60_000, 360_000]);
            return self.act(Action::Advance { ms });
        }
        for _ in 0..self.below(ACTIVITIES_MAX) {
            let nth = if self.below(5) == 0 { self.below(6) } else { 0 };
            self.act(Action::Happen { nth });
        }
    }

    /// All faults end, all that was stopped starts, what could never come to be is mended, every cache is read anew.
    fn calm(&mut self) {
        self.act(Action::EndFaults);
        let processes: Vec<Str> = self.world().processes().map(|p| p.name.clone()).collect();
        for process in processes {
            self.act(Action::StartProcess { process });
        }
        let stopped = |run: &Run| {
            let w = run.world();
            w.loops().map(|id| w.the_loop(id)).find(|l| !l.running).map(|l| l.name.clone())
        };
        while let Some(loop_id) = stopped(self) {
            self.act(Action::StartLoop { loop_id });
        }
        let held: Vec<(WireId, u64)> = self.tokens();
        for (wire, event) in held {
            self.act(Action::Event { wire, event, fault: super::action::EventFault::Deliver, loop_id: Str::default() });
        }
        for node in deeds::NODES {
            self.act(Action::NodeUp { node: Str::fixed(node) });
            self.kubectl(format!("uncordon {node}"));
        }
        self.act(Action::SetImages { text: Str::fixed(deeds::GOOD_IMAGES) });
        let deployments: Vec<Object> = self.world().etcd().list(&DEPLOYMENTS, "default").cloned().collect();
        for d in deployments.iter().filter(|d| !d.is_deleting()) {
            let name = d.name();
            self.kubectl(format!("rollout resume deployment/{name}"));
            self.kubectl(format!("set resources deployment/{name} --requests=cpu=100m"));
        }
        self.delete_orphans();
        self.relist();
    }

    /// ReplicaSets that were orphaned on purpose may hold what can never be.
    fn delete_orphans(&mut self) {
        let orphans: Vec<Str> = self
            .world()
            .etcd()
            .list(&REPLICA_SETS, "default")
            .filter(|r| r.controller_uid().is_none())
            .map(Object::name)
            .map(Str::from)
            .collect();
        for name in orphans {
            self.kubectl(format!("delete replicaset {name} --wait=false"));
        }
    }

    /// Rollouts that wait for the room that their own old pods hold would wait for ever; a person deletes the large ones.
    fn make_room(&mut self) {
        let pods = || self.world().etcd().list(&PODS, "default");
        if !pods().any(|p| p.spec().get("nodeName").is_empty()) {
            return;
        }
        let cpu = |p: &Object| p.spec().get("containers").item(0).at(&["resources", "requests", "cpu"]).to_str();
        let large: Vec<Str> = pods().filter(|p| cpu(p) != "100m").map(|p| Str::from(p.name())).collect();
        for name in large {
            self.kubectl(format!("delete pod {name} --wait=false"));
        }
    }

    fn relist(&mut self) {
        let world = self.world();
        let wire = |p: &crate::cluster::Process, r: &crate::api::Resource| WireId { process: p.name.clone(), resource: r.0.clone() };
        let wires: Vec<WireId> = world.processes().flat_map(|p| p.wires.keys().map(move |r| wire(p, r))).collect();
        for wire in wires {
            self.act(Action::Relist { wire });
        }
    }

    /// A pod that was made and deleted between two lists, or whose wake-up was lost, is waited for five minutes, and then
    /// until something else wakes its ReplicaSet: upstream, the informer's resync after half a day. Says whether one waits.
    fn look_again(&mut self) -> bool {
        let waits = |run: &Run, key: &str| {
            let world = run.world();
            let of = |r: &&Rc<StepRecord>| r.sync().is_some_and(|s| s.key == *key && world.the_loop(s.of).name == *"replicaset");
            let last = world.records().iter().rev().find(of).and_then(|r| r.sync());
            last.is_some_and(|s| s.saw.iter().any(|f| f.code == "saw.replicaset.expects"))
        };
        let any = self.world().etcd().list(&REPLICA_SETS, "").any(|r| waits(self, &r.key().joined()));
        if any {
            self.act(Action::Advance { ms: EXPECTATIONS_MS + 1000 });
            let wire = WireId { process: Str::fixed("kube-controller-manager"), resource: REPLICA_SETS.0.clone() };
            self.act(Action::Resync { wire });
        }
        any
    }

    /// Upstream's Deployment controller takes a Deployment for one that is being scaled, and does nothing else, while an
    /// active ReplicaSet was made for another size. It never leaves that if its only active ReplicaSet has the right size by
    /// chance (kubernetes/kubernetes#102551), or if it recreates and has two. A person scales those ReplicaSets by hand.
    fn unlock(&mut self) -> bool {
        let mut locked = Vec::new();
        let etcd = self.world().etcd();
        for d in etcd.list(&DEPLOYMENTS, "") {
            let want = d.spec().get("replicas").int();
            let size = |r: &Object| r.spec().get("replicas").int();
            let sets = etcd.list(&REPLICA_SETS, "");
            let active: Vec<&Object> = sets.filter(|r| r.controller_uid().is_some_and(|u| u == *d.uid()) && size(r) > 0).collect();
            let made_for =
                |r: &Object| r.meta().at(&["annotations", "deployment.kubernetes.io/desired-replicas"]).text() == want.to_string();
            let recreates = d.spec().at(&["strategy", "type"]).text() == "Recreate";
            let by_chance = active.len() == 1 && size(active[0]) == want;
            if active.iter().any(|r| !made_for(r)) && (by_chance || active.len() > 1 && recreates) {
                locked.extend(active.iter().map(|r| r.name().to_string()));
            }
        }
        for name in &locked {
            self.kubectl(format!("scale replicaset {name} --replicas=0"));
        }
        !locked.is_empty()
    }
}
