//! Runs in which nothing is stuck: workloads come, roll out, scale, lose pods and go. Nothing is claimed at any step of them.

use loopscope::api::{Str, Value};
use loopscope::cluster::{Activity, Cluster, UserAction, Verdict};
use loopscope::diagnosis::diagnose;
use loopscope::scenario::format::config_of;
use loopscope::util::Draws;
use loopscope::value;

const RUNS: u64 = 30;
const DEEDS: u64 = 8;

struct Run {
    world: Cluster,
    draws: Draws,
    nth: u64,
    looked: u64,
}

impl Run {
    fn below(&mut self, n: u64) -> u64 {
        self.nth += 1;
        self.draws.at("healthy", "", self.nth) % n
    }

    fn kubectl(&mut self, line: &str, manifest: &str) {
        let words = line.split(' ').map(Str::from).collect();
        let files = vec![(Str::fixed("m.yaml"), Str::from(manifest))];
        self.world.step(Activity::User(UserAction::Kubectl { words, files }));
    }

    /// Lets time pass and looks after every step.
    fn pass(&mut self, seed: u64, ms: u64) {
        let until = self.world.now().after_ms(ms);
        self.look(seed);
        while self.world.advance(until).is_some() {
            self.look(seed);
        }
    }

    fn look(&mut self, seed: u64) {
        self.looked += 1;
        let claimed = diagnose(&self.world);
        assert!(
            claimed.is_empty(),
            "run {seed} at {}: {:#?}",
            self.world.now().since_ms(self.world.epoch()),
            claimed.iter().map(|d| (d.code, d.object.name.clone(), d.proof.line.clone())).collect::<Vec<_>>()
        );
    }

    fn manifest(&mut self, name: &str) -> String {
        let (replicas, tag, delay) = (self.below(5), self.below(4) + 1, self.below(3) * 3);
        let strategy = ["{type: Recreate}", "{rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}", "{}"][self.below(3) as usize];
        let cpu = ["100m", "500m", "900m"][self.below(3) as usize];
        let init = ["", "initContainers: [{name: first, image: 'first:1'}]\n      "][self.below(2) as usize];
        let probe = format!(
            "readinessProbe: {{httpGet: {{path: /, port: 80}}, periodSeconds: 1, initialDelaySeconds: {delay}}}, livenessProbe: {{httpGet: {{path: /, port: 80}}, initialDelaySeconds: 40, periodSeconds: 5}}"
        );
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {{selector: {{app: {name}}}, ports: [{{port: 80, targetPort: http}}]}}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{a: '1'}}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  replicas: {replicas}\n  minReadySeconds: {}\n  strategy: {strategy}\n  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec:\n      terminationGracePeriodSeconds: 10\n      {init}volumes: [{{name: conf, configMap: {{name: {name}}}}}]\n      containers: [{{name: web, image: 'app:{tag}', resources: {{requests: {{cpu: {cpu}}}}}, ports: [{{name: http, containerPort: 80}}], envFrom: [{{configMapRef: {{name: {name}}}}}], {probe}}}]\n",
            self.draws.at("min", name, self.nth) % 3 * 2,
        )
    }

    fn deed(&mut self) {
        let name = ["web", "api"][self.below(2) as usize];
        match self.below(9) {
            0..=2 => {
                let text = self.manifest(name);
                self.kubectl("apply -f m.yaml", &text);
            }
            3 => {
                let n = self.below(6);
                self.kubectl(&format!("scale deployment {name} --replicas={n}"), "");
            }
            4 => {
                let tag = self.below(4) + 1;
                self.kubectl(&format!("set image deployment/{name} web=app:{tag}"), "");
            }
            5 => self.kubectl(&format!("delete pods -l app={name} --wait=false"), ""),
            6 => self.kubectl(&format!("rollout restart deployment/{name}"), ""),
            7 => self.kubectl(&format!("rollout undo deployment/{name}"), ""),
            _ => self.kubectl(&format!("delete deployment,service {name} --wait=false --cascade=foreground"), ""),
        }
    }
}

fn boot(seed: u64, nodes: u64, cpu: &str) -> Cluster {
    let node = |n: u64| value!({"name": (format!("node-{}", n + 1)), "cpu": (Str::from(cpu)), "memory": "8Gi", "pods": 110_i64});
    let images = value!({
        "app:1": {"pullSeconds": 20_i64},
        "app:2": {"readyAfterSeconds": 25_i64, "stopSeconds": 8_i64},
        "app:3": {"pullSeconds": 2_i64, "readyAfterSeconds": 5_i64},
        "app:4": {"startSeconds": 3_i64, "stopSeconds": 2_i64},
        "first:1": {"exitCode": 0_i64, "exitAfterSeconds": 9_i64}
    });
    let cluster = value!({"nodes": ((0..nodes).map(node).collect::<Value>()), "images": images});
    Cluster::boot(&config_of(&cluster, seed, false).expect("a cluster"))
}

#[test]
fn nothing_is_claimed_at_any_step_of_healthy_runs() {
    let mut looked = 0;
    for seed in 0..RUNS {
        let draws = Draws::new(seed ^ 0x6865_616c);
        let nodes = draws.at("nodes", "", seed) % 3 + 1;
        let mut run = Run { world: boot(seed, nodes, "16"), draws, nth: 0, looked: 0 };
        for _ in 0..DEEDS {
            run.deed();
            let ms = run.below(30_000);
            run.pass(seed, ms);
        }
        run.pass(seed, 120_000);
        assert_ne!(run.world.verdict(), Verdict::Stuck(Vec::new()));
        looked += run.looked;
    }
    assert!(looked > RUNS * 500, "only {looked} steps were looked at");
}

/// A full node on which each new pod has to wait for an old one to go.
#[test]
fn nothing_is_claimed_of_a_rollout_that_makes_its_own_room() {
    for seed in 0..3 {
        let mut run = Run { world: boot(seed, 1, "1050m"), draws: Draws::new(seed), nth: 0, looked: 0 };
        let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 4\n  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers: [{name: web, image: 'app:4', resources: {requests: {cpu: 250m}}}]\n";
        run.kubectl("apply -f m.yaml", text);
        run.pass(seed, 60_000);
        run.kubectl("set image deployment/web web=app:1", "");
        run.pass(seed, 200_000);
        assert_eq!(run.world.verdict(), Verdict::Converged);
    }
}
