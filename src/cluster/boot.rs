//! The start of a world: what a freshly installed cluster holds before its first user comes.

use super::agenda::Agenda;
use super::process::{Limiter, Loop, Process, Wire};
use super::{Cluster, ProcessId};
use crate::api::quantity::Quantity;
use crate::api::resource::{ENDPOINT_SLICES, NAMESPACES, NODES, PODS, PRIORITY_CLASSES, SERVICES};
use crate::api::{Object, Request, Resource, Str, Value};
use crate::apiserver::{ApiServer, Filter};
use crate::client::recorder::Recorder;
use crate::client::{Caches, Queue};
use crate::controllers::{ALL, Home, Registration, TWINS, kubelet};
use crate::runtime::{Images, Machine};
use crate::util::Tree;
use crate::util::{Draws, Order, Time};
use crate::value;
use rpds::Vector;
use std::rc::Rc;

/// The world is ready for its first user this long after its start.
const READY_MS: u64 = 12_000;
/// A reflector's first list takes this long.
const FIRST_LIST_MS: (u64, u64) = (20, 60);
/// A process needs this long from its start to its first list.
pub(super) const START_UP_MS: (u64, u64) = (600, 1_000);

/// What a world is made of.
#[derive(Clone, Default)]
pub struct Config {
    pub seed: u64,
    pub nodes: Vec<Node>,
    pub images: Images,
    /// Loops that have an edge-triggered twin are replaced by it: for comparison, no such loop exists upstream.
    pub edge_triggered: bool,
}

/// A node, as a scenario's `cluster.nodes` describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub name: Str,
    pub cpu: Str,
    pub memory: Str,
    pub pods: i64,
    pub labels: Value,
    /// As in a Node's spec.
    pub taints: Value,
}

impl Node {
    /// Reads name, cpu, memory, pods, labels and taints (`key=value:Effect`).
    ///
    /// # Errors
    /// What cannot be read.
    pub fn parse(v: &Value) -> Result<Node, String> {
        let name = v.get("name").to_str();
        if name.is_empty() {
            return Err("a node wants a name".to_string());
        }
        let quantity = |key: &str, default: &'static str| match v.get(key) {
            Value::Null => Ok(Str::fixed(default)),
            Value::Int(n) => Ok(Str::from(n.to_string())),
            Value::Str(s) => Quantity::parse(s).map(|_| s.clone()).map_err(|e| format!("node {name}: {key}: {e}")),
            other => Err(format!("node {name}: {key} is no quantity: {other:?}")),
        };
        let (cpu, memory) = (quantity("cpu", "2")?, quantity("memory", "4Gi")?);
        let pods = quantity("pods", "110")?.parse().map_err(|_| format!("node {name}: pods is no number"))?;
        let taints = v.get("taints").items().iter().map(|t| taint(t).ok_or_else(|| format!("node {name}: a taint is key=value:Effect")));
        let labels = if v.get("labels").is_null() { Value::map() } else { v.get("labels").clone() };
        Ok(Node { cpu, memory, pods, labels, taints: taints.collect::<Result<Vec<_>, _>>()?.into(), name })
    }

    fn kubelet_config(&self, number: u32) -> kubelet::NodeConfig {
        let mut config = kubelet::NodeConfig::new(number, self.cpu.clone(), self.memory.clone(), self.pods);
        config.labels = self.labels.clone();
        config.taints = self.taints.clone();
        config
    }
}

fn taint(v: &Value) -> Option<Value> {
    let (key, effect) = v.as_str()?.rsplit_once(':')?;
    let (key, value) = key.split_once('=').unwrap_or((key, ""));
    let mut taint = value!({"key": (Str::from(key)), "effect": (Str::from(effect))});
    if !value.is_empty() {
        taint.set("value", Value::str(value));
    }
    Some(taint)
}

/// A machine with its kubelet's settings, which outlive the kubelet.
#[derive(Clone)]
pub(super) struct Hardware {
    pub config: kubelet::NodeConfig,
    pub machine: Machine,
}

impl Cluster {
    /// A world in which all processes run and all nodes are ready.
    pub fn boot(config: &Config) -> Cluster {
        let mut world = Cluster::empty(config);
        world.install();
        world.spawn("kube-controller-manager", Home::ControllerManager, None);
        world.spawn("kube-scheduler", Home::Scheduler, None);
        for node in &config.nodes {
            world.add_node(node.clone());
        }
        world.dispatch(0);
        world.run_until(Time(READY_MS));
        world.epoch = world.now;
        world.settling.touch(world.now);
        world
    }

    fn empty(config: &Config) -> Cluster {
        Cluster {
            now: Time(0),
            epoch: Time(0),
            server: ApiServer::new(config.seed),
            draws: Draws::new(config.seed),
            processes: Vec::new(),
            agenda: Agenda::default(),
            watchers: Tree::new(),
            kubelets: Tree::new(),
            machines: Tree::new(),
            images: Rc::new(config.images.clone()),
            edge_triggered: config.edge_triggered,
            rules: super::faults::Rules::default(),
            restarts: Tree::new(),
            commands: Tree::new(),
            commands_started: 0,
            writes_max: super::limits::WRITES_MAX,
            records: Vector::new(),
            writers: Vector::new(),
            dispatched: 0,
            settling: super::settle::Settling::default(),
        }
    }

    /// What the API server makes by itself.
    fn install(&mut self) {
        for name in ["default", "kube-system", "kube-public", "kube-node-lease"] {
            self.install_one(&NAMESPACES, value!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
        }
        for (name, priority) in [("system-cluster-critical", 2_000_000_000_i64), ("system-node-critical", 2_000_001_000)] {
            let class = value!({
                "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": priority,
                "description": "Used for system critical pods that must not be moved from their current node."
            });
            self.install_one(&PRIORITY_CLASSES, class);
        }
        self.install_one(
            &SERVICES,
            value!({
                "apiVersion": "v1", "kind": "Service",
                "metadata": {"name": "kubernetes", "namespace": "default", "labels": {"component": "apiserver", "provider": "kubernetes"}},
                "spec": {"clusterIP": "10.96.0.1", "type": "ClusterIP",
                    "ports": [{"name": "https", "port": 443_i64, "protocol": "TCP", "targetPort": 6443_i64}]}
            }),
        );
        self.install_one(
            &ENDPOINT_SLICES,
            value!({
                "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                "metadata": {"name": "kubernetes", "namespace": "default", "labels": {"kubernetes.io/service-name": "kubernetes"}},
                "endpoints": [{"addresses": ["172.18.0.1"], "conditions": {"ready": true}}],
                "ports": [{"name": "https", "port": 6443_i64, "protocol": "TCP"}]
            }),
        );
    }

    fn install_one(&mut self, resource: &Resource, object: Value) {
        let made = self.server.handle(&Request::create(resource, Object(object)).by("kube-apiserver"), self.now);
        assert!(made.is_ok(), "the server's own object is valid: {made:?}");
    }

    /// A node with its kubelet.
    pub(super) fn add_node(&mut self, node: Node) {
        let name = node.name.clone();
        let process = Str::from(format!("kubelet:{name}"));
        if let Some(id) = self.process_named(&process) {
            self.start_process(id);
            return;
        }
        self.spawn(&process, Home::Kubelet, Some(node));
    }

    /// A new process, started at once.
    pub(super) fn spawn(&mut self, name: &str, home: Home, node: Option<Node>) {
        let id = self.processes.len() as ProcessId;
        let node_name = node.as_ref().map(|n| n.name.clone()).unwrap_or_default();
        self.processes.push(Rc::new(Process {
            name: Str::from(name),
            home,
            node: node_name.clone(),
            running: false,
            caches: Caches::default(),
            wires: Tree::new(),
            loops: Vec::new(),
            heard: 0,
            ready: false,
            cut: false,
            retired: false,
        }));
        if let Some(node) = node {
            self.kubelets.insert_mut(node_name.clone(), id);
            let config = node.kubelet_config(self.machines.size() as u32);
            self.machines.insert_mut(node_name, Rc::new(Hardware { config, machine: Machine::default() }));
        }
        for resource in resources_of(home) {
            if home == Home::Kubelet && (resource == PODS || resource == NODES) {
                continue;
            }
            let mut all = self.watchers.get(&resource).map(|v| v.to_vec()).unwrap_or_default();
            all.push(id);
            self.watchers.insert_mut(resource, Rc::new(all));
        }
        self.start_process(id);
    }

    /// Starts a process: empty caches, fresh memory, every wire about to list.
    pub(super) fn start_process(&mut self, id: ProcessId) {
        let edge = self.edge_triggered;
        let Process { name, home, node, running, .. } = self.process(id).clone();
        if running {
            return;
        }
        let up = if self.epoch == Time(0) { 0 } else { self.draws.between("start", &name, self.now.0, START_UP_MS.0, START_UP_MS.1) };
        let process = Rc::make_mut(&mut self.processes[usize::from(id)]);
        process.running = true;
        process.ready = false;
        process.heard = 0;
        // Only the ReplicaSet loop asks how many of a set's pods are in which state.
        process.caches = if home == Home::ControllerManager { Caches::default() } else { Caches::untallied() };
        process.loops = loops_of(home).map(|r| Rc::new(new_loop(twin_of(r, edge), &node))).collect();
        process.wires = Tree::new();
        for (nth, resource) in resources_of(home).into_iter().enumerate() {
            let mut filter = Filter::all(&resource);
            if home == Home::Kubelet && resource == PODS {
                filter.node = node.clone();
            } else if home == Home::Kubelet && resource == NODES {
                filter.name = node.clone();
            }
            let mut wire = Wire::new(filter);
            wire.list_at = Some(self.now.after_ms(up + self.draws.between("list", &name, nth as u64, FIRST_LIST_MS.0, FIRST_LIST_MS.1)));
            process.wires.insert_mut(resource, wire);
        }
        if home == Home::Kubelet
            && let Some(hardware) = self.machines.get(&node)
        {
            let l = Rc::make_mut(&mut process.loops[0]);
            kubelet::set_machine(&mut l.memory, hardware.config.clone(), self.images.clone());
            kubelet::put_machine(&mut l.memory, hardware.machine.clone());
        }
        self.refreeze(id);
        self.reschedule_process(id);
    }

    /// Sets on a process's new wires what is frozen.
    pub(super) fn refreeze(&mut self, id: ProcessId) {
        if self.rules.is_empty() {
            return;
        }
        let process = Rc::make_mut(&mut self.processes[usize::from(id)]);
        let resources: Vec<Resource> = process.wires.keys().cloned().collect();
        for resource in resources {
            let frozen = self.rules.is_frozen(&process.name, &resource);
            if let Some(wire) = process.wires.get_mut(&resource) {
                wire.frozen = frozen;
            }
        }
        self.reschedule_process(id);
    }

    /// Kills a process: what it knew is gone. A kubelet's containers go on.
    pub(super) fn stop_process(&mut self, id: ProcessId) {
        let process = Rc::make_mut(&mut self.processes[usize::from(id)]);
        if !process.running {
            return;
        }
        if process.home == Home::Kubelet
            && let Some(hardware) = self.machines.get_mut(&process.node)
        {
            Rc::make_mut(hardware).machine = kubelet::take_machine(&process.loops[0].memory);
        }
        process.running = false;
        process.ready = false;
        self.reschedule_process(id);
        let process = Rc::make_mut(&mut self.processes[usize::from(id)]);
        process.caches = Caches::default();
        process.wires = Tree::new();
        for l in &mut process.loops {
            let l = Rc::make_mut(l);
            l.queue = Queue::default();
            l.in_flight.clear();
            l.busy.clear();
        }
    }
}

fn loops_of(home: Home) -> impl Iterator<Item = &'static Registration> {
    ALL.iter().filter(move |r| r.home == home)
}

/// The loop itself, or in an edge-triggered world its twin if it has one.
fn twin_of(registration: &'static Registration, edge: bool) -> &'static Registration {
    let twin = TWINS.iter().find(|t| edge && t.controller.name() == registration.controller.name());
    twin.unwrap_or(registration)
}

/// The kinds that a process watches: those that its loops want to hear of or read.
pub(super) fn resources_of(home: Home) -> Vec<Resource> {
    let mut all: Vec<Resource> = loops_of(home).flat_map(|r| r.controller.watches().iter().chain(r.controller.reads())).cloned().collect();
    all.order();
    all.dedup();
    all
}

fn new_loop(registration: &Registration, node: &Str) -> Loop {
    let controller = registration.controller;
    Loop {
        controller,
        name: Str::fixed(controller.name()),
        memory: controller.memory(node),
        queue: Queue::default(),
        running: true,
        in_flight: Vec::new(),
        busy: Vec::new(),
        limiter: Limiter::new(controller.rate_limit()),
        recorder: Recorder::default(),
    }
}
