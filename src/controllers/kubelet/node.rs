//! The kubelet's own Node and Lease. Follows upstream `kubelet_node_status.go`, `nodestatus/setters.go` and
//! `component-helpers/apimachinery/lease`. Left out: pressure conditions that change, reserved resources.

use super::images::IMAGE_BYTES;
use super::status::{digest, repository};
use super::{KubeletMemory, NodeConfig, patch};
use crate::api::{Object, PatchType, Request, Status, Str, Subresource, Value, resource};
use crate::client::{Stop, Sync};
use crate::util::Time;
use crate::value;

/// How often the kubelet looks at its status and renews its lease; how often it reports a status that did not change.
pub const PERIOD_MS: u64 = 10_000;
const REPORT_MS: u64 = 300_000;
const LEASE_SECONDS: i64 = 40;
/// How often the kubelet asks its runtime which images there are, and how long before it registers it first does.
const IMAGES_MS: u64 = 30_000;
const IMAGES_AHEAD_MS: u64 = 1_000;
/// How many images a status names.
const MOST_IMAGES: usize = 50;

/// Pressures and the events that say that there is none.
const PRESSURES: [(&str, &str); 3] =
    [("MemoryPressure", "NodeHasSufficientMemory"), ("DiskPressure", "NodeHasNoDiskPressure"), ("PIDPressure", "NodeHasSufficientPID")];

pub const STATUS_KEY: &str = "~node-status";
pub const LEASE_KEY: &str = "~node-lease";

/// What the kubelet remembers of its own Node.
#[derive(Clone, Debug, Default)]
pub struct Own {
    pub registered: bool,
    /// When the status was last reported.
    reported: Option<Time>,
    /// The Node as it was after the last write.
    node: Object,
    lease: Object,
    /// When this kubelet began, and whether its node was new then.
    began: Time,
    fresh: bool,
    /// Whether it last saw its node closed to new pods.
    closed: bool,
}

/// A kubelet that has just started does not know its runtime yet.
const NOT_READY: &str = "[container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized, CSINode is not yet initialized]";
/// How soon it does.
const WARM_UP_MS: u64 = 250;
/// How soon in a cluster that has just started itself.
const COLD_START_MS: u64 = 4_500;

/// Registers the node, or reports its status if it changed or was not reported for long.
#[inline(never)]
pub fn sync_status(sync: &mut Sync<'_>, memory: &KubeletMemory) -> Result<(), Stop> {
    let Some(config) = memory.config.as_deref() else { return Ok(()) };
    let phase = sync.between("node-status", &memory.node, 0, 0, 400);
    let now = sync.now();
    let next = Time((now.0 / PERIOD_MS + 1) * PERIOD_MS + phase);
    sync.queue(|q| q.add_at(STATUS_KEY, now, next));
    if !memory.own.registered {
        return register(sync, memory, config);
    }
    let cached = sync.cache(&resource::NODES).get("", &memory.node).cloned().unwrap_or_default();
    let known = if cached.revision() > memory.own.node.revision() { cached } else { memory.own.node.clone() };
    if known.0.is_null() {
        return Ok(());
    }
    note_closed(sync, memory, &known);
    let images = image_list(memory, now);
    let due = memory.own.reported.is_none_or(|t| now.since_ms(t) >= REPORT_MS);
    let was_unready = !known.condition_is_true("Ready");
    if !due && !was_unready && *known.status().get("images") == images {
        return Ok(());
    }
    let mut status = status(config, &memory.node, now, known.status(), true);
    if !images.is_empty() {
        status.set("images", images);
    }
    for field in ["volumesAttached", "volumesInUse", "config"] {
        if !known.status().get(field).is_null() {
            status.set(field, known.status().get(field));
        }
    }
    let Some(body) = patch::of_status(known.uid(), known.status(), &status) else { return Ok(()) };
    let kind = PatchType::Strategic;
    let request = Request::patch(kind, &resource::NODES, "", memory.node.clone(), body).on(Subresource::Status).by("kubelet");
    let answer = sync.request(request)?.object();
    for (kind, reason) in PRESSURES {
        let before = known.condition(kind).map(|c| c.get("status").text());
        if before != Some("False") {
            sync.event(&about(&answer), "Normal", reason, format!("Node {} status is now: {reason}", memory.node));
        }
    }
    if was_unready {
        sync.event(&about(&answer), "Normal", "NodeReady", format!("Node {} status is now: NodeReady", memory.node));
    }
    sync.remember(|m: &mut KubeletMemory| {
        m.own.node = answer;
        m.own.reported = Some(now);
    });
    Ok(())
}

/// Says once that the node was closed to new pods, or opened.
fn note_closed(sync: &mut Sync<'_>, memory: &KubeletMemory, node: &Object) {
    let closed = node.spec().get("unschedulable").is_true();
    if closed != memory.own.closed {
        let reason = if closed { "NodeNotSchedulable" } else { "NodeSchedulable" };
        sync.event(&about(node), "Normal", reason, format!("Node {} status is now: {reason}", memory.node));
        sync.remember(move |m: &mut KubeletMemory| m.own.closed = closed);
    }
}

fn register(sync: &mut Sync<'_>, memory: &KubeletMemory, config: &NodeConfig) -> Result<(), Stop> {
    let now = sync.now();
    let name = memory.node.clone();
    let mut node = Object(value!({"apiVersion": "v1", "kind": "Node", "metadata": {
        "name": (&name), "labels": (labels(config, &name)),
        "annotations": {"volumes.kubernetes.io/controller-managed-attach-detach": "true"}}}));
    node.0.set("spec", spec(config));
    node.0.set("status", status(config, &name, now, &Value::Null, false));
    let stored = match sync.request(Request::create(&resource::NODES, node).by("kubelet")) {
        Ok(answer) => answer.object(),
        Err(Stop::Failed(s)) if s.is_already_exists() => {
            sync.request(Request::get(&resource::NODES, "", name.clone()).by("kubelet"))?.object()
        }
        Err(stop) => return Err(stop),
    };
    let fresh =
        stored.at(&["status", "conditions"]).find("type", "Ready").is_some_and(|c| c.get("lastHeartbeatTime").text() == now.rfc3339());
    let of = about(&stored);
    sync.event(&of, "Normal", "Starting", "Starting kubelet.");
    // Once for the status that it made, once for the one that it registered.
    for (_, reason) in PRESSURES.iter().chain(PRESSURES.iter().filter(|_| fresh)) {
        sync.event(&of, "Normal", *reason, format!("Node {name} status is now: {reason}"));
    }
    if fresh {
        let warm = if now.0 < COLD_START_MS { COLD_START_MS } else { WARM_UP_MS };
        sync.queue(|q| q.add_at(STATUS_KEY, now, now.after_ms(warm)));
    }
    sync.remember(|m: &mut KubeletMemory| {
        m.own.registered = true;
        m.own.began = now;
        m.own.fresh = fresh;
        m.own.node = stored;
        m.own.reported = fresh.then_some(now);
    });
    if !fresh {
        sync.queue(|q| q.add(STATUS_KEY));
    }
    Ok(())
}

/// The kubelet's events about its node name it without a uid.
fn about(node: &Object) -> Object {
    Object(value!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": (node.meta().get("name"))}}))
}

fn labels(config: &NodeConfig, name: &Str) -> Value {
    let mut labels = value!({"beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux"});
    labels.set("kubernetes.io/hostname", name);
    for (key, label) in config.labels.entries() {
        labels.set(key.clone(), label);
    }
    labels
}

fn spec(config: &NodeConfig) -> Value {
    let mut spec = Value::map();
    if !config.taints.is_empty() {
        spec.set("taints", &config.taints);
    }
    spec
}

fn status(config: &NodeConfig, name: &Str, now: Time, old: &Value, ready: bool) -> Value {
    let amounts =
        value!({"cpu": (&config.cpu), "ephemeral-storage": "100Gi", "memory": (&config.memory), "pods": (config.pods.to_string())});
    let condition = |kind: &'static str, is: &'static str, reason: &'static str, message: &'static str| {
        let before = old.get("conditions").find("type", kind).filter(|c| c.get("status").text() == is);
        let since = before.map_or_else(|| Value::from(now.rfc3339()), |c| c.get("lastTransitionTime").clone());
        value!({"type": kind, "status": is, "lastHeartbeatTime": (now.rfc3339()), "lastTransitionTime": since, "reason": reason, "message": message})
    };
    let readiness = match ready {
        true => condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
        false => condition("Ready", "False", "KubeletNotReady", NOT_READY),
    };
    let machine: String = name.bytes().take(16).map(|b| format!("{b:02x}")).collect();
    let machine = format!("{machine:0>32}");
    value!({
        "capacity": (&amounts),
        "allocatable": (&amounts),
        "conditions": [
            (condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available")),
            (condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure")),
            (condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available")),
            (readiness)
        ],
        "addresses": [{"type": "InternalIP", "address": (&config.address)}, {"type": "Hostname", "address": name}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10_250_i64}},
        "nodeInfo": {
            "machineID": (machine.clone()), "systemUUID": machine, "bootID": "00000000-0000-4000-8000-000000000001",
            "kernelVersion": "6.12.0", "osImage": "Debian GNU/Linux 13 (trixie)", "containerRuntimeVersion": "containerd://2.1.4",
            "kubeletVersion": "v1.36.3", "kubeProxyVersion": "", "operatingSystem": "linux", "architecture": "amd64"
        },
        "runtimeHandlers": [
            {"name": "", "features": {"recursiveReadOnlyMounts": true, "userNamespaces": true}},
            {"name": "runc", "features": {"recursiveReadOnlyMounts": true, "userNamespaces": true}}
        ],
        "features": {"supplementalGroupsPolicy": true},
        "declaredFeatures": [
            "ExtendWebSocketsToKubelet", "InPlacePodLevelResourcesVerticalScaling", "InPlacePodVerticalScalingInitContainers",
            "RestartAllContainersOnContainerExits"
        ]
    })
}

fn image_list(memory: &KubeletMemory, now: Time) -> Value {
    let one = |full: &Str| value!({"names": [(format!("{}@sha256:{}", repository(full), digest(full))), full], "sizeBytes": IMAGE_BYTES});
    let ahead = Time(memory.own.began.0.saturating_sub(IMAGES_AHEAD_MS));
    let looked = ahead.after_ms(now.since_ms(ahead) / IMAGES_MS * IMAGES_MS);
    let list: Vec<Value> = memory.machine.images(looked).take(MOST_IMAGES).map(one).collect();
    if list.is_empty() { Value::Null } else { Value::from(list) }
}

/// Makes or renews the node's lease.
#[inline(never)]
pub fn sync_lease(sync: &mut Sync<'_>, memory: &KubeletMemory) -> Result<(), Stop> {
    let (now, name) = (sync.now(), memory.node.clone());
    sync.queue(|q| q.add_at(LEASE_KEY, now, now.after_ms(PERIOD_MS)));
    // The first look at the lease is before the node is there to own it, and nobody tries again before the next.
    if !memory.own.registered || memory.own.fresh && now.since_ms(memory.own.began) < WARM_UP_MS {
        return Ok(());
    }
    let stored = match write_lease(sync, memory, now) {
        Err(Stop::Halted) => return Err(Stop::Halted),
        Err(Stop::Failed(s)) => refused(sync, &s, &name)?,
        Ok(o) => o,
    };
    sync.remember(|m: &mut KubeletMemory| m.own.lease = stored);
    Ok(())
}

fn write_lease(sync: &mut Sync<'_>, memory: &KubeletMemory, now: Time) -> Result<Object, Stop> {
    let mut lease = memory.own.lease.clone();
    if lease.0.is_null() {
        let mut new = value!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {
            "name": (&memory.node), "namespace": "kube-node-lease"}});
        let uid = memory.own.node.uid();
        if !uid.is_empty() {
            let owner = value!({"apiVersion": "v1", "kind": "Node", "name": (&memory.node), "uid": (Value::str(uid))});
            new.set_at(&["metadata", "ownerReferences"], value!([owner]));
        }
        new.set(
            "spec",
            value!({"holderIdentity": (&memory.node), "leaseDurationSeconds": LEASE_SECONDS, "renewTime": (now.rfc3339_micro())}),
        );
        return Ok(sync.request(Request::create(&resource::LEASES, Object(new)).by("kubelet"))?.object());
    }
    lease.0.set_at(&["spec", "renewTime"], now.rfc3339_micro());
    Ok(sync.request(Request::update(&resource::LEASES, lease).by("kubelet"))?.object())
}

/// A lease that is not as remembered is read again; the next renewal comes with its period.
fn refused(sync: &mut Sync<'_>, why: &Status, name: &Str) -> Result<Object, Stop> {
    if !(why.is_conflict() || why.is_already_exists()) {
        return Ok(Object::default());
    }
    Ok(sync.request(Request::get(&resource::LEASES, "kube-node-lease", name.clone()).by("kubelet"))?.object())
}
