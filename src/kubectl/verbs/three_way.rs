//! The patch that `apply` sends: what the manifest says that the object does not, and what it no longer says.

use super::super::fault::Fault;
use super::super::kinds;
use super::apply::LAST_APPLIED;
use crate::api::patch::three_way;
use crate::api::{KindInfo, Object, PatchType, Value, json, schema};

/// The patch from `current` to what `modified` and the last applied configuration ask for; an empty map if nothing is to do.
///
/// # Errors
/// The last applied configuration cannot be read, or a list has an item without its key.
pub fn compute(kind: &KindInfo, modified: &Object, current: &Object) -> Result<(Value, PatchType), Fault> {
    let original = match current.annotation(LAST_APPLIED) {
        Some(text) => json::parse(text).map_err(|e| Fault::text(format!("the last applied configuration cannot be read: {e}")))?,
        None => Value::Null,
    };
    if !kinds::is_built_in(kind) {
        return Ok((three_way::json_merge(&original, &modified.0, &current.0), PatchType::Merge));
    }
    let schema = schema::of(kind.group(), &kind.version, &kind.kind);
    let patch = three_way::strategic(&original, &modified.0, &current.0, schema.as_ref())?;
    Ok((patch, PatchType::Strategic))
}
