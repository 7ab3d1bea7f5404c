//! The filters, in upstream's order, with the texts that they give: NodeUnschedulable, NodeName, TaintToleration, NodeAffinity,
//! NodePorts, NodeResourcesFit, PodTopologySpread, InterPodAffinity (`pkg/scheduler/framework/plugins`).

use super::Brain;
use super::nodes::{Ask, NodeInfo, anti_affinity};
use crate::api::selector::{Operator, Requirement, Selector};
use crate::api::{Object, Str, Value};
use crate::util::Order;
use std::collections::BTreeMap;

/// Why a node will not do.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejection {
    pub plugin: &'static str,
    pub reasons: Vec<Str>,
    /// Removing pods cannot help.
    pub unresolvable: bool,
}

fn no(plugin: &'static str, unresolvable: bool, reason: impl Into<Str>) -> Option<Rejection> {
    Some(Rejection { plugin, reasons: vec![reason.into()], unresolvable })
}

/// What filters and scores need to know of other pods and nodes; worked out once a pod.
pub struct Around<'a> {
    brain: &'a Brain,
    /// For each hard spreading constraint: key, skew allowed, count by value of the key, smallest count, counts itself.
    spreads: Vec<Spread>,
    terms: Vec<Term>,
}

struct Spread {
    key: Str,
    max_skew: i64,
    counts: BTreeMap<Str, i64>,
    least: i64,
    itself: i64,
}

/// A required term of inter-pod affinity, with the values of its key where matching pods run.
struct Term {
    key: Str,
    anti: bool,
    /// Of an existing pod's anti-affinity, not of the new pod's own.
    theirs: bool,
    values: BTreeMap<Str, i64>,
    /// The new pod matches its own term, and nobody else does.
    first_of_its_kind: bool,
}

impl<'a> Around<'a> {
    #[inline(never)]
    pub fn new(brain: &'a Brain, pod: &Object) -> Around<'a> {
        let mut around = Around { brain, spreads: Vec::new(), terms: Vec::new() };
        for c in pod.spec().get("topologySpreadConstraints").items() {
            if c.get("whenUnsatisfiable").text() == "DoNotSchedule" {
                around.spreads.push(spread(brain, pod, c));
            }
        }
        let affinity = pod.spec().get("affinity");
        for (field, anti) in [("podAffinity", false), ("podAntiAffinity", true)] {
            for t in affinity.get(field).get("requiredDuringSchedulingIgnoredDuringExecution").items() {
                around.terms.push(term(brain, pod, t, anti));
            }
        }
        around.add_their_terms(pod);
        around
    }

    /// Running pods that want no such pod near them.
    fn add_their_terms(&mut self, pod: &Object) {
        for node in self.brain.nodes.values() {
            for running in node.keeping_away.values() {
                for t in anti_affinity(running) {
                    if !term_matches(t, running, pod) {
                        continue;
                    }
                    let key = t.get("topologyKey").to_str();
                    let value = node.object.labels().get(&key).to_str();
                    let values = BTreeMap::from([(value, 1)]);
                    self.terms.push(Term { key, anti: true, theirs: true, values, first_of_its_kind: false });
                }
            }
        }
    }
}

#[inline(never)]
fn spread(brain: &Brain, pod: &Object, c: &Value) -> Spread {
    let key = c.get("topologyKey").to_str();
    let selector = Selector::of_object(c.get("labelSelector"));
    let mut counts: BTreeMap<Str, i64> = BTreeMap::new();
    for node in brain.nodes.values() {
        let value = node.object.labels().get(&key);
        if value.is_null() || !matches_node_affinity(pod, &node.object) {
            continue;
        }
        let here =
            node.pods.values().filter(|p| p.0.namespace() == pod.namespace() && !p.0.is_deleting() && selector.matches(p.0.labels()));
        *counts.entry(value.to_str()).or_insert(0) += here.count() as i64;
    }
    let domains = counts.len() as i64;
    let least = if domains < c.get("minDomains").int() { 0 } else { counts.values().copied().min().unwrap_or(0) };
    let itself = i64::from(selector.matches(pod.labels()));
    Spread { key, max_skew: c.get("maxSkew").int(), counts, least, itself }
}

#[inline(never)]
fn term(brain: &Brain, pod: &Object, t: &Value, anti: bool) -> Term {
    let key = t.get("topologyKey").to_str();
    let mut values: BTreeMap<Str, i64> = BTreeMap::new();
    for node in brain.nodes.values() {
        let value = node.object.labels().get(&key);
        if value.is_null() {
            continue;
        }
        let n = node.pods.values().filter(|p| term_matches(t, pod, &p.0)).count() as i64;
        if n > 0 {
            *values.entry(value.to_str()).or_insert(0) += n;
        }
    }
    let first_of_its_kind = values.is_empty() && term_matches(t, pod, pod);
    Term { key, anti, theirs: false, values, first_of_its_kind }
}

/// Whether `other` is one of the pods that a term of `owner` means.
fn term_matches(t: &Value, owner: &Object, other: &Object) -> bool {
    let named = t.get("namespaces").items();
    let any = !t.get("namespaceSelector").is_null() && t.get("namespaceSelector").is_empty();
    let space =
        any || if named.is_empty() { other.namespace() == owner.namespace() } else { named.iter().any(|n| n.text() == other.namespace()) };
    space && Selector::of_object(t.get("labelSelector")).matches(other.labels())
}

/// Why a node will not do for a pod; none if it will.
#[inline(never)]
pub fn reject(node: &NodeInfo, pod: &Object, ask: &Ask, around: &Around<'_>) -> Option<Rejection> {
    let spec = node.object.spec();
    if spec.get("unschedulable").is_true() && !tolerates(pod, &unschedulable_taint()) {
        return no("NodeUnschedulable", true, "node(s) were unschedulable");
    }
    let wanted = pod.spec().get("nodeName").text();
    if !wanted.is_empty() && wanted != node.name.as_str() {
        return no("NodeName", true, "node(s) didn't match the requested node name");
    }
    let repels = |t: &&Value| matches!(t.get("effect").text(), "NoSchedule" | "NoExecute") && !tolerates(pod, t);
    if spec.get("taints").items().iter().any(|t| repels(&t)) {
        return no("TaintToleration", true, "node(s) had untolerated taint(s)");
    }
    if !matches_node_affinity(pod, &node.object) {
        return no("NodeAffinity", true, "node(s) didn't match Pod's node affinity/selector");
    }
    if ask.ports.iter().any(|p| node.used.ports.iter().any(|q| clashes(p, q))) {
        return no("NodePorts", false, "node(s) didn't have free ports for the requested pod ports");
    }
    fit(node, ask).or_else(|| spreads(node, around)).or_else(|| affinity(node, around))
}

/// Whether a pod asks for a port of the node that another one has.
pub fn wants_port_of(pod: &Object, other: &Object) -> bool {
    let (wanted, had) = (Ask::of(pod).ports, Ask::of(other).ports);
    wanted.iter().any(|p| had.iter().any(|q| clashes(p, q)))
}

/// Whether another pod counts for one of a pod's hard spreading constraints.
pub fn is_spread_with(pod: &Object, other: &Object) -> bool {
    let constraints = pod.spec().get("topologySpreadConstraints").items().iter();
    let mut hard = constraints.filter(|c| c.get("whenUnsatisfiable").text() == "DoNotSchedule");
    pod.namespace() == other.namespace() && hard.any(|c| Selector::of_object(c.get("labelSelector")).matches(other.labels()))
}

/// Whether a pod must run near another one.
pub fn seeks(pod: &Object, other: &Object) -> bool {
    let near = pod.spec().at(&["affinity", "podAffinity", "requiredDuringSchedulingIgnoredDuringExecution"]);
    near.items().iter().any(|t| term_matches(t, pod, other))
}

/// Whether one of two pods must not run near the other.
pub fn keeps_apart(pod: &Object, other: &Object) -> bool {
    anti_affinity(pod).iter().any(|t| term_matches(t, pod, other)) || anti_affinity(other).iter().any(|t| term_matches(t, other, pod))
}

fn unschedulable_taint() -> Value {
    crate::value!({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
}

fn clashes(a: &(Str, i64, Str), b: &(Str, i64, Str)) -> bool {
    let everywhere = |ip: &str| ip.is_empty() || ip == "0.0.0.0";
    a.0 == b.0 && a.1 == b.1 && (everywhere(&a.2) || everywhere(&b.2) || a.2 == b.2)
}

/// `noderesources.Fits`: each resource that is short, and whether the node could ever do.
pub fn fit(node: &NodeInfo, ask: &Ask) -> Option<Rejection> {
    let mut reasons: Vec<Str> = Vec::new();
    let mut unresolvable = false;
    if node.pods.size() as i64 + 1 > node.pods_max {
        reasons.push(Str::fixed("Too many pods"));
    }
    let mut check = |name: &str, asked: i64, used: i64, there: i64| {
        if asked > 0 && asked > there - used {
            reasons.push(Str::from(format!("Insufficient {name}")));
            unresolvable |= asked > there;
        }
    };
    check("cpu", ask.cpu_milli, node.used.cpu_milli, node.cpu_milli);
    check("memory", ask.memory_bytes, node.used.memory_bytes, node.memory_bytes);
    let of = |list: &[(Str, i64)], name: &Str| list.iter().find(|(k, _)| k == name).map_or(0, |(_, n)| *n);
    for (name, asked) in &ask.others {
        check(name, *asked, of(&node.used.others, name), of(&node.others, name));
    }
    (!reasons.is_empty()).then_some(Rejection { plugin: "NodeResourcesFit", reasons, unresolvable })
}

#[inline(never)]
fn spreads(node: &NodeInfo, around: &Around<'_>) -> Option<Rejection> {
    for s in &around.spreads {
        let value = node.object.labels().get(&s.key);
        if value.is_null() {
            return no("PodTopologySpread", true, "node(s) didn't match pod topology spread constraints (missing required label)");
        }
        let here = s.counts.get(value.text()).copied().unwrap_or(0);
        if here + s.itself - s.least > s.max_skew {
            return no("PodTopologySpread", false, "node(s) didn't match pod topology spread constraints");
        }
    }
    None
}

#[inline(never)]
fn affinity(node: &NodeInfo, around: &Around<'_>) -> Option<Rejection> {
    let near = |t: &Term| {
        let value = node.object.labels().get(&t.key);
        !value.is_null() && t.values.contains_key(value.text())
    };
    let first = |t: &Term| t.first_of_its_kind && !node.object.labels().get(&t.key).is_null();
    if around.terms.iter().filter(|t| !t.anti).any(|t| !near(t) && !first(t)) {
        return no("InterPodAffinity", true, "node(s) didn't match pod affinity rules");
    }
    if around.terms.iter().any(|t| t.anti && !t.theirs && near(t)) {
        return no("InterPodAffinity", false, "node(s) didn't match pod anti-affinity rules");
    }
    if around.terms.iter().any(|t| t.theirs && near(t)) {
        return no("InterPodAffinity", false, "node(s) didn't satisfy existing pods anti-affinity rules");
    }
    None
}

/// Whether a pod tolerates a taint (`v1helper.TolerationsTolerateTaint`).
pub fn tolerates(pod: &Object, taint: &Value) -> bool {
    pod.spec().get("tolerations").items().iter().any(|t| {
        let effect = t.get("effect").text();
        let key = t.get("key").text();
        let keys = (key.is_empty() && t.get("operator").text() == "Exists") || key == taint.get("key").text();
        let values = t.get("operator").text() == "Exists" || t.get("value").text() == taint.get("value").text();
        (effect.is_empty() || effect == taint.get("effect").text()) && keys && values
    })
}

/// nodeSelector and required node affinity (`nodeaffinity.GetRequiredNodeAffinity`).
#[inline(never)]
pub fn matches_node_affinity(pod: &Object, node: &Object) -> bool {
    let spec = pod.spec();
    if !Selector::from_map(spec.get("nodeSelector")).matches(node.labels()) {
        return false;
    }
    let required = spec.at(&["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"]);
    required.is_null() || required.get("nodeSelectorTerms").items().iter().any(|t| matches_term(t, node))
}

/// One term of node affinity; an empty one matches nothing.
pub fn matches_term(term: &Value, node: &Object) -> bool {
    let (expressions, fields) = (term.get("matchExpressions").items(), term.get("matchFields").items());
    if expressions.is_empty() && fields.is_empty() {
        return false;
    }
    let named = crate::value!({"metadata.name": (node.meta().get("name"))});
    expressions.iter().all(|e| matches_expression(e, node.labels())) && fields.iter().all(|e| matches_expression(e, &named))
}

fn matches_expression(e: &Value, labels: &Value) -> bool {
    let key = e.get("key").to_str();
    let values: Vec<Str> = e.get("values").items().iter().map(Value::to_str).collect();
    let have = labels.get(&key);
    let number = |s: &str| s.parse::<i64>().ok();
    match e.get("operator").text() {
        "In" => Requirement::new(key, Operator::In, values).matches(labels),
        "NotIn" => Requirement::new(key, Operator::NotIn, values).matches(labels),
        "Exists" => !have.is_null(),
        "DoesNotExist" => have.is_null(),
        "Gt" => number(have.text()).zip(values.first().and_then(|v| number(v))).is_some_and(|(a, b)| a > b),
        "Lt" => number(have.text()).zip(values.first().and_then(|v| number(v))).is_some_and(|(a, b)| a < b),
        _ => false,
    }
}

/// `1 Insufficient cpu, 2 node(s) …`: how many nodes give each reason, in the order of the texts.
pub fn histogram<'a>(rejections: impl Iterator<Item = &'a Rejection>) -> String {
    let mut counts: BTreeMap<Str, usize> = BTreeMap::new();
    for reason in rejections.flat_map(|r| &r.reasons) {
        *counts.entry(reason.clone()).or_insert(0) += 1;
    }
    counted(&counts)
}

/// Reasons with their numbers, in the order of the texts.
pub fn counted(reasons: &BTreeMap<Str, usize>) -> String {
    let mut texts: Vec<String> = reasons.iter().map(|(reason, n)| format!("{n} {reason}")).collect();
    texts.order();
    texts.join(", ")
}

/// The filters that turned nodes down.
pub fn plugins<'a>(rejections: impl Iterator<Item = &'a Rejection>) -> Vec<&'static str> {
    let mut all: Vec<&'static str> = rejections.map(|r| r.plugin).collect();
    all.order();
    all.dedup();
    all
}
