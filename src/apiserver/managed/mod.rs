//! Who owns which field: `metadata.managedFields` as the server keeps it (apimachinery
//! `pkg/util/managedfields/internal`). Left out: conversion of sets between versions of a kind (fields are
//! taken to have the same names in all), and sets whose type became atomic with a new schema.

mod apply;
mod compare;
pub mod entry;
pub mod fields;
mod key;
mod memo;
pub mod reset;
mod shape;
mod typed;

use crate::api::{Object, Schema, Str, Value};
use crate::util::{Order, Time};
pub use apply::{Apply, apply};
pub use entry::Writer;

/// Records in `new` that `writer` made it of `old` (`None`: it is created). Called for every write but
/// server-side apply, after defaulting and before admission, as the server does: what admission and the
/// server itself set, nobody owns. `reset` are the fields that this way of writing cannot change.
pub fn on_update(old: Option<&Object>, new: &mut Object, writer: &Writer, now: Time, schema: Option<&Schema>, reset: reset::Paths) {
    let known = known_entries(old, new, writer);
    let (changed, removed) = compare::objects(schema, old.map(|o| &o.0), &new.0, reset);
    if changed.is_none() && removed.is_none() {
        return put(new, known);
    }
    let mut entries: Vec<Value> = Vec::with_capacity(known.items().len() + 1);
    let mut own: Option<Value> = None;
    for entry in known.items() {
        let mut set = entry.get("fieldsV1").clone();
        if let Some(removed) = &removed {
            set = fields::difference(&set, removed);
        }
        if let Some(changed) = &changed {
            if writer.owns(entry) {
                own = Some(fields::union(&set, changed));
                continue;
            }
            set = fields::difference(&set, changed);
        }
        if set.same(entry.get("fieldsV1")) {
            entries.push(entry.clone());
        } else if !set.entries().is_empty() {
            entries.push(entry::with_set(entry, set));
        }
    }
    if let Some(changed) = changed {
        // Entries that come by way of a Scale object lose their time.
        let time = if writer.subresource == "scale" { Str::default() } else { entry::stamp(now) };
        let entry = writer.entry(own.unwrap_or(changed), &time);
        let place = entries.iter().rposition(|e| entry::order(e, &entry).is_lt()).map_or(0, |i| i + 1);
        entries.insert(place, entry);
    }
    entry::cap(&mut entries);
    put(new, Value::from(entries));
}

/// The entries to go on from: what the request carries, or those of the live object if it carries none, cannot
/// be understood or writes a subresource. A list of one empty entry starts afresh.
fn known_entries(old: Option<&Object>, new: &Object, writer: &Writer) -> Value {
    let live = old.map_or(&Value::Null, |o| o.0.at(&["metadata", "managedFields"]));
    let sent = new.0.at(&["metadata", "managedFields"]);
    if sent.same(live) || !writer.subresource.is_empty() {
        return live.clone();
    }
    match sent {
        Value::List(l) if l.is_empty() || l.len() == 1 && sent.item(0).entries().is_empty() => Value::Null,
        Value::List(_) if entry::valid(sent) => {
            let mut entries = sent.items().to_vec();
            entries.order_by(entry::order);
            Value::from(entries)
        }
        _ => live.clone(),
    }
}

fn put(object: &mut Object, entries: Value) {
    let path = ["metadata", "managedFields"];
    if entries.items().is_empty() {
        object.0.remove_at(&path);
    } else if !object.0.at(&path).same(&entries) {
        object.0.set_at(&path, entries);
    }
}

#[cfg(test)]
mod apply_tests;
#[cfg(test)]
mod tests;
