//! The queues: pods that fit nowhere wait until something happens that their filters asked for (queueing hints). Their
//! back-off is over at once when no other pod waits, so nobody waits for it (`pkg/scheduler/backend/queue`,
//! `eventhandlers.go`, `SchedulerPopFromBackoffQ`).

use super::nodes::{Ask, NodeInfo};
use super::{Brain, filters, is_waiting};
use crate::api::{Object, Str, Value};
use crate::client::{Change, Handling, Queue};
use std::rc::Rc;

/// Whatever happens, a pod is tried again after five minutes.
pub const FLUSH_MS: u64 = 300_000;

/// A pod that fits nowhere.
#[derive(Clone, Debug)]
pub struct Unschedulable {
    pub pod: Object,
    pub plugins: Vec<&'static str>,
}

/// What happened that may make room.
#[derive(Clone, Copy)]
pub enum News<'a> {
    /// A pod went away.
    Freed(&'a Object),
    /// A pod came onto a node.
    Placed(&'a Object),
    Node {
        old: Option<&'a Object>,
        new: &'a NodeInfo,
    },
}

/// Higher priority first.
fn order(pod: &Object) -> i64 {
    -pod.spec().get("priority").int()
}

pub fn pod_changed(h: &mut Handling<'_>, change: &Change) {
    let pod = change.object();
    let key = pod.key().joined();
    let over = change.is_deleted() || matches!(pod.status().get("phase").text(), "Succeeded" | "Failed");
    let was_on = change.old.as_ref().map(|o| o.spec().get("nodeName").to_str()).unwrap_or_default();
    let on = pod.spec().get("nodeName").to_str();
    if over {
        drop_waiting(h, &key);
        let brain: &mut Brain = h.memory.get_mut();
        let assumed = brain.assumed.get(&key).map(|(node, _)| node.clone());
        brain.assumed.remove_mut(&key);
        let place = [on, was_on, assumed.unwrap_or_default()].into_iter().find(|node| !node.is_empty()).unwrap_or_default();
        if !place.is_empty() {
            let counted = on_node(h.memory.get_mut(), &place, |n| {
                let counted = n.pods.contains_key(&key);
                n.remove(&key);
                counted
            });
            if counted {
                wake(h, News::Freed(pod));
            }
        }
        return;
    }
    if on.is_empty() {
        waiting_changed(h, change, &key);
        return;
    }
    drop_waiting(h, &key);
    let known = h.memory.get::<Brain>().nodes.get(&on).is_some_and(|n| n.pods.contains_key(&key));
    let assumed = h.memory.get::<Brain>().assumed.contains_key(&key);
    let same = |o: &Object| o.spec().same(pod.spec()) && o.labels().same(pod.labels()) && o.is_deleting() == pod.is_deleting();
    if known && !assumed && change.old.as_ref().is_some_and(same) {
        return;
    }
    let brain: &mut Brain = h.memory.get_mut();
    brain.assumed.remove_mut(&key);
    on_node(brain, &on, |n| n.add(&key, pod));
    if !known || assumed {
        wake(h, News::Placed(pod));
    }
}

#[inline(never)]
fn waiting_changed(h: &mut Handling<'_>, change: &Change, key: &Str) {
    let Some(pod) = &change.new else { return };
    if !is_waiting(pod) {
        drop_waiting(h, key);
        return;
    }
    let brain: &Brain = h.memory.get();
    if brain.assumed.contains_key(key) {
        return;
    }
    match (brain.unschedulable.get(key).cloned(), &change.old) {
        (Some(u), Some(old)) => {
            // The scheduler's own write of the condition is no reason to try again.
            if old.spec() != pod.spec() || old.labels() != pod.labels() {
                requeue(h.memory.get_mut(), h.queue, key, &u);
            }
        }
        (Some(_), None) => {}
        (None, _) => h.queue.add_ordered(key.clone(), order(pod)),
    }
}

fn drop_waiting(h: &mut Handling<'_>, key: &Str) {
    if h.memory.get::<Brain>().unschedulable.contains_key(key) {
        let brain: &mut Brain = h.memory.get_mut();
        brain.unschedulable.remove_mut(key);
    }
    if h.memory.get::<Brain>().nominated.contains_key(key) {
        h.memory.get_mut::<Brain>().nominated.remove_mut(key);
    }
    h.queue.cancel(key);
}

fn on_node<T: Default>(brain: &mut Brain, node: &Str, change: impl FnOnce(&mut NodeInfo) -> T) -> T {
    // A pod may be seen before its node; the node is then a stub without room.
    if !brain.nodes.contains_key(node) {
        return T::default();
    }
    brain.nodes.get_mut(node).map(|n| change(Rc::make_mut(n))).unwrap_or_default()
}

#[inline(never)]
pub fn node_changed(h: &mut Handling<'_>, change: &Change) {
    let node = change.object();
    let name = node.meta().get("name").to_str();
    if change.is_deleted() {
        h.memory.get_mut::<Brain>().nodes.remove_mut(&name);
        return;
    }
    if let Some(old) = &change.old
        && old.spec() == node.spec()
        && old.labels() == node.labels()
        && old.status().get("allocatable") == node.status().get("allocatable")
    {
        return;
    }
    let placed: Vec<Object> = if h.memory.get::<Brain>().nodes.contains_key(&name) {
        Vec::new()
    } else {
        h.caches.of(&crate::api::resource::PODS).on_node(&name).cloned().collect()
    };
    let brain: &mut Brain = h.memory.get_mut();
    if brain.nodes.contains_key(&name) {
        on_node(brain, &name, |n| n.set_object(node));
    } else {
        let mut info = NodeInfo::new(node);
        for pod in placed.iter().filter(|p| !matches!(p.status().get("phase").text(), "Succeeded" | "Failed")) {
            info.add(&pod.key().joined(), pod);
        }
        brain.nodes.insert_mut(name.clone(), Rc::new(info));
    }
    let info = brain.nodes.get(&name).cloned().expect("put in above");
    wake(h, News::Node { old: change.old.as_ref(), new: &info });
}

/// Lets the pods try again to which the news matters.
#[inline(never)]
fn wake(h: &mut Handling<'_>, news: News<'_>) {
    let brain: &Brain = h.memory.get();
    if brain.unschedulable.is_empty() {
        return;
    }
    let moved: Vec<(Str, Unschedulable)> =
        brain.unschedulable.iter().filter(|(_, u)| matters(u, news)).map(|(k, u)| (k.clone(), u.clone())).collect();
    for (key, u) in moved {
        requeue(h.memory.get_mut(), h.queue, &key, &u);
    }
}

/// The queueing hints of the filters that turned the pod down.
fn matters(u: &Unschedulable, news: News<'_>) -> bool {
    let asked = |plugin: &str| u.plugins.contains(&plugin);
    match news {
        News::Freed(gone) => {
            asked("NodeResourcesFit")
                || asked("NodePorts") && filters::wants_port_of(&u.pod, gone)
                || asked("PodTopologySpread") && filters::is_spread_with(&u.pod, gone)
                || asked("InterPodAffinity") && filters::keeps_apart(&u.pod, gone)
        }
        News::Placed(came) => {
            asked("PodTopologySpread") && filters::is_spread_with(&u.pod, came) || asked("InterPodAffinity") && filters::seeks(&u.pod, came)
        }
        News::Node { old, new } => node_matters(u, old, new),
    }
}

/// Each filter judges for itself: a node that is new or changed wakes the pod if one of those that turned it down would let
/// it through now, whatever the others say.
fn node_matters(u: &Unschedulable, old: Option<&Object>, new: &NodeInfo) -> bool {
    let asked = |plugin: &str| u.plugins.contains(&plugin);
    let (spec, allocatable) = (new.object.spec(), new.object.status().get("allocatable"));
    let relabelled = old.is_none_or(|o| o.labels() != new.object.labels());
    let retainted = old.is_none_or(|o| o.spec() != spec);
    let resized = old.is_none_or(|o| o.status().get("allocatable") != allocatable);
    let repels = |t: &Value| matches!(t.get("effect").text(), "NoSchedule" | "NoExecute") && !filters::tolerates(&u.pod, t);
    let has_room = || filters::fit(new, &Ask::of(&u.pod)).is_none_or(|r| !r.unresolvable);
    resized && asked("NodeResourcesFit") && has_room()
        || old.is_none() && asked("NodePorts")
        || relabelled && (asked("PodTopologySpread") || asked("InterPodAffinity"))
        || relabelled && asked("NodeAffinity") && filters::matches_node_affinity(&u.pod, &new.object)
        || retainted && asked("TaintToleration") && !spec.get("taints").items().iter().any(repels)
        || retainted && asked("NodeUnschedulable") && !spec.get("unschedulable").is_true()
}

/// Moves a pod to the active queue.
fn requeue(brain: &mut Brain, queue: &mut Queue, key: &Str, u: &Unschedulable) {
    brain.unschedulable.remove_mut(key);
    queue.cancel(key);
    queue.add_ordered(key.clone(), order(&u.pod));
}

/// Counts a pod on a node before its binding was seen.
pub fn assume(brain: &mut Brain, pod: &Object, node: Str) {
    let key = pod.key().joined();
    on_node(brain, &node, |n| n.add(&key, pod));
    brain.unschedulable.remove_mut(&key);
    brain.assumed.insert_mut(key, (node, pod.clone()));
}

/// The binding failed: the pod is not there after all.
pub fn forget(brain: &mut Brain, key: &Str) {
    if let Some((node, _)) = brain.assumed.get(key).cloned() {
        on_node(brain, &node, |n| n.remove(key));
        brain.assumed.remove_mut(key);
    }
}
