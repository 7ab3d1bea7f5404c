//! Deletes pods from nodes with a NoExecute taint when their toleration ends. Follows upstream
//! `pkg/controller/tainteviction/taint_eviction.go`.

use super::common::{attempt, pod, send};
use crate::api::resource::{NODES, PODS};
use crate::api::{Object, ObjectKey, Request, Resource, Str, Value};
use crate::client::{Change, Controller, Handling, Memory, Stop, Sync};
use crate::util::Time;
use crate::value;

/// The taint eviction loop.
pub struct TaintEvictionController;

const WATCHES: &[Resource] = &[NODES, PODS];

impl Controller for TaintEvictionController {
    fn name(&self) -> &'static str {
        "taint-eviction-controller"
    }

    fn watches(&self) -> &'static [Resource] {
        WATCHES
    }

    fn workers(&self) -> usize {
        8
    }

    fn component(&self) -> &'static str {
        "taint-eviction-controller"
    }

    fn memory(&self, _node: &Str) -> Memory {
        Memory::new(())
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        if change.resource == NODES {
            let Some(node) = &change.new else { return };
            let before = change.old.as_ref().map_or(&Value::Null, |o| o.spec().get("taints"));
            if before == node.spec().get("taints") || (executing(before).next().is_none() && !is_executing(node)) {
                return;
            }
            let keys: Vec<Str> = h.caches.of(&PODS).on_node(node.name()).map(|p| p.key().joined()).collect();
            for key in keys {
                h.queue.cancel(&key);
                h.queue.add(key);
            }
            return;
        }
        let Some(p) = &change.new else { return h.queue.cancel(&change.object().key().joined()) };
        let node = p.spec().get("nodeName");
        let bound = change.old.as_ref().is_none_or(|o| o.spec().get("nodeName") != node);
        if bound && h.caches.of(&NODES).get("", node.text()).is_some_and(is_executing) {
            h.queue.add(p.key().joined());
        }
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let Some(p) = sync.cache(&PODS).by_key(&ObjectKey::split(key)) else { return Ok(()) };
        if p.is_deleting() || pod::is_finished(p) {
            return Ok(());
        }
        let Some(node) = sync.cache(&NODES).get("", p.spec().get("nodeName").text()) else { return Ok(()) };
        let Some(due) = due(p, node) else { return Ok(()) };
        let now = sync.now();
        if due > now {
            sync.saw("saw.tainteviction", vec![Str::from(key), Str::from((due.since_ms(now) / 1000).to_string())]);
            let key = Str::from(key);
            sync.queue(|q| q.add_at(key, now, due));
            return Ok(());
        }
        evict(sync, p)
    }
}

fn executing(taints: &Value) -> impl Iterator<Item = &Value> {
    taints.items().iter().filter(|t| t.get("effect").text() == "NoExecute")
}

fn is_executing(node: &Object) -> bool {
    executing(node.spec().get("taints")).next().is_some()
}

/// When a pod must go: `None` if it tolerates every taint for ever.
fn due(p: &Object, node: &Object) -> Option<Time> {
    let mut first: Option<Time> = None;
    for taint in executing(node.spec().get("taints")) {
        let since = Time::parse_rfc3339(taint.get("timeAdded").text()).unwrap_or_default();
        let tolerations = p.spec().get("tolerations").items().iter().filter(|t| tolerates(t, taint));
        let seconds: Vec<Option<i64>> = tolerations.map(|t| t.get("tolerationSeconds").as_int()).collect();
        let due = if seconds.is_empty() {
            since
        } else {
            let Some(shortest) = seconds.into_iter().flatten().min() else { continue };
            since.after_ms(shortest.max(0).unsigned_abs() * 1000)
        };
        first = Some(first.map_or(due, |f| f.min(due)));
    }
    first
}

fn tolerates(toleration: &Value, taint: &Value) -> bool {
    let (key, effect) = (toleration.get("key").text(), toleration.get("effect").text());
    if !effect.is_empty() && effect != taint.get("effect").text() || !key.is_empty() && key != taint.get("key").text() {
        return false;
    }
    match toleration.get("operator").text() {
        "Exists" => true,
        _ => toleration.get("value").text() == taint.get("value").text(),
    }
}

fn evict(sync: &mut Sync<'_>, p: &Object) -> Result<(), Stop> {
    let key = p.key();
    sync.differs("differs.tainteviction", vec![key.joined()]);
    sync.event(p, "Normal", "TaintManagerEviction", format!("Marking for deletion Pod {}", key.joined()));
    let mut changed = p.clone();
    let conditions = changed.0.entry_at(&["status", "conditions"]).list_mut();
    conditions.retain(|c| c.get("type").text() != "DisruptionTarget");
    conditions.push(value!({
        "type": "DisruptionTarget", "status": "True", "reason": "DeletionByTaintManager",
        "message": "Taint manager: deleting due to NoExecute taint", "lastTransitionTime": (sync.now().rfc3339())
    }));
    match attempt(sync, Request::update_status(&PODS, changed))? {
        Err(e) if e.is_not_found() => return Ok(()),
        Err(e) => return Err(Stop::Failed(e)),
        Ok(_) => {}
    }
    send(sync, Request::delete(&PODS, key.namespace, key.name)).map(drop)
}
