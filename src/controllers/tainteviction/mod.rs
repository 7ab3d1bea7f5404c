//! Deletes pods from nodes with a NoExecute taint when their toleration ends. Follows upstream
//! `pkg/controller/tainteviction/taint_eviction.go`.

use super::common::{attempt, pod, send};
use crate::api::resource::{NODES, PODS};
use crate::api::{Object, ObjectKey, Request, Resource, Str, Value};
use crate::client::{Change, Controller, Handling, Memory, Stop, Sync};
use crate::util::{Time, Tree};
use crate::value;

/// When pods that tolerate their node's taints for a while are to go. The time runs from when the loop saw the taint.
#[derive(Clone, Default)]
struct Scheduled(Tree<Str, Time>);

/// What a pod's tolerations say of its node's taints.
#[derive(Debug, PartialEq)]
enum Verdict {
    AtOnce,
    AfterMs(u64),
    Never,
}

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
        Memory::new(Scheduled::default())
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        if change.resource == NODES {
            let Some(node) = &change.new else { return };
            let before = change.old.as_ref().map_or(&Value::Null, |o| o.spec().get("taints"));
            if before == node.spec().get("taints") || (executing(before).next().is_none() && !is_executing(node)) {
                return;
            }
            let keys: Vec<Str> = h.caches.of(&PODS).on_node(node.name()).map(|p| p.key().joined()).collect();
            keys.into_iter().for_each(|key| h.queue.add(key));
            return;
        }
        let Some(p) = &change.new else { return h.queue.add(change.object().key().joined()) };
        let node = p.spec().get("nodeName");
        let differs = |o: &Object| o.spec().get("nodeName") != node || o.spec().get("tolerations") != p.spec().get("tolerations");
        if change.old.as_ref().is_none_or(differs) && h.caches.of(&NODES).get("", node.text()).is_some_and(is_executing) {
            h.queue.add(p.key().joined());
        }
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let scheduled = sync.memory::<Scheduled>().0.get(key).copied();
        let pod = sync.cache(&PODS).by_key(&ObjectKey::split(key)).filter(|p| !p.is_deleting() && !pod::is_finished(p));
        let Some(pod) = pod else {
            forget(sync, key);
            return Ok(());
        };
        let now = sync.now();
        if scheduled.is_some_and(|due| due <= now) {
            forget(sync, key);
            return evict(sync, pod);
        }
        let node = sync.cache(&NODES).get("", pod.spec().get("nodeName").text());
        match (node.map_or(Verdict::Never, |node| verdict(pod, node)), scheduled) {
            (Verdict::AtOnce, _) => {
                cancel(sync, pod, key);
                evict(sync, pod)
            }
            (Verdict::Never, _) => {
                cancel(sync, pod, key);
                Ok(())
            }
            (Verdict::AfterMs(_), Some(_)) => Ok(()),
            (Verdict::AfterMs(ms), None) => {
                sync.saw("saw.tainteviction", vec![Str::from(key), Str::from((ms / 1000).to_string())]);
                let (key, due) = (Str::from(key), now.after_ms(ms));
                sync.queue(|q| q.add_at(key.clone(), now, due));
                sync.remember(|m: &mut Scheduled| _ = m.0.insert_mut(key, due));
                Ok(())
            }
        }
    }
}

/// Drops what was scheduled for a pod; false if nothing was.
fn forget(sync: &mut Sync<'_>, key: &str) -> bool {
    let was = sync.memory::<Scheduled>().0.get(key).is_some();
    if was {
        let name = Str::from(key);
        sync.queue(|q| q.cancel(&name));
        sync.remember(|m: &mut Scheduled| {
            m.0.remove_mut(&name);
        });
    }
    was
}

fn cancel(sync: &mut Sync<'_>, pod: &Object, key: &str) {
    if forget(sync, key) {
        sync.event(pod, "Normal", "TaintManagerEviction", format!("Cancelling deletion of Pod {key}"));
    }
}

fn executing(taints: &Value) -> impl Iterator<Item = &Value> {
    taints.items().iter().filter(|t| t.get("effect").text() == "NoExecute")
}

fn is_executing(node: &Object) -> bool {
    executing(node.spec().get("taints")).next().is_some()
}

/// The shortest of the tolerations that are used, one for each taint.
fn verdict(p: &Object, node: &Object) -> Verdict {
    let tolerations = p.spec().get("tolerations").items();
    let mut shortest = Verdict::Never;
    for taint in executing(node.spec().get("taints")) {
        let Some(used) = tolerations.iter().find(|t| tolerates(t, taint)) else { return Verdict::AtOnce };
        let Some(seconds) = used.get("tolerationSeconds").as_int() else { continue };
        let ms = seconds.max(0).unsigned_abs().saturating_mul(1000);
        shortest = match shortest {
            Verdict::AfterMs(before) => Verdict::AfterMs(before.min(ms)),
            _ => Verdict::AfterMs(ms),
        };
    }
    shortest
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
    let why = pod::disruption(p, "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint", sync.now());
    match attempt(sync, pod::patch_status(p, value!({"conditions": [why]})))? {
        Err(e) if e.is_not_found() => return Ok(()),
        Err(e) => return Err(Stop::Failed(e)),
        Ok(_) => {}
    }
    send(sync, Request::delete(&PODS, key.namespace, key.name)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_toleration_in_use_says_when() {
        let forever = value!({"key": "broken", "operator": "Exists"});
        let seconds = |n: i64| value!({"key": "broken", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": n});
        let other = value!({"key": "far", "operator": "Exists", "tolerationSeconds": 5_i64});
        let table = [
            ("none", vec![], Verdict::AtOnce),
            ("for ever", vec![forever.clone()], Verdict::Never),
            ("for a while, though the taint says not since when", vec![seconds(8)], Verdict::AfterMs(8000)),
            ("the first that fits is used", vec![forever, seconds(8)], Verdict::Never),
            ("less than nothing", vec![seconds(-3)], Verdict::AfterMs(0)),
            ("one of another taint", vec![other], Verdict::AtOnce),
        ];
        let node = Object(value!({"spec": {"taints": [
            {"key": "broken", "value": "yes", "effect": "NoExecute"}, {"key": "full", "effect": "NoSchedule"}]}}));
        for (name, tolerations, expected) in table {
            let pod = Object(value!({"spec": {"tolerations": (Value::from(tolerations))}}));
            assert_eq!(verdict(&pod, &node), expected, "{name}");
        }
    }
}
