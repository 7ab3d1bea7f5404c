//! Lists of conditions, changed as upstream's `SetDeploymentCondition` and its many copies change them:
//! what changes moves to the end.

use crate::api::{Str, Value};
use crate::util::Time;
use crate::value;

/// A condition of a workload. `updated` adds `lastUpdateTime`, which only Deployments have.
pub fn condition(kind: &'static str, status: &'static str, reason: &'static str, message: impl Into<Str>, now: Time) -> Value {
    value!({
        "type": kind, "status": status, "reason": reason, "message": (message.into()),
        "lastTransitionTime": (now.rfc3339())
    })
}

/// Puts a condition in, unless one of the same type says the same with the same reason.
/// The time of transition stays while the status does, if `keep_transition`.
pub fn set(conditions: &mut Value, mut new: Value, keep_transition: bool) {
    let kind = new.get("type").to_str();
    if let Some(old) = conditions.find("type", &kind) {
        let same_status = old.get("status") == new.get("status");
        if same_status && old.get("reason") == new.get("reason") {
            return;
        }
        if same_status && keep_transition {
            new.set("lastTransitionTime", old.get("lastTransitionTime"));
        }
    }
    remove(conditions, &kind);
    conditions.list_mut().push(new);
}

/// Takes the condition of a type out.
pub fn remove(conditions: &mut Value, kind: &str) {
    if conditions.find("type", kind).is_some() {
        conditions.list_mut().retain(|c| c.get("type").text() != kind);
    }
}
