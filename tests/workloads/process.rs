//! A controller manager without a cluster around it: caches, loops and a real API server, stepped by hand.

use loopscope::api::resource::{NAMESPACES, PODS, SERVICE_ACCOUNTS};
use loopscope::api::{Answer, Object, Request, Resource, Status, Subresource, Value, Verb};
use loopscope::apiserver::{self, ApiServer};
use loopscope::client::controller::{Effects, Fact, Progress, Recorded};
use loopscope::client::{Caches, Change, Controller, EventType, Handling, Memory, Queue, Stop, Sync};
use loopscope::controllers::{ALL, Home};
use loopscope::util::{Draws, Time};
use loopscope::value;
use std::rc::Rc;

struct Loop {
    controller: &'static dyn Controller,
    memory: Memory,
    queue: Queue,
}

pub struct Process {
    pub server: ApiServer,
    pub now: Time,
    pub events: Vec<Recorded>,
    /// every request and whether it was refused, and why
    pub log: Vec<(Rc<Request>, Option<Status>)>,
    pub facts: Vec<Fact>,
    caches: Caches,
    loops: Vec<Loop>,
    heard: u64,
    draws: Draws,
}

struct Hands<'a> {
    server: &'a mut ApiServer,
    now: Time,
    memory: &'a mut Memory,
    queue: &'a mut Queue,
    events: &'a mut Vec<Recorded>,
    log: &'a mut Vec<(Rc<Request>, Option<Status>)>,
}

impl Effects for Hands<'_> {
    fn request(&mut self, request: Rc<Request>) -> Option<Result<Answer, Status>> {
        let answer = self.server.handle(&request, self.now);
        if std::env::var("SHOW").is_ok() {
            println!("{:?} {} {} {:?}", request.verb, request.resource, request.name, answer.as_ref().err().map(|e| &e.message));
        }
        self.log.push((request, answer.as_ref().err().cloned()));
        Some(answer)
    }
    fn memory(&mut self) -> &mut Memory {
        self.memory
    }
    fn queue(&mut self) -> &mut Queue {
        self.queue
    }
    fn event(&mut self, event: Recorded) {
        self.events.push(event);
    }
}

impl Process {
    /// With the loops of these names.
    pub fn new(names: &[&str]) -> Process {
        let mut server = ApiServer::new(1);
        let named = |kind: &'static str, namespace: &'static str| {
            Object(value!({"apiVersion": "v1", "kind": kind, "metadata": {"name": "default", "namespace": namespace}}))
        };
        server.handle(&Request::create(&NAMESPACES, named("Namespace", "")), Time(0)).expect("a namespace");
        server.handle(&Request::create(&SERVICE_ACCOUNTS, named("ServiceAccount", "default")), Time(0)).expect("an account");
        let hosted = ALL.iter().filter(|r| r.home == Home::ControllerManager && names.contains(&r.controller.name()));
        let fresh = |r: &loopscope::controllers::Registration| Loop {
            controller: r.controller,
            memory: r.controller.memory(&"".into()),
            queue: Queue::default(),
        };
        let mut p = Process {
            server,
            now: Time(0),
            events: Vec::new(),
            log: Vec::new(),
            facts: Vec::new(),
            caches: Caches::default(),
            loops: hosted.map(fresh).collect(),
            heard: 0,
            draws: Draws::new(1),
        };
        assert_eq!(p.loops.len(), names.len(), "unknown loop among {names:?}");
        for l in &mut p.loops {
            let mut h = Handling { now: p.now, caches: &p.caches, memory: &mut l.memory, queue: &mut l.queue };
            l.controller.started(&mut h);
        }
        p
    }

    pub fn send(&mut self, request: Request) -> Result<Object, Status> {
        self.server.handle(&request, self.now).map(Answer::object)
    }

    pub fn create(&mut self, resource: &Resource, object: Value) -> Object {
        self.send(Request::create(resource, Object(object))).expect("created")
    }

    pub fn get(&self, resource: &Resource, name: &str) -> Object {
        let key = loopscope::api::ObjectKey::new("default", name);
        self.server.etcd.get(resource, &key).cloned().unwrap_or_default()
    }

    pub fn all(&self, resource: &Resource) -> Vec<Object> {
        self.server.etcd.list(resource, "").cloned().collect()
    }

    /// Changes an object's spec as a user would.
    pub fn edit(&mut self, resource: &Resource, name: &str, change: impl FnOnce(&mut Value)) {
        let mut object = self.get(resource, name);
        change(&mut object.0);
        self.send(Request::update(resource, object)).expect("edited");
    }

    /// Delivers one watch event; false if there is none.
    pub fn deliver(&mut self) -> bool {
        let next = self.server.etcd.since(self.heard).expect("not compacted").next().cloned();
        let Some(commit) = next else { return false };
        self.heard = commit.revision;
        let wanted = |l: &Loop| l.controller.watches().contains(&commit.resource) || l.controller.reads().contains(&commit.resource);
        if !self.loops.iter().any(wanted) {
            return true;
        }
        let cache = self.caches.of_mut(&commit.resource);
        let change = if commit.change == apiserver::Change::Deleted {
            cache.take(&commit.key);
            Change { resource: commit.resource.clone(), old: Some(commit.object.clone()), new: None, event: Some(EventType::Deleted) }
        } else {
            let old = cache.put(commit.object.clone());
            let event = if commit.change == apiserver::Change::Added { EventType::Added } else { EventType::Modified };
            Change { resource: commit.resource.clone(), old, new: Some(commit.object.clone()), event: Some(event) }
        };
        for l in self.loops.iter_mut().filter(|l| l.controller.watches().contains(&commit.resource)) {
            let mut h = Handling { now: self.now, caches: &self.caches, memory: &mut l.memory, queue: &mut l.queue };
            l.controller.handle(&mut h, &change);
        }
        true
    }

    /// One sync of the first loop that has a key; false if none has.
    pub fn sync(&mut self) -> bool {
        for i in 0..self.loops.len() {
            let now = self.now;
            self.loops[i].queue.promote(now);
            if let Some((key, _)) = self.loops[i].queue.take() {
                self.run(i, &key);
                return true;
            }
        }
        false
    }

    fn run(&mut self, i: usize, key: &str) {
        let caches = self.caches.clone();
        let l = &mut self.loops[i];
        let before = l.memory.clone();
        let mut hands = Hands {
            server: &mut self.server,
            now: self.now,
            memory: &mut l.memory,
            queue: &mut l.queue,
            events: &mut self.events,
            log: &mut self.log,
        };
        let mut progress = Progress::default();
        let mut sync = Sync::new(self.now, &caches, &before, &self.draws, &mut hands, &mut progress);
        let result = l.controller.sync(&mut sync, key);
        self.facts.append(&mut sync.saw);
        self.facts.append(&mut sync.differs);
        match result {
            Ok(()) => l.queue.forget(key),
            Err(Stop::Failed(_)) => l.queue.add_rate_limited(key, self.now),
            Err(Stop::Halted) => panic!("every answer was given"),
        }
        l.queue.done(key);
    }

    /// Delivers and syncs until nothing is due before `until`.
    pub fn run_until(&mut self, until: Time) {
        for _ in 0..200_000 {
            if self.deliver() || self.sync() {
                continue;
            }
            match self.loops.iter().filter_map(|l| l.queue.next_due()).min() {
                Some(due) if due <= until => self.now = due.max(self.now),
                _ => {
                    self.now = until;
                    return;
                }
            }
        }
        panic!("it never settles");
    }

    /// Runs for so many milliseconds.
    pub fn run_ms(&mut self, ms: u64) {
        self.run_until(self.now.after_ms(ms));
    }

    /// As a kubelet would: every active pod runs and is ready, every deleted one goes.
    pub fn kubelet(&mut self) {
        for pod in self.all(&PODS) {
            let key = pod.key();
            if pod.is_deleting() {
                let mut request = Request::delete(&PODS, key.namespace, key.name);
                request.delete.grace_period_seconds = Some(0);
                self.send(request).expect("gone");
            } else if !pod.condition_is_true("Ready") {
                self.make_ready(&pod);
            }
        }
    }

    pub fn make_ready(&mut self, pod: &Object) {
        let mut pod = pod.clone();
        if pod.spec().get("nodeName").is_null() {
            let key = pod.key();
            let target = value!({"kind": "Node", "name": "n1"});
            let binding = value!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": (key.name.clone()), "namespace": (key.namespace.clone())}, "target": target});
            let request = Request { body: binding, ..Request::new(Verb::Create, &PODS, key.namespace, key.name) };
            self.send(request.on(Subresource::Binding)).expect("bound");
            let key = pod.key();
            pod = self.server.etcd.get(&PODS, &key).cloned().expect("still there");
        }
        let since = self.now.rfc3339();
        let ready = value!([{"type": "Ready", "status": "True", "lastTransitionTime": since}]);
        pod.0.set("status", value!({"phase": "Running", "conditions": ready}));
        self.send(Request::update_status(&PODS, pod).by("kubelet")).expect("status written");
    }

    /// Runs with a kubelet until `ms` have passed.
    pub fn live_ms(&mut self, ms: u64) {
        let end = self.now.after_ms(ms);
        while self.now < end {
            self.run_ms(100);
            self.kubelet();
        }
        self.run_ms(1);
    }

    /// `reason: message` of the Events about objects of a kind.
    pub fn events_of(&self, kind: &str) -> Vec<String> {
        let about = self.events.iter().filter(|e| e.about.kind() == kind);
        about.map(|e| format!("{}: {}", e.reason, e.message)).collect()
    }
}

impl Process {
    /// Delivers watch events until the next is about another kind.
    pub fn deliver_all_of(&mut self, resource: &Resource) {
        while self
            .server
            .etcd
            .since(self.heard)
            .expect("not compacted")
            .next()
            .is_some_and(|c| c.resource == *resource || c.resource != PODS)
        {
            self.deliver();
        }
    }

    /// Puts a key into a loop's queue.
    pub fn wake(&mut self, name: &str, key: &'static str) {
        let l = self.loops.iter_mut().find(|l| l.controller.name() == name).expect("a hosted loop");
        l.queue.add(key);
    }
}
