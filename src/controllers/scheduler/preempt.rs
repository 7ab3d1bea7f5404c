//! Preemption (`pkg/scheduler/framework/preemption`, `plugins/defaultpreemption`): when no node has room, pods of lower
//! priority make way. Left out: disruption budgets, and reprieving victims in their order of violation.

use super::filters::{Rejection, counted, fit};
use super::nodes::{Ask, NodeInfo};
use super::{Brain, priority};
use crate::api::resource::PODS;
use crate::api::{Object, PatchType, Request, Str, Subresource};
use crate::client::{Stop, Sync};
use crate::util::Order;
use crate::value;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What came of it.
pub enum Outcome {
    None,
    NotHelpful(String),
    Nominated { node: Str, victims: Vec<Object> },
}

/// Looks for a node on which pods of lower priority could make way.
pub fn attempt(brain: &Brain, pod: &Object, ask: &Ask, verdicts: &[(&Str, &Rc<NodeInfo>, Option<Rejection>)]) -> Outcome {
    if pod.spec().get("preemptionPolicy").text() == "Never" {
        return Outcome::NotHelpful("not eligible due to preemptionPolicy=Never.".to_string());
    }
    let nominated = brain.nominated.get(&pod.key().joined());
    if let Some(info) = nominated.and_then(|(node, _)| brain.nodes.get(node))
        && info.pods.values().any(|p| p.0.is_deleting())
    {
        return Outcome::NotHelpful("not eligible due to a terminating pod on the nominated node.".to_string());
    }
    let mut reasons: BTreeMap<Str, usize> = BTreeMap::new();
    let mut best: Option<(i64, usize, &Str, Vec<Object>)> = None;
    for (name, node, rejection) in verdicts {
        if rejection.as_ref().is_none_or(|r| r.unresolvable) {
            *reasons.entry("Preemption is not helpful for scheduling".into()).or_insert(0) += 1;
            continue;
        }
        let victims = match victims_on(node, pod, ask) {
            Ok(victims) => victims,
            Err(why) => {
                why.into_iter().for_each(|reason| *reasons.entry(reason).or_insert(0) += 1);
                continue;
            }
        };
        let highest = victims.iter().map(priority).max().unwrap_or(i64::MIN);
        if best.as_ref().is_none_or(|(h, n, _, _)| (highest, victims.len()) < (*h, *n)) {
            best = Some((highest, victims.len(), name, victims));
        }
    }
    match best {
        Some((_, _, node, victims)) => Outcome::Nominated { node: node.clone(), victims },
        None => Outcome::NotHelpful(format!("0/{} nodes are available: {}.", verdicts.len(), counted(&reasons))),
    }
}

/// The pods of a node that have to go: all of lower priority, less those that can stay, the important ones first. Or what
/// still keeps the pod away when all of them are gone.
fn victims_on(node: &NodeInfo, pod: &Object, ask: &Ask) -> Result<Vec<Object>, Vec<Str>> {
    const NONE: Str = Str::fixed("No preemption victims found for incoming pod");
    let mut lower: Vec<Object> = node.pods.values().map(|p| p.0.clone()).filter(|p| priority(p) < priority(pod)).collect();
    if lower.is_empty() {
        return Err(vec![NONE]);
    }
    let mut left = node.clone();
    for p in &lower {
        left.remove(&p.key().joined());
    }
    if let Some(rejection) = fit(&left, ask) {
        return Err(rejection.reasons);
    }
    if ask.ports.iter().any(|p| left.used.ports.contains(p)) {
        return Err(vec![Str::fixed("node(s) didn't have free ports for the requested pod ports")]);
    }
    lower.order_by_key(|p| (-priority(p), p.status().get("startTime").to_str(), p.meta().get("name").to_str()));
    let mut victims = Vec::new();
    for p in lower {
        let key = p.key().joined();
        left.add(&key, &p);
        if fit(&left, ask).is_some() {
            left.remove(&key);
            victims.push(p);
        }
    }
    if victims.is_empty() { Err(vec![NONE]) } else { Ok(victims) }
}

/// Deletes the victims, and says why.
pub fn evict(sync: &mut Sync<'_>, pod: &Object, node: &Str, victims: &[Object]) -> Result<(), Stop> {
    for victim in victims {
        if victim.is_deleting() {
            continue;
        }
        let condition = value!({
            "type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler",
            "message": "default-scheduler: preempting to accommodate a higher priority pod",
            "observedGeneration": (victim.generation()), "lastProbeTime": null, "lastTransitionTime": (sync.now().rfc3339())
        });
        let patch = value!({"status": {"conditions": [condition]}});
        let request = Request::patch(PatchType::Strategic, &PODS, victim.namespace(), victim.name(), patch).on(Subresource::Status);
        match sync.request(request) {
            Err(Stop::Failed(s)) if s.is_not_found() => continue,
            other => {
                other?;
            }
        }
        match sync.request(Request::delete(&PODS, victim.namespace(), victim.name())) {
            Err(Stop::Failed(s)) if s.is_not_found() => {}
            other => {
                other?;
            }
        }
        sync.event(victim, "Normal", "Preempted", format!("Preempted by pod {} on node {node}", pod.uid()));
    }
    Ok(())
}
