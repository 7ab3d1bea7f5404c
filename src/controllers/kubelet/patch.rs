//! The patch that brings a status from what the server has to what it should be. Follows upstream
//! `pkg/util/pod/pod.go` (`PatchPodStatus`): a two-way strategic merge patch that names the uid.

use crate::api::{Str, Value};
use crate::value;

/// Lists in a status that merge by a key of their items.
const KEYED: [(&str, &str); 4] = [("conditions", "type"), ("podIPs", "ip"), ("hostIPs", "ip"), ("addresses", "type")];

/// The patch of `status`, or none if nothing differs.
pub fn of_status(uid: &str, old: &Value, new: &Value) -> Option<Value> {
    let status = map(old, new)?;
    Some(value!({"metadata": {"uid": (Value::str(uid))}, "status": status}))
}

fn map(old: &Value, new: &Value) -> Option<Value> {
    let mut patch = Value::map();
    for (key, _) in old.entries() {
        if new.as_map().is_none_or(|m| !m.contains(key)) {
            patch.set(key.clone(), Value::Null);
        }
    }
    for (key, value) in new.entries() {
        let before = old.get(key);
        if before == value {
            continue;
        }
        if let Some((_, by)) = KEYED.iter().find(|(list, _)| key == list) {
            keyed(key, by, before, value, &mut patch);
        } else if before.as_map().is_some() && value.as_map().is_some() {
            if let Some(inner) = map(before, value) {
                patch.set(key.clone(), inner);
            }
        } else {
            patch.set(key.clone(), value);
        }
    }
    (!patch.is_empty()).then_some(patch)
}

/// The items that changed, those that went, and the order of all.
fn keyed(list: &Str, by: &'static str, old: &Value, new: &Value, patch: &mut Value) {
    let mut items = Vec::new();
    for item in new.items() {
        let id = item.get(by);
        match old.find(by, id.text()) {
            None => items.push(item.clone()),
            Some(before) => {
                if let Some(mut change) = map(before, item) {
                    change.set(by, id);
                    items.push(change);
                }
            }
        }
    }
    for item in old.items() {
        if new.find(by, item.get(by).text()).is_none() {
            let mut gone = value!({"$patch": "delete"});
            gone.set(by, item.get(by));
            items.push(gone);
        }
    }
    let order = new.items().iter().map(|i| {
        let mut o = Value::map();
        o.set(by, i.get(by));
        o
    });
    patch.set(format!("$setElementOrder/{list}"), order.collect::<Value>());
    if !items.is_empty() {
        patch.set(list.clone(), Value::from(items));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_sent() {
        let old = value!({"phase": "Pending", "reason": "x", "conditions": [
            {"type": "Ready", "status": "False", "reason": "No"}, {"type": "PodScheduled", "status": "True"}]});
        let new = value!({"phase": "Pending", "podIP": "1", "conditions": [
            {"type": "Ready", "status": "True"}, {"type": "PodScheduled", "status": "True"}]});
        let patch = of_status("u", &old, &new).unwrap();
        let expected = value!({"metadata": {"uid": "u"}, "status": {
            "$setElementOrder/conditions": [{"type": "Ready"}, {"type": "PodScheduled"}],
            "conditions": [{"type": "Ready", "status": "True", "reason": null}], "podIP": "1", "reason": null}});
        assert_eq!(patch, expected);
        assert_eq!(of_status("u", &new, &new), None);
    }
}
