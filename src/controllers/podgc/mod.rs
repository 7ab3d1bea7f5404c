//! Removes pods that no kubelet will ever remove. Follows upstream `pkg/controller/podgc/gc_controller.go`. Left
//! out: the threshold of 12,500 finished pods, unscheduled pods that are being deleted (the server removes these).
//! Upstream looks every 20 s; here a node's pods are looked at when that would have found them.

use super::common::{attempt, num, pod};
use crate::api::resource::{NODES, PODS};
use crate::api::{Object, Request, Resource, Str};
use crate::client::{Change, Controller, Handling, Memory, Stop, Sync};
use crate::value;

/// The pod garbage collector's loop.
pub struct PodGcController;

const WATCHES: &[Resource] = &[NODES, PODS];
const PERIOD_MS: u64 = 20_000;
/// A node must be missing for this long.
const QUARANTINE_MS: u64 = 40_000;
const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

impl Controller for PodGcController {
    fn name(&self) -> &'static str {
        "pod-garbage-collector"
    }

    fn watches(&self) -> &'static [Resource] {
        WATCHES
    }

    fn component(&self) -> &'static str {
        "pod-garbage-collector"
    }

    fn memory(&self, _node: &Str) -> Memory {
        Memory::new(())
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        if change.resource == NODES {
            let name = change.object().meta().get("name").to_str();
            if change.is_deleted() {
                h.queue.add_after(name, h.now, PERIOD_MS + QUARANTINE_MS);
            } else if is_out_of_service(change.object()) {
                h.queue.add_after(name, h.now, PERIOD_MS);
            }
            return;
        }
        let Some(p) = &change.new else { return };
        let node = p.spec().get("nodeName");
        let bound = change.old.as_ref().is_none_or(|o| o.spec().get("nodeName") != node);
        if bound && !node.is_empty() && h.caches.of(&NODES).get("", node.text()).is_none() {
            h.queue.add_after(node.to_str(), h.now, PERIOD_MS + QUARANTINE_MS);
        }
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let pods: Vec<&Object> = sync.cache(&PODS).on_node(key).collect();
        sync.saw("saw.podgc", vec![Str::from(key), num(pods.len() as i64)]);
        match sync.cache(&NODES).get("", key) {
            None => {
                let answer = attempt(sync, Request::get(&NODES, "", key))?;
                if answer.is_err_and(|e| e.is_not_found()) {
                    let why = ("DeletionByPodGC", "PodGC: node no longer exists");
                    for p in pods {
                        remove(sync, p, why)?;
                    }
                }
            }
            Some(node) if is_out_of_service(node) && !node.condition_is_true("Ready") => {
                let why = ("DeletionByPodGC", "PodGC: node is out-of-service");
                for p in pods.into_iter().filter(|p| p.is_deleting()) {
                    remove(sync, p, why)?;
                }
            }
            Some(_) => {}
        }
        Ok(())
    }
}

fn is_out_of_service(node: &Object) -> bool {
    node.spec().get("taints").find("key", OUT_OF_SERVICE).is_some()
}

/// Says why, and deletes without grace (`markFailedAndDeletePodWithCondition`).
fn remove(sync: &mut Sync<'_>, p: &Object, (reason, message): (&'static str, &'static str)) -> Result<(), Stop> {
    let key = p.key();
    sync.differs("differs.podgc", vec![key.joined()]);
    if !pod::is_finished(p) {
        let why = pod::disruption(p, reason, message, sync.now());
        match attempt(sync, pod::patch_status(p, value!({"conditions": [why], "phase": "Failed"})))? {
            Err(e) if e.is_not_found() => return Ok(()),
            Err(e) => return Err(Stop::Failed(e)),
            Ok(_) => {}
        }
    }
    let mut request = Request::delete(&PODS, key.namespace, key.name);
    request.delete.grace_period_seconds = Some(0);
    match attempt(sync, request)? {
        Err(e) if !e.is_not_found() => Err(Stop::Failed(e)),
        _ => Ok(()),
    }
}
