//! How a ReplicaSet keeps its pods.

use crate::process::Process;
use loopscope::api::resource::{PODS, REPLICA_SETS};
use loopscope::api::{Request, Str, Value, Verb};
use loopscope::value;

fn set(name: &'static str, replicas: i64) -> Value {
    value!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "c", "image": "web:1"}]}}
        }
    })
}

fn process(replicas: i64) -> Process {
    let mut p = Process::new(&["replicaset"]);
    p.create(&REPLICA_SETS, set("web", replicas));
    p
}

#[test]
fn pods_are_made_in_growing_batches_and_counted() {
    let mut p = process(5);
    p.run_ms(1000);
    assert_eq!(p.all(&PODS).len(), 5);
    let pod = &p.all(&PODS)[0];
    assert!(pod.name().starts_with("web-") && pod.name().len() == 9);
    assert_eq!(pod.label("app"), Some("web"));
    assert_eq!(pod.controller_uid(), Some(Str::from(p.get(&REPLICA_SETS, "web").uid())));
    assert_eq!(p.events_of("ReplicaSet").len(), 5);
    let status = p.get(&REPLICA_SETS, "web").status().clone();
    assert_eq!(
        status,
        value!({"replicas": 5_i64, "fullyLabeledReplicas": 5_i64, "terminatingReplicas": 0_i64, "observedGeneration": 1_i64})
    );
    p.kubelet();
    p.run_ms(1000);
    assert_eq!(p.get(&REPLICA_SETS, "web").status().get("availableReplicas").int(), 5);
}

#[test]
fn no_pod_is_made_twice_while_the_cache_is_behind() {
    let mut p = process(3);
    p.deliver_all_of(&REPLICA_SETS);
    assert!(p.sync());
    // The status write wakes the loop again before any pod event was delivered.
    p.wake("replicaset", "default/web");
    assert!(p.sync());
    assert_eq!(p.all(&PODS).len(), 3);
    p.run_ms(1000);
    assert_eq!(p.all(&PODS).len(), 3);
}

#[test]
fn a_deleted_pod_is_replaced_and_a_scale_down_takes_the_unready_first() {
    let mut p = process(3);
    p.run_ms(100);
    let pods = p.all(&PODS);
    p.make_ready(&pods[0]);
    p.make_ready(&pods[2]);
    p.run_ms(100);
    p.edit(&REPLICA_SETS, "web", |rs| rs.set_at(&["spec", "replicas"], 2_i64));
    p.run_ms(100);
    let gone: Vec<String> = p.all(&PODS).iter().filter(|q| q.is_deleting()).map(|q| q.name().to_string()).collect();
    let left = p.all(&PODS).iter().filter(|q| !q.is_deleting()).count();
    assert_eq!(left, 2);
    assert!(gone.is_empty() || gone == [pods[1].name()]);
    assert!(p.all(&PODS).iter().any(|q| q.name() == pods[0].name() && !q.is_deleting()));
    p.send(Request::delete(&PODS, "default", pods[0].name())).unwrap();
    p.live_ms(500);
    assert_eq!(p.all(&PODS).len(), 2);
    assert!(p.all(&PODS).iter().all(|q| q.name() != pods[0].name()));
}

#[test]
fn a_refused_create_ends_the_batch_and_is_told() {
    let mut p = process(4);
    p.create(
        &loopscope::api::resource::RESOURCE_QUOTAS,
        value!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "default"}, "spec": {"hard": {"pods": "1"}}, "status": {"hard": {"pods": "1"}, "used": {"pods": "0"}}}),
    );
    let mut quota = p.get(&loopscope::api::resource::RESOURCE_QUOTAS, "q");
    quota.0.set("status", value!({"hard": {"pods": "1"}, "used": {"pods": "0"}}));
    p.send(Request::update_status(&loopscope::api::resource::RESOURCE_QUOTAS, quota)).unwrap();
    while p.deliver() {}
    assert!(p.sync());
    assert_eq!(p.all(&PODS).len(), 1);
    // 1 was created; of the batch of 2 none; the 4th was not tried.
    let creates = p.log.iter().filter(|(r, _)| r.verb == Verb::Create && r.resource == PODS).count();
    assert_eq!(creates, 3);
    let rs = p.get(&REPLICA_SETS, "web");
    let c = rs.condition("ReplicaFailure").expect("the failure is in the status");
    assert_eq!((c.get("reason").text(), c.get("status").text()), ("FailedCreate", "True"));
    assert!(c.get("message").text().contains("exceeded quota: q"), "{}", c.get("message").text());
    assert!(p.events_of("ReplicaSet").iter().any(|e| e.starts_with("FailedCreate: Error creating: pods \"web-")));
}

#[test]
fn a_ready_pod_counts_as_available_after_its_seconds() {
    let mut p = Process::new(&["replicaset"]);
    let mut rs = set("web", 1);
    rs.set_at(&["spec", "minReadySeconds"], 5_i64);
    p.create(&REPLICA_SETS, rs);
    p.run_ms(100);
    p.kubelet();
    let available = |p: &Process| p.get(&REPLICA_SETS, "web").status().get("availableReplicas").int();
    p.run_ms(3000);
    assert_eq!(available(&p), 0);
    p.run_ms(3000);
    assert_eq!(available(&p), 1);
}

/// Whatever the order of deliveries and syncs, the number is right in the end.
#[test]
fn any_order_of_deliveries_and_syncs_ends_with_the_right_number() {
    let draws = loopscope::util::Draws::new(3);
    for run in 0..30_u64 {
        let mut p = process(4);
        for step in 0..120_u64 {
            match draws.between("step", "x", run * 1000 + step, 0, 9) {
                0..=3 => drop(p.deliver()),
                4..=6 => drop(p.sync()),
                7 => p.kubelet(),
                8 => {
                    if let Some(pod) = p.all(&PODS).first() {
                        p.send(Request::delete(&PODS, "default", pod.name().to_string())).unwrap();
                    }
                }
                _ => {
                    let n = draws.between("scale", "x", run * 1000 + step, 0, 6) as i64;
                    p.edit(&REPLICA_SETS, "web", |rs| rs.set_at(&["spec", "replicas"], n));
                }
            }
        }
        p.live_ms(2000);
        let wanted = p.get(&REPLICA_SETS, "web").spec().get("replicas").int();
        assert_eq!(p.all(&PODS).len() as i64, wanted, "run {run}");
        assert_eq!(p.get(&REPLICA_SETS, "web").status().get("readyReplicas").int(), wanted, "run {run}");
    }
}
