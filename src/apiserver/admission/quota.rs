//! ResourceQuota, after upstream's `apiserver/pkg/admission/plugin/resourcequota` and `pkg/quota/v1/evaluator/core`.
//! Left out: quotas that name limited resources in the server's configuration, pod-level resources, dynamic resources.

use super::{Attributes, Operation, View};
use crate::api::quantity::Quantity;
use crate::api::resource::RESOURCE_QUOTAS;
use crate::api::{Object, Resource, Status, Str, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Amounts by resource name.
pub type Usage = BTreeMap<Str, Quantity>;

/// Charges a write to the quotas of its namespace. Answers with the quotas as they are then: the server writes their
/// status (field manager `kube-apiserver`) before the object.
pub fn charge(view: &dyn View, a: &Attributes, object: &Value) -> Result<Vec<Object>, Status> {
    if a.namespace.is_empty() || a.operation == Operation::Update && !matches!(a.resource.0.as_str(), "services" | "persistentvolumeclaims")
    {
        return Ok(Vec::new());
    }
    let mut quotas = view.list(&RESOURCE_QUOTAS, a.namespace);
    if quotas.is_empty() {
        return Ok(Vec::new());
    }
    let mut delta = usage(a.resource, object);
    let names: BTreeSet<Str> =
        delta.keys().cloned().chain(POD_COMPUTE.iter().filter(|_| a.resource.0 == "pods").map(|n| Str::fixed(n))).collect();
    quotas.retain(|q| q.status().get("hard").entries().iter().any(|(n, _)| names.contains(n)) && scopes_match(q, a.resource, object));
    for quota in &quotas {
        check_constraints(a, quota, object)?;
        check_known(a, quota, &names, object)?;
    }
    if let Some(old) = a.old {
        for (name, before) in usage(a.resource, old) {
            *delta.entry(name).or_default() -= before;
        }
    }
    delta.retain(|_, amount| !amount.is_zero());
    let mut changed = Vec::new();
    for quota in quotas {
        changed.extend(charge_one(a, object, &delta, quota)?);
    }
    Ok(changed)
}

/// The quota with the delta added, `None` if it is not concerned.
fn charge_one(a: &Attributes, object: &Value, delta: &Usage, mut quota: Object) -> Result<Option<Object>, Status> {
    let status = quota.status().clone();
    let mut exceeded: Vec<(&Str, Quantity, Quantity, Quantity)> = Vec::new();
    let mut used = status.get("used").clone();
    let mut is_concerned = false;
    for (name, hard) in status.get("hard").entries() {
        let Some(asked) = delta.get(name.as_str()).copied() else { continue };
        is_concerned = true;
        let (was, hard) = (Quantity::of_or_zero(status.at(&["used", name])), Quantity::of_or_zero(hard));
        if was + asked > hard && !asked.is_negative() {
            exceeded.push((name, asked, was, hard));
        }
        used.set(name.clone(), (was + asked).to_string());
    }
    if !exceeded.is_empty() {
        let list = |pick: fn(&(&Str, Quantity, Quantity, Quantity)) -> Quantity| {
            exceeded.iter().map(|e| format!("{}={}", e.0, pick(e))).collect::<Vec<_>>().join(",")
        };
        let why =
            format!("exceeded quota: {}, requested: {}, used: {}, limited: {}", quota.name(), list(|e| e.1), list(|e| e.2), list(|e| e.3));
        return Err(a.forbidden(object, &why));
    }
    if !is_concerned {
        return Ok(None);
    }
    quota.0.set_at(&["status", "used"], used);
    Ok(Some(quota))
}

const POD_COMPUTE: [&str; 6] = ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];

/// A quota on cpu or memory wants each container to say how much it takes.
fn check_constraints(a: &Attributes, quota: &Object, object: &Value) -> Result<(), Status> {
    if a.resource.0 != "pods" || a.operation != Operation::Create {
        return Ok(());
    }
    let mut missing: Vec<String> = Vec::new();
    for (name, _) in quota.status().get("hard").entries().iter().filter(|(n, _)| POD_COMPUTE.contains(&n.as_str())) {
        let (what, plain) = name.split_once('.').unwrap_or(("requests", name));
        let lists = ["initContainers", "containers"].map(|l| object.at(&["spec", l]).items());
        let silent: BTreeSet<&str> =
            lists.into_iter().flatten().filter(|c| c.at(&["resources", what, plain]).is_null()).map(|c| c.get("name").text()).collect();
        if !silent.is_empty() {
            missing.push(format!("{name} for: {}", silent.into_iter().collect::<Vec<_>>().join(",")));
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(a.forbidden(object, &format!("failed quota: {}: must specify {}", quota.name(), missing.join("; "))))
}

/// A quota whose use nobody has counted yet lets nothing through.
fn check_known(a: &Attributes, quota: &Object, names: &BTreeSet<Str>, object: &Value) -> Result<(), Status> {
    let hard = quota.status().get("hard").entries();
    let concerned = hard.iter().map(|(n, _)| n.as_str()).filter(|n| names.contains(*n));
    let unknown = concerned.clone().any(|n| quota.status().at(&["used", n]).is_null());
    if !unknown {
        return Ok(());
    }
    let all: Vec<&str> = concerned.collect();
    Err(a.forbidden(object, &format!("status unknown for quota: {}, resources: {}", quota.name(), all.join(","))))
}

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
    let best_effort = || crate::apiserver::registry::qos_class(spec) == "BestEffort";
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

#[cfg(test)]
mod tests {
    use super::super::tests::{Shelf, create};
    use super::*;
    use crate::api::resource::PODS;
    use crate::value;

    fn pod(name: &str, cpu: Option<&'static str>) -> Value {
        let mut container = value!({"name": (Value::str(name))});
        if let Some(cpu) = cpu {
            container.set("resources", value!({"requests": {"cpu": cpu}}));
        }
        value!({"metadata": {"name": (Value::str(name))}, "spec": {"containers": [container]}})
    }

    fn shelf() -> Shelf {
        let quota = value!({"metadata": {"name": "team", "namespace": "shop"}, "spec": {"hard": {"pods": "2", "requests.cpu": "1"}},
            "status": {"hard": {"pods": "2", "requests.cpu": "1"}, "used": {"pods": "1", "requests.cpu": "200m"}}});
        Shelf(vec![(RESOURCE_QUOTAS, Object(quota))])
    }

    #[test]
    fn what_fits_is_charged() {
        let quotas = charge(&shelf(), &create(&PODS, "shop", "web"), &pod("web", Some("300m"))).unwrap();
        assert_eq!(quotas[0].status().get("used"), &value!({"pods": "2", "requests.cpu": "500m"}));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_real_words() {
        for (name, cpu, message) in [
            (
                "hungry",
                Some("2"),
                "pods \"hungry\" is forbidden: exceeded quota: team, requested: requests.cpu=2, used: requests.cpu=200m, limited: requests.cpu=1",
            ),
            ("silent", None, "pods \"silent\" is forbidden: failed quota: team: must specify requests.cpu for: silent"),
        ] {
            let refusal = charge(&shelf(), &create(&PODS, "shop", name), &pod(name, cpu)).unwrap_err();
            assert_eq!(refusal.message, message);
        }
    }

    #[test]
    fn an_init_container_counts_only_if_it_needs_more() {
        let pod = value!({"spec": {
            "containers": [{"resources": {"requests": {"cpu": "1"}}}, {"resources": {"requests": {"cpu": "1"}}}],
            "initContainers": [{"resources": {"requests": {"cpu": "3", "memory": "1Gi"}}}]
        }});
        let all = pod_resources(&pod, "requests");
        assert_eq!((all["cpu"], all["memory"]), (Quantity::from_int(3), Quantity::from_bytes(1 << 30)));
    }
}
