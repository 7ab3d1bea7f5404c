//! The rules in force in words, with what they did so far, and what a person could choose for a new one.

use super::lens::Lens;
use crate::api::resource::{NODES, PODS};
use crate::api::{Object, Resource, Str, json};
use crate::cluster::{Cluster, FailWith, Fault as F, Phase};
use crate::session::Session;
use crate::session::action::Action;
use crate::session::view::{Choices, Fault, Ruling, Text};
use crate::util::Order;

/// So many objects of a kind are offered.
const OFFERED_MAX: usize = 200;
/// Kinds whose objects tell no loop anything.
const NOISE: [&str; 2] = ["leases.coordination.k8s.io", "events"];

/// The rules in force, in the order in which they began.
#[cold]
#[inline(never)]
pub fn rules(lens: &Lens) -> Vec<Fault> {
    let world = lens.world;
    let mut acted: Vec<(u64, u64)> = world.rules().map(|r| (r.id, 0)).collect();
    let since = world.rules().map(|r| r.since).min().unwrap_or(world.now());
    let records = world.records();
    let during = (0..records.len()).rev().filter_map(|i| records.get(i)).take_while(|r| r.at >= since);
    for mark in during.flat_map(|r| &r.faults).filter(|m| m.phase == Phase::Acted) {
        if let Some((_, n)) = acted.iter_mut().find(|a| a.0 == mark.rule) {
            *n += mark.count;
        }
    }
    let one = |(rule, (_, acted)): (&crate::cluster::Rule, (u64, u64))| Fault {
        what: Text::word(word(&rule.fault)),
        target: target(&rule.fault),
        undo: Some(Action::EndFault { fault: rule.id }),
        rule: Some(Ruling {
            id: rule.id,
            since_ms: lens.shown_ms(rule.since),
            until_ms: rule.until.map(|at| lens.shown_ms(at)),
            acted,
            document: Str::from(json::write_compact(&rule.fault.document())),
        }),
    };
    world.rules().zip(acted).map(one).collect()
}

/// What a fault is, as a word of the page.
fn word(fault: &F) -> &'static str {
    match fault.inner() {
        F::LostWakeUp { .. } => "flt.wake",
        F::LostOnWire { .. } => "flt.lost",
        F::Delay { .. } => "fp.delay",
        F::Duplicate { .. } => "fp.duplicate",
        F::Next { late_ms: None, .. } => "flt.next",
        F::Next { .. } => "flt.late",
        F::Freeze { .. } => "fp.freeze",
        F::Fail { with, .. } => match with {
            FailWith::Conflict => "fp.fail409",
            FailWith::TooManyRequests => "fp.fail429",
            FailWith::Internal => "fp.fail500",
            FailWith::Timeout => "fp.timeout",
            FailWith::LostAnswer => "fp.committed",
        },
        F::Crash { .. } => "fp.crash",
        F::TwoLeaders(_) => "fp.leaders",
        F::EtcdSlow { .. } => "fp.slow",
        F::NodeCutOff(_) => "fp.cutoff",
        F::RegistryDown(_) => "fp.registry",
        _ => "tl.fault",
    }
}

/// Whom a fault hits.
fn target(fault: &F) -> Str {
    let about = |who: &Str, what: &str| Str::from([who, " · ", what].concat());
    match fault.inner() {
        F::LostWakeUp { of, about: a } => about(of, &a.name),
        F::LostOnWire { process, about: a } | F::Delay { process, about: a, .. } | F::Duplicate { process, about: a, .. } => {
            about(process, &a.name)
        }
        F::Next { process, resource, .. } | F::Freeze { process, resource } => about(process, resource.plural()),
        F::Fail { of, verb, resource, times, .. } => {
            let kind = resource.as_ref().map_or("", |r| r.plural());
            let asked = [verb.as_str(), kind].iter().filter(|t| !t.is_empty()).map(|t| [" ", t].concat()).collect::<String>();
            Str::from([of.as_str(), &asked, " ×", &times.to_string()].concat())
        }
        F::Crash { of, .. } => of.clone(),
        F::TwoLeaders(name) | F::NodeCutOff(name) | F::RegistryDown(name) => name.clone(),
        F::EtcdSlow { .. } => Str::fixed("etcd"),
        _ => Str::default(),
    }
}

/// What a person can choose from.
#[cold]
#[inline(never)]
pub fn choices(session: &Session, world: &Cluster) -> Choices {
    let mut out = Choices::default();
    let mut kinds: Vec<Resource> = Vec::new();
    for process in world.processes().filter(|p| !p.retired) {
        let watched: Vec<Resource> = process.kinds().into_iter().filter(|r| !NOISE.contains(&r.0.as_str())).collect();
        for kind in &watched {
            if !kinds.contains(kind) {
                kinds.push(kind.clone());
            }
        }
        out.processes.push((process.name.clone(), watched));
        for l in &process.loops {
            let heard: Vec<Resource> = l.controller.watches().to_vec();
            if !out.loops.iter().any(|known| known.0 == l.name) {
                out.loops.push((l.name.clone(), heard.clone()));
            }
            if !process.node.is_empty() {
                out.loops.push((Str::from([&l.name, ":", &process.node].concat()), heard));
            } else if world.loops_named(&l.name).count() > 1 {
                out.loops.push((Str::from([&l.name, "@", &process.name].concat()), heard));
            }
        }
    }
    let etcd = world.etcd();
    for kind in kinds {
        let named = |o: &Object| {
            let space = if o.namespace().is_empty() { String::new() } else { [o.namespace(), "/"].concat() };
            (kind.clone(), Str::from([&space, kind.0.as_str(), "/", o.name()].concat()))
        };
        out.objects.extend(etcd.list(&kind, "").take(OFFERED_MAX).map(named));
    }
    out.nodes = etcd.list(&NODES, "").map(|n| Str::from(n.name())).collect();
    out.registries = vec![Str::fixed("docker.io")];
    for pod in etcd.list(&PODS, "").take(OFFERED_MAX) {
        for container in pod.spec().get("containers").items() {
            // Before it is on a node nothing of it runs.
            if !pod.spec().get("nodeName").is_empty() {
                out.containers.push(Str::from([pod.namespace(), "/", pod.name(), "/", container.get("name").text()].concat()));
            }
            let host = crate::runtime::images::registry_of(container.get("image").text());
            if !out.registries.iter().any(|known| *known == *host) {
                out.registries.push(Str::from(host));
            }
        }
    }
    out.registries.push(Str::fixed("*"));
    out.loops.order_by_key(|l| l.0.clone());
    out.refused = match session.actions().last() {
        Some(Action::Fault { .. } | Action::EndFault { .. }) => session.moment().refused.clone(),
        _ => None,
    };
    out
}
