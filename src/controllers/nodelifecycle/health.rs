//! A node whose kubelet is silent is `Unknown`, and its pods are not ready (`monitorNodeHealth`).

use super::{GRACE_MS, status_update, tell};
use crate::api::Object;
use crate::api::resource::{NODES, PODS};
use crate::client::{Stop, Sync};
use crate::controllers::common::{attempt, pod};
use crate::util::Time;
use crate::value;

const CONDITIONS: [&str; 4] = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/// Writes what is known of the node's health, and gives the node as it is then.
pub(super) fn check(sync: &mut Sync<'_>, node: &Object, heard: Time) -> Result<Object, Stop> {
    let now = sync.now();
    let was = ready_state(node).to_string();
    let mut current = node.clone();
    if now.since_ms(heard) > GRACE_MS && was != "Unknown" {
        silence(&mut current, now);
        sync.differs("differs.node.silent", vec![node.meta().get("name").to_str()]);
        current = match attempt(sync, status_update(&NODES, current))? {
            Ok(stored) => stored,
            Err(e) => return Err(Stop::Failed(e)),
        };
        if was == "True" {
            tell(sync, node, "NodeNotReady", format!("Node {} status is now: NodeNotReady", node.name()));
        }
    }
    if ready_state(&current) != "True" && !ready_state(&current).is_empty() {
        pods_not_ready(sync, &current)?;
    }
    Ok(current)
}

fn ready_state(node: &Object) -> &str {
    node.condition("Ready").map_or("", |c| c.get("status").text())
}

fn silence(node: &mut Object, now: Time) {
    let list = node.0.entry_at(&["status", "conditions"]).list_mut();
    for kind in CONDITIONS {
        match list.iter_mut().find(|c| c.get("type").text() == kind) {
            Some(c) => {
                if c.get("status").text() != "Unknown" {
                    c.set("lastTransitionTime", now.rfc3339());
                }
                c.set("status", "Unknown");
                c.set("reason", "NodeStatusUnknown");
                c.set("message", "Kubelet stopped posting node status.");
            }
            None => list.push(value!({
                "type": kind, "status": "Unknown", "reason": "NodeStatusNeverUpdated",
                "message": "Kubelet never posted node status.",
                "lastTransitionTime": (now.rfc3339())
            })),
        }
    }
}

/// Nobody can say any more that the node's pods are ready (`MarkPodsNotReady`).
fn pods_not_ready(sync: &mut Sync<'_>, node: &Object) -> Result<(), Stop> {
    let now = sync.now();
    let ready: Vec<&Object> = sync.cache(&PODS).on_node(node.name()).filter(|p| pod::is_ready(p)).collect();
    for p in ready {
        let mut changed = p.clone();
        for c in changed.0.entry_at(&["status", "conditions"]).list_mut() {
            if c.get("type").text() == "Ready" {
                c.set("status", "False");
                c.set("lastTransitionTime", now.rfc3339());
            }
        }
        match attempt(sync, status_update(&PODS, changed))? {
            Err(e) if !e.is_not_found() => return Err(Stop::Failed(e)),
            _ => sync.event(p, "Warning", "NodeNotReady", "Node is not ready"),
        }
    }
    Ok(())
}
