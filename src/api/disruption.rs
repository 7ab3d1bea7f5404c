//! What a PodDisruptionBudget's status says, for the loop that counts and the server that asks it before an eviction.
//! Follows upstream `pkg/apis/policy` conditions (`pkg/controller/disruption` calls them through `k8s.io/kubectl`'s
//! `pdbhelper`).

use super::{Object, Selector, Value};
use crate::util::Time;
use crate::value;

const CONDITION: &str = "DisruptionAllowed";

/// Whether a budget is about a pod of these labels in its namespace.
pub fn covers(budget: &Object, pod: &Object) -> bool {
    budget.namespace() == pod.namespace() && Selector::of_object(budget.spec().get("selector")).matches(pod.labels())
}

/// Sets the condition as the number of allowed disruptions demands (`UpdateDisruptionAllowedCondition`).
pub fn set_allowed(budget: &mut Object, now: Time) {
    let (status, reason) = wanted(budget);
    set_condition(budget, status, reason, "", now);
}

/// Sets the condition; its time moves only with its status.
pub fn set_condition(budget: &mut Object, status: &'static str, reason: &'static str, message: &str, now: Time) {
    let since = budget.condition(CONDITION).filter(|c| c.get("status").text() == status).map(|c| c.get("lastTransitionTime").clone());
    let condition = value!({
        "type": CONDITION, "status": status, "reason": reason, "message": (Value::str(message)),
        "observedGeneration": (budget.status().get("observedGeneration").int()),
        "lastTransitionTime": (since.unwrap_or_else(|| now.rfc3339().into()))
    });
    let list = budget.0.entry_at(&["status", "conditions"]).list_mut();
    match list.iter_mut().find(|c| c.get("type").text() == CONDITION) {
        Some(there) => *there = condition,
        None => list.push(condition),
    }
}

/// Whether the condition says what the numbers do (`ConditionsAreUpToDate`).
pub fn is_up_to_date(budget: &Object) -> bool {
    let said = budget.condition(CONDITION).map(|c| (c.get("status").text(), c.get("reason").text()));
    budget.status().get("observedGeneration").int() == budget.generation() && said == Some(wanted(budget))
}

fn wanted(budget: &Object) -> (&'static str, &'static str) {
    if budget.status().get("disruptionsAllowed").int() > 0 { ("True", "SufficientPods") } else { ("False", "InsufficientPods") }
}
