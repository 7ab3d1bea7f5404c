//! The patch that `apply` sends: what the manifest says that the object does not, and what it no longer says.

use super::super::fault::Fault;
use super::super::kinds;
use super::apply::LAST_APPLIED;
use crate::api::{KindInfo, Object, PatchType, Value};

/// The patch from `current` to what `modified` and the last applied configuration ask for; an empty map if nothing is to do.
///
/// # Errors
/// The last applied configuration cannot be read.
pub fn compute(kind: &KindInfo, modified: &Object, current: &Object) -> Result<(Value, PatchType), Fault> {
    let original = match current.annotation(LAST_APPLIED) {
        Some(text) => serde_json::from_str(text).map_err(|e| Fault::text(format!("the last applied configuration cannot be read: {e}")))?,
        None => Value::Null,
    };
    let how = if kinds::is_built_in(kind) { PatchType::Strategic } else { PatchType::Merge };
    Ok((merge(&original, &modified.0, &current.0), PatchType::Merge.min(how).max(PatchType::Merge)))
}

fn merge(original: &Value, modified: &Value, current: &Value) -> Value {
    let mut patch = Value::map();
    for (key, new) in modified.entries() {
        let now = current.get(key);
        if matches!((new, now), (Value::Map(_), Value::Map(_))) {
            let inner = merge(original.get(key), new, now);
            if !inner.entries().is_empty() {
                patch.set(key.clone(), inner);
            }
        } else if !new.is_null() && !contained(new, now) {
            patch.set(key.clone(), new);
        }
    }
    for (key, _) in original.entries() {
        if modified.get(key).is_null() && !current.get(key).is_null() {
            patch.set(key.clone(), Value::Null);
        }
    }
    patch
}

/// Whether everything that `wanted` says is so in `is`, which may say more.
fn contained(wanted: &Value, is: &Value) -> bool {
    match (wanted, is) {
        (Value::Map(w), Value::Map(_)) => w.iter().all(|(k, v)| contained(v, is.get(k))),
        (Value::List(w), Value::List(i)) => w.len() == i.len() && w.iter().zip(i.iter()).all(|(w, i)| contained(w, i)),
        _ => wanted == is,
    }
}
