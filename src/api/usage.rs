//! What an object takes of a quota: counts, requests, limits, storage. Follows upstream's
//! `pkg/quota/v1/evaluator/core`. Left out: pod-level resources, dynamic resources.

use super::{Object, Quantity, Resource, Str, Value};
use std::collections::BTreeMap;

/// Amounts by resource name.
pub type Usage = BTreeMap<Str, Quantity>;

/// What one object takes, by the names that quotas use.
pub fn usage(resource: &Resource, object: &Value) -> Usage {
    let mut usage = Usage::new();
    let one = Quantity::from_int(1);
    let group = resource.group();
    let plural = resource.plural();
    let counted = if group.is_empty() { format!("count/{plural}") } else { format!("count/{plural}.{group}") };
    usage.insert(counted.into(), one);
    match resource.0.as_str() {
        "pods" => {
            if matches!(object.at(&["status", "phase"]).text(), "Failed" | "Succeeded") {
                return Usage::new();
            }
            usage.insert(Str::fixed("pods"), one);
            pod_usage(object, &mut usage);
        }
        "services" => {
            usage.insert(Str::fixed("services"), one);
            service_usage(object, &mut usage);
        }
        "persistentvolumeclaims" => {
            usage.insert(Str::fixed("persistentvolumeclaims"), one);
            claim_usage(object, &mut usage);
        }
        "configmaps" | "secrets" | "replicationcontrollers" | "resourcequotas" => {
            usage.insert(resource.0.clone(), one);
        }
        _ => {}
    }
    usage
}

fn pod_usage(pod: &Value, usage: &mut Usage) {
    for what in ["requests", "limits"] {
        for (name, amount) in pod_resources(pod, what) {
            if matches!(name.as_str(), "cpu" | "memory" | "ephemeral-storage") && what == "requests" {
                usage.insert(name.clone(), amount);
            }
            usage.insert(format!("{what}.{name}").into(), amount);
        }
    }
}

/// `PodRequests` and `PodLimits`: the sum over containers, or what an init container needs beside the sidecars before it.
pub fn pod_resources(pod: &Value, what: &str) -> Usage {
    let mut sum = Usage::new();
    let mut sidecars = Usage::new();
    let mut peak = Usage::new();
    for container in pod.at(&["spec", "containers"]).items() {
        add(&mut sum, container.at(&["resources", what]));
    }
    for container in pod.at(&["spec", "initContainers"]).items() {
        let amounts = container.at(&["resources", what]);
        let mut here = sidecars.clone();
        add(&mut here, amounts);
        if container.get("restartPolicy").text() == "Always" {
            add(&mut sum, amounts);
            sidecars.clone_from(&here);
        }
        raise(&mut peak, here);
    }
    raise(&mut sum, peak);
    let overhead = pod.at(&["spec", "overhead"]);
    for (name, amount) in overhead.entries() {
        if what == "requests" || sum.contains_key(name.as_str()) {
            *sum.entry(name.clone()).or_default() += Quantity::of_or_zero(amount);
        }
    }
    sum
}

fn add(to: &mut Usage, amounts: &Value) {
    for (name, amount) in amounts.entries() {
        let amount = Quantity::of_or_zero(amount);
        to.entry(name.clone()).and_modify(|q| *q += amount).or_insert(amount);
    }
}

fn raise(to: &mut Usage, other: Usage) {
    for (name, amount) in other {
        let here = to.entry(name).or_insert(amount);
        *here = (*here).max(amount);
    }
}

fn service_usage(service: &Value, usage: &mut Usage) {
    let spec = service.get("spec");
    let ports = spec.get("ports").items();
    let node_ports = match spec.get("type").text() {
        "NodePort" => ports.len(),
        "LoadBalancer" => {
            usage.insert(Str::fixed("services.loadbalancers"), Quantity::from_int(1));
            match spec.get("allocateLoadBalancerNodePorts").as_bool() {
                Some(false) => ports.iter().filter(|p| p.get("nodePort").int() != 0).count(),
                _ => ports.len(),
            }
        }
        _ => 0,
    };
    usage.insert(Str::fixed("services.nodeports"), Quantity::from_int(node_ports as i64));
}

fn claim_usage(claim: &Value, usage: &mut Usage) {
    let Some(storage) = Quantity::of(claim.at(&["spec", "resources", "requests", "storage"])) else { return };
    usage.insert(Str::fixed("requests.storage"), storage);
    let class = claim.at(&["spec", "storageClassName"]).text();
    if !class.is_empty() {
        usage.insert(format!("{class}.storageclass.storage.k8s.io/requests.storage").into(), storage);
        usage.insert(format!("{class}.storageclass.storage.k8s.io/persistentvolumeclaims").into(), Quantity::from_int(1));
    }
}

/// Whether an object is in all scopes of a quota. Only pods have scopes.
pub fn scopes_match(quota: &Object, resource: &Resource, object: &Value) -> bool {
    let scopes = quota.spec().get("scopes").items();
    let terms = quota.at(&["spec", "scopeSelector", "matchExpressions"]).items();
    if scopes.is_empty() && terms.is_empty() {
        return true;
    }
    resource.0 == "pods" && scopes.iter().all(|s| in_scope(s.text(), object)) && terms.iter().all(|t| in_term(t, object))
}

fn in_scope(scope: &str, pod: &Value) -> bool {
    let spec = pod.get("spec");
    let deadline = spec.get("activeDeadlineSeconds").as_int().is_some_and(|s| s >= 0);
    let asks = |what: &str| pod_resources(pod, what).iter().any(|(name, q)| matches!(name.as_str(), "cpu" | "memory") && !q.is_zero());
    let best_effort = || !asks("requests") && !asks("limits");
    match scope {
        "Terminating" => deadline,
        "NotTerminating" => !deadline,
        "BestEffort" => best_effort(),
        "NotBestEffort" => !best_effort(),
        "PriorityClass" => !spec.get("priorityClassName").is_empty(),
        "CrossNamespacePodAffinity" => names_other_namespaces(spec.get("affinity")),
        _ => false,
    }
}

fn names_other_namespaces(affinity: &Value) -> bool {
    let term = |t: &Value| !t.get("namespaces").is_empty() || !t.get("namespaceSelector").is_null();
    ["podAffinity", "podAntiAffinity"].iter().any(|kind| {
        let rules = affinity.get(kind);
        rules.get("requiredDuringSchedulingIgnoredDuringExecution").items().iter().any(term)
            || rules.get("preferredDuringSchedulingIgnoredDuringExecution").items().iter().any(|p| term(p.get("podAffinityTerm")))
    })
}

fn in_term(term: &Value, pod: &Value) -> bool {
    let scope = term.get("scopeName").text();
    if scope != "PriorityClass" {
        return in_scope(scope, pod);
    }
    let class = pod.at(&["spec", "priorityClassName"]).text();
    let listed = term.get("values").items().iter().any(|v| v.text() == class);
    match term.get("operator").text() {
        "In" => listed && !class.is_empty(),
        "NotIn" => !listed,
        "Exists" => !class.is_empty(),
        "DoesNotExist" => class.is_empty(),
        _ => false,
    }
}
