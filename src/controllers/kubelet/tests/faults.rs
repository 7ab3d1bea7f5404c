//! A kubelet that is restarted, refused or not woken, and pods whose end comes early.

use super::{Kubelet, NodeConfig, World, one, set_machine, short};
use crate::api::{ObjectKey, resource};
use crate::client::{Change, Controller, Queue};
use crate::controllers::kubelet::{put_machine, take_machine};
use crate::runtime::Images;
use crate::value;
use std::rc::Rc;

#[test]
fn a_refused_status_or_deletion_is_tried_again() {
    for refusals in 1..=4 {
        let mut w = World::new(value!({}));
        w.pod(one(value!({})));
        w.until(10);
        w.delete(30);
        w.refusals = refusals;
        w.until(30);
        assert_eq!((w.refusals, w.times("gone p").len()), (0, 1), "{refusals} refusals");
    }
}

/// The cache knew before the kubelet did; a list says it again, as an update between equal versions or not at all.
#[test]
fn a_list_brings_what_a_lost_wake_up_did_not() {
    let mut w = World::new(value!({}));
    let list = |w: &mut World| {
        w.heard.clear();
        let cache = w.caches.of(&resource::PODS);
        let mut said: Vec<Change> =
            cache.all().map(|p| Change { resource: resource::PODS, old: Some(p.clone()), new: Some(p.clone()), event: None }).collect();
        let gone = Kubelet.missing(&w.memory, &resource::PODS, cache);
        said.extend(gone.into_iter().map(|p| Change { resource: resource::PODS, old: Some(p), new: None, event: None }));
        w.heard = said;
    };
    w.pod(one(value!({})));
    list(&mut w);
    w.until(10);
    assert_eq!(short(&w.pod_now()), "Running ready web:running#0", "added");
    let before = w.syncs;
    list(&mut w);
    w.until(12);
    assert_eq!(w.syncs, before, "no news");
    w.delete(30);
    list(&mut w);
    w.until(30);
    assert_eq!(w.times("gone p").len(), 1, "deleted");
    let mut w = World::new(value!({}));
    w.pod(one(value!({})));
    w.until(10);
    w.caches.of_mut(&resource::PODS).take(&ObjectKey::new("default", "p"));
    list(&mut w);
    w.until(60);
    assert_eq!(take_machine(&w.memory).sandboxes().count(), 0, "gone");
}

#[test]
fn a_kubelet_that_starts_again_finds_its_containers() {
    let mut w = World::new(value!({"web:1": {"exitCode": 1_i64, "exitAfterSeconds": 30_i64}}));
    w.pod(one(value!({"readinessProbe": {"exec": {}}})));
    w.until(5);
    let machine = take_machine(&w.memory);
    w.memory = Kubelet.memory(&"node-a".into());
    set_machine(&mut w.memory, NodeConfig::new(0, "2", "4Gi", 110), Rc::new(Images::from_value(&value!({}), false).unwrap()));
    put_machine(&mut w.memory, machine);
    w.log.clear();
    w.queue = Queue::default();
    w.queue.add("default/p");
    w.until(20);
    assert_eq!(w.texts(), Vec::<&str>::new(), "nothing changes");
    // It is away while the container exits, and restarts it when it is back.
    w.queue = Queue::default();
    w.until(50);
    w.queue.add("default/p");
    w.until(60);
    assert_eq!(short(&w.pod_now()), "Running ready web:running#1");
    assert_eq!(w.times("Started"), [50_000]);
}

#[test]
fn a_pod_deleted_before_its_containers_exist_fails_with_their_status_unknown() {
    for (name, images, at) in [("volumes", value!({}), 100), ("pull back-off", value!({"web:1": {"pullError": "NotFound"}}), 5_000)] {
        let mut w = World::new(images);
        w.pod(one(value!({})));
        w.until_ms(at);
        w.delete(30);
        w.until(12);
        let texts = w.texts().join("\n");
        assert!(texts.contains("Failed unready web:terminatedContainerStatusUnknown137#0\ngone p"), "{name}: {texts}");
        assert!(!texts.contains("Killing"), "{name}");
    }
}

#[test]
fn what_others_write_into_its_status_is_written_over_but_not_their_own_conditions() {
    let mut w = World::new(value!({}));
    w.pod(one(value!({})));
    w.until(20);
    let before = w.writes;
    let gate = value!({"type": "example.org/gate", "status": "True"});
    w.change(|p| p.map_mut().entry("status".into()).map_mut().entry("conditions".into()).list_mut().push(gate));
    w.until(40);
    assert_eq!(w.writes, before, "a condition of somebody else is no matter of the kubelet");
    w.change(|p| {
        let conditions = p.map_mut().entry("status".into()).map_mut().entry("conditions".into()).list_mut();
        conditions.iter_mut().filter(|c| c.get("type").text() == "Ready").for_each(|c| c.set("status", "False"));
    });
    w.until(51);
    assert_eq!(w.writes, before + 1);
    assert!(w.caches.of(&resource::PODS).get("default", "p").unwrap().condition_is_true("Ready"));
}
