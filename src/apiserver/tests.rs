//! The pipeline as its clients meet it.

use super::*;
use crate::api::resource::{NAMESPACES, PODS, SERVICE_ACCOUNTS};
use crate::api::{Object, PatchType, Propagation};
use crate::value;

const NOW: Time = Time(1_000);

fn server() -> ApiServer {
    let mut s = ApiServer::new(1);
    let namespace = Object(value!({"metadata": {"name": "default"}}));
    s.handle(&Request::create(&NAMESPACES, namespace), NOW).unwrap();
    let account = Object(value!({"metadata": {"name": "default", "namespace": "default"}}));
    s.handle(&Request::create(&SERVICE_ACCOUNTS, account), NOW).unwrap();
    s
}

fn pod(name: &'static str) -> Object {
    Object(value!({"metadata": {"name": name, "namespace": "default"}, "spec": {"containers": [{"name": "a", "image": "a:1"}]}}))
}

fn made(s: &mut ApiServer, name: &'static str) -> Object {
    s.handle(&Request::create(&PODS, pod(name)).by("tester"), NOW).unwrap().object()
}

#[test]
fn a_stale_write_is_refused_with_the_real_text() {
    let mut s = server();
    let first = made(&mut s, "a");
    let mut changed = first.clone();
    changed.0.entry_at(&["metadata", "labels"]).set("x", "1");
    s.handle(&Request::update(&PODS, changed.clone()), NOW).unwrap();
    changed.0.entry_at(&["metadata", "labels"]).set("x", "2");
    let refused = s.handle(&Request::update(&PODS, changed), NOW).unwrap_err();
    assert!(refused.is_conflict());
    assert_eq!(
        refused.message,
        "Operation cannot be fulfilled on pods \"a\": the object has been modified; please apply your changes to the latest version and try again"
    );
}

#[test]
fn a_write_that_changes_nothing_makes_no_revision() {
    let mut s = server();
    let stored = made(&mut s, "a");
    let before = s.etcd.revision();
    s.handle(&Request::update(&PODS, stored).by("tester"), Time(9_000)).unwrap();
    assert_eq!(s.etcd.revision(), before);
}

#[test]
fn a_bound_pod_waits_for_its_kubelet_and_goes_with_grace_zero() {
    let mut s = server();
    made(&mut s, "a");
    let binding = Request { body: value!({"target": {"kind": "Node", "name": "n"}}), ..Request::new(Verb::Create, &PODS, "default", "a") };
    s.handle(&binding.clone().on(Subresource::Binding), NOW).unwrap();
    let again = s.handle(&binding.on(Subresource::Binding), NOW).unwrap_err();
    assert!(again.message.ends_with("pod a is already assigned to node \"n\""), "{}", again.message);
    let going = s.handle(&Request::delete(&PODS, "default", "a"), NOW).unwrap().object();
    assert_eq!((going.is_deleting(), going.meta().get("deletionGracePeriodSeconds").int(), going.generation()), (true, 30, 2));
    let mut now = Request::delete(&PODS, "default", "a");
    now.delete.grace_period_seconds = Some(0);
    s.handle(&now, NOW).unwrap();
    assert!(s.handle(&Request::get(&PODS, "default", "a"), NOW).unwrap_err().is_not_found());
}

#[test]
fn an_evicted_pod_says_so_before_it_goes() {
    let mut s = server();
    made(&mut s, "a");
    let delete = value!({"deleteOptions": {}});
    let evict = Request { body: delete, ..Request::new(Verb::Create, &PODS, "default", "a") };
    s.handle(&Request::patch(PatchType::Merge, &PODS, "default", "a", value!({"metadata": {"finalizers": ["x/y"]}})), NOW).unwrap();
    s.handle(&evict.on(Subresource::Eviction), NOW).unwrap();
    let pod = s.handle(&Request::get(&PODS, "default", "a"), NOW).unwrap().object();
    assert!(pod.is_deleting());
    assert_eq!(pod.condition("DisruptionTarget").unwrap().get("reason").text(), "EvictionByEvictionAPI");
}

#[test]
fn a_patch_cannot_change_the_uid_and_an_update_may_insist_on_it() {
    let mut s = server();
    let mut other = made(&mut s, "a");
    let patch = value!({"metadata": {"uid": "x"}});
    let refused = s.handle(&Request::patch(PatchType::Merge, &PODS, "default", "a", patch), NOW).unwrap_err();
    assert_eq!(refused.message, "Pod \"a\" is invalid: metadata.uid: Invalid value: \"x\": field is immutable");
    other.0.entry_at(&["metadata"]).set("uid", "x");
    assert!(s.handle(&Request::update(&PODS, other), NOW).unwrap_err().is_conflict());
}

#[test]
fn nobody_owns_the_number_of_a_scale_to_nothing() {
    let mut s = server();
    let sets = crate::api::resource::REPLICA_SETS;
    let template = value!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "a:1"}]}});
    let set = value!({"metadata": {"name": "a", "namespace": "default"}, "spec": {
        "replicas": 1_i64, "selector": {"matchLabels": {"a": "b"}}, "template": template}});
    s.handle(&Request::create(&sets, Object(set)).by("maker"), NOW).unwrap();
    for (replicas, owners) in [(2_i64, vec!["scaler"]), (0, vec![])] {
        let scale = value!({"spec": {"replicas": replicas}});
        let request = Request::patch(PatchType::Merge, &sets, "default", "a", scale).on(Subresource::Scale).by("scaler");
        s.handle(&request, NOW).unwrap();
        let stored = s.handle(&Request::get(&sets, "default", "a"), NOW).unwrap().object();
        let entries = stored.meta().get("managedFields").items().to_vec();
        let own = entries.iter().filter(|e| !e.at(&["fieldsV1", "f:spec", "f:replicas"]).is_null());
        assert_eq!(own.map(|e| e.get("manager").text()).collect::<Vec<_>>(), owners, "{replicas}");
    }
}

#[test]
fn finalizers_hold_an_object_until_they_are_gone() {
    let mut s = server();
    let mut delete = Request::delete(&PODS, "default", "a");
    made(&mut s, "a");
    delete.delete.propagation = Some(Propagation::Foreground);
    let held = s.handle(&delete, NOW).unwrap().object();
    assert_eq!(held.meta().get("finalizers").item(0).text(), "foregroundDeletion");
    let patch = value!({"metadata": {"finalizers": null}});
    s.handle(&Request::patch(PatchType::Merge, &PODS, "default", "a", patch), NOW).unwrap();
    assert_eq!(s.etcd.count(&PODS), 0);
}

#[test]
fn a_list_comes_in_pages() {
    let mut s = server();
    for name in ["a", "b", "c"] {
        made(&mut s, name);
    }
    let mut request = Request::list(&PODS, "default");
    request.list.limit = 2;
    let Answer::List(first) = s.handle(&request, NOW).unwrap() else { panic!("a list") };
    assert_eq!((first.items.len(), first.remaining), (2, 1));
    request.list.continue_token = first.continue_token;
    let Answer::List(second) = s.handle(&request, NOW).unwrap() else { panic!("a list") };
    assert_eq!(second.items[0].name(), "c");
}
