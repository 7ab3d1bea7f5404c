//! kube-scheduler: takes one pod without a node at a time, filters and scores the nodes, writes the best one down.
//! Follows upstream `pkg/scheduler` (schedule_one.go, eventhandlers.go, backend/queue); each file names its part.
//! Left out: profiles and extenders, volume topology, pod groups, sampling of nodes in clusters of more than 100.

mod filters;
mod nodes;
mod preempt;
mod queueing;
mod score;

use crate::api::resource::{NODES, PODS};
use crate::api::{Object, ObjectKey, PatchType, Request, Resource, Str, Subresource, Value, Verb};
use crate::client::{Change, Controller, Handling, Memory, Stop, Sync};
use crate::util::Tree;
use crate::value;
use nodes::{Ask, NodeInfo};
use queueing::Unschedulable;
use std::rc::Rc;

const NAME: &str = "default-scheduler";

/// The loop.
pub struct Scheduler;

/// What the scheduler remembers: its own sums of what is on each node, pods that it just placed, pods that fit nowhere.
#[derive(Clone, Default)]
struct Brain {
    nodes: Tree<Str, Rc<NodeInfo>>,
    /// Placed by this scheduler, not yet seen with their node: key and node.
    assumed: Tree<Str, (Str, Object)>,
    unschedulable: Tree<Str, Unschedulable>,
    /// Pods that wait for their victims to go: key and node. Their room is theirs, before pods of no higher priority.
    nominated: Tree<Str, (Str, Object)>,
}

impl Brain {
    /// The nodes as they will be once the pods came that others made room for.
    fn nodes_for(&self, pod: &Object, key: &Str) -> Tree<Str, Rc<NodeInfo>> {
        let mut nodes = self.nodes.clone();
        for (other, (node, coming)) in self.nominated.iter() {
            if other != key
                && priority(coming) >= priority(pod)
                && let Some(info) = nodes.get_mut(node)
            {
                Rc::make_mut(info).add(other, coming);
            }
        }
        nodes
    }
}

fn priority(pod: &Object) -> i64 {
    pod.spec().get("priority").int()
}

impl Controller for Scheduler {
    fn name(&self) -> &'static str {
        "scheduler"
    }

    fn watches(&self) -> &'static [Resource] {
        const KINDS: &[Resource] = &[PODS, NODES];
        KINDS
    }

    fn rate_limit(&self) -> (u64, u64) {
        (50, 100)
    }

    fn component(&self) -> &'static str {
        NAME
    }

    fn memory(&self, _node: &Str) -> Memory {
        Memory::new(Brain::default())
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        if change.resource == NODES {
            queueing::node_changed(h, change);
        } else {
            queueing::pod_changed(h, change);
        }
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let Some(pod) = sync.cache(&PODS).by_key(&ObjectKey::split(key)).cloned() else { return Ok(()) };
        let brain: &Brain = sync.memory();
        if !is_waiting(&pod) || brain.assumed.contains_key(key) {
            return Ok(());
        }
        schedule(sync, brain, &pod, &Str::from(key))
    }
}

/// Whether a pod waits for this scheduler.
fn is_waiting(pod: &Object) -> bool {
    let spec = pod.spec();
    spec.get("nodeName").text().is_empty()
        && !pod.is_deleting()
        && spec.get("schedulerName").text() == NAME
        && spec.get("schedulingGates").is_empty()
        && !matches!(pod.status().get("phase").text(), "Succeeded" | "Failed")
}

#[inline(never)]
fn schedule(sync: &mut Sync<'_>, brain: &Brain, pod: &Object, key: &Str) -> Result<(), Stop> {
    let ask = Ask::of(pod);
    let around = filters::Around::new(brain, pod);
    let nodes = brain.nodes_for(pod, key);
    let verdicts: Vec<(&Str, &Rc<NodeInfo>, Option<filters::Rejection>)> =
        nodes.iter().map(|(name, node)| (name, node, filters::reject(node, pod, &ask, &around))).collect();
    let feasible: Vec<&Rc<NodeInfo>> = verdicts.iter().filter(|(_, _, r)| r.is_none()).map(|(_, node, _)| *node).collect();
    sync.saw("saw.scheduler", vec![key.clone(), feasible.len().to_string().into(), brain.nodes.size().to_string().into()]);
    if feasible.is_empty() {
        sync.differs("differs.nofit", vec![key.clone()]);
        return fail(sync, brain, pod, key, &ask, &verdicts);
    }
    let tie = |node: &str| sync.draw("tie", &format!("{}/{node}", pod.uid()), 0);
    let best = score::best(&feasible, pod, &ask, &tie).name.clone();
    sync.differs("differs.unplaced", vec![key.clone(), best.clone()]);
    bind(sync, pod, key, best)
}

/// Assumes the pod on its node, and binds it there.
#[inline(never)]
fn bind(sync: &mut Sync<'_>, pod: &Object, key: &Str, node: Str) -> Result<(), Stop> {
    let (placed, at) = (pod.clone(), node.clone());
    sync.remember(|b: &mut Brain| queueing::assume(b, &placed, at));
    let body = value!({
        "apiVersion": "v1", "kind": "Binding",
        "metadata": {"name": (pod.meta().get("name")), "namespace": (pod.meta().get("namespace")), "uid": (pod.meta().get("uid"))},
        "target": {"kind": "Node", "name": (node.clone())}
    });
    let request = Request { body, ..Request::new(Verb::Create, &PODS, pod.namespace(), pod.name()).on(Subresource::Binding) };
    match sync.request(request) {
        Ok(_) => {
            sync.event(pod, "Normal", "Scheduled", format!("Successfully assigned {key} to {node}"));
            let key = key.clone();
            sync.remember(|b: &mut Brain| {
                b.nominated.remove_mut(&key);
            });
            Ok(())
        }
        Err(Stop::Halted) => Err(Stop::Halted),
        Err(failed) => {
            let key = key.clone();
            sync.remember(|b: &mut Brain| queueing::forget(b, &key));
            Err(failed)
        }
    }
}

/// No node will do: says why in the pod's condition and an Event, tries to make room, and waits for something to change.
#[inline(never)]
fn fail(
    sync: &mut Sync<'_>,
    brain: &Brain,
    pod: &Object,
    key: &Str,
    ask: &Ask,
    verdicts: &[(&Str, &Rc<NodeInfo>, Option<filters::Rejection>)],
) -> Result<(), Stop> {
    let reasons = filters::histogram(verdicts.iter().filter_map(|(_, _, r)| r.as_ref()));
    let total = verdicts.len();
    let head =
        if total == 0 { "no nodes available to schedule pods".to_string() } else { format!("0/{total} nodes are available: {reasons}.") };
    let outcome = if total == 0 { preempt::Outcome::None } else { preempt::attempt(brain, pod, ask, verdicts) };
    let message = match &outcome {
        preempt::Outcome::None => head,
        preempt::Outcome::Nominated { .. } => head,
        preempt::Outcome::NotHelpful(why) => format!("{head} no new claims to deallocate, preemption: {why}"),
    };
    let plugins = filters::plugins(verdicts.iter().filter_map(|(_, _, r)| r.as_ref()));
    let (waiting, name) = (Unschedulable { pod: pod.clone(), plugins }, key.clone());
    sync.remember(|b: &mut Brain| {
        b.unschedulable.insert_mut(name, waiting);
    });
    // Whatever happens, it is looked at again after five minutes.
    sync.requeue_after(key, queueing::FLUSH_MS);
    if let preempt::Outcome::Nominated { node, victims } = &outcome {
        preempt::evict(sync, pod, node, victims)?;
        let (name, node, coming) = (key.clone(), node.clone(), pod.clone());
        sync.remember(|b: &mut Brain| {
            let gone: Vec<Str> =
                b.nominated.iter().filter(|(_, (at, p))| *at == node && priority(p) < priority(&coming)).map(|(k, _)| k.clone()).collect();
            gone.iter().for_each(|k| {
                b.nominated.remove_mut(k);
            });
            b.nominated.insert_mut(name, (node, coming));
        });
    }
    sync.event(pod, "Warning", "FailedScheduling", message.clone());
    let nominated = match &outcome {
        preempt::Outcome::Nominated { node, .. } => Some(node.clone()),
        _ => None,
    };
    write_condition(sync, pod, &message, nominated)
}

/// PodScheduled becomes False, if it does not say the same already.
fn write_condition(sync: &mut Sync<'_>, pod: &Object, message: &str, nominated: Option<Str>) -> Result<(), Stop> {
    let known = pod.condition("PodScheduled");
    let same = known.is_some_and(|c| c.get("status").text() == "False" && c.get("message").text() == message);
    if same && nominated.is_none() {
        return Ok(());
    }
    let was_false = known.filter(|c| c.get("status").text() == "False").map(|c| c.get("lastTransitionTime").clone());
    let since = was_false.unwrap_or_else(|| Value::from(sync.now().rfc3339()));
    let condition = value!({
        "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": (Str::from(message)),
        "lastProbeTime": null, "lastTransitionTime": since, "observedGeneration": (pod.generation())
    });
    let mut status = value!({"conditions": [condition]});
    if let Some(node) = nominated {
        status.set("nominatedNodeName", node);
    }
    let patch = value!({"status": status});
    let request = Request::patch(PatchType::Strategic, &PODS, pod.namespace(), pod.name(), patch).on(Subresource::Status);
    match sync.request(request) {
        Err(Stop::Failed(s)) if s.is_not_found() => Ok(()),
        other => other.map(|_| ()),
    }
}
