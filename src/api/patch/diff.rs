//! The strategic merge patch between two versions of an object, as clients and the kubelet send it
//! (`CreateTwoWayMergePatch` of apimachinery's strategicpatch).

use super::order;
use super::strategic::{DELETE_FROM_LIST, RETAIN_KEYS, SET_ORDER, fault, go, no_merge_key};
use crate::api::{Schema, Status, Str, Value};
use crate::util::Order;

/// Which differences count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    All,
    Deletions,
    ChangesAndAdditions,
}

impl Count {
    fn deletions(self) -> bool {
        self != Count::ChangesAndAdditions
    }

    fn changes(self) -> bool {
        self != Count::Deletions
    }
}

/// The patch that makes `new` of `old`; an empty map if they are equal.
///
/// # Errors
/// If an item of a list that is merged has no merge key.
pub fn strategic(old: &Value, new: &Value, schema: Option<&Schema>) -> Result<Value, Status> {
    maps(old, new, schema, Count::All, false)
}

/// `retain`: name the fields of `new`, so that others are cleared.
pub(super) fn maps(old: &Value, new: &Value, schema: Option<&Schema>, count: Count, retain: bool) -> Result<Value, Status> {
    let mut patch: Vec<(Str, Value)> = Vec::new();
    if old.same(new) {
        return Ok(Value::map());
    }
    for (key, value) in new.entries() {
        let Some(before) = old.as_map().and_then(|m| m.get(key)) else {
            if count.changes() {
                patch.push((key.clone(), value.clone()));
            }
            continue;
        };
        match (before, value) {
            _ if before.same(value) => {}
            (Value::Map(_), Value::Map(_)) => {
                let field = schema.and_then(|s| s.field(key));
                let retain = field.as_ref().is_some_and(Schema::retains_keys);
                let inner = maps(before, value, field.as_ref(), count, retain)?;
                if !inner.is_empty() {
                    patch.push((key.clone(), inner));
                }
            }
            (Value::List(_), Value::List(_)) => {
                let field = schema.and_then(|s| s.field(key));
                match field.filter(Schema::merges) {
                    Some(field) => list_field(key, before, value, &field, count, &mut patch)?,
                    None if count.changes() && before != value => patch.push((key.clone(), value.clone())),
                    None => {}
                }
            }
            _ if count.changes() && before != value => patch.push((key.clone(), value.clone())),
            _ => {}
        }
    }
    let gone = |key: &str| new.as_map().is_none_or(|m| !m.contains(key));
    if count.deletions() {
        patch.extend(old.entries().iter().filter(|(key, _)| gone(key)).map(|(key, _)| (key.clone(), Value::Null)));
    }
    let names: Vec<Value> = new.entries().iter().filter(|(_, v)| !v.is_null()).map(|(key, _)| Value::from(key)).collect();
    let fewer = old.entries().iter().any(|(key, v)| !v.is_null() && gone(key));
    if retain && !names.is_empty() && (!patch.is_empty() || fewer) {
        patch.push((Str::fixed(RETAIN_KEYS), Value::from(names)));
    }
    Ok(patch.into_iter().collect())
}

/// Puts the difference of two merged lists into the patch of what holds them.
fn list_field(key: &Str, old: &Value, new: &Value, schema: &Schema, count: Count, patch: &mut Vec<(Str, Value)>) -> Result<(), Status> {
    let (before, after) = (old.items(), new.items());
    let Some(first) = before.first() else {
        if count.changes() && !after.is_empty() {
            patch.push((key.clone(), new.clone()));
        }
        return Ok(());
    };
    let (mut put, mut delete, mut order) = (Vec::new(), Vec::new(), false);
    let merge_key = schema.merge_key().unwrap_or_default();
    if first.as_map().is_some() {
        put = order::sorted(items(before, after, &merge_key, schema, count, &mut delete)?, after, &merge_key);
        let moved = before.len() != after.len() || !before.iter().zip(after).all(|(a, b)| order::same_item(a, b, &merge_key));
        put.append(&mut delete);
        order |= count.changes() && (!put.is_empty() || moved) || count.deletions() && !put.is_empty();
    } else {
        scalars(before, after, &mut put, &mut delete);
        put = if count.changes() { order::sorted(put, after, "") } else { Vec::new() };
        delete.truncate(if count.deletions() { delete.len() } else { 0 });
        order |= !delete.is_empty() || count.changes() && old != new;
    }
    if !put.is_empty() {
        patch.push((key.clone(), Value::from(put)));
    }
    if !delete.is_empty() {
        patch.push((Str::from(format!("{DELETE_FROM_LIST}/{key}")), Value::from(delete)));
    }
    if order && !after.is_empty() {
        let name = |item: &Value| match merge_key.as_str() {
            "" => item.clone(),
            key => [(merge_key.clone(), item.get(key).clone())].into_iter().collect(),
        };
        patch.push((Str::from(format!("{SET_ORDER}/{key}")), after.iter().map(name).collect()));
    }
    Ok(())
}

/// Pairs the items of two lists by text, in its order: `f` gets the old and the new one.
fn pairs<'a>(
    old: &'a [Value],
    new: &'a [Value],
    text: impl Fn(&Value) -> String,
    mut f: impl FnMut(Option<&'a Value>, Option<&'a Value>) -> Result<(), Status>,
) -> Result<(), Status> {
    let by_text = |list: &'a [Value]| {
        let mut all: Vec<(String, &'a Value)> = list.iter().map(|item| (text(item), item)).collect();
        all.order_by(|a, b| a.0.cmp(&b.0));
        all
    };
    let (old, new) = (by_text(old), by_text(new));
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        let first_old = j >= new.len() || i < old.len() && old[i].0 <= new[j].0;
        let first_new = i >= old.len() || j < new.len() && new[j].0 <= old[i].0;
        f(first_old.then(|| old[i].1), first_new.then(|| new[j].1))?;
        i += usize::from(first_old);
        j += usize::from(first_new);
    }
    Ok(())
}

fn scalars(old: &[Value], new: &[Value], put: &mut Vec<Value>, delete: &mut Vec<Value>) {
    let compared = pairs(old, new, go, |before, after| {
        match (before, after) {
            (Some(gone), None) if delete.last() != Some(gone) => delete.push(gone.clone()),
            (None, Some(added)) => put.push(added.clone()),
            _ => {}
        }
        Ok(())
    });
    debug_assert!(compared.is_ok(), "scalars always compare");
}

/// The patches of the items that changed or are new; deletions go to `delete`.
fn items(old: &[Value], new: &[Value], key: &Str, schema: &Schema, count: Count, delete: &mut Vec<Value>) -> Result<Vec<Value>, Status> {
    if let Some(item) = old.iter().chain(new).find(|item| !item.as_map().is_some_and(|m| m.contains(key))) {
        return Err(if item.as_map().is_some() { no_merge_key(item, key) } else { fault("list element types are not identical") });
    }
    let item_schema = schema.item();
    let mut put: Vec<Value> = Vec::new();
    pairs(
        old,
        new,
        |item| go(item.get(key)),
        |before, after| {
            match (before, after) {
                (Some(before), Some(after)) => {
                    let mut changed = maps(before, after, item_schema.as_ref(), count, schema.retains_keys())?;
                    if !changed.is_empty() {
                        changed.set(key.clone(), after.get(key));
                        put.push(changed);
                    }
                }
                (None, Some(added)) if count.changes() => put.push(added.clone()),
                (Some(gone), None) if count.deletions() => {
                    let directive = [(key.clone(), gone.get(key).clone()), (Str::fixed(order::MARKER), Value::from("delete"))];
                    delete.push(directive.into_iter().collect());
                }
                _ => {}
            }
            Ok(())
        },
    )?;
    Ok(put)
}
