//! Whatever was done to the world and in whatever order things happened: once the faults have ended, it settles, every
//! Deployment has the pods that it wants, no pod is leaked, and every cache says what etcd says. `loopscope random` does more.

use loopscope::api::Str;
use loopscope::api::resource::{NODES, PODS};
use loopscope::cluster::{Activity, Cluster, UserAction, Verdict};
use loopscope::scenario::format::config_of;
use loopscope::session::random;
use loopscope::value;

const RUNS: u64 = 100;

#[test]
fn every_random_run_converges_once_its_faults_have_ended() {
    let mut wrong = Vec::new();
    let mut acted = 0;
    for seed in 1..=RUNS {
        let outcome = random::judge(seed);
        acted += outcome.acted;
        if let Some(link) = outcome.link {
            wrong.push(format!("seed {seed}: {}\n#{link}", outcome.problems.join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(acted > RUNS, "the faults of the runs do something");
}

/// Nothing changes for a while, but something will: the world has not settled.
#[test]
fn a_world_that_only_waits_has_not_settled() {
    let kubectl = |line: &str| UserAction::Kubectl { words: line.split(' ').map(Str::from).collect(), files: Vec::new() };
    let run = || kubectl("run p --image=app:1");
    let pods = |w: &Cluster| w.etcd().list(&PODS, "").count();
    let silent = |w: &Cluster| w.etcd().list(&NODES, "").any(|n| n.condition("Ready").is_some_and(|c| c.get("status").text() == "Unknown"));
    let stop_kubelet = || UserAction::StopProcess(Str::fixed("kubelet:node-1"));
    type Seen<'a> = &'a dyn Fn(&Cluster) -> bool;
    let table: [(&str, Vec<UserAction>, Verdict, Seen); 4] = [
        ("a long pull", vec![run()], Verdict::Converged, &|w| pods(w) == 1),
        ("a long end", vec![run(), kubectl("delete pod p --wait=false")], Verdict::Converged, &|w| pods(w) == 0),
        ("a node that is silent", vec![stop_kubelet()], Verdict::Converged, &silent),
        ("a pod that its silent node keeps", vec![run(), stop_kubelet()], Verdict::Stuck(vec![Str::fixed("pod/p")]), &|w| {
            w.etcd().list(&PODS, "").all(|p| p.is_deleting())
        }),
    ];
    for (name, deeds, expected, seen) in table {
        let cluster = value!({
            "nodes": [{"name": "node-1", "cpu": "4", "memory": "8Gi", "pods": 110_i64}],
            "images": {"app:1": {"pullSeconds": 60_i64, "stopSeconds": 25_i64}}
        });
        let mut world = Cluster::boot(&config_of(&cluster, 1, false).expect("the cluster can be read"));
        let mut verdict = Verdict::Moving;
        for deed in deeds {
            world.step(Activity::User(deed));
            verdict = world.run_until_settled(world.now().after_ms(30 * 60 * 1000));
        }
        assert_eq!(verdict, expected, "{name}");
        assert!(seen(&world), "{name}");
    }
}

/// What no loop acts on is not done, and is named; what asks for nothing is.
#[test]
fn a_kind_without_a_loop_leaves_the_world_stuck_where_it_wants_something() {
    let set = |replicas: i64| {
        format!(
            "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: db}}\nspec: {{replicas: {replicas}, selector: {{matchLabels: {{a: b}}}}, \
             template: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{{name: c, image: db}}]}}}}}}\n"
        )
    };
    let job = |rest: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: once}}\nspec: {{{rest}template: {{spec: {{restartPolicy: Never, containers: \
             [{{name: c, image: db}}]}}}}}}\n"
        )
    };
    let stuck = |name: &'static str| Verdict::Stuck(vec![Str::fixed(name)]);
    let table = [
        ("a StatefulSet", set(2), stuck("statefulset/db")),
        ("a StatefulSet of nothing", set(0), Verdict::Converged),
        ("a Job", job(""), stuck("job/once")),
        ("a suspended Job", job("suspend: true, "), Verdict::Converged),
    ];
    for (name, manifest, expected) in table {
        let cluster = value!({"nodes": [{"name": "node-1", "cpu": "4", "memory": "8Gi", "pods": 110_i64}]});
        let mut world = Cluster::boot(&config_of(&cluster, 1, false).expect("the cluster can be read"));
        let words = ["apply", "-f", "f.yaml"].map(Str::fixed).to_vec();
        world.step(Activity::User(UserAction::Kubectl { words, files: vec![(Str::fixed("f.yaml"), Str::from(manifest))] }));
        let until = world.now().after_ms(15 * 60 * 1000);
        assert_eq!(world.run_until_settled(until), expected, "{name}");
        let codes: Vec<&str> = loopscope::diagnosis::diagnose(&world).iter().map(|d| d.code).collect();
        let told: &[&str] = if expected == Verdict::Converged { &[] } else { &["no-controller"] };
        assert_eq!(codes, told, "{name}");
    }
}
