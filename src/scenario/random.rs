//! Random runs: nodes, manifests, faults and the order of activities all follow from one seed.

use crate::api::resource::{DEPLOYMENTS, REPLICA_SETS};
use crate::api::{Object, Str, Value};
use crate::cluster::{About, Activity, Cluster, Config, FailWith, Fault, StepRecord, UserAction, Verdict};
use crate::controllers::Home;
use crate::scenario::format::config_of;
use crate::util::Draws;
use crate::value;

/// Steps with disturbances; after these the faults end and everything runs until it settles.
const TURNS: u64 = 40;
/// In each turn the world goes on by as many activities at the most.
const ACTIVITIES_MAX: u64 = 60;
/// After the faults everything has this long to settle, in milliseconds: a missed deadline and a back-off, one after the other.
const SETTLE_MS: u64 = 30 * 60 * 1000;
/// A loop waits so long for pods that it made and has not seen.
const EXPECTATIONS_MS: u64 = 5 * 60 * 1000;

/// A run that is being made.
pub struct Run {
    pub world: Cluster,
    draws: Draws,
    nth: u64,
    /// What was done to the world, in order.
    pub deeds: Vec<UserAction>,
}

impl Run {
    pub fn new(seed: u64) -> Run {
        let draws = Draws::new(seed ^ 0x7261_6e64_6f6d);
        let mut run = Run { world: Cluster::boot(&Config::default()), draws, nth: 0, deeds: Vec::new() };
        let nodes = run.below(3) + 1;
        run.world = Cluster::boot(&config(nodes, seed));
        run
    }

    fn below(&mut self, n: u64) -> u64 {
        self.nth += 1;
        self.draws.at("run", "", self.nth) % n
    }

    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        let at = self.below(all.len() as u64) as usize;
        all[at].clone()
    }

    /// Plays the whole run; says how it stands at the end.
    pub fn play(&mut self) -> Verdict {
        for _ in 0..TURNS {
            let deed = self.deed();
            self.act(deed);
            for _ in 0..self.below(ACTIVITIES_MAX) {
                self.go_on();
            }
        }
        self.calm();
        let mut verdict = self.settle();
        // What upstream, too, cannot leave by itself.
        for _ in 0..3 {
            if verdict == Verdict::Converged || !(self.look_again() | self.unlock()) {
                break;
            }
            verdict = self.settle();
        }
        verdict
    }

    fn settle(&mut self) -> Verdict {
        let until = self.world.now().after_ms(SETTLE_MS);
        self.world.run_until_settled(until)
    }

    /// A pod that was made and deleted between two lists, or whose wake-up was lost, is waited for five minutes, and then
    /// until something else wakes its ReplicaSet: upstream, the informer's resync after half a day. Says whether one waits.
    fn look_again(&mut self) -> bool {
        let waits = |run: &Run, key: &str| {
            let of =
                |r: &&std::rc::Rc<StepRecord>| r.sync().is_some_and(|s| s.key == *key && run.world.the_loop(s.of).name == *"replicaset");
            let last = run.world.records().iter().rev().find(of).and_then(|r| r.sync());
            last.is_some_and(|s| s.saw.iter().any(|f| f.code == "saw.replicaset.expects"))
        };
        let any = self.world.etcd().list(&REPLICA_SETS, "").any(|r| waits(self, &r.key().joined()));
        if any {
            self.world.run_until(self.world.now().after_ms(EXPECTATIONS_MS + 1000));
            self.act(UserAction::Fault(Fault::Resync { process: Str::fixed("kube-controller-manager"), resource: REPLICA_SETS }));
        }
        any
    }

    /// Upstream's Deployment controller takes a Deployment for one that is being scaled, and does nothing else, while an
    /// active ReplicaSet was made for another size. It never leaves that if its only active ReplicaSet has the right size by
    /// chance (kubernetes/kubernetes#102551), or if it recreates and has two. A person scales those ReplicaSets by hand.
    fn unlock(&mut self) -> bool {
        let mut locked = Vec::new();
        for d in self.world.etcd().list(&DEPLOYMENTS, "") {
            let want = d.spec().get("replicas").int();
            let size = |r: &Object| r.spec().get("replicas").int();
            let sets = self.world.etcd().list(&REPLICA_SETS, "");
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
            self.act(kubectl(&format!("scale replicaset {name} --replicas=0")));
        }
        !locked.is_empty()
    }

    fn act(&mut self, deed: UserAction) {
        self.world.step(Activity::User(deed.clone()));
        self.deeds.push(deed);
    }

    /// Usually what is next; now and then something else that could happen.
    fn go_on(&mut self) {
        let next = self.world.next();
        let soon: Vec<Activity> = match &next {
            Some((at, _)) => self.world.runnable().take_while(|(due, _)| due <= at).take(6).map(|(_, a)| a).collect(),
            None => return,
        };
        if soon.len() > 1 && self.below(4) == 0 {
            let chosen = self.one_of(&soon);
            self.world.step(chosen);
        } else if let Some((at, _)) = next {
            self.world.advance(at);
        }
    }

    /// All faults end, all that was stopped starts, every cache is read anew.
    fn calm(&mut self) {
        self.act(UserAction::ClearFaults);
        let names: Vec<(Str, Home)> = self.world.processes().map(|p| (p.name.clone(), p.home)).collect();
        for (name, _) in &names {
            self.act(UserAction::StartProcess(name.clone()));
        }
        for of in ["deployment", "replicaset", "scheduler", "kubelet"] {
            self.act(UserAction::StartLoop(Str::fixed(of)));
        }
        let wires: Vec<(Str, crate::api::Resource)> =
            self.world.processes().flat_map(|p| p.wires.keys().map(|r| (p.name.clone(), r.clone())).collect::<Vec<_>>()).collect();
        for (process, resource) in wires {
            self.act(UserAction::Fault(Fault::Relist { process, resource }));
        }
    }

    fn deed(&mut self) -> UserAction {
        let name = self.one_of(&["web", "api"]);
        match self.below(14) {
            0..=3 => self.apply(name),
            4 => {
                let replicas = self.below(6);
                kubectl(&format!("scale deployment {name} --replicas={replicas}"))
            }
            5 => {
                let tag = self.below(3) + 1;
                kubectl(&format!("set image deployment/{name} {name}=app:{tag}"))
            }
            6 => self.delete_pod(),
            7 => UserAction::StopLoop(self.one_of(&[Str::fixed("deployment"), Str::fixed("replicaset"), Str::fixed("scheduler")])),
            8 => UserAction::StartLoop(self.one_of(&[Str::fixed("deployment"), Str::fixed("replicaset"), Str::fixed("scheduler")])),
            9 => UserAction::StopProcess(self.one_of(&[
                Str::fixed("kube-controller-manager"),
                Str::fixed("kube-scheduler"),
                Str::fixed("kubelet:node-1"),
            ])),
            10 => UserAction::StartProcess(self.one_of(&[
                Str::fixed("kube-controller-manager"),
                Str::fixed("kube-scheduler"),
                Str::fixed("kubelet:node-1"),
            ])),
            11 => kubectl(&format!("rollout restart deployment/{name}")),
            _ => UserAction::Fault(self.fault()),
        }
    }

    fn apply(&mut self, name: &'static str) -> UserAction {
        let (replicas, tag) = (self.below(5), self.below(3) + 1);
        // A Deployment keeps its strategy: one that is made Recreate in the middle of a rollout and scaled never ends it, upstream too.
        let strategies = ["{type: Recreate}", "{rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}", "{}"];
        let strategy = strategies[(self.draws.at("strategy", name, 0) % 3) as usize];
        let text = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  replicas: {replicas}\n  strategy: {strategy}\n  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec:\n      containers: [{{name: {name}, image: 'app:{tag}', readinessProbe: {{exec: {{command: [ok]}}, periodSeconds: 1}}}}]\n"
        );
        let words = ["apply", "-f", "m.yaml"].map(Str::fixed).to_vec();
        UserAction::Kubectl { words, files: vec![(Str::fixed("m.yaml"), Str::from(text))] }
    }

    fn pods(&self) -> Vec<Str> {
        self.world.etcd().list(&crate::api::resource::PODS, "default").map(|p| p.meta().get("name").to_str()).collect()
    }

    fn delete_pod(&mut self) -> UserAction {
        let pods = self.pods();
        if pods.is_empty() {
            return UserAction::ClearFaults;
        }
        let (pod, force) = (self.one_of(&pods), self.below(2) == 0);
        kubectl(&format!("delete pod {pod} --wait=false{}", if force { " --force" } else { "" }))
    }

    fn fault(&mut self) -> Fault {
        let process = self.one_of(&[Str::fixed("kube-controller-manager"), Str::fixed("kube-scheduler"), Str::fixed("kubelet:node-1")]);
        let resource = crate::api::resource::PODS;
        let pods = self.pods();
        let name = if pods.is_empty() { Str::fixed("none") } else { self.one_of(&pods) };
        let about = About { resource: resource.clone(), namespace: Str::default(), name };
        let of = self.one_of(&[Str::fixed("deployment"), Str::fixed("replicaset"), Str::fixed("scheduler"), Str::fixed("kubelet")]);
        match self.below(9) {
            0 => Fault::LostWakeUp { of, about },
            1 => Fault::LostOnWire { process, about },
            2 => Fault::Delay { process, about, ms: self.below(5000) },
            3 => Fault::Duplicate { process, about, ms: self.below(100) },
            4 => Fault::Resync { process, resource },
            5 => Fault::Disconnect { process, resource },
            6 => Fault::Relist { process, resource },
            7 => Fault::Fail { of, verb: Str::default(), resource: None, with: self.one_of(&WITH), times: self.below(3) + 1, late_ms: 0 },
            _ => Fault::Kill {
                namespace: Str::fixed("default"),
                pod: about.name,
                container: self.one_of(&[Str::fixed("web"), Str::fixed("api")]),
            },
        }
    }
}

const WITH: [FailWith; 4] = [FailWith::Conflict, FailWith::TooManyRequests, FailWith::Internal, FailWith::Timeout];

fn config(nodes: u64, seed: u64) -> Config {
    let node = |n: u64| value!({"name": (format!("node-{}", n + 1)), "cpu": "4", "memory": "8Gi", "pods": 110_i64});
    let images = value!({
        "app:1": {"pullSeconds": 1_i64},
        "app:2": {"readyAfterSeconds": 2_i64, "stopSeconds": 1_i64},
        "app:3": {"pullSeconds": 2_i64, "readyAfterSeconds": 1_i64}
    });
    let cluster = value!({"nodes": ((0..nodes).map(node).collect::<Value>()), "images": images});
    config_of(&cluster, seed, false).expect("a random run's cluster can be read")
}

fn kubectl(line: &str) -> UserAction {
    UserAction::Kubectl { words: line.split(' ').map(Str::from).collect(), files: Vec::new() }
}
