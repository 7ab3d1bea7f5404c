//! Tables that drive the kubelet over a tiny server: a map of objects that takes status patches.

mod faults;
mod probes;

use super::{Kubelet, NodeConfig, set_images, set_machine};
use crate::api::{Answer, Object, ObjectKey, Request, Status, Str, Value, Verb, resource};
use crate::client::controller::{Effects, Progress, Recorded};
use crate::client::{Caches, Change, Controller, Handling, Memory, Queue, Sync};
use crate::runtime::Images;
use crate::util::{Draws, Time};
use crate::value;
use std::rc::Rc;

/// A node, its kubelet and a server.
struct World {
    now: Time,
    caches: Caches,
    memory: Memory,
    queue: Queue,
    draws: Draws,
    revision: u64,
    /// Changes that the kubelet has not heard of.
    heard: Vec<Change>,
    /// What happened: events (`reason message`) and states of pods.
    log: Vec<(Time, String)>,
    writes: usize,
    syncs: usize,
    /// Requests that are refused from now on.
    refusals: usize,
}

struct Server<'a> {
    now: Time,
    caches: &'a mut Caches,
    memory: &'a mut Memory,
    queue: &'a mut Queue,
    revision: &'a mut u64,
    heard: &'a mut Vec<Change>,
    log: &'a mut Vec<(Time, String)>,
    writes: &'a mut usize,
    refusals: &'a mut usize,
}

fn merge(old: &mut Value, patch: &Value) {
    for (key, v) in patch.entries() {
        if key.starts_with("$setElementOrder/") {
            continue;
        }
        let list = ["conditions", "podIPs", "hostIPs"].iter().find(|l| key == *l);
        match (list, v) {
            (_, Value::Null) => {
                old.remove(key);
            }
            (Some(_), Value::List(items)) => {
                let here = old.map_mut().entry(key.clone()).list_mut();
                for item in items.iter() {
                    let by = if key == "conditions" { "type" } else { "ip" };
                    match here.iter_mut().find(|h| h.get(by) == item.get(by)) {
                        Some(h) => merge(h, item),
                        None => here.push(item.clone()),
                    }
                }
            }
            (_, Value::Map(_)) if !old.get(key).is_null() => merge(old.map_mut().entry(key.clone()), v),
            _ => old.set(key.clone(), v),
        }
    }
}

/// A pod's state in short: phase, readiness, containers, IP.
fn short(pod: &Object) -> String {
    let s = pod.status();
    let one = |c: &Value| {
        let (state, v) = c.get("state").entries().first().cloned().unwrap_or_default();
        let code = v.get("exitCode").as_int().map(|n| n.to_string()).unwrap_or_default();
        format!("{}:{state}{}{code}#{}", c.get("name").text(), v.get("reason").text(), c.get("restartCount").int())
    };
    let all = ["initContainerStatuses", "containerStatuses"].iter().flat_map(|l| s.get(l).items()).map(one);
    let ready = if pod.condition_is_true("Ready") { "ready" } else { "unready" };
    format!("{} {ready} {}", s.get("phase").text(), all.collect::<Vec<_>>().join(" "))
}

impl Effects for Server<'_> {
    fn request(&mut self, request: Rc<Request>) -> Option<Result<Answer, Status>> {
        *self.writes += 1;
        if *self.refusals > 0 {
            *self.refusals -= 1;
            return Some(Err(Status::conflict("pods", &request.name)));
        }
        if request.resource != resource::PODS {
            return Some(Ok(Answer::Object(Object(request.body.clone()))));
        }
        let key = ObjectKey::new(request.namespace.clone(), request.name.clone());
        let cache = self.caches.of_mut(&resource::PODS);
        let Some(old) = cache.by_key(&key).cloned() else { return Some(Err(Status::not_found("pods", &request.name))) };
        let mut new = old.clone();
        if request.verb == Verb::Delete {
            cache.take(&key);
            self.log.push((self.now, format!("gone {}", request.name)));
            self.heard.push(Change { resource: resource::PODS, old: Some(old), new: None, event: None });
            return Some(Ok(Answer::Object(new)));
        }
        merge(&mut new.0, &request.body);
        *self.revision += 1;
        new.0.set_at(&["metadata", "resourceVersion"], self.revision.to_string());
        cache.put(new.clone());
        self.log.push((self.now, short(&new)));
        self.heard.push(Change { resource: resource::PODS, old: Some(old), new: Some(new.clone()), event: None });
        Some(Ok(Answer::Object(new)))
    }
    fn memory(&mut self) -> &mut Memory {
        self.memory
    }
    fn queue(&mut self) -> &mut Queue {
        self.queue
    }
    fn event(&mut self, e: Recorded) {
        self.log.push((self.now, format!("{} {}", e.reason, e.message)));
    }
}

impl World {
    fn new(images: Value) -> World {
        let mut memory = Kubelet.memory(&"node-a".into());
        set_machine(&mut memory, NodeConfig::new(0, "2", "4Gi", 110), Rc::new(Images::from_value(&images, false).unwrap()));
        let (caches, queue, draws) = (Caches::default(), Queue::default(), Draws::new(7));
        World {
            now: Time(0),
            caches,
            memory,
            queue,
            draws,
            revision: 0,
            heard: Vec::new(),
            log: Vec::new(),
            writes: 0,
            syncs: 0,
            refusals: 0,
        }
    }

    fn put(&mut self, object: Object) {
        self.revision += 1;
        let mut object = object;
        object.0.set_at(&["metadata", "resourceVersion"], self.revision.to_string());
        let kind = match object.kind() {
            "ConfigMap" => resource::CONFIG_MAPS,
            _ => resource::PODS,
        };
        let old = self.caches.of_mut(&kind).put(object.clone());
        self.heard.push(Change { resource: kind, old, new: Some(object), event: None });
    }

    /// Creates a pod `p` that is bound to the node.
    fn pod(&mut self, spec: Value) {
        let mut spec = spec;
        spec.set("nodeName", "node-a");
        self.put(Object(value!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "p", "namespace": "default", "uid": "u-p", "generation": 1_i64},
            "spec": spec, "status": {"phase": "Pending", "qosClass": "BestEffort"}})));
    }

    fn change(&mut self, change: impl FnOnce(&mut Value)) {
        let mut pod = self.caches.of(&resource::PODS).get("default", "p").cloned().unwrap();
        change(&mut pod.0);
        self.put(pod);
    }

    fn delete(&mut self, grace: i64) {
        self.change(|p| {
            p.set_at(&["metadata", "deletionTimestamp"], "2026-01-01T00:00:40Z");
            p.set_at(&["metadata", "deletionGracePeriodSeconds"], grace);
            p.set_at(&["metadata", "generation"], 2_i64);
        });
    }

    fn hear(&mut self) {
        for change in std::mem::take(&mut self.heard) {
            let mut h = Handling { now: self.now, caches: &self.caches, memory: &mut self.memory, queue: &mut self.queue };
            Kubelet.handle(&mut h, &change);
        }
    }

    fn until(&mut self, seconds: u64) {
        self.until_ms(seconds * 1000);
    }

    fn until_ms(&mut self, end: u64) {
        self.hear();
        let end = Time(end);
        loop {
            self.queue.promote(self.now);
            while let Some((key, _)) = self.queue.take() {
                self.sync(&key);
                self.queue.done(&key);
                self.hear();
            }
            match self.queue.next_due().filter(|t| *t <= end) {
                Some(t) => self.now = t.max(self.now),
                None => break,
            }
        }
        self.now = end;
    }

    fn sync(&mut self, key: &Str) {
        self.syncs += 1;
        let (caches, memory) = (self.caches.clone(), self.memory.clone());
        let mut server = Server {
            now: self.now,
            caches: &mut self.caches,
            memory: &mut self.memory,
            queue: &mut self.queue,
            revision: &mut self.revision,
            heard: &mut self.heard,
            log: &mut self.log,
            writes: &mut self.writes,
            refusals: &mut self.refusals,
        };
        let mut progress = Progress::default();
        let mut sync = Sync::new(self.now, &caches, &memory, &self.draws, &mut server, &mut progress);
        match Kubelet.sync(&mut sync, key) {
            Ok(()) => self.queue.forget(key),
            Err(_) => self.queue.add_rate_limited(key.clone(), self.now),
        }
    }

    /// The instants (ms) at which something whose text begins so happened.
    fn times(&self, text: &str) -> Vec<u64> {
        self.log.iter().filter(|(_, t)| t.starts_with(text)).map(|(t, _)| t.0).collect()
    }

    fn texts(&self) -> Vec<&str> {
        self.log.iter().map(|(_, t)| t.as_str()).collect()
    }

    fn pod_now(&self) -> Object {
        self.caches.of(&resource::PODS).get("default", "p").cloned().unwrap_or_default()
    }
}

fn one(container: Value) -> Value {
    let mut c = value!({"name": "web", "image": "web:1"});
    merge(&mut c, &container);
    value!({"containers": [c], "restartPolicy": "Always", "volumes": [{"name": "kube-api-access-x"}]})
}

#[test]
fn a_pod_is_pulled_created_started_and_ready_in_the_recorded_order() {
    let mut w = World::new(value!({"web:1": {"pullSeconds": 1_i64}}));
    w.pod(one(value!({})));
    w.until(5);
    let expected = [
        "Pending unready web:waitingContainerCreating#0",
        "Pulling Pulling image \"web:1\"",
        "Pending unready web:waitingContainerCreating#0",
        "Pulled Successfully pulled image \"web:1\" in 1.0",
        "Created Container created",
        "Started Container started",
        "Running ready web:running#0",
    ];
    let texts = w.texts();
    assert_eq!(texts.len(), expected.len(), "{texts:#?}");
    for (text, start) in texts.iter().zip(expected) {
        assert!(text.starts_with(start), "{text} / {start}");
    }
    let took = w.times("Running ready")[0];
    assert!((1300..1400).contains(&took), "{took}");
    let pod = w.pod_now();
    assert_eq!(pod.status().get("podIP").text(), "10.244.0.2");
    assert_eq!(pod.condition("PodReadyToStartContainers").unwrap().get("status").text(), "True");
    let before = w.syncs;
    w.until(3600);
    assert_eq!(w.syncs, before, "a pod that does nothing costs nothing");
}

#[test]
fn a_crashing_container_restarts_at_once_and_then_after_growing_waits() {
    let mut w = World::new(value!({"web:1": {"exitCode": 1_i64, "exitAfterSeconds": 2_i64}}));
    w.pod(one(value!({})));
    w.until(400);
    let starts = w.times("Started");
    let bounds = [(2_000, 3_300), (12_000, 17_500), (22_000, 33_500), (42_000, 64_000), (82_000, 130_000)];
    for (i, (low, high)) in bounds.iter().enumerate() {
        let gap = starts[i + 1] - starts[i];
        assert!((*low..*high).contains(&gap), "restart {}: {gap}", i + 1);
    }
    assert!(w.texts().contains(&"Running unready web:waitingCrashLoopBackOff#4"));
    let pod = w.pod_now();
    let status = pod.status().get("containerStatuses").item(0).clone();
    assert_eq!(status.at(&["lastState", "terminated", "exitCode"]).int(), 1);
}

#[test]
fn readiness_follows_the_image() {
    let mut w = World::new(value!({"web:1": {"readyAfterSeconds": 5_i64}}));
    w.pod(one(value!({"readinessProbe": {"exec": {}, "periodSeconds": 1_i64, "failureThreshold": 2_i64}})));
    w.until(10);
    let ready = w.times("Running ready")[0];
    assert!((5_300..6_500).contains(&ready), "{ready}");
    assert!(w.times("Unhealthy Readiness probe failed: not ready\n").len() >= 5);
    let (before, syncs) = (w.log.len(), w.syncs);
    w.until(60);
    assert_eq!((w.log.len(), w.syncs), (before, syncs));
    let images = Rc::new(Images::from_value(&value!({"web:1": {"readyAfterSeconds": 999_i64}}), false).unwrap());
    let keys = set_images(&mut w.memory, images, w.now);
    for key in keys {
        w.queue.add(key);
    }
    w.until(70);
    let unready = w.times("Running unready").into_iter().find(|t| *t > 60_000).unwrap();
    assert!((61_000..62_100).contains(&unready), "{unready}");
}

#[test]
fn a_liveness_failure_restarts_the_container() {
    let mut w = World::new(value!({"web:1": {"livenessFailsAfterSeconds": 15_i64, "stopSeconds": 1_i64}}));
    w.pod(one(value!({"livenessProbe": {"exec": {}, "periodSeconds": 3_i64, "failureThreshold": 2_i64}})));
    w.until(45);
    let killed = w.times("Killing Container web failed liveness probe, will be restarted");
    assert_eq!(killed.len(), 2, "{:?}", w.log);
    assert!((18_000..23_000).contains(&killed[0]));
    assert!(w.times("Running ready web:running#1")[0] - killed[0] < 1_200);
}

#[test]
fn a_deleted_pod_ends_gracefully_and_leaves_the_api_last() {
    for (name, stop, grace, code, least, most) in
        [("at once", 0_i64, 30_i64, 0_i64, 0, 1_200), ("slow", 4, 30, 0, 4_000, 5_300), ("killed", 60, 3, 137, 3_000, 4_300)]
    {
        let mut w = World::new(value!({"web:1": {"stopSeconds": stop}}));
        w.pod(one(value!({})));
        w.until(10);
        w.delete(grace);
        w.until(30);
        let texts = w.texts().join("\n");
        let phase = if code == 0 {
            format!("Succeeded unready web:terminatedCompleted{code}")
        } else {
            format!("Failed unready web:terminatedError{code}")
        };
        assert!(texts.contains(&phase) && texts.contains("Killing Stopping container web"), "{name}: {texts}");
        let gone = w.times("gone p")[0] - 10_000;
        assert!((least..=most).contains(&gone), "{name}: {gone}");
        assert_eq!(super::take_machine(&w.memory).sandboxes().count(), 0, "{name}");
    }
}

#[test]
fn a_pod_waits_for_a_configmap_and_then_starts() {
    let mut w = World::new(value!({}));
    let mut spec = one(value!({}));
    spec.set("volumes", value!([{"name": "conf", "configMap": {"name": "settings"}}]));
    w.pod(spec);
    w.until(6);
    let failed = "FailedMount MountVolume.SetUp failed for volume \"conf\" : configmap \"settings\" not found";
    assert_eq!(w.times(failed).len(), 4);
    w.put(Object(value!({"kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "default"}, "data": {"a": "1"}})));
    w.until(10);
    assert_eq!(short(&w.pod_now()), "Running ready web:running#0");
}

#[test]
fn a_pull_that_fails_is_tried_again_after_growing_waits() {
    let mut w = World::new(value!({"web:1": {"pullError": "NotFound"}}));
    w.pod(one(value!({})));
    w.until(60);
    let pulls = w.times("Pulling");
    assert!((10_000..17_000).contains(&(pulls[1] - pulls[0])) && (20_000..32_000).contains(&(pulls[2] - pulls[1])), "{pulls:?}");
    let texts = w.texts().join("\n");
    assert!(texts.contains("web:waitingErrImagePull#0") && texts.contains("web:waitingImagePullBackOff#0"));
    assert!(texts.contains("BackOff Back-off pulling image \"web:1\"\nFailed Error: ImagePullBackOff"));
}

#[test]
fn init_containers_run_in_order_and_sidecars_stay() {
    let mut w = World::new(value!({"init:1": {"exitCode": 0_i64, "exitAfterSeconds": 1_i64}}));
    let mut spec = one(value!({}));
    spec.set("initContainers", value!([{"name": "a", "image": "init:1"}, {"name": "s", "image": "side:1", "restartPolicy": "Always"}]));
    w.pod(spec);
    w.until(1);
    assert_eq!(short(&w.pod_now()), "Pending unready a:running#0 s:waitingPodInitializing#0 web:waitingPodInitializing#0");
    w.until(10);
    assert_eq!(short(&w.pod_now()), "Running ready a:terminatedCompleted0#0 s:running#0 web:running#0");
}

#[test]
fn a_pod_that_is_not_restarted_finishes() {
    for (policy, code, phase) in [("Never", 0_i64, "Succeeded"), ("Never", 3, "Failed"), ("OnFailure", 0, "Succeeded")] {
        let mut w = World::new(value!({"web:1": {"exitCode": code, "exitAfterSeconds": 1_i64}}));
        let mut spec = one(value!({}));
        spec.set("restartPolicy", policy);
        w.pod(spec);
        w.until(10);
        assert_eq!(w.pod_now().status().get("phase").text(), phase, "{policy} {code}");
        let texts = w.texts();
        assert!(texts.iter().any(|t| t.starts_with("Running unready web:terminated")), "{policy}: {texts:#?}");
    }
}

#[test]
fn a_missing_environment_is_named() {
    let mut w = World::new(value!({}));
    w.pod(one(value!({"envFrom": [{"configMapRef": {"name": "settings"}}]})));
    w.until(3);
    assert!(short(&w.pod_now()).contains("web:waitingCreateContainerConfigError#0"), "{:#?}", w.log);
    assert_eq!(w.times("Failed Error: configmap \"settings\" not found").len(), 2);
}

#[test]
fn in_lenient_mode_any_manifest_gets_somewhere_and_in_strict_mode_probes_want_declared_ports() {
    for (lenient, policy, expected) in [
        (true, "Always", "Running ready i:terminatedCompleted0#0 web:running#0"),
        (true, "OnFailure", "Succeeded unready i:terminatedCompleted0#0 web:terminatedCompleted0#0"),
        (false, "Always", "Pending unready i:running#0 web:waitingPodInitializing#0"),
    ] {
        let mut w = World::new(value!({}));
        let images = Images::from_value(&Value::map(), lenient).unwrap();
        set_images(&mut w.memory, Rc::new(images), w.now);
        let mut spec = one(value!({"readinessProbe": {"httpGet": {"port": 8080_i64}, "periodSeconds": 1_i64}}));
        spec.set("restartPolicy", policy);
        spec.set("initContainers", value!([{"name": "i", "image": "i:1"}]));
        w.pod(spec);
        w.until(15);
        assert_eq!(short(&w.pod_now()), expected, "{lenient} {policy}");
    }
    for (ports, ready) in [(value!([]), false), (value!([{"containerPort": 8080_i64}]), true)] {
        let mut w = World::new(value!({}));
        let mut spec = one(value!({"readinessProbe": {"httpGet": {"port": 8080_i64, "path": "/ok"}, "periodSeconds": 1_i64}}));
        spec.entry_at(&["containers"]).list_mut()[0].set("ports", ports);
        w.pod(spec);
        w.until(5);
        assert_eq!(w.pod_now().condition_is_true("Ready"), ready);
        let refused =
            "Unhealthy Readiness probe failed: Get \"http://10.244.0.2:8080/ok\": dial tcp 10.244.0.2:8080: connect: connection refused";
        assert_eq!(w.times(refused).is_empty(), ready);
    }
}
