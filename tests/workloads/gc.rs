//! What goes when its owner goes.

use crate::process::Process;
use loopscope::api::resource::{DEPLOYMENTS, PODS, REPLICA_SETS};
use loopscope::api::{Propagation, Request};
use loopscope::value;

fn process() -> Process {
    let mut p = Process::new(&["deployment", "replicaset", "garbage-collector"]);
    p.create(
        &DEPLOYMENTS,
        value!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {
                "replicas": 3_i64,
                "selector": {"matchLabels": {"app": "web"}},
                "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "web:1"}]}}
            }
        }),
    );
    p.live_ms(1000);
    p
}

fn delete(p: &mut Process, policy: Propagation) {
    let mut request = Request::delete(&DEPLOYMENTS, "default", "web");
    request.delete.propagation = Some(policy);
    p.send(request).unwrap();
}

fn left(p: &Process) -> (usize, usize, usize) {
    (p.all(&DEPLOYMENTS).len(), p.all(&REPLICA_SETS).len(), p.all(&PODS).len())
}

#[test]
fn in_the_background_owners_go_first() {
    let mut p = process();
    delete(&mut p, Propagation::Background);
    assert_eq!(left(&p), (0, 1, 3));
    p.run_ms(100);
    assert_eq!(left(&p), (0, 0, 3));
    assert!(p.all(&PODS).iter().all(loopscope::api::Object::is_deleting));
    p.live_ms(1000);
    assert_eq!(left(&p), (0, 0, 0));
}

#[test]
fn in_the_foreground_owners_wait_for_what_they_own() {
    let mut p = process();
    delete(&mut p, Propagation::Foreground);
    p.run_ms(500);
    assert_eq!(left(&p), (1, 1, 3));
    assert!(p.all(&REPLICA_SETS)[0].is_deleting());
    assert!(p.all(&PODS).iter().all(loopscope::api::Object::is_deleting));
    p.live_ms(1000);
    assert_eq!(left(&p), (0, 0, 0));
}

#[test]
fn orphans_stay_and_are_adopted_by_whom_they_match() {
    let mut p = process();
    let set = p.all(&REPLICA_SETS)[0].clone();
    let mut request = Request::delete(&REPLICA_SETS, "default", set.name().to_string());
    request.delete.propagation = Some(Propagation::Orphan);
    p.send(request).unwrap();
    p.live_ms(1000);
    // The Deployment makes the set anew, and that adopts the pods.
    assert_eq!(left(&p), (1, 1, 3));
    let again = p.all(&REPLICA_SETS)[0].clone();
    assert_ne!(again.uid(), set.uid());
    assert!(p.all(&PODS).iter().all(|q| q.controller_uid().is_some_and(|u| u == *again.uid())));
}
