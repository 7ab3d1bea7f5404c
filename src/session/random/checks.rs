//! What must hold of a world whose faults have ended: it has settled and is as asked, no cache is stale, and nothing is left
//! that nobody asked for.

use crate::api::resource::{DEPLOYMENTS, ENDPOINT_SLICES, NODES, PODS, REPLICA_SETS, SERVICES};
use crate::api::{Object, Str};
use crate::cluster::{Cluster, Verdict};
use crate::controllers::{Home, kubelet};
use std::collections::BTreeSet;

/// Everything that is not as it must be.
pub fn problems(world: &Cluster, verdict: &Verdict) -> Vec<String> {
    let mut all = Vec::new();
    if *verdict != Verdict::Converged {
        all.push(format!("it did not converge: {verdict:?}"));
    }
    stale(world, &mut all);
    leaked(world, &mut all);
    as_asked(world, &mut all);
    services(world, &mut all);
    for rule in world.rules() {
        all.push(format!("a fault is left: {:?}", rule.fault));
    }
    for node in world.etcd().list(&NODES, "") {
        if !node.condition_is_true("Ready") || !node.spec().get("taints").is_empty() {
            all.push(format!("node {} is not as new: {:?}", node.name(), node.spec().get("taints")));
        }
    }
    all
}

/// Every cache says what etcd says.
fn stale(world: &Cluster, all: &mut Vec<String>) {
    for process in world.processes() {
        if !process.running {
            all.push(format!("{} does not run", process.name));
        }
        for (resource, wire) in process.wires.iter() {
            let real: Vec<_> = world.etcd().list(resource, "").filter(|o| wire.filter.matches(o)).collect();
            let cache = process.caches.of(resource);
            if real.len() != cache.len() || real.iter().any(|o| cache.by_key(&o.key()).map(|c| c.revision()) != Some(o.revision())) {
                all.push(format!("{}'s cache of {resource} is stale: {} cached, {} stored", process.name, cache.len(), real.len()));
            }
        }
    }
}

/// No object has an owner that is gone (a ReplicaSet without one was orphaned on purpose), no node runs what no pod asks for.
fn leaked(world: &Cluster, all: &mut Vec<String>) {
    let etcd = world.etcd();
    let uids = |resource| -> BTreeSet<Str> { etcd.list(resource, "").map(|o| Str::from(o.uid())).collect() };
    let (sets, pods, deployments) = (uids(&REPLICA_SETS), uids(&PODS), uids(&DEPLOYMENTS));
    for (resource, owners) in [(&PODS, &sets), (&REPLICA_SETS, &deployments)] {
        for o in etcd.list(resource, "").filter(|o| o.controller_uid().map_or(resource == &PODS, |uid| !owners.contains(&uid))) {
            all.push(format!("{resource} {} has no owner", o.name()));
        }
    }
    for process in world.processes().filter(|p| p.home == Home::Kubelet && p.running) {
        let machine = kubelet::take_machine(&process.loops[0].memory);
        for (uid, _) in machine.sandboxes().filter(|(uid, _)| !pods.contains(*uid)) {
            all.push(format!("{} keeps a sandbox of pod {uid}, which is gone", process.node));
        }
    }
}

/// Each Deployment has as many ready pods of its newest template as it wants, and no others.
fn as_asked(world: &Cluster, all: &mut Vec<String>) {
    let etcd = world.etcd();
    for d in etcd.list(&DEPLOYMENTS, "") {
        let mine: BTreeSet<Str> = {
            let of = |r: &&Object| r.controller_uid().is_some_and(|uid| uid == *d.uid());
            etcd.list(&REPLICA_SETS, "").filter(of).map(|r| Str::from(r.uid())).collect()
        };
        let pods = etcd.list(&PODS, "").filter(|p| p.controller_uid().is_some_and(|uid| mine.contains(&uid)));
        let image = |o: &Object, path: &[&str]| o.at(path).items().first().map(|c| c.get("image").to_str());
        let wanted = image(d, &["spec", "template", "spec", "containers"]);
        let good = |p: &&Object| p.condition_is_true("Ready") && !p.is_deleting() && image(p, &["spec", "containers"]) == wanted;
        let (count, right) = pods.fold((0, 0), |(n, ok), p| (n + 1, ok + i64::from(good(&p))));
        let want = d.spec().get("replicas").int();
        if (count, right) != (want, want) {
            all.push(format!("deployment {} wants {want} pods, has {count}, {right} of them as asked", d.name()));
        }
    }
}

/// The slices of a Service name its ready pods.
fn services(world: &Cluster, all: &mut Vec<String>) {
    let etcd = world.etcd();
    for s in etcd.list(&SERVICES, "default").filter(|s| !s.spec().get("selector").is_empty()) {
        let chosen =
            |p: &&Object| s.spec().get("selector").entries().iter().all(|(k, v)| p.labels().get(k) == v) && p.condition_is_true("Ready");
        let pods: BTreeSet<Str> = etcd.list(&PODS, "default").filter(chosen).map(|p| p.status().get("podIP").to_str()).collect();
        let of = |e: &&Object| e.labels().get("kubernetes.io/service-name").text() == s.name();
        let slices = etcd.list(&ENDPOINT_SLICES, "default").filter(of);
        let ends = slices.flat_map(|e| e.get("endpoints").items().to_vec());
        let ready = ends.filter(|e| e.at(&["conditions", "ready"]).is_true());
        let named: BTreeSet<Str> = ready.flat_map(|e| e.get("addresses").items().to_vec()).map(|a| a.to_str()).collect();
        if named != pods {
            all.push(format!("service {} leads to {named:?}, its ready pods are {pods:?}", s.name()));
        }
    }
}
