//! The entries of `metadata.managedFields`: who owns which set of fields, by which way of writing, since when
//! (`internal/managedfields.go`, `capmanagers.go`).

use super::fields;
use crate::api::{Map, Str, Value};
use crate::util::{Order, Time};
use std::cell::RefCell;
use std::cmp::Ordering;

/// More entries of updates than this are merged into one, oldest first.
const MAX_UPDATE_ENTRIES: usize = 10;
const MERGED_NAME: &str = "ancient-changes";

/// Who writes, and how: what tells one entry from another.
#[derive(Clone, Debug, PartialEq)]
pub struct Writer {
    /// the field manager
    pub manager: Str,
    /// server-side apply, or any other write
    pub apply: bool,
    pub api_version: Str,
    /// "" for the object itself
    pub subresource: Str,
}

impl Writer {
    /// Whether an entry is of this writer. One who applies has one entry, in whatever version it applied.
    pub fn owns(&self, entry: &Value) -> bool {
        entry.get("manager").text() == self.manager.as_str()
            && is_apply(entry) == self.apply
            && (self.apply || entry.get("apiVersion").text() == self.api_version.as_str())
            && entry.get("subresource").text() == self.subresource.as_str()
    }

    /// The entry of this writer; `time` may be "".
    pub fn entry(&self, set: Value, time: &Str) -> Value {
        let mut e: Vec<(Str, Value)> = Vec::with_capacity(7);
        let mut put = |key: &'static str, value: Value| e.push((Str::fixed(key), value));
        put("apiVersion", Value::from(&self.api_version));
        put("fieldsType", Value::from("FieldsV1"));
        put("fieldsV1", set);
        put("manager", Value::from(&self.manager));
        put("operation", Value::from(if self.apply { "Apply" } else { "Update" }));
        if !self.subresource.is_empty() {
            put("subresource", Value::from(&self.subresource));
        }
        if !time.is_empty() {
            put("time", Value::from(time));
        }
        Value::Map(Map::from_sorted(e))
    }
}

pub fn is_apply(entry: &Value) -> bool {
    entry.get("operation").text() == "Apply"
}

/// The entry with another set.
pub fn with_set(entry: &Value, set: Value) -> Value {
    let mut new = entry.clone();
    new.set("fieldsV1", set);
    new
}

/// Whether all entries can be understood; the server drops those of an object otherwise.
pub fn valid(entries: &Value) -> bool {
    entries.items().iter().all(|e| {
        matches!(e.get("operation").text(), "Apply" | "Update")
            && !e.get("apiVersion").text().is_empty()
            && e.get("fieldsType").text() == "FieldsV1"
    })
}

/// The order in which the server stores entries.
pub fn order(a: &Value, b: &Value) -> Ordering {
    let by = |key: &str| a.get(key).text().cmp(b.get(key).text());
    ["operation", "time", "manager", "apiVersion", "subresource"].into_iter().map(by).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

/// Merges the oldest entries of updates until there are no more than the server keeps.
pub fn cap(entries: &mut Vec<Value>) {
    if entries.len() <= MAX_UPDATE_ENTRIES {
        return;
    }
    let mut updates: Vec<Value> = entries.iter().filter(|e| !is_apply(e)).cloned().collect();
    if updates.len() <= MAX_UPDATE_ENTRIES {
        return;
    }
    updates.order_by(order);
    let mut excess = updates.len() - MAX_UPDATE_ENTRIES;
    let mut buckets: Vec<(Str, usize)> = Vec::new();
    let mut i = 0;
    while i < updates.len() && excess > 0 {
        let version = updates[i].get("apiVersion").to_str();
        let Some((_, first)) = buckets.iter().find(|(v, _)| *v == version) else {
            buckets.push((version, i));
            i += 1;
            continue;
        };
        let merged = fields::union(updates[*first].get("fieldsV1"), updates[i].get("fieldsV1"));
        let name = Writer { manager: Str::fixed(MERGED_NAME), apply: false, api_version: version, subresource: Str::default() };
        updates[*first] = name.entry(merged, &updates[i].get("time").to_str());
        updates.remove(i);
        excess -= 1;
    }
    entries.retain(is_apply);
    entries.extend(updates);
    entries.order_by(order);
}

thread_local! {
    static LAST_TIME: RefCell<(u64, Str)> = const { RefCell::new((u64::MAX, Str::fixed(""))) };
}

/// The time as entries say it; those of one second share it.
pub fn stamp(now: Time) -> Str {
    LAST_TIME.with_borrow_mut(|(second, text)| {
        if *second != now.0 / 1000 {
            (*second, *text) = (now.0 / 1000, Str::from(now.rfc3339()));
        }
        text.clone()
    })
}
