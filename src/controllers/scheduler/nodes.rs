//! What the scheduler counts on each node (`pkg/scheduler/framework/types.go`, NodeInfo), and what a pod asks for.

use crate::api::quantity::Quantity;
use crate::api::{Object, Str, Value};
use crate::util::Tree;

/// A pod that asks for nothing counts as much as this when nodes are scored.
const UNASKED_CPU_MILLI: i64 = 100;
const UNASKED_MEMORY_BYTES: i64 = 200 << 20;

/// What a pod asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ask {
    pub cpu_milli: i64,
    pub memory_bytes: i64,
    /// ephemeral-storage and extended resources
    pub others: Vec<(Str, i64)>,
    /// For scoring: containers that ask for nothing count all the same.
    pub scored_cpu_milli: i64,
    pub scored_memory_bytes: i64,
    pub ports: Vec<(Str, i64, Str)>,
}

impl Ask {
    /// The sum over containers, or the largest init container, plus overhead (`resource.PodRequests`).
    pub fn of(pod: &Object) -> Ask {
        let spec = pod.spec();
        let mut sum = Ask::default();
        for c in spec.get("containers").items() {
            sum.add_container(c);
        }
        let mut sidecars = Ask::default();
        for c in spec.get("initContainers").items() {
            if c.get("restartPolicy").text() == "Always" {
                sidecars.add_container(c);
                sum.add_container(c);
            } else {
                let mut during = sidecars.clone();
                during.add_container(c);
                sum.raise_to(&during);
            }
        }
        let overhead = value_of(spec.get("overhead"));
        sum.plus(&overhead);
        sum.scored_cpu_milli += overhead.cpu_milli;
        sum.scored_memory_bytes += overhead.memory_bytes;
        for c in spec.get("containers").items() {
            for p in c.get("ports").items() {
                let host = p.get("hostPort").int();
                if host > 0 {
                    sum.ports.push((p.get("protocol").to_str(), host, p.get("hostIP").to_str()));
                }
            }
        }
        sum
    }

    fn add_container(&mut self, c: &Value) {
        let asked = value_of(c.at(&["resources", "requests"]));
        self.scored_cpu_milli += if asked.cpu_milli == 0 { UNASKED_CPU_MILLI } else { asked.cpu_milli };
        self.scored_memory_bytes += if asked.memory_bytes == 0 { UNASKED_MEMORY_BYTES } else { asked.memory_bytes };
        self.plus(&asked);
    }

    fn plus(&mut self, more: &Ask) {
        self.cpu_milli += more.cpu_milli;
        self.memory_bytes += more.memory_bytes;
        for (name, n) in &more.others {
            match self.others.iter_mut().find(|(k, _)| k == name) {
                Some((_, have)) => *have += n,
                None => self.others.push((name.clone(), *n)),
            }
        }
    }

    fn raise_to(&mut self, floor: &Ask) {
        self.cpu_milli = self.cpu_milli.max(floor.cpu_milli);
        self.memory_bytes = self.memory_bytes.max(floor.memory_bytes);
        self.scored_cpu_milli = self.scored_cpu_milli.max(floor.scored_cpu_milli);
        self.scored_memory_bytes = self.scored_memory_bytes.max(floor.scored_memory_bytes);
        for (name, n) in &floor.others {
            match self.others.iter_mut().find(|(k, _)| k == name) {
                Some((_, have)) => *have = (*have).max(*n),
                None => self.others.push((name.clone(), *n)),
            }
        }
    }
}

/// A resource list: cpu, memory, the rest.
fn value_of(list: &Value) -> Ask {
    let mut ask = Ask::default();
    for (name, v) in list.entries() {
        let q = Quantity::of_or_zero(v);
        match name.as_str() {
            "cpu" => ask.cpu_milli = q.milli(),
            "memory" => ask.memory_bytes = q.units(),
            _ => ask.others.push((name.clone(), q.units())),
        }
    }
    ask
}

/// One node with the sums of the pods on it.
#[derive(Clone, Debug)]
pub struct NodeInfo {
    pub name: Str,
    pub object: Object,
    pub cpu_milli: i64,
    pub memory_bytes: i64,
    pub pods_max: i64,
    pub others: Vec<(Str, i64)>,
    pub used: Ask,
    /// The pods that are counted, with what each asks for.
    pub pods: Tree<Str, std::rc::Rc<(Object, Ask)>>,
    /// Those of them that want certain pods kept away (required anti-affinity).
    pub keeping_away: Tree<Str, Object>,
    /// How many pods each controller has here.
    pub siblings: Tree<Str, i64>,
}

impl NodeInfo {
    pub fn new(object: &Object) -> NodeInfo {
        let mut info = NodeInfo {
            name: object.meta().get("name").to_str(),
            object: object.clone(),
            cpu_milli: 0,
            memory_bytes: 0,
            pods_max: 0,
            others: Vec::new(),
            used: Ask::default(),
            pods: Tree::new(),
            keeping_away: Tree::new(),
            siblings: Tree::new(),
        };
        info.set_object(object);
        info
    }

    /// Takes in what the node says of itself now.
    pub fn set_object(&mut self, object: &Object) {
        self.object = object.clone();
        let mut all = value_of(object.status().get("allocatable"));
        self.cpu_milli = all.cpu_milli;
        self.memory_bytes = all.memory_bytes;
        self.pods_max = all.others.iter().find(|(k, _)| *k == "pods").map_or(0, |(_, n)| *n);
        all.others.retain(|(k, _)| *k != "pods");
        self.others = all.others;
    }

    pub fn add(&mut self, key: &Str, pod: &Object) {
        self.remove(key);
        let ask = Ask::of(pod);
        self.count(&ask, 1);
        if let Some(uid) = sibling_of(pod) {
            let n = self.siblings.get(&uid).copied().unwrap_or(0);
            self.siblings.insert_mut(uid, n + 1);
        }
        if !anti_affinity(pod).is_empty() {
            self.keeping_away.insert_mut(key.clone(), pod.clone());
        }
        self.pods.insert_mut(key.clone(), std::rc::Rc::new((pod.clone(), ask)));
    }

    pub fn remove(&mut self, key: &Str) {
        let Some(gone) = self.pods.get(key).cloned() else { return };
        self.pods.remove_mut(key);
        self.keeping_away.remove_mut(key);
        self.count(&gone.1, -1);
        if let Some(uid) = sibling_of(&gone.0)
            && let Some(n) = self.siblings.get_mut(&uid)
        {
            *n -= 1;
        }
    }

    fn count(&mut self, ask: &Ask, sign: i64) {
        self.used.cpu_milli += sign * ask.cpu_milli;
        self.used.memory_bytes += sign * ask.memory_bytes;
        self.used.scored_cpu_milli += sign * ask.scored_cpu_milli;
        self.used.scored_memory_bytes += sign * ask.scored_memory_bytes;
        for (name, n) in &ask.others {
            match self.used.others.iter_mut().find(|(k, _)| k == name) {
                Some((_, have)) => *have += sign * n,
                None => self.used.others.push((name.clone(), sign * n)),
            }
        }
        if sign > 0 {
            self.used.ports.extend(ask.ports.iter().cloned());
        } else {
            for port in &ask.ports {
                if let Some(at) = self.used.ports.iter().position(|p| p == port) {
                    self.used.ports.remove(at);
                }
            }
        }
    }
}

/// Whose sibling a pod counts as when pods are spread; one that goes counts no more.
fn sibling_of(pod: &Object) -> Option<Str> {
    if pod.is_deleting() { None } else { pod.controller_uid() }
}

/// The required terms of a pod's anti-affinity.
pub fn anti_affinity(pod: &Object) -> &[Value] {
    pod.spec().at(&["affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"]).items()
}
