//! Where a pod may run: tolerations, affinity, topology spread.

use super::super::Causes;
use super::super::path::Path;
use super::super::rules::{duplicate, invalid, label_value, not_supported, qualified_name, required};
use super::{all_invalid, label_selector};
use crate::api::Value;

/// `ValidateTolerations`.
#[inline(never)]
pub fn tolerations(list: &Value, at: &Path, causes: &mut Causes) {
    for (i, t) in list.items().iter().enumerate() {
        let at = at.index(i);
        let (key, operator, value) = (t.get("key"), t.get("operator"), t.get("value"));
        if !key.text().is_empty() {
            all_invalid(qualified_name(key.text()), key, &at.child("key"), causes);
        } else if operator.text() != "Exists" {
            let why = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            causes.push(invalid(at.child("operator"), &Value::from(operator.to_str()), why));
        }
        if !t.get("tolerationSeconds").is_null() && t.get("effect").text() != "NoExecute" {
            let why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            causes.push(invalid(at.child("effect"), &Value::from(t.get("effect").to_str()), why));
        }
        match operator.text() {
            "" | "Equal" => {
                let wrong = label_value(value.text());
                if !wrong.is_empty() {
                    causes.push(invalid(at.child("operator"), value, &wrong.join(";")));
                }
            }
            "Exists" => {
                if !value.text().is_empty() {
                    causes.push(invalid(at.child("operator"), value, "value must be empty when `operator` is 'Exists'"));
                }
            }
            _ => causes.push(not_supported(at.child("operator"), operator, &["Equal", "Exists"])),
        }
        if !t.get("effect").text().is_empty() {
            taint_effect(t.get("effect"), &at.child("effect"), causes);
        }
    }
}

/// `validateTaintEffect`.
pub fn taint_effect(effect: &Value, at: &Path, causes: &mut Causes) {
    const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
    if !EFFECTS.contains(&effect.text()) {
        causes.push(not_supported(at, effect, &EFFECTS));
    }
}

/// `validateAffinity`.
#[inline(never)]
pub fn affinity(a: &Value, at: &Path, causes: &mut Causes) {
    const MUST: &str = "requiredDuringSchedulingIgnoredDuringExecution";
    const SHOULD: &str = "preferredDuringSchedulingIgnoredDuringExecution";
    let node_at = at.child("nodeAffinity");
    let node = a.get("nodeAffinity");
    if !node.get(MUST).is_null() {
        let at = node_at.child(MUST);
        let terms = node.get(MUST).get("nodeSelectorTerms");
        let at = at.child("nodeSelectorTerms");
        if terms.items().is_empty() {
            causes.push(required(&at, "must have at least one node selector term"));
        }
        for (i, term) in terms.items().iter().enumerate() {
            node_term(term, &at.index(i), causes);
        }
    }
    let preferred = node_at.child(SHOULD);
    for (i, item) in node.get(SHOULD).items().iter().enumerate() {
        let at = preferred.index(i);
        weight(item, &at, causes);
        node_term(item.get("preference"), &at.child("preference"), causes);
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        let at = at.child(kind);
        let required_at = at.child(MUST);
        for (i, term) in a.get(kind).get(MUST).items().iter().enumerate() {
            pod_term(term, &required_at.index(i), causes);
        }
        let preferred = at.child(SHOULD);
        for (i, item) in a.get(kind).get(SHOULD).items().iter().enumerate() {
            let at = preferred.index(i);
            weight(item, &at, causes);
            pod_term(item.get("podAffinityTerm"), &at.child("podAffinityTerm"), causes);
        }
    }
}

fn weight(item: &Value, at: &Path, causes: &mut Causes) {
    if !(1..=100).contains(&item.get("weight").int()) {
        causes.push(invalid(at.child("weight"), &Value::Int(item.get("weight").int()), "must be in the range 1-100"));
    }
}

fn node_term(term: &Value, at: &Path, causes: &mut Causes) {
    let all = at.child("matchExpressions");
    for (i, e) in term.get("matchExpressions").items().iter().enumerate() {
        let at = all.index(i);
        let values = e.get("values").items();
        match e.get("operator").text() {
            "In" | "NotIn" if values.is_empty() => {
                causes.push(required(at.child("values"), "must be specified when `operator` is 'In' or 'NotIn'"));
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                let why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                causes.push(super::super::rules::forbidden(at.child("values"), why));
            }
            "Gt" | "Lt" if values.len() != 1 => {
                causes.push(required(at.child("values"), "must be specified single value when `operator` is 'Lt' or 'Gt'"));
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
            _ => causes.push(invalid(at.child("operator"), e.get("operator"), "not a valid selector operator")),
        }
        all_invalid(qualified_name(e.get("key").text()), e.get("key"), &at.child("key"), causes);
    }
}

fn pod_term(term: &Value, at: &Path, causes: &mut Causes) {
    label_selector(term.get("labelSelector"), &at.child("labelSelector"), causes);
    let key = term.get("topologyKey");
    if key.text().is_empty() {
        causes.push(required(at.child("topologyKey"), "can not be empty"));
    }
    all_invalid(qualified_name(key.text()), &Value::from(key.to_str()), &at.child("topologyKey"), causes);
}

/// `validateTopologySpreadConstraints`.
#[inline(never)]
pub fn topology_spread(list: &Value, at: &Path, causes: &mut Causes) {
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for (i, c) in list.items().iter().enumerate() {
        let at = at.index(i);
        if c.get("maxSkew").int() <= 0 {
            causes.push(invalid(at.child("maxSkew"), &Value::Int(c.get("maxSkew").int()), "must be greater than zero"));
        }
        let key = c.get("topologyKey");
        if key.text().is_empty() {
            causes.push(required(at.child("topologyKey"), "can not be empty"));
        } else {
            all_invalid(qualified_name(key.text()), key, &at.child("topologyKey"), causes);
        }
        let action = c.get("whenUnsatisfiable");
        if !matches!(action.text(), "DoNotSchedule" | "ScheduleAnyway") {
            let action = Value::from(action.to_str());
            causes.push(not_supported(at.child("whenUnsatisfiable"), &action, &["DoNotSchedule", "ScheduleAnyway"]));
        }
        let pair = (key.text(), action.text());
        if seen.contains(&pair) {
            let text = format!("{{{}, {}}}", pair.0, pair.1);
            causes.push(duplicate(at.child("{topologyKey, whenUnsatisfiable}"), &Value::from(text)));
        }
        seen.push(pair);
        if c.get("minDomains").as_int().is_some_and(|n| n <= 0) {
            causes.push(invalid(at.child("minDomains"), c.get("minDomains"), "must be greater than zero"));
        }
        if !c.get("minDomains").is_null() && action.text() != "DoNotSchedule" {
            let why = format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}", action.text());
            causes.push(invalid(at.child("minDomains"), c.get("minDomains"), &why));
        }
        label_selector(c.get("labelSelector"), &at.child("labelSelector"), causes);
    }
}
