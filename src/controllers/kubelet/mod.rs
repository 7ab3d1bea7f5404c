//! The kubelet: brings the pods of one node to life and to their end, and keeps the node's own object and lease.
//! Follows upstream `pkg/kubelet`; each file names its part. Left out: cgroups and eviction under pressure, static pods,
//! ephemeral containers, in-place resizing, devices, attaching volumes.

mod backoff;
mod conditions;
mod images;
mod lifecycle;
mod node;
mod patch;
mod probes;
mod resources;
mod status;
mod sync;
mod volumes;
mod worker;

#[cfg(test)]
mod tests;

use crate::api::{Object, ObjectKey, PatchType, Request, Resource, Str, Subresource, Value, resource};
use crate::client::{Cache, Change, Controller, Handling, Memory, Stop, Sync};
use crate::runtime::{Images, Machine};
use crate::util::Time;
use crate::util::Tree;
use std::rc::Rc;
use worker::{Ending, Reconcile, Said, Turn, Worker};

/// A draw: purpose, object, nth, lowest, highest.
type Draw<'a> = dyn Fn(&'static str, &str, u64, u64, u64) -> u64 + 'a;

/// What a node is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeConfig {
    /// Quantities, as `2` and `4Gi`.
    pub cpu: Str,
    pub memory: Str,
    pub pods: i64,
    /// Labels beside those that every node has.
    pub labels: Value,
    /// A list of taints, as in a Node's spec.
    pub taints: Value,
    /// The node's own address.
    pub address: Str,
    /// The first three numbers of its pods' addresses while it has no range: `10.244.0`.
    pub pod_prefix: Str,
}

impl NodeConfig {
    /// The `number`th node of a cluster (from 0), with the addresses that the recorded clusters gave.
    pub fn new(number: u32, cpu: impl Into<Str>, memory: impl Into<Str>, pods: i64) -> NodeConfig {
        let (high, low) = (number / 250, number % 250);
        NodeConfig {
            cpu: cpu.into(),
            memory: memory.into(),
            pods,
            labels: Value::map(),
            taints: Value::list(),
            address: Str::from(format!("172.18.{high}.{}", low + 2)),
            pod_prefix: Str::from(format!("10.{}.{}", 244 + number / 256, number % 256)),
        }
    }
}

/// What one kubelet remembers.
#[derive(Clone, Default)]
pub struct KubeletMemory {
    node: Str,
    config: Option<Rc<NodeConfig>>,
    images: Rc<Images>,
    machine: Machine,
    workers: Tree<Str, Rc<Worker>>,
    /// The pods as they were after this kubelet's last write.
    written: Tree<Str, Object>,
    own: node::Own,
}

/// Gives a kubelet its node and the images' behaviours; the cluster calls it after making the memory.
pub fn set_machine(memory: &mut Memory, config: NodeConfig, images: Rc<Images>) {
    let m: &mut KubeletMemory = memory.get_mut();
    m.config = Some(Rc::new(config));
    m.images = images;
}

/// The node's images and containers, which outlive the kubelet.
pub fn take_machine(memory: &Memory) -> Machine {
    memory.get::<KubeletMemory>().machine.clone()
}

/// Gives a new kubelet the containers that run on its node.
pub fn put_machine(memory: &mut Memory, machine: Machine) {
    memory.get_mut::<KubeletMemory>().machine = machine;
}

/// Announces changed behaviours of images: containers that run keep their timers, probes and stops follow at once.
/// Gives back the keys of the pods that have to be looked at; the caller puts them into the kubelet's queue.
pub fn set_images(memory: &mut Memory, images: Rc<Images>, now: Time) -> Vec<Str> {
    let m: &mut KubeletMemory = memory.get_mut();
    m.images = images;
    let probed: Vec<Str> = m.workers.iter().filter(|(_, w)| !w.probes.is_empty()).map(|(k, _)| k.clone()).collect();
    for key in &probed {
        if let Some(w) = m.workers.get_mut(key) {
            Rc::make_mut(w).probes.iter_mut().for_each(|p| p.skip_to(now));
        }
    }
    probed
}

/// Kills a container of a pod (`namespace/name`); false if it does not run. The caller puts the pod's key into the queue.
pub fn kill(memory: &mut Memory, pod: &str, container: &str, now: Time) -> bool {
    let m: &mut KubeletMemory = memory.get_mut();
    let Some(uid) = m.workers.get(pod).map(|w| w.uid.clone()) else { return false };
    let Some(mut sandbox) = m.machine.sandbox(&uid).cloned() else { return false };
    match Rc::make_mut(&mut sandbox).latest_mut(container) {
        Some(c) if c.is_running(now) => c.kill(now),
        _ => return false,
    }
    m.machine.put_sandbox(&uid, sandbox);
    true
}

/// What `kubectl logs` finds: when the container started and the lines that it printed.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    pub started: Time,
    pub lines: Vec<Str>,
}

/// The log of a container of a pod (`namespace/name`), or of the one before it; none if there is no such container.
pub fn logs(memory: &Memory, pod: &str, container: &str, previous: bool, now: Time) -> Option<Log> {
    let m: &KubeletMemory = memory.get();
    let sandbox = m.machine.sandbox(&m.workers.get(pod)?.uid)?;
    let c = if previous { sandbox.before(container) } else { sandbox.latest(container) }?;
    (c.started <= now).then(|| Log { started: c.started, lines: c.log.clone() })
}

/// The loop.
pub struct Kubelet;

impl Controller for Kubelet {
    fn name(&self) -> &'static str {
        "kubelet"
    }

    fn watches(&self) -> &'static [Resource] {
        const KINDS: &[Resource] = &[resource::PODS];
        KINDS
    }

    fn reads(&self) -> &'static [Resource] {
        const KINDS: &[Resource] = &[resource::CONFIG_MAPS, resource::SECRETS, resource::NODES];
        KINDS
    }

    fn rate_limit(&self) -> (u64, u64) {
        (50, 100)
    }

    /// The status manager goes over all pods so often (upstream `status_manager.go`, `syncPeriod`).
    fn longest_retry_ms(&self) -> u64 {
        worker::BATCH_MS
    }

    fn component(&self) -> &'static str {
        "kubelet"
    }

    fn memory(&self, node: &Str) -> Memory {
        Memory::new(KubeletMemory { node: node.clone(), ..KubeletMemory::default() })
    }

    fn started(&self, h: &mut Handling<'_>) {
        remove_orphans(h);
        h.queue.add(node::STATUS_KEY);
        h.queue.add(node::LEASE_KEY);
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        if change.resource != resource::PODS {
            return;
        }
        let key = change.object().key().joined();
        let known = h.memory.get::<KubeletMemory>().workers.get(&key);
        if let (Some(worker), Some(new)) = (known, &change.new)
            && is_no_news(&worker.pod, new)
        {
            if is_overwritten(h.memory.get(), &key, worker, new) {
                let m: &mut KubeletMemory = h.memory.get_mut();
                m.workers.get_mut(&key).into_iter().for_each(|w| Rc::make_mut(w).reconcile = Some(Reconcile::Wanted));
                h.queue.add(key);
            }
            return;
        }
        h.queue.add(key);
    }

    fn missing(&self, memory: &Memory, resource: &Resource, cache: &Cache) -> Vec<Object> {
        if *resource != resource::PODS {
            return Vec::new();
        }
        let m: &KubeletMemory = memory.get();
        let gone = |w: &&Rc<Worker>| !w.gone && cache.by_key(&w.pod.key()).is_none();
        m.workers.values().filter(gone).map(|w| w.pod.clone()).collect()
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let memory: &KubeletMemory = sync.memory();
        match key {
            node::STATUS_KEY => node::sync_status(sync, memory),
            node::LEASE_KEY => node::sync_lease(sync, memory),
            _ => sync_pod(sync, memory, key),
        }
    }
}

/// Containers whose pods went before this kubelet knew of them are ended (upstream `kubelet_pods.go`, `HandlePodCleanups`,
/// which looks every two seconds and gives them their grace; here at once, as nobody can see it).
fn remove_orphans(h: &mut Handling<'_>) {
    let gone = orphans(h.memory.get(), h.caches.of(&resource::PODS));
    if !gone.is_empty() {
        let memory: &mut KubeletMemory = h.memory.get_mut();
        gone.iter().for_each(|uid| memory.machine.remove_sandbox(uid));
    }
}

/// The sandboxes of no pod that the kubelet knows, by the pods' uids.
fn orphans(memory: &KubeletMemory, cache: &Cache) -> Vec<Str> {
    let known: std::collections::BTreeSet<&str> =
        cache.all().map(Object::uid).chain(memory.workers.values().map(|w| w.uid.as_str())).collect();
    memory.machine.sandboxes().map(|(uid, _)| uid).filter(|uid| !known.contains(uid.as_str())).cloned().collect()
}

/// Whether a version has nothing that a kubelet reads and does not know: mostly its own status come back. Compared is
/// what its worker knows, not the cache: a list brings what a lost wake-up did not (upstream `config/config.go`, SET).
fn is_no_news(known: &Object, new: &Object) -> bool {
    let same = |field: &str| known.meta().get(field) == new.meta().get(field);
    known.spec() == new.spec()
        && same("uid")
        && same("deletionTimestamp")
        && same("deletionGracePeriodSeconds")
        && new.spec().get("readinessGates").is_empty()
}

/// Whether somebody else wrote into what the kubelet says of the pod: the status manager will say it again (upstream
/// `status_manager.go`, `needsReconcile`).
fn is_overwritten(memory: &KubeletMemory, key: &str, known: &Worker, new: &Object) -> bool {
    let own = memory.written.get(key).is_some_and(|o| o.revision() >= new.revision());
    !own && !known.dirty && !known.status.is_null() && conditions::differ(&known.status, new.status())
}

/// One pod's worker as it is now: new, or with what the cache says of its pod.
#[inline(never)]
fn observe(memory: &KubeletMemory, key: &str, cached: Option<&Object>, now: Time) -> Option<Worker> {
    let cached = cached.filter(|p| p.spec().get("nodeName").text() == memory.node.as_str());
    let Some(known) = memory.workers.get(key) else {
        let pod = cached?;
        let mut w = Worker::new(pod);
        if matches!(pod.status().get("phase").text(), "Failed" | "Succeeded") {
            w.ending = Ending::Done;
            w.status = pod.status().clone();
        } else {
            w.wish(now);
        }
        return Some(w);
    };
    let mut w = (**known).clone();
    match cached.filter(|p| p.uid() == w.uid.as_str()) {
        None if !w.gone => {
            w.gone = true;
            w.interrupt(now);
        }
        None => {}
        Some(pod) => {
            if pod.is_deleting() && !w.pod.is_deleting() {
                w.interrupt(now);
            }
            let differs = pod.spec() != w.pod.spec();
            let gates = !pod.spec().get("readinessGates").is_empty() && pod.status().get("conditions") != w.pod.status().get("conditions");
            if differs || gates {
                w.wish(now);
            }
            w.pod = pod.clone();
        }
    }
    Some(w)
}

#[inline(never)]
fn sync_pod(sync: &mut Sync<'_>, memory: &KubeletMemory, key: &str) -> Result<(), Stop> {
    let Some(config) = memory.config.as_deref() else { return Ok(()) };
    let cached = sync.cache(&resource::PODS).by_key(&ObjectKey::split(key)).cloned();
    let Some(mut worker) = observe(memory, key, cached.as_ref(), sync.now()) else {
        let gone = orphans(memory, sync.cache(&resource::PODS));
        if !gone.is_empty() {
            sync.remember(move |m: &mut KubeletMemory| gone.iter().for_each(|uid| m.machine.remove_sandbox(uid)));
        }
        return Ok(());
    };
    let (machine, said, due) = advance(sync, memory, config, &mut worker);
    note(sync, &worker, &said);
    for s in said {
        sync.event_at(&worker.pod, s.path, s.kind, s.reason, s.message);
    }
    let name = Str::from(key);
    if worker.gone && worker.ending == Ending::Done {
        let uid = worker.uid.clone();
        let successor = cached.is_some();
        sync.remember(|m: &mut KubeletMemory| {
            m.machine = machine;
            m.machine.remove_sandbox(&uid);
            m.workers.remove_mut(&name);
            m.written.remove_mut(&name);
        });
        sync.queue(|q| q.cancel(key));
        if successor {
            sync.queue(|q| q.add(key));
        }
        return Ok(());
    }
    let kept = Rc::new(worker.clone());
    let slot = name.clone();
    sync.remember(|m: &mut KubeletMemory| {
        m.machine = machine;
        m.workers.insert_mut(slot, kept);
    });
    let now = sync.now();
    sync.queue(|q| match due {
        Some(at) => q.add_at(key, now, at),
        None => q.cancel(key),
    });
    if worker.gone {
        return Ok(());
    }
    write_status(sync, memory, &name, &mut worker, cached)?;
    delete_ended(sync, &name, &worker)
}

/// Lets the worker do what is due. Gives back the machine, the events and when something is due next.
#[inline(never)]
fn advance(sync: &Sync<'_>, memory: &KubeletMemory, config: &NodeConfig, worker: &mut Worker) -> (Machine, Vec<Said>, Option<Time>) {
    let draw = |purpose: &'static str, object: &str, nth: u64, low: u64, high: u64| sync.between(purpose, object, nth, low, high);
    let mut turn = Turn {
        now: sync.now(),
        config,
        images: &memory.images,
        caches: sync.caches(),
        pod_prefix: pod_prefix(sync, memory, config),
        draw: &draw,
        relist_ms: sync.between("relist", &memory.node, 0, 0, 999),
        tick_ms: sync.between("work-queue", &memory.node, 0, 0, 999),
        batch_ms: sync.between("status-batch", &memory.node, 0, 0, worker::BATCH_MS - 1),
        machine: memory.machine.clone(),
        said: Vec::new(),
    };
    worker.advance(&mut turn);
    let due = worker.due(&turn);
    (turn.machine, turn.said, due)
}

/// The first three numbers of the addresses that this node gives to pods: of its range, once it has one.
fn pod_prefix(sync: &Sync<'_>, memory: &KubeletMemory, config: &NodeConfig) -> Str {
    let node = sync.cache(&resource::NODES).get("", &memory.node);
    let range = node.and_then(|n| n.spec().get("podCIDR").as_str()).and_then(|cidr| cidr.rsplit_once('.'));
    range.map_or_else(|| config.pod_prefix.clone(), |(prefix, _)| Str::from(prefix))
}

/// Notes for the card what was seen and what differs.
fn note(sync: &mut Sync<'_>, worker: &Worker, said: &[Said]) {
    sync.saw("saw.kubelet", vec![worker.pod.name().into(), Str::fixed(worker.phase)]);
    for s in said {
        sync.differs("differs.kubelet.did", vec![Str::fixed(s.reason), s.message.clone()]);
    }
    if worker.dirty {
        sync.differs("differs.kubelet.status", vec![worker.pod.name().into()]);
    }
}

/// Writes the status if it is not what the server has.
#[inline(never)]
fn write_status(sync: &mut Sync<'_>, memory: &KubeletMemory, name: &Str, worker: &mut Worker, cached: Option<Object>) -> Result<(), Stop> {
    if !worker.dirty {
        return Ok(());
    }
    let last = memory.written.get(name).filter(|o| o.uid() == worker.uid.as_str()).cloned();
    let newest = [cached, last].into_iter().flatten().max_by_key(Object::revision);
    let Some(newest) = newest else { return Ok(()) };
    worker.dirty = false;
    let mut stored = None;
    if let Some(body) = patch::of_status(&worker.uid, newest.status(), &worker.status) {
        let key = newest.key();
        let request = Request::patch(PatchType::Strategic, &resource::PODS, key.namespace, key.name, body);
        match sync.request(request.on(Subresource::Status).by("kubelet")) {
            Ok(answer) => stored = Some(answer.object()),
            // The pod is gone by now; its watch will say so. Any other refusal is tried again, as the status manager does.
            Err(Stop::Failed(s)) if s.is_not_found() => {}
            Err(stop) => return Err(stop),
        }
    }
    let name = name.clone();
    sync.remember(|m: &mut KubeletMemory| {
        if let Some(w) = m.workers.get_mut(&name) {
            Rc::make_mut(w).dirty = false;
        }
        if let Some(stored) = stored {
            m.written.insert_mut(name, stored);
        }
    });
    Ok(())
}

/// Takes a deleted pod out of the API once nothing of it is left on the node.
#[inline(never)]
fn delete_ended(sync: &mut Sync<'_>, name: &Str, worker: &Worker) -> Result<(), Stop> {
    if worker.ending != Ending::Done || !worker.pod.is_deleting() || worker.deleted {
        return Ok(());
    }
    let key = worker.pod.key();
    let mut request = Request::delete(&resource::PODS, key.namespace, key.name).by("kubelet");
    request.delete.grace_period_seconds = Some(0);
    request.delete.precondition_uid = Some(worker.uid.clone());
    match sync.request(request) {
        Ok(_) => {}
        Err(Stop::Failed(s)) if s.is_not_found() => {}
        Err(stop) => return Err(stop),
    }
    let name = name.clone();
    sync.remember(|m: &mut KubeletMemory| {
        if let Some(w) = m.workers.get_mut(&name) {
            Rc::make_mut(w).deleted = true;
        }
    });
    Ok(())
}
