//! The nodes: capacity and requests, and who stands on them.

use super::lens::{Lens, all_pods};
use super::pods::glance;
use crate::api::quantity::Quantity;
use crate::api::resource::NODES;
use crate::api::{Object, Str};
use crate::session::view::{Count, Health, Node, Nodes};
use crate::util::Order;
use std::collections::BTreeMap;

pub fn nodes(lens: &Lens) -> Nodes {
    let mut on: BTreeMap<&str, Vec<&Object>> = BTreeMap::new();
    for pod in all_pods(lens.world) {
        on.entry(pod.spec().get("nodeName").text()).or_default().push(pod);
    }
    let mut counts: BTreeMap<Health, u64> = BTreeMap::new();
    let mut list: Vec<Node> = Vec::new();
    for node in lens.world.etcd().list(&NODES, "") {
        list.push(one(lens, node, on.get(node.name()).map_or(&[][..], Vec::as_slice), &mut counts));
    }
    list.order_by_key(|n| (n.name.len(), n.name.clone()));
    Nodes { list, counts: counts.into_iter().map(|(health, count)| Count { health, count, word: Str::default() }).collect() }
}

fn one(lens: &Lens, node: &Object, pods: &[&Object], counts: &mut BTreeMap<Health, u64>) -> Node {
    let capacity = |what: &str| Quantity::of_or_zero(node.status().at(&["allocatable", what]));
    let (mut cpu, mut memory) = (0, 0);
    let mut shown = Vec::with_capacity(pods.len());
    for pod in pods {
        if !matches!(pod.status().get("phase").text(), "Succeeded" | "Failed") {
            let asked = requests(pod);
            cpu += asked.0;
            memory += asked.1;
        }
        let health = glance(pod).1;
        *counts.entry(health).or_default() += 1;
        let name = pod.name();
        shown.push((Str::from(pod.uid()), Str::from(name.rsplit_once('-').map_or(name, |n| n.1)), health));
    }
    let down = lens.world.process_named(&["kubelet:", node.name()].concat()).is_some_and(|id| !lens.world.process(id).running);
    Node {
        uid: node.uid().into(),
        name: node.name().into(),
        cpu_milli: capacity("cpu").milli().max(0) as u64,
        used_milli: cpu,
        memory_mib: mib(capacity("memory")),
        used_mib: memory,
        health: if node.condition_is_true("Ready") { Health::Ok } else { Health::Stuck },
        down,
        pods: shown,
    }
}

fn mib(q: Quantity) -> u64 {
    (q.units().max(0) as u64) >> 20
}

/// A pod's requests: thousandths of a cpu, MiB.
pub fn requests(pod: &Object) -> (u64, u64) {
    let mut sum = (0, 0);
    for c in pod.spec().get("containers").items() {
        let ask = |what: &str| Quantity::of_or_zero(c.at(&["resources", "requests", what]));
        sum.0 += ask("cpu").milli().max(0) as u64;
        sum.1 += mib(ask("memory"));
    }
    sum
}
