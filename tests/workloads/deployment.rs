//! How a Deployment rolls out.

use crate::process::Process;
use loopscope::api::resource::{DEPLOYMENTS, PODS, REPLICA_SETS};
use loopscope::api::{Object, Value};
use loopscope::value;

fn deployment(replicas: i64, strategy: Value) -> Value {
    value!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "replicas": replicas, "strategy": strategy,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "web:1"}]}}
        }
    })
}

fn process(replicas: i64, strategy: Value) -> Process {
    let mut p = Process::new(&["deployment", "replicaset"]);
    p.create(&DEPLOYMENTS, deployment(replicas, strategy));
    p
}

fn set_image(p: &mut Process, image: &'static str) {
    p.edit(&DEPLOYMENTS, "web", |d| {
        d.set_at(&["spec", "template", "spec", "containers"], value!([{"name": "c", "image": image}]));
    });
}

fn web(p: &Process) -> Object {
    p.get(&DEPLOYMENTS, "web")
}

fn condition(p: &Process, kind: &str) -> (String, String) {
    let d = web(p);
    let c = d.condition(kind).cloned().unwrap_or_default();
    (c.get("status").text().to_string(), c.get("reason").text().to_string())
}

/// Size of each ReplicaSet by revision.
fn sizes(p: &Process) -> Vec<(String, i64)> {
    let text = |rs: &Object| rs.annotation("deployment.kubernetes.io/revision").unwrap_or("").to_string();
    let mut all: Vec<_> = p.all(&REPLICA_SETS).iter().map(|rs| (text(rs), rs.spec().get("replicas").int())).collect();
    all.sort();
    all
}

#[test]
fn a_new_deployment_writes_what_the_real_one_writes_in_that_order() {
    let mut p = process(2, Value::map());
    p.run_ms(100);
    p.kubelet();
    p.run_ms(100);
    let versions = p.server.etcd.since(0).unwrap().filter(|c| c.resource == DEPLOYMENTS).map(|c| c.object.clone());
    let mut seen: Vec<String> = Vec::new();
    for d in versions {
        let conditions = d.status().get("conditions").items();
        let text: Vec<String> = conditions.iter().map(|c| format!("{}={}", c.get("type").text(), c.get("reason").text())).collect();
        let line = format!("{} {}", d.status().get("observedGeneration").int(), text.join(" "));
        if seen.last() != Some(&line) {
            seen.push(line);
        }
    }
    let expected = [
        "0 ",
        "0 Progressing=NewReplicaSetCreated",
        "1 Progressing=NewReplicaSetCreated Available=MinimumReplicasUnavailable",
        "1 Available=MinimumReplicasUnavailable Progressing=ReplicaSetUpdated",
        "1 Available=MinimumReplicasAvailable Progressing=NewReplicaSetAvailable",
    ];
    assert_eq!(seen, expected);
    let name = p.all(&REPLICA_SETS)[0].name().to_string();
    assert_eq!(p.events_of("Deployment"), [format!("ScalingReplicaSet: Scaled up replica set {name} from 0 to 2")]);
    assert_eq!(web(&p).annotation("deployment.kubernetes.io/revision"), Some("1"));
    let message = format!("ReplicaSet \"{name}\" has successfully progressed.");
    assert_eq!(web(&p).condition("Progressing").unwrap().get("message").text(), message);
}

#[test]
fn a_rolling_update_keeps_within_surge_and_unavailability() {
    let mut p = process(4, value!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1_i64, "maxUnavailable": 1_i64}}));
    p.live_ms(1000);
    set_image(&mut p, "web:2");
    for _ in 0..40 {
        p.run_ms(50);
        let pods = p.all(&PODS);
        let active = pods.iter().filter(|q| !q.is_deleting()).count();
        let ready = pods.iter().filter(|q| !q.is_deleting() && q.condition_is_true("Ready")).count();
        assert!(active <= 5, "{active} pods");
        assert!(ready >= 3, "{ready} ready");
        p.kubelet();
    }
    assert_eq!(sizes(&p), [("1".to_string(), 0), ("2".to_string(), 4)]);
    assert_eq!(condition(&p, "Progressing").1, "NewReplicaSetAvailable");
    set_image(&mut p, "web:1");
    p.live_ms(2000);
    assert_eq!(sizes(&p), [("2".to_string(), 0), ("3".to_string(), 4)]);
    let back = p.all(&REPLICA_SETS).into_iter().find(|rs| rs.spec().get("replicas").int() == 4).unwrap();
    assert_eq!(back.annotation("deployment.kubernetes.io/revision-history"), Some("1"));
}

#[test]
fn recreate_waits_until_the_last_old_pod_is_gone() {
    let mut p = process(2, value!({"type": "Recreate"}));
    p.live_ms(500);
    set_image(&mut p, "web:2");
    p.run_ms(500);
    assert_eq!(p.all(&REPLICA_SETS).len(), 1, "nothing new before the old are gone");
    p.live_ms(1000);
    assert_eq!(sizes(&p), [("1".to_string(), 0), ("2".to_string(), 2)]);
}

#[test]
fn a_paused_deployment_scales_in_proportion_but_does_not_roll_out() {
    let mut p = process(10, value!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 3_i64, "maxUnavailable": 2_i64}}));
    p.live_ms(1000);
    set_image(&mut p, "web:2");
    p.run_ms(200);
    assert_eq!(sizes(&p), [("1".to_string(), 8), ("2".to_string(), 5)]);
    p.edit(&DEPLOYMENTS, "web", |d| {
        d.set_at(&["spec", "paused"], true);
        d.set_at(&["spec", "replicas"], 15_i64);
    });
    p.run_ms(200);
    assert_eq!(sizes(&p), [("1".to_string(), 11), ("2".to_string(), 7)]);
    assert_eq!(condition(&p, "Progressing"), ("Unknown".to_string(), "DeploymentPaused".to_string()));
    p.edit(&DEPLOYMENTS, "web", |d| d.set_at(&["spec", "paused"], false));
    p.live_ms(3000);
    assert_eq!(sizes(&p), [("1".to_string(), 0), ("2".to_string(), 15)]);
}

#[test]
fn no_progress_before_the_deadline_is_a_failure() {
    let mut p = Process::new(&["deployment", "replicaset"]);
    let mut d = deployment(1, Value::map());
    d.set_at(&["spec", "progressDeadlineSeconds"], 10_i64);
    p.create(&DEPLOYMENTS, d);
    p.run_ms(9000);
    assert_eq!(condition(&p, "Progressing").1, "ReplicaSetUpdated");
    p.run_ms(4000);
    assert_eq!(condition(&p, "Progressing"), ("False".to_string(), "ProgressDeadlineExceeded".to_string()));
    p.live_ms(1000);
    assert_eq!(condition(&p, "Progressing").1, "NewReplicaSetAvailable");
}

#[test]
fn old_sets_beyond_the_limit_are_deleted_and_the_template_decides_the_name() {
    let mut p = Process::new(&["deployment", "replicaset"]);
    let mut d = deployment(1, Value::map());
    d.set_at(&["spec", "revisionHistoryLimit"], 1_i64);
    p.create(&DEPLOYMENTS, d);
    p.live_ms(500);
    let first = p.all(&REPLICA_SETS)[0].name().to_string();
    for image in ["web:2", "web:3", "web:4"] {
        set_image(&mut p, image);
        p.live_ms(1000);
    }
    assert_eq!(sizes(&p), [("3".to_string(), 0), ("4".to_string(), 1)]);
    set_image(&mut p, "web:1");
    p.live_ms(1000);
    assert!(p.all(&REPLICA_SETS).iter().any(|rs| rs.name() == first));
}
