//! ResourceQuota, after upstream's `apiserver/pkg/admission/plugin/resourcequota` and `pkg/quota/v1/evaluator/core`.
//! Left out: quotas that name limited resources in the server's configuration, pod-level resources, dynamic resources.

use super::{Attributes, Operation, View};
use crate::api::quantity::Quantity;
use crate::api::resource::RESOURCE_QUOTAS;
use crate::api::{Object, Status, Str, Value};
use std::collections::BTreeSet;

pub use crate::api::usage::{Usage, scopes_match, usage};

/// Charges a write to the quotas of its namespace. Answers with the quotas as they are then: the server writes their
/// status (field manager `kube-apiserver`) before the object.
pub fn charge(view: &dyn View, a: &Attributes, object: &Value) -> Result<Vec<Object>, Status> {
    if a.namespace.is_empty() || a.operation == Operation::Update && !matches!(a.resource.0.as_str(), "services" | "persistentvolumeclaims")
    {
        return Ok(Vec::new());
    }
    let quotas = view.list(&RESOURCE_QUOTAS, a.namespace);
    if quotas.is_empty() { Ok(Vec::new()) } else { charge_all(quotas, a, object) }
}

#[inline(never)]
fn charge_all(mut quotas: Vec<Object>, a: &Attributes, object: &Value) -> Result<Vec<Object>, Status> {
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
        let all = crate::api::usage::pod_resources(&pod, "requests");
        assert_eq!((all["cpu"], all["memory"]), (Quantity::from_int(3), Quantity::from_bytes(1 << 30)));
    }
}
