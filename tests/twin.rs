//! The edge-triggered twin of the ReplicaSet loop: as good as the real one while every event arrives once, and wrong for ever
//! after one that does not.

use loopscope::api::resource::{PODS, REPLICA_SETS};
use loopscope::api::{Object, Str, Value};
use loopscope::cluster::{About, Activity, Cluster, Fault, UserAction};
use loopscope::scenario::format::config_of;
use loopscope::util::Draws;
use loopscope::value;

/// Runs of the comparison; `LOOPSCOPE_RUNS` asks for more.
const RUNS: u64 = 60;
const MANAGER: &str = "kube-controller-manager";

fn world(seed: u64, edge: bool) -> Cluster {
    let node = |n: u64| value!({"name": (format!("node-{n}")), "cpu": "4", "memory": "8Gi", "pods": 110_i64});
    let images = value!({
        "app:1": {"pullSeconds": 1_i64},
        "app:2": {"readyAfterSeconds": 2_i64, "stopSeconds": 1_i64},
        "app:3": {"pullSeconds": 1_i64, "exitCode": 1_i64, "exitAfterSeconds": 2_i64}
    });
    let cluster = value!({"nodes": ((1..=3).map(node).collect::<Value>()), "images": images, "edgeTriggered": (Value::Bool(edge))});
    Cluster::boot(&config_of(&cluster, seed, false).expect("the cluster can be read"))
}

fn kubectl(line: &str) -> UserAction {
    UserAction::Kubectl { words: line.split(' ').map(Str::from).collect(), files: Vec::new() }
}

fn apply(name: &str, replicas: u64, tag: u64, more: &str) -> UserAction {
    let text = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  replicas: {replicas}\n  {more}\n  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec:\n      containers: [{{name: {name}, image: 'app:{tag}'}}]\n"
    );
    UserAction::Kubectl { words: ["apply", "-f", "m.yaml"].map(Str::fixed).to_vec(), files: vec![(Str::fixed("m.yaml"), Str::from(text))] }
}

/// What a person may do to a cluster whose events all arrive.
fn deed(draws: &Draws, turn: u64, world: &Cluster) -> UserAction {
    let below = |what: &str, n: u64| draws.at(what, "", turn) % n;
    let name = ["web", "api"][below("name", 2) as usize];
    let pods: Vec<String> = world.etcd().list(&PODS, "default").map(|p| p.name().to_string()).collect();
    let some_pod = || pods.get(below("pod", pods.len().max(1) as u64) as usize).cloned().unwrap_or_else(|| "none".to_string());
    match below("deed", 12) {
        0..=2 => apply(
            name,
            below("replicas", 6),
            below("tag", 3) + 1,
            ["minReadySeconds: 0", "minReadySeconds: 2", "strategy: {type: Recreate}"][(draws.at("more", name, 0) % 3) as usize],
        ),
        3 | 4 => kubectl(&format!("scale deployment {name} --replicas={}", below("replicas", 7))),
        5 => kubectl(&format!("set image deployment/{name} {name}=app:{}", below("tag", 3) + 1)),
        6 => kubectl(&format!("delete pod {} --wait=false", some_pod())),
        7 => kubectl(&format!("delete pod {} --wait=false --force", some_pod())),
        8 => kubectl(&format!("label pod {} app={} --overwrite", some_pod(), ["web", "api", "none"][below("label", 3) as usize])),
        9 => kubectl(&format!("rollout restart deployment/{name}")),
        10 => kubectl(&format!("delete deployment {name} --wait=false{}", ["", " --cascade=orphan"][below("cascade", 2) as usize])),
        _ => UserAction::StopProcess(Str::fixed(MANAGER)),
    }
}

/// Plays one history in both worlds, and says where they part.
fn compare(seed: u64) -> Result<(), String> {
    let draws = Draws::new(seed ^ 0x7477_696e);
    let (mut level, mut edge) = (world(seed, false), world(seed, true));
    for turn in 0..25 {
        let deed = deed(&draws, turn, &level);
        let ms = draws.at("wait", "", turn) % 6000;
        for world in [&mut level, &mut edge] {
            world.step(Activity::User(deed.clone()));
            world.run_until(world.now().after_ms(ms));
            if matches!(deed, UserAction::StopProcess(_)) {
                world.step(Activity::User(UserAction::StartProcess(Str::fixed(MANAGER))));
            }
        }
        if level.digest() != edge.digest() || level.records().len() != edge.records().len() {
            return Err(format!("seed {seed}: the worlds part in turn {turn}, after {deed:?}"));
        }
    }
    Ok(())
}

#[test]
fn while_every_event_arrives_once_the_twin_does_what_the_real_loop_does() {
    let runs = std::env::var("LOOPSCOPE_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(RUNS);
    let wrong: Vec<String> = (1..=runs).filter_map(|seed| compare(seed).err()).collect();
    assert!(wrong.is_empty(), "{} of {runs}:\n{}", wrong.len(), wrong.join("\n"));
}

fn live(world: &Cluster) -> usize {
    world.etcd().list(&PODS, "default").filter(|p| !p.is_deleting()).count()
}

fn replicas(world: &Cluster) -> i64 {
    world.etcd().list(&REPLICA_SETS, "default").next().map_or(0, |r| r.status().get("replicas").int())
}

/// Three pods; then one is deleted under a fault, which ends, and much time passes.
fn after(edge: bool, fault: impl Fn(&Object) -> Fault, then: &[UserAction]) -> (usize, i64) {
    let mut world = world(1, edge);
    let run = |world: &mut Cluster, ms: u64| world.run_until(world.now().after_ms(ms));
    world.step(Activity::User(apply("web", 3, 1, "minReadySeconds: 0")));
    run(&mut world, 20_000);
    let pod = world.etcd().list(&PODS, "default").next().expect("three pods run").clone();
    world.step(Activity::User(UserAction::Fault(fault(&pod))));
    world.step(Activity::User(kubectl(&format!("delete pod {} --wait=false", pod.name()))));
    run(&mut world, 60_000);
    world.step(Activity::User(UserAction::ClearFaults));
    for deed in then {
        world.step(Activity::User(deed.clone()));
        run(&mut world, 60_000);
    }
    (live(&world), replicas(&world))
}

#[test]
fn after_a_lost_or_doubled_event_only_the_real_loop_comes_back() {
    let about = |pod: &Object| About { resource: PODS, namespace: Str::default(), name: Str::from(pod.name()) };
    let manager = || Str::fixed(MANAGER);
    let wake_up = |pod: &Object| Fault::LostWakeUp { of: Str::fixed("replicaset"), about: about(pod) };
    let wire = |pod: &Object| Fault::LostOnWire { process: manager(), about: about(pod) };
    let twice = |pod: &Object| Fault::Duplicate { process: manager(), about: about(pod), ms: 1 };
    let nothing = |_: &Object| Fault::Resync { process: manager(), resource: PODS };
    let touch = || vec![kubectl("annotate rs --all touched=yes")];
    let resync = || vec![UserAction::Fault(Fault::Resync { process: manager(), resource: REPLICA_SETS })];
    let relist = || vec![UserAction::Fault(Fault::Relist { process: manager(), resource: PODS })];
    let restart = || vec![UserAction::StopProcess(manager()), UserAction::StartProcess(manager())];
    type Row<'a> = (&'a str, &'a dyn Fn(&Object) -> Fault, Vec<UserAction>, (usize, i64), (usize, i64));
    let table: [Row; 8] = [
        ("every event arrives", &nothing, vec![], (3, 3), (3, 3)),
        ("a lost wake-up, and nothing more", &wake_up, vec![], (2, 3), (2, 3)),
        ("a lost wake-up, then any event", &wake_up, touch(), (3, 3), (2, 3)),
        ("a lost wake-up, then a resync", &wake_up, resync(), (3, 3), (2, 3)),
        ("lost on the wire, then a resync", &wire, resync(), (2, 3), (2, 3)),
        ("lost on the wire, then a re-list", &wire, relist(), (3, 3), (2, 3)),
        ("lost on the wire, then a restart, which lists", &wire, restart(), (3, 3), (3, 3)),
        ("an event twice", &twice, vec![], (3, 3), (4, 3)),
    ];
    for (name, fault, then, level, edge) in table {
        assert_eq!(after(false, fault, &then), level, "{name}: the real loop");
        assert_eq!(after(true, fault, &then), edge, "{name}: the twin");
    }
}
