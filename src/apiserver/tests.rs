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
