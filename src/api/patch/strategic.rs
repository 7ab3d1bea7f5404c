//! Kubernetes' strategic merge patch (apimachinery `pkg/util/strategicpatch/patch.go`): lists are merged by
//! the keys that the schema names, and directives delete, replace and order. Left out: the check that a field
//! that both have is known (objects are decoded strictly before and after).

use super::merge::{type_name, unchanged};
use super::order::{self, MARKER, same_item};
use crate::api::{Schema, Status, Str, Value};

pub(super) const RETAIN_KEYS: &str = "$retainKeys";
pub(super) const DELETE_FROM_LIST: &str = "$deleteFromPrimitiveList";
pub(super) const SET_ORDER: &str = "$setElementOrder";

const BAD_RETAIN_KEYS: &str = "invalid patch format of retainKeys";
const BAD_ORDER: &str = "invalid patch format of setElementOrder list";

/// What a patch is merged into.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Object,
    /// another patch: directives and nulls are kept
    Patch,
}

/// The object after the patch.
///
/// # Errors
/// 400 or 500 with the server's text if the patch is malformed.
pub fn apply(original: &Value, patch: &Value, schema: Option<&Schema>) -> Result<Value, Status> {
    if patch.as_map().is_none() {
        return Err(Status::bad_request("invalid JSON document"));
    }
    merge_map(original, patch, schema, Target::Object)
}

/// A fault that the server has no code for.
pub(super) fn fault(text: impl Into<String>) -> Status {
    Status::other(500, "", text)
}

fn no_list(value: &Value) -> Status {
    let found = match value {
        Value::Map(_) => "map[string]interface {}",
        other => type_name(other),
    };
    fault(format!("expected a []interface {{}}, but received a {found}"))
}

pub(super) fn no_merge_key(item: &Value, key: &str) -> Status {
    fault(format!("map: {} does not contain declared merge key: {key}", go(item)))
}

/// A value as Go's `%v` prints it.
pub(super) fn go(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        Value::Str(s) => s.to_string(),
        Value::List(l) => format!("[{}]", l.iter().map(go).collect::<Vec<_>>().join(" ")),
        Value::Map(m) => format!("map[{}]", m.iter().map(|(k, v)| format!("{k}:{}", go(v))).collect::<Vec<_>>().join(" ")),
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}

pub(super) fn merge_map(original: &Value, patch: &Value, schema: Option<&Schema>, target: Target) -> Result<Value, Status> {
    if let Some(directive) = patch.as_map().and_then(|m| m.get(MARKER)) {
        return match directive.text() {
            "replace" => {
                let mut whole = patch.clone();
                whole.remove(MARKER);
                Ok(whole)
            }
            "delete" => Ok(Value::map()),
            _ => Err(fault(format!("unknown patch type: {} in map: {}", go(directive), go(patch)))),
        };
    }
    let mut out = if original.as_map().is_some() { original.clone() } else { Value::map() };
    retain(&mut out, patch, target)?;
    let mut ordered: Vec<&str> = Vec::new();
    for (key, order) in patch.entries().iter().filter(|(key, _)| key.starts_with(SET_ORDER)) {
        let field = key.strip_prefix(SET_ORDER).and_then(|k| k.strip_prefix('/')).ok_or_else(|| Status::bad_request(BAD_ORDER))?;
        if set_order(&mut out, patch, (key, field), order, schema, target)? {
            ordered.push(field);
        }
    }
    for (key, value) in patch.entries() {
        if *key != RETAIN_KEYS && !key.starts_with(SET_ORDER) && !ordered.contains(&key.as_str()) {
            merge_field(&mut out, key, value, schema, target)?;
        }
    }
    Ok(out)
}

/// `$retainKeys`: fields that it does not name are cleared.
fn retain(out: &mut Value, patch: &Value, target: Target) -> Result<(), Status> {
    let Some(names) = patch.as_map().and_then(|m| m.get(RETAIN_KEYS)) else { return Ok(()) };
    if target == Target::Patch {
        out.set(RETAIN_KEYS, names);
        return Ok(());
    }
    if names.as_list().is_none() {
        return Err(Status::bad_request(BAD_RETAIN_KEYS));
    }
    let named = |key: &str| names.items().iter().any(|n| n.as_str() == Some(key));
    let directive = |key: &str| key == RETAIN_KEYS || key.starts_with(DELETE_FROM_LIST) || key.starts_with(SET_ORDER);
    if patch.entries().iter().any(|(key, value)| !value.is_null() && !directive(key) && !named(key)) {
        return Err(Status::bad_request(BAD_RETAIN_KEYS));
    }
    if out.entries().iter().any(|(key, _)| !named(key)) {
        *out = out.entries().iter().filter(|(key, _)| named(key)).cloned().collect();
    }
    Ok(())
}

/// `$setElementOrder/FIELD`: merges the list and orders it. Whether there was a list to merge.
fn set_order(
    out: &mut Value,
    patch: &Value,
    (key, field): (&Str, &str),
    order: &Value,
    schema: Option<&Schema>,
    target: Target,
) -> Result<bool, Status> {
    let Value::List(_) = order else { return Err(no_list(order)) };
    if target == Target::Patch {
        match out.as_map().and_then(|m| m.get(key)) {
            Some(other) if other != order => return Err(Status::bad_request(BAD_ORDER)),
            Some(_) => {}
            None => out.set(key.clone(), order),
        }
    }
    let list = |map: &Value| match map.as_map().and_then(|m| m.get(field)) {
        Some(Value::List(l)) => Ok(Some(l.clone())),
        Some(other) => Err(no_list(other)),
        None => Ok(None),
    };
    let (server, patched) = (list(out)?.map(Value::List), list(patch)?.map(Value::List));
    let field_schema = schema.and_then(|s| s.field(field));
    let merge_key = field_schema.as_ref().and_then(Schema::merge_key).unwrap_or_default();
    check_order(patched.as_ref().unwrap_or(&Value::Null), order, &merge_key)?;
    let merged = match (&server, &patched) {
        (None, None) => return Ok(false),
        (Some(server), None) => server.items().to_vec(),
        (None, Some(patched)) => patched.items().to_vec(),
        (Some(server), Some(patched)) => merge_list(server, patched, field_schema.as_ref(), target, false)?.items().to_vec(),
    };
    let before = server.unwrap_or_default();
    let all = Value::from(order::normalized(merged, order.items(), before.items(), &merge_key));
    if !unchanged(&before, &all) {
        out.set(Str::from(field), all);
    }
    Ok(true)
}

/// The items of the patch must be in the order list, and in its order.
fn check_order(patched: &Value, order: &Value, key: &str) -> Result<(), Status> {
    if order.items().is_empty() {
        return Ok(());
    }
    let mut places = order.items().iter();
    for item in patched.items().iter().filter(|i| key.is_empty() || i.get(MARKER).is_null()) {
        if !key.is_empty() && item.get(key).is_null() {
            return Err(no_merge_key(item, key));
        }
        if !places.any(|place| same_item(place, item, key)) {
            return Err(fault(format!("The order in patch list:\n{}\n doesn't match {SET_ORDER} list:\n{}\n", go(patched), go(order))));
        }
    }
    Ok(())
}

fn merge_field(out: &mut Value, key: &Str, value: &Value, schema: Option<&Schema>, target: Target) -> Result<(), Status> {
    let deletion = key.starts_with(DELETE_FROM_LIST);
    if deletion && target == Target::Patch {
        out.set(key.clone(), value);
        return Ok(());
    }
    let name = if deletion {
        let bad = "invalid patch format of primitive list";
        Str::from(key.strip_prefix(DELETE_FROM_LIST).and_then(|k| k.strip_prefix('/')).ok_or_else(|| Status::bad_request(bad))?)
    } else {
        key.clone()
    };
    if value.is_null() && out.as_map().is_some_and(|m| m.contains(&name)) {
        out.remove(&name);
    }
    if value.is_null() && target == Target::Object {
        return Ok(());
    }
    let field = schema.and_then(|s| s.field(&name));
    let new = match (out.as_map().and_then(|m| m.get(&name)), value) {
        (Some(old @ Value::Map(_)), Value::Map(_)) => {
            let replaces = field.as_ref().is_some_and(|f| f.strategy().split(',').any(|s| s == "replace"));
            Some(if replaces { value.clone() } else { merge_map(old, value, field.as_ref(), target)? })
        }
        (Some(old @ Value::List(_)), Value::List(_)) => {
            let merges = field.as_ref().is_some_and(Schema::merges);
            Some(if merges { merge_list(old, value, field.as_ref(), target, deletion)? } else { value.clone() })
        }
        _ if deletion => return Ok(()),
        _ => clean(value, target),
    };
    match new {
        Some(new) if unchanged(out.get(&name), &new) => {}
        Some(new) => out.set(name, new),
        None => {
            out.remove(&name);
        }
    }
    Ok(())
}

/// A value that is new to the target: without directives and, in an object, nulls. `None` if it is a directive itself.
fn clean(value: &Value, target: Target) -> Option<Value> {
    fn is_clean(value: &Value, target: Target) -> bool {
        match value {
            Value::List(l) => l.iter().all(|v| is_clean(v, target)),
            Value::Map(m) => m.iter().all(|(k, v)| *k != MARKER && (target == Target::Patch || !v.is_null()) && is_clean(v, target)),
            _ => true,
        }
    }
    if is_clean(value, target) {
        return Some(value.clone());
    }
    match value {
        Value::Map(m) if m.contains(MARKER) => None,
        Value::Map(m) => {
            let kept = m.iter().filter(|(_, v)| target == Target::Patch || !v.is_null());
            Some(kept.filter_map(|(k, v)| Some((k.clone(), clean(v, target)?))).collect())
        }
        Value::List(l) => Some(l.iter().filter_map(|v| clean(v, target)).collect()),
        _ => Some(value.clone()),
    }
}

/// Merges a list that the schema says is merged; `deletion`: the items of `patch` are taken out.
fn merge_list(original: &Value, patch: &Value, schema: Option<&Schema>, target: Target, deletion: bool) -> Result<Value, Status> {
    let (old, new) = (original.items(), patch.items());
    let Some(first) = old.first().or(new.first()) else { return Ok(original.clone()) };
    if old.iter().chain(new).any(|item| item.as_list().is_some()) {
        return Err(fault("lists of lists are not supported"));
    }
    if old.iter().chain(new).any(|item| item.as_map().is_some() != first.as_map().is_some()) {
        return Err(fault(format!("list element types are not identical: [{} {}]", go(original), go(patch))));
    }
    if first.as_map().is_none() {
        if deletion {
            return Ok(old.iter().filter(|item| !new.contains(item)).cloned().collect());
        }
        let mut merged: Vec<Value> = Vec::with_capacity(old.len() + new.len());
        for item in old.iter().chain(new) {
            if !merged.contains(item) {
                merged.push(item.clone());
            }
        }
        return Ok(Value::from(order::normalized(merged, new, old, "")));
    }
    let Some(key) = schema.and_then(Schema::merge_key) else {
        let of = schema.map(Schema::go_type).unwrap_or_default();
        return Err(fault(format!("cannot merge lists without merge key for {of}")));
    };
    let (mut merged, plain) = directives(old, new, &key)?;
    let before = merged.clone();
    let item_schema = schema.and_then(Schema::item);
    for item in &plain {
        if !item.as_map().is_some_and(|m| m.contains(&key)) {
            return Err(no_merge_key(item, &key));
        }
        match order::place(&merged, item, &key) {
            Some(i) => merged[i] = merge_map(&merged[i], item, item_schema.as_ref(), target)?,
            None => merged.push(item.clone()),
        }
    }
    if let Some(item) = merged.iter().find(|item| !item.as_map().is_some_and(|m| m.contains(&key))) {
        return Err(no_merge_key(item, &key));
    }
    Ok(Value::from(order::normalized(merged, &plain, &before, &key)))
}

/// Performs `$patch: delete` and `$patch: replace` of a list: what is left of the old items, and the new ones.
fn directives(old: &[Value], new: &[Value], key: &str) -> Result<(Vec<Value>, Vec<Value>), Status> {
    let mut left = old.to_vec();
    let mut plain: Vec<Value> = Vec::with_capacity(new.len());
    let mut replace = false;
    for item in new {
        match item.as_map().and_then(|m| m.get(MARKER)) {
            None => plain.push(item.clone()),
            Some(d) if d.text() == "delete" => {
                if item.get(key).is_null() {
                    return Err(no_merge_key(item, key));
                }
                left.retain(|other| !same_item(other, item, key));
            }
            Some(d) if d.text() == "replace" => replace = true,
            Some(d) if d.text() == "merge" => return Err(fault("merging lists cannot yet be specified in the patch")),
            Some(d) => return Err(fault(format!("unknown patch type: {} in map: {}", go(d), go(item)))),
        }
    }
    Ok(if replace { (plain, Vec::new()) } else { (left, plain) })
}
