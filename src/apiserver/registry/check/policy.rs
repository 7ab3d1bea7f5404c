//! PodDisruptionBudgets, HorizontalPodAutoscalers, PriorityClasses and role bindings.

use super::super::Causes;
use super::super::path::Path;
use super::super::rules::{forbidden, invalid, quoted, required};
use super::{at_most_all, int_or_percent, label_selector, one_of};
use crate::api::Value;

/// The highest value of a class that is not the system's.
const USER_PRIORITY_MAX: i64 = 1_000_000_000;

/// `ValidatePodDisruptionBudgetSpec`.
pub fn disruption_budget(object: &Value, causes: &mut Causes) {
    let (spec, at) = (object.get("spec"), Path::root("spec"));
    let (least, most) = (spec.get("minAvailable"), spec.get("maxUnavailable"));
    if !least.is_null() && !most.is_null() {
        // The value is printed as Go's own struct is, without the names of its fields in JSON.
        let field = |name: &str| quoted(spec.get(name));
        let value = format!(
            "{{\"MinAvailable\":{},\"Selector\":{},\"MaxUnavailable\":{},\"UnhealthyPodEvictionPolicy\":{}}}",
            field("minAvailable"),
            field("selector"),
            field("maxUnavailable"),
            field("unhealthyPodEvictionPolicy")
        );
        let body = format!("Invalid value: {value}: minAvailable and maxUnavailable cannot be both set");
        causes.push(crate::api::status::Cause::new("spec", "FieldValueInvalid", body));
    }
    for field in ["minAvailable", "maxUnavailable"] {
        if !spec.get(field).is_null() {
            int_or_percent(spec.get(field), at.child(field), causes);
            at_most_all(spec.get(field), at.child(field), causes);
        }
    }
    label_selector(spec.get("selector"), &at.child("selector"), causes);
}

/// `ValidateHorizontalPodAutoscaler`.
pub fn autoscaler(object: &Value, causes: &mut Causes) {
    let (spec, at) = (object.get("spec"), Path::root("spec"));
    let (least, most) = (spec.get("minReplicas"), spec.get("maxReplicas"));
    if least.as_int().is_some_and(|n| n < 1) {
        causes.push(invalid(at.child("minReplicas"), least, "must be greater than or equal to 1"));
    }
    if most.int() < 1 {
        causes.push(invalid(at.child("maxReplicas"), &Value::Int(most.int()), "must be greater than 0"));
    }
    if least.as_int().is_some_and(|n| most.int() < n) {
        causes.push(invalid(at.child("maxReplicas"), &Value::Int(most.int()), "must be greater than or equal to `minReplicas`"));
    }
    let target = at.child("scaleTargetRef");
    for field in ["kind", "name"] {
        if spec.at(&["scaleTargetRef", field]).text().is_empty() {
            causes.push(required(target.child(field), ""));
        }
    }
    let metrics = at.child("metrics");
    for (i, metric) in spec.get("metrics").items().iter().enumerate() {
        let at = metrics.index(i);
        let source = match metric.get("type").text() {
            "Object" => "object",
            "Pods" => "pods",
            "Resource" => "resource",
            "ContainerResource" => "containerResource",
            "External" => "external",
            _ => {
                one_of(metric.get("type"), at.child("type"), &["ContainerResource", "External", "Object", "Pods", "Resource"], causes);
                continue;
            }
        };
        if metric.get(source).is_null() {
            causes.push(required(at.child(source), "must populate information for the given metric source"));
        }
    }
}

/// `ValidatePriorityClass`.
pub fn priority_class(object: &Value, causes: &mut Causes) {
    let name = object.at(&["metadata", "name"]);
    let number = object.get("value");
    if name.text().starts_with("system-") {
        if !matches!(name.text(), "system-node-critical" | "system-cluster-critical") {
            let why = "priority class names with 'system-' prefix are reserved for system use only. error: ";
            causes.push(forbidden("metadata.name", &format!("{why}{} is not a known system priority class", name.text())));
        }
    } else if number.int() > USER_PRIORITY_MAX {
        causes.push(forbidden("value", &format!("maximum allowed value of a user defined priority is {USER_PRIORITY_MAX}")));
    }
    let policy = object.get("preemptionPolicy");
    one_of(policy, Path::root("preemptionPolicy"), &["PreemptLowerPriority", "Never"], causes);
}

/// `ValidatePriorityClassUpdate`.
pub fn priority_class_update(object: &Value, old: &Value, causes: &mut Causes) {
    if object.get("value") != old.get("value") {
        causes.push(forbidden("value", "may not be changed in an update."));
    }
    super::super::rules::immutable(object.get("preemptionPolicy"), old.get("preemptionPolicy"), "preemptionPolicy", causes);
}

/// `ValidateRole`: rules of a namespace are about resources.
pub fn role(object: &Value, causes: &mut Causes) {
    policy_rules(object, true, causes);
}

/// `ValidateClusterRole`.
pub fn cluster_role(object: &Value, causes: &mut Causes) {
    policy_rules(object, false, causes);
    let aggregation = Path::root("aggregationRule");
    if !object.get("aggregationRule").is_null() && object.at(&["aggregationRule", "clusterRoleSelectors"]).is_empty() {
        let why = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        causes.push(required(aggregation.child("clusterRoleSelectors"), why));
    }
}

fn policy_rules(object: &Value, namespaced: bool, causes: &mut Causes) {
    let rules = Path::root("rules");
    for (i, rule) in object.get("rules").items().iter().enumerate() {
        let at = rules.index(i);
        let mut needs = |field: &'static str, what: &str| {
            if rule.get(field).is_empty() {
                causes.push(required(at.child(field), what));
            }
        };
        needs("verbs", "verbs must contain at least one value");
        let urls = rule.get("nonResourceURLs");
        if urls.is_empty() {
            needs("apiGroups", "resource rules must supply at least one api group");
            needs("resources", "resource rules must supply at least one resource");
        } else if namespaced {
            causes.push(invalid(at.child("nonResourceURLs"), urls, "namespaced rules cannot apply to non-resource URLs"));
        } else if !rule.get("apiGroups").is_empty() || !rule.get("resources").is_empty() {
            let why = "rules cannot apply to both regular resources and non-resource URLs";
            causes.push(invalid(at.child("nonResourceURLs"), urls, why));
        }
    }
}

/// `ValidateRoleBinding`.
pub fn role_binding(object: &Value, causes: &mut Causes) {
    binding(object, &["Role", "ClusterRole"], causes);
}

/// `ValidateClusterRoleBinding`.
pub fn cluster_role_binding(object: &Value, causes: &mut Causes) {
    binding(object, &["ClusterRole"], causes);
}

fn binding(object: &Value, roles: &[&str], causes: &mut Causes) {
    let group = object.at(&["roleRef", "apiGroup"]);
    if group.text() != "rbac.authorization.k8s.io" {
        causes.push(super::super::rules::not_supported("roleRef.apiGroup", group, &["rbac.authorization.k8s.io"]));
    }
    let role = Path::root("roleRef");
    if object.at(&["roleRef", "name"]).text().is_empty() {
        causes.push(required(role.child("name"), ""));
    }
    one_of(object.at(&["roleRef", "kind"]), role.child("kind"), roles, causes);
    let subjects = Path::root("subjects");
    for (i, subject) in object.get("subjects").items().iter().enumerate() {
        let at = subjects.index(i);
        if subject.get("name").text().is_empty() {
            causes.push(required(at.child("name"), ""));
        }
        one_of(subject.get("kind"), at.child("kind"), &["ServiceAccount", "User", "Group"], causes);
        if roles.len() == 1 && subject.get("kind").text() == "ServiceAccount" && subject.get("namespace").text().is_empty() {
            causes.push(required(at.child("namespace"), ""));
        }
    }
}

/// The role of a binding never changes.
pub fn role_binding_update(object: &Value, old: &Value, causes: &mut Causes) {
    if object.get("roleRef") != old.get("roleRef") {
        causes.push(invalid("roleRef", object.get("roleRef"), "cannot change roleRef"));
    }
}
