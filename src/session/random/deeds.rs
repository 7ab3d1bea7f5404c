//! What a random run does: one deed, drawn from all that a person at the page can do.

use super::Run;
use crate::api::resource::{PODS, REPLICA_SETS};
use crate::api::{Str, Value};
use crate::session::action::{Action, EventFault, WireId};
use crate::value;

pub const NODES: [&str; 3] = ["node-1", "node-2", "node-3"];
const APPS: [&str; 3] = ["web", "api", "db"];
const IMAGES: [&str; 7] = ["app:1", "app:2", "app:3", "slow:1", "crash:1", "gone:1", "flaky:1"];
const LOOPS: [&str; 7] = ["deployment", "replicaset", "scheduler", "kubelet", "garbage-collector", "endpointslice", "node-lifecycle"];
const PROCESSES: [&str; 5] = ["kube-controller-manager", "kube-scheduler", "kubelet:node-1", "kubelet:node-2", "kubelet:node-3"];
const KINDS: [&str; 4] = ["pods", "replicasets.apps", "deployments.apps", "nodes"];

/// How the images of the manifests behave.
const HOW: &str = "apiVersion: loopscope.dev/v1\nkind: Image\nmetadata: {name: 'app:1'}\nspec: {pullSeconds: 1}\n---\n\
apiVersion: loopscope.dev/v1\nkind: Image\nmetadata: {name: 'app:2'}\nspec: {readyAfterSeconds: 2, stopSeconds: 1}\n---\n\
apiVersion: loopscope.dev/v1\nkind: Image\nmetadata: {name: 'app:3'}\nspec: {pullSeconds: 2, readyAfterSeconds: 1}\n---\n\
apiVersion: loopscope.dev/v1\nkind: Image\nmetadata: {name: 'slow:1'}\nspec: {pullSeconds: 9, readyAfterSeconds: 40, stopSeconds: 8}\n---\n\
apiVersion: loopscope.dev/v1\nkind: Image\nmetadata: {name: 'crash:1'}\nspec: {exitCode: 1, exitAfterSeconds: 2}\n---\n\
apiVersion: loopscope.dev/v1\nkind: Image\nmetadata: {name: 'gone:1'}\nspec: {pullError: NotFound}\n---\n\
apiVersion: loopscope.dev/v1\nkind: Image\nmetadata: {name: 'flaky:1'}\nspec: {livenessFailsAfterSeconds: 20}\n---\n";

/// How they behave in the end: each can be pulled, runs and gets ready.
pub const GOOD_IMAGES: &str = "apiVersion: loopscope.dev/v1\nkind: Image\nmetadata: {name: 'crash:1'}\nspec: {pullSeconds: 1}\n---\n\
apiVersion: loopscope.dev/v1\nkind: Image\nmetadata: {name: 'gone:1'}\nspec: {pullSeconds: 1}\n---\n\
apiVersion: loopscope.dev/v1\nkind: Image\nmetadata: {name: 'slow:1'}\nspec: {readyAfterSeconds: 4}\n---\n\
apiVersion: loopscope.dev/v1\nkind: Image\nmetadata: {name: 'flaky:1'}\nspec: {pullSeconds: 1}\n";

impl Run {
    pub(super) fn deed(&mut self) {
        let app = self.one_of(&APPS);
        match self.below(26) {
            0..=4 => self.apply(app),
            5 => {
                let replicas = self.below(6);
                self.kubectl(format!("scale deployment {app} --replicas={replicas}"));
            }
            6 => {
                let image = self.one_of(&IMAGES);
                self.kubectl(format!("set image deployment/{app} {app}={image}"));
            }
            7 => self.delete_pod(),
            8 => self.kubectl(format!("rollout restart deployment/{app}")),
            9 => self.kubectl(format!("rollout undo deployment/{app}")),
            10 => {
                let verb = self.one_of(&["pause", "resume", "resume"]);
                self.kubectl(format!("rollout {verb} deployment/{app}"));
            }
            11 => {
                let cascade = self.one_of(&["background", "foreground", "orphan"]);
                self.kubectl(format!("delete deployment {app} --cascade={cascade} --wait=false"));
            }
            12 => self.tend_node(),
            13 => self.service(app),
            14 => {
                let loop_id = Str::fixed(self.one_of(&LOOPS));
                let stop = self.below(2) == 0;
                self.act(if stop { Action::StopLoop { loop_id } } else { Action::StartLoop { loop_id } });
            }
            15 => {
                let process = Str::fixed(self.one_of(&PROCESSES));
                let how = self.below(3);
                self.act(match how {
                    0 => Action::StopProcess { process },
                    1 => Action::StartProcess { process },
                    _ => Action::RestartProcess { process },
                });
            }
            16 => self.event(),
            17 => {
                let loop_id = Str::fixed(self.one_of(&LOOPS));
                for _ in 0..=self.below(3) {
                    self.act(Action::StepInto { loop_id: loop_id.clone() });
                }
            }
            18 => self.end_one_fault(),
            _ => {
                let document = self.fault();
                self.act(Action::Fault { document });
            }
        }
    }

    fn apply(&mut self, name: &'static str) {
        let (replicas, image) =
            (self.below(6), self.one_of(&["app:1", "app:2", "app:3", "app:1", "app:2", "slow:1", "crash:1", "gone:1", "flaky:1"]));
        // A Deployment keeps its strategy: one that is made Recreate in the middle of a rollout and scaled never ends it, upstream too.
        let strategies = [
            "{type: Recreate}",
            "{rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}",
            "{rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}",
            "{rollingUpdate: {maxSurge: 50%, maxUnavailable: 50%}}",
            "{}",
        ];
        let strategy = strategies[(self.draws.at("strategy", name, 0) % 5) as usize];
        let cpu = self.one_of(&["10m", "100m", "100m", "500m", "1500m", "3"]);
        let probes = self.one_of(&[
            "",
            ", readinessProbe: {exec: {command: [ok]}, periodSeconds: 1}",
            ", readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 3, failureThreshold: 1}",
            ", readinessProbe: {exec: {command: [ok]}}, livenessProbe: {exec: {command: [ok]}, periodSeconds: 5}",
        ]);
        let min_ready = self.one_of(&[0, 0, 3]);
        let history = self.one_of(&[0, 1, 10]);
        let deadline = self.one_of(&[30, 600]);
        let grace = self.one_of(&[0, 2, 30]);
        let text = format!(
            "{HOW}apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  replicas: {replicas}\n  strategy: {strategy}\n  minReadySeconds: {min_ready}\n  revisionHistoryLimit: {history}\n  progressDeadlineSeconds: {deadline}\n  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec:\n      terminationGracePeriodSeconds: {grace}\n      containers: [{{name: {name}, image: '{image}', resources: {{requests: {{cpu: {cpu}}}}}{probes}}}]\n"
        );
        self.act(Action::Apply { text: Str::from(text) });
    }

    fn service(&mut self, app: &'static str) {
        if self.below(4) == 0 {
            return self.kubectl(format!("delete service {app} --wait=false"));
        }
        let text = format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: {app}}}\nspec:\n  selector: {{app: {app}}}\n  ports: [{{port: 80, targetPort: 8080}}]\n"
        );
        self.act(Action::Apply { text: Str::from(text) });
    }

    fn pods(&self) -> Vec<Str> {
        self.world().etcd().list(&PODS, "default").map(|p| p.meta().get("name").to_str()).collect()
    }

    fn a_pod(&mut self) -> Str {
        let pods = self.pods();
        if pods.is_empty() { Str::fixed("none") } else { self.one_of(&pods) }
    }

    fn delete_pod(&mut self) {
        let (pod, force) = (self.a_pod(), self.below(2) == 0);
        self.kubectl(format!("delete pod {pod} --wait=false{}", if force { " --force" } else { "" }));
    }

    fn tend_node(&mut self) {
        let node = self.one_of(&NODES);
        match self.below(6) {
            0 => self.kubectl(format!("cordon {node}")),
            1 => self.kubectl(format!("uncordon {node}")),
            2 => self.kubectl(format!("drain {node} --ignore-daemonsets --force --timeout=10s")),
            3 => self.act(Action::NodeDown { node: Str::fixed(node) }),
            _ => self.act(Action::NodeUp { node: Str::fixed(node) }),
        }
    }

    /// The events that wait on wires.
    pub(super) fn tokens(&self) -> Vec<(WireId, u64)> {
        let mut all = Vec::new();
        for p in self.world().processes() {
            for (resource, wire) in p.wires.iter() {
                all.extend(wire.tokens().map(|t| (WireId { process: p.name.clone(), resource: resource.0.clone() }, t.revision)));
            }
        }
        all
    }

    fn event(&mut self) {
        let all = self.tokens();
        if all.is_empty() {
            return;
        }
        let (wire, event) = self.one_of(&all);
        use EventFault::{Delay, Deliver, Drop, Duplicate, LoseWakeUp};
        let fault = self.one_of(&[Delay, Deliver, Drop, Duplicate, LoseWakeUp]);
        let loop_id = Str::fixed(self.one_of(&LOOPS));
        self.act(Action::Event { wire, event, fault, loop_id });
    }

    fn end_one_fault(&mut self) {
        let all: Vec<u64> = self.world().rules().map(|r| r.id).collect();
        match all.is_empty() {
            true => self.act(Action::EndFaults),
            false => {
                let fault = self.one_of(&all);
                self.act(Action::EndFault { fault });
            }
        }
    }

    /// The document of a fault of any form.
    fn fault(&mut self) -> Value {
        let process = self.one_of(&PROCESSES);
        let of = self.one_of(&LOOPS);
        let kind = self.one_of(&KINDS);
        let node = self.one_of(&NODES);
        let seconds = self.below(5) as i64;
        let about = if self.below(4) == 0 { self.a_set() } else { format!("pods/{}", self.a_pod()) };
        let mut document = match self.below(22) {
            0 => value!({"lostWakeUp": of, "about": about}),
            1 => value!({"lostOnWire": process, "about": about}),
            2 => value!({"delay": process, "about": about, "seconds": seconds}),
            3 => value!({"duplicate": process, "about": about, "seconds": seconds}),
            4 => value!({"next": process, "kind": kind}),
            5 => value!({"next": process, "kind": kind, "seconds": seconds}),
            6 | 7 => value!({"freeze": process, "kind": kind}),
            8 => value!({"resync": process, "kind": kind}),
            9 => value!({"disconnect": process, "kind": kind}),
            10 => value!({"relist": process, "kind": kind}),
            11 => {
                let (code, times) = (self.one_of(&[409_i64, 429, 500]), self.one_of(&[1_i64, 2, 3, 12]));
                value!({"fail": of, "with": code, "times": times})
            }
            12 => value!({"fail": of, "with": "timeout", "seconds": seconds, "times": (self.below(3) as i64 + 1)}),
            13 => value!({"fail": of, "with": "timeout", "committed": true, "seconds": seconds, "times": (self.below(3) as i64 + 1)}),
            14 | 15 => value!({"crash": of, "afterWrite": (self.below(3) as i64 + 1)}),
            16 => value!({"twoLeaders": (self.one_of(&["kube-controller-manager", "kube-controller-manager", "kube-scheduler"]))}),
            17 => value!({"etcd": "slow", "seconds": (Value::Float(0.5))}),
            18 => value!({"etcd": "compact"}),
            19 => value!({"node": node, "is": "cutOff"}),
            20 => value!({"registry": (self.one_of(&["docker.io", "*"])), "is": "down"}),
            _ => value!({"kill": (format!("{}/{}", self.a_pod(), self.one_of(&APPS)))}),
        };
        if self.below(3) == 0 && crate::cluster::Fault::parse(&document).is_ok_and(|f| f.lasts()) {
            document.set("for", self.one_of(&[3_i64, 30, 400]));
        }
        document
    }

    fn a_set(&mut self) -> String {
        let sets: Vec<Str> = self.world().etcd().list(&REPLICA_SETS, "default").map(|r| r.meta().get("name").to_str()).collect();
        if sets.is_empty() { "replicasets.apps/none".to_string() } else { format!("replicasets.apps/{}", self.one_of(&sets)) }
    }
}
