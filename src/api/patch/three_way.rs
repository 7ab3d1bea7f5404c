//! What `kubectl apply` sends: the patch that brings the live object to the configuration, deleting what an
//! earlier configuration set and this one does not (`CreateThreeWayMergePatch` of apimachinery's
//! strategicpatch, `pkg/util/jsonmergepatch`). Left out: `--overwrite=false`, which refuses to undo the
//! changes of others.

use super::diff::{self, Count};
use super::merge;
use super::strategic::{Target, merge_map};
use crate::api::{Schema, Status, Str, Value};

/// The strategic merge patch for a kind with a known schema. `original` is the configuration applied last,
/// null if there is none.
///
/// # Errors
/// If an item of a list that is merged has no merge key.
pub fn strategic(original: &Value, modified: &Value, current: &Value, schema: Option<&Schema>) -> Result<Value, Status> {
    let changes = diff::maps(current, modified, schema, Count::ChangesAndAdditions, false)?;
    let deletions = diff::maps(original, modified, schema, Count::Deletions, false)?;
    merge_map(&deletions, &changes, schema, Target::Patch)
}

/// The JSON merge patch for a custom resource.
pub fn json_merge(original: &Value, modified: &Value, current: &Value) -> Value {
    let changes = only(&merge::diff(current, modified), false);
    let deletions = only(&merge::diff(original, modified), true);
    over(&deletions, &changes)
}

/// The part of a merge patch that deletes, or the part that does not.
fn only(patch: &Value, deletions: bool) -> Value {
    let part = |(key, value): &(Str, Value)| {
        let kept = match value {
            Value::Null => deletions.then_some(Value::Null),
            Value::Map(_) => Some(only(value, deletions)).filter(|inner| !deletions || !inner.is_empty()),
            other => (!deletions).then(|| other.clone()),
        };
        Some((key.clone(), kept?))
    };
    patch.entries().iter().filter_map(part).collect()
}

/// Two merge patches as one; the second wins.
fn over(first: &Value, second: &Value) -> Value {
    let mut out = first.clone();
    for (key, value) in second.entries() {
        let merged = match (first.get(key), value) {
            (before @ Value::Map(_), Value::Map(_)) => over(before, value),
            _ => value.clone(),
        };
        out.set(key.clone(), merged);
    }
    out
}
