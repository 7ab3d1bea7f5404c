//! The patch that brings a status from what the server has to what it should be. Follows upstream
//! `pkg/util/pod/pod.go` (`PatchPodStatus`): a two-way strategic merge patch that names the uid.

use crate::api::{Map, Str, Value, each_pair};
use crate::value;

/// Lists in a status that merge by a key of their items.
const KEYED: [(&str, &str); 4] = [("conditions", "type"), ("podIPs", "ip"), ("hostIPs", "ip"), ("addresses", "type")];

/// The patch of `status`, or none if nothing differs.
pub fn of_status(uid: &str, old: &Value, new: &Value) -> Option<Value> {
    let status = map(old, new)?;
    Some(value!({"metadata": {"uid": (Value::str(uid))}, "status": status}))
}

fn map(old: &Value, new: &Value) -> Option<Value> {
    if old.same(new) {
        return None;
    }
    // Orders of lists come first by their names: `$` is before any letter.
    let (mut patch, mut changes) = (Vec::new(), Vec::new());
    each_pair(old, new, &mut |key, before, value| {
        let before = before.unwrap_or(&Value::Null);
        let Some(value) = value else { return changes.push((key.clone(), Value::Null)) };
        if before == value {
            return;
        }
        if let Some((_, by)) = KEYED.iter().find(|(list, _)| key == list) {
            let items = keyed(by, before, value);
            let id = |item: &Value| Value::Map(Map::from_sorted(vec![(Str::fixed(by), item.get(by).clone())]));
            patch.push((Str::of(&["$setElementOrder/", key]), value.items().iter().map(id).collect()));
            if !items.is_empty() {
                changes.push((key.clone(), Value::from(items)));
            }
        } else if before.as_map().is_some() && value.as_map().is_some() {
            changes.extend(map(before, value).map(|inner| (key.clone(), inner)));
        } else {
            changes.push((key.clone(), value.clone()));
        }
    });
    patch.append(&mut changes);
    (!patch.is_empty()).then(|| patch.into_iter().collect())
}

/// The items that changed, and those that went.
fn keyed(by: &'static str, old: &Value, new: &Value) -> Vec<Value> {
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
    items
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
