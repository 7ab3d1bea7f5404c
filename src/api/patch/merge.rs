//! JSON Merge Patch (RFC 7386), and the merge patch between two documents.

use crate::api::{Status, Str, Value};

/// How Go's decoder names the type of a JSON value.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Float(_) => "number",
        Value::Str(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) => "object",
    }
}

/// The object after the patch. A null in the patch deletes.
///
/// # Errors
/// 400 if `patch` is no map.
pub fn apply(original: &Value, patch: &Value) -> Result<Value, Status> {
    match patch {
        Value::Map(_) => Ok(merged(original, patch)),
        _ => Err(Status::bad_request("Invalid JSON Patch")),
    }
}

fn merged(original: &Value, patch: &Value) -> Value {
    if original.same(patch) {
        return original.clone();
    }
    if !matches!(patch, Value::Map(_)) {
        return without_nulls(patch);
    }
    let mut out = if matches!(original, Value::Map(_)) { original.clone() } else { Value::map() };
    for (key, value) in patch.entries() {
        if value.is_null() {
            if out.as_map().is_some_and(|m| m.contains(key)) {
                out.remove(key);
            }
            continue;
        }
        let old = out.get(key);
        let new = merged(old, value);
        if !unchanged(old, &new) {
            out.set(key.clone(), new);
        }
    }
    out
}

/// Whether writing `new` over `old` would change nothing.
pub(super) fn unchanged(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Map(_), Value::Map(_)) | (Value::List(_), Value::List(_)) => old.same(new) || old == new,
        (Value::Null, _) => false,
        _ => old == new,
    }
}

/// A value that is new to the object: its nulls have nothing to delete.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::List(l) => l.iter().map(without_nulls).collect(),
        Value::Map(_) => merged(&Value::Null, value),
        _ => value.clone(),
    }
}

/// The merge patch that makes `new` of `old`; an empty map if they are equal.
pub fn diff(old: &Value, new: &Value) -> Value {
    let mut patch: Vec<(Str, Value)> = Vec::new();
    if old.same(new) {
        return Value::map();
    }
    for (key, value) in new.entries() {
        let before = old.get(key);
        if matches!((before, value), (Value::Map(_), Value::Map(_))) {
            let inner = diff(before, value);
            if !inner.is_empty() {
                patch.push((key.clone(), inner));
            }
        } else if before != value || !old.as_map().is_some_and(|m| m.contains(key)) {
            patch.push((key.clone(), value.clone()));
        }
    }
    let gone = old.entries().iter().filter(|(key, _)| new.as_map().is_none_or(|m| !m.contains(key)));
    patch.extend(gone.map(|(key, _)| (key.clone(), Value::Null)));
    patch.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_patch_merges_maps_replaces_lists_and_deletes_with_null() {
        let rows = [
            ("replace", r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            ("add", r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            ("delete", r#"{"a":"b"}"#, r#"{"a":null}"#, r#"{}"#),
            ("delete what is not there", r#"{"a":1}"#, r#"{"b":null}"#, r#"{"a":1}"#),
            ("deep", r#"{"a":{"b":1,"c":2}}"#, r#"{"a":{"b":null,"d":3}}"#, r#"{"a":{"c":2,"d":3}}"#),
            ("list", r#"{"a":[1,2]}"#, r#"{"a":[3]}"#, r#"{"a":[3]}"#),
            ("map over scalar", r#"{"a":1}"#, r#"{"a":{"b":null,"c":1}}"#, r#"{"a":{"c":1}}"#),
        ];
        for (name, object, patch, want) in rows {
            assert_eq!(apply(&json(object), &json(patch)), Ok(json(want)), "{name}");
        }
        assert_eq!(apply(&json("{}"), &json("[]")).unwrap_err().code, 400);
    }

    #[test]
    fn a_patch_that_changes_nothing_returns_the_same_shared_object() {
        let old = json(r#"{"a":{"b":1},"c":[1]}"#);
        assert!(apply(&old, &json(r#"{"a":{"b":1},"x":null}"#)).unwrap().same(&old));
    }

    #[test]
    fn the_patch_between_two_documents_makes_the_second_of_the_first() {
        let rows = [
            ("equal", r#"{"a":1}"#, r#"{"a":1}"#, r#"{}"#),
            ("changed", r#"{"a":{"b":1,"c":1}}"#, r#"{"a":{"b":2,"c":1}}"#, r#"{"a":{"b":2}}"#),
            ("gone and new", r#"{"a":1}"#, r#"{"b":[1]}"#, r#"{"a":null,"b":[1]}"#),
        ];
        for (name, old, new, want) in rows {
            let patch = diff(&json(old), &json(new));
            assert_eq!(patch, json(want), "{name}");
            assert_eq!(apply(&json(old), &patch), Ok(json(new)), "{name}");
        }
    }
}
