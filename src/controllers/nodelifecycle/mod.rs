//! Watches over the kubelets' heartbeats and taints nodes by their conditions. Follows upstream
//! `pkg/controller/nodelifecycle/node_lifecycle_controller.go` and `scheduler/rate_limited_queue.go`. Left out: zones
//! and their rates of eviction, nodes that never reported. Upstream looks at every node every 5 s; here a node is
//! looked at when it changes, and at the first of those instants after its grace has passed.

mod health;
mod taints;

use super::common::MANAGER;
use crate::api::resource::{LEASES, NODES, PODS};
use crate::api::{Object, Request, Resource, Str, Value};
use crate::client::{Change, Controller, Handling, Memory, Stop, Sync};
use crate::util::Time;
use crate::util::Tree;
use crate::value;

/// The node lifecycle loop.
pub struct NodeLifecycleController;

const WATCHES: &[Resource] = &[NODES, LEASES];
const READS: &[Resource] = &[PODS];
const LEASE_NAMESPACE: &str = "kube-node-lease";
/// `--node-monitor-grace-period` and `--node-monitor-period`
const GRACE_MS: u64 = 50_000;
const MONITOR_MS: u64 = 5_000;
/// A key with this prefix is the monitor's appointment with a node.
const MONITOR_KEY: &str = "monitor/";

/// What the loop remembers of a node.
#[derive(Clone)]
struct Seen {
    /// when the last heartbeat was heard, by this process's own clock
    heard: Time,
    /// whether `RegisteredNode` was told
    registered: bool,
}

#[derive(Clone, Default)]
struct Known {
    nodes: Tree<Str, Seen>,
}

impl Controller for NodeLifecycleController {
    fn name(&self) -> &'static str {
        "node-lifecycle"
    }

    fn watches(&self) -> &'static [Resource] {
        WATCHES
    }

    fn reads(&self) -> &'static [Resource] {
        READS
    }

    fn component(&self) -> &'static str {
        "node-controller"
    }

    fn is_periodic(&self, key: &str) -> bool {
        key.starts_with(MONITOR_KEY)
    }

    fn memory(&self, _node: &Str) -> Memory {
        Memory::new(Known::default())
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        let name = change.object().meta().get("name").to_str();
        if change.resource == LEASES {
            if change.object().namespace() == LEASE_NAMESPACE && !change.is_deleted() {
                heard(h, &name);
            }
        } else if change.is_deleted() {
            h.queue.cancel(&format!("{MONITOR_KEY}{name}"));
            h.queue.add_at(format!("{MONITOR_KEY}{name}"), h.now, monitored_after(h.now));
        } else {
            if change.old.as_ref().is_none_or(|old| heartbeat(old) != heartbeat(change.object())) {
                heard(h, &name);
            }
            if change.old.as_ref().is_none_or(|old| is_news(old, change.object())) {
                h.queue.add(name);
            }
        }
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let monitors = key.starts_with(MONITOR_KEY);
        let key = key.strip_prefix(MONITOR_KEY).unwrap_or(key);
        let seen = sync.memory::<Known>().nodes.get(key).cloned();
        let Some(node) = sync.cache(&NODES).get("", key) else {
            if monitors && seen.is_some() {
                forget(sync, key);
            }
            return Ok(());
        };
        let heard = seen.as_ref().map_or(sync.now(), |s| s.heard);
        if !seen.is_some_and(|s| s.registered) {
            register(sync, node, heard);
        }
        let state = node.condition("Ready").map_or(Str::fixed("Unknown"), |c| c.get("status").to_str());
        sync.saw("saw.nodelifecycle", vec![Str::from(key), state]);
        let now_ready = health::check(sync, node, heard)?;
        if !monitors && taints::will_execute(&now_ready) {
            let (now, key) = (sync.now(), format!("{MONITOR_KEY}{key}"));
            sync.queue(|q| q.add_at(key, now, monitored_after(now)));
        }
        taints::update(sync, &now_ready, monitors)
    }
}

/// The instant the kubelet last reported, as its status says.
fn heartbeat(node: &Object) -> &Value {
    node.condition("Ready").map_or(&Value::Null, |c| c.get("lastHeartbeatTime"))
}

/// Whether a change of a node may change its taints.
fn is_news(old: &Object, new: &Object) -> bool {
    let states = |o: &Object| -> Vec<(Str, Str)> {
        o.status().get("conditions").items().iter().map(|c| (c.get("type").to_str(), c.get("status").to_str())).collect()
    };
    old.spec().get("unschedulable") != new.spec().get("unschedulable")
        || old.spec().get("taints") != new.spec().get("taints")
        || (!old.status().get("conditions").same(new.status().get("conditions")) && states(old) != states(new))
}

/// Notes a heartbeat, and when to look if no other comes.
fn heard(h: &mut Handling<'_>, name: &Str) {
    let now = h.now;
    let known: &mut Known = h.memory.get_mut();
    let registered = known.nodes.get(name).is_some_and(|s| s.registered);
    known.nodes.insert_mut(name.clone(), Seen { heard: now, registered });
    h.queue.add_at(format!("{MONITOR_KEY}{name}"), now, monitored_after(now.after_ms(GRACE_MS)));
}

/// The first look of the monitor after an instant.
fn monitored_after(t: Time) -> Time {
    Time((t.0 / MONITOR_MS + 1) * MONITOR_MS)
}

fn register(sync: &mut Sync<'_>, node: &Object, heard: Time) {
    let name = node.meta().get("name").to_str();
    tell(sync, node, "RegisteredNode", format!("Node {name} event: Registered Node {name} in Controller"));
    sync.remember(|m: &mut Known| {
        m.nodes.insert_mut(name, Seen { heard, registered: true });
    });
}

/// The monitor finds a node gone.
fn forget(sync: &mut Sync<'_>, name: &str) {
    let gone = Object(value!({"metadata": {"name": (Value::str(name))}}));
    tell(sync, &gone, "RemovingNode", format!("Node {name} event: Removing Node {name} from Controller"));
    let name = Str::from(name);
    sync.remember(|m: &mut Known| {
        m.nodes.remove_mut(&name);
    });
}

/// An Event about a node names no version of it.
fn tell(sync: &mut Sync<'_>, node: &Object, reason: &'static str, message: String) {
    let about = Object(value!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": (node.meta().get("name")), "uid": (node.meta().get("uid"))}
    }));
    sync.event(&about, "Normal", reason, message);
}

fn status_update(resource: &Resource, object: Object) -> Request {
    Request::update_status(resource, object).by(MANAGER)
}
