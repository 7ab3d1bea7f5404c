//! Server-side apply (structured-merge-diff `merge/update.go`, apimachinery `internal/lastappliedmanager.go`,
//! `lastappliedupdater.go`, `skipnonapplied.go`, `conflict.go`).

use super::entry::{self, Writer};
use super::{compare, fields, key, typed};
use crate::api::{Object, Schema, Status, Str, Value};
use crate::util::{Order, Time};
use crate::value;

/// kubectl's annotation of client-side apply.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// The manager for whom the server keeps that annotation up to date.
const KUBECTL: &str = "kubectl";

/// A request to apply a configuration.
pub struct Apply<'a> {
    /// Who applies; `apply` must be set.
    pub writer: &'a Writer,
    /// take fields from other managers
    pub force: bool,
    pub now: Time,
    pub schema: Option<&'a Schema>,
    /// the fields that this way of writing cannot change
    pub reset: super::reset::Paths,
}

struct Conflict {
    manager: Value,
    path: Vec<Str>,
}

/// The object after `config` is applied to `live` (`None`: it is created), with its managed fields. The caller
/// fills in defaults afterwards: nobody owns them.
///
/// # Errors
/// 400 for a configuration of another version or with managed fields, 409 with all conflicts.
pub fn apply(live: Option<&Object>, config: &Value, request: &Apply) -> Result<Object, Status> {
    let version = config.get("apiVersion").text();
    if version != request.writer.api_version.as_str() {
        let expected = &request.writer.api_version;
        let text = format!("Incorrect version specified in apply patch. Specified patch version: {version}, expected: {expected}");
        return Err(Status::bad_request(text));
    }
    if !config.at(&["metadata", "managedFields"]).is_null() {
        return Err(Status::bad_request("metadata.managedFields must be nil"));
    }
    let empty = Object::default();
    let before = live.unwrap_or(&empty);
    let entries = entries_before(live, request);
    let mut object = match attempt(before, config, request, &entries, request.force) {
        Ok(object) => object,
        Err(conflicts) => {
            let allowed = allowed_by_last_applied(before, request);
            let left: Vec<Conflict> = conflicts.into_iter().filter(|c| !contains(&allowed, &c.path)).collect();
            if !left.is_empty() {
                return Err(refusal(left));
            }
            attempt(before, config, request, &entries, true).map_err(refusal)?
        }
    };
    let has_annotation = !object.0.at(&["metadata", "annotations", LAST_APPLIED]).text().is_empty();
    if request.writer.manager.as_str() == KUBECTL && has_annotation {
        object.0.set_at(&["metadata", "annotations", LAST_APPLIED], Value::from(last_applied(config)));
    }
    Ok(object)
}

/// The entries of the live object. If it has none, all it holds was there before the first apply.
fn entries_before(live: Option<&Object>, request: &Apply) -> Vec<Value> {
    let Some(live) = live else { return Vec::new() };
    let entries = live.0.at(&["metadata", "managedFields"]);
    if !entries.items().is_empty() {
        return entries.items().to_vec();
    }
    let all = compare::objects(request.schema, None, &live.0, request.reset).0;
    let writer = Writer { manager: Str::fixed("before-first-apply"), apply: false, ..request.writer.clone() };
    all.map(|set| writer.entry(set, &entry::stamp(request.now))).into_iter().collect()
}

/// Merges, takes out what is no longer applied, and settles who owns what.
fn attempt(live: &Object, config: &Value, request: &Apply, entries: &[Value], force: bool) -> Result<Object, Vec<Conflict>> {
    let schema = request.schema;
    let (own, others): (Vec<&Value>, Vec<&Value>) = entries.iter().partition(|e| request.writer.owns(e));
    let set = typed::set_of_object(schema, config, request.reset);
    let merged = typed::merged(&live.0, config, schema);
    let new = match own.first() {
        Some(last) => {
            let owned = others.iter().fold(set.clone(), |all, e| fields::union(&all, e.get("fieldsV1")));
            pruned(&merged, last.get("fieldsV1"), &owned, schema)
        }
        None => merged,
    };
    let (changed, removed) = compare::objects(schema, Some(&live.0), &new, request.reset);
    let (changed, removed) = (changed.unwrap_or_else(fields::leaf), removed.unwrap_or_else(fields::leaf));
    if !force {
        let conflicts = conflicts(&others, &changed);
        if !conflicts.is_empty() {
            return Err(conflicts);
        }
    }
    let mut left: Vec<Value> = Vec::with_capacity(entries.len() + 1);
    for other in others {
        let old = other.get("fieldsV1");
        let set = fields::difference(&fields::difference(old, &changed), &removed);
        if set.same(old) {
            left.push(other.clone());
        } else if !set.entries().is_empty() {
            left.push(entry::with_set(other, set));
        }
    }
    let is_same = live.0 == new;
    if !set.entries().is_empty() {
        let time = if is_same { own.first().map_or(Str::default(), |e| e.get("time").to_str()) } else { entry::stamp(request.now) };
        left.push(request.writer.entry(set, &time));
    }
    left.order_by(entry::order);
    let mut object = Object(if is_same { live.0.clone() } else { without_new_nulls(&new, &live.0) });
    super::put(&mut object, Value::from(left));
    Ok(object)
}

/// Takes out what this manager applied last time and nobody owns any more.
fn pruned(merged: &Value, last: &Value, owned: &Value, schema: Option<&Schema>) -> Value {
    let all = |value: &Value| typed::with_parents(&typed::set_of_object(schema, value, &[]), schema);
    let last = typed::with_parents(last, schema);
    let merged_set = all(merged);
    let cut = typed::without(merged, &last, schema);
    let kept = fields::union(&all(&cut), &typed::with_parents(owned, schema));
    let cut = typed::without(merged, &fields::difference(&merged_set, &kept), schema);
    let gone = fields::difference(&merged_set, &all(&cut));
    let gone = fields::intersection(&gone, &last);
    if gone.entries().is_empty() { merged.clone() } else { typed::without(merged, &gone, schema) }
}

/// The new value without the nulls that the old one does not have: what was cut to nothing, or applied as null.
fn without_new_nulls(new: &Value, old: &Value) -> Value {
    if new.same(old) || new.as_map().is_none() {
        return new.clone();
    }
    let kept = |name: &str, v: &Value| !v.is_null() || old.as_map().and_then(|m| m.get(name)).is_some_and(Value::is_null);
    new.entries().iter().filter(|(name, v)| kept(name, v)).map(|(name, v)| (name.clone(), without_new_nulls(v, old.get(name)))).collect()
}

fn conflicts(others: &[&Value], changed: &Value) -> Vec<Conflict> {
    let mut all: Vec<Conflict> = Vec::new();
    let mut sorted: Vec<&Value> = others.to_vec();
    let text = |e: &Value| ["manager", "operation", "apiVersion", "subresource"].map(|key| e.get(key).to_str());
    sorted.order_by_key(|e| text(e));
    for other in sorted {
        let common = fields::intersection(other.get("fieldsV1"), changed);
        fields::each(&common, &mut Vec::new(), &mut |path| all.push(Conflict { manager: other.clone(), path: path.to_vec() }));
    }
    all
}

fn contains(set: &Value, path: &[Str]) -> bool {
    let Some((last, before)) = path.split_last() else { return false };
    before.iter().try_fold(set, |here, key| fields::under(here, key)).is_some_and(|here| fields::has(here, last))
}

/// What kubectl may take from others since it once applied it on the client side, and nobody changed it since.
fn allowed_by_last_applied(live: &Object, request: &Apply) -> Value {
    let text = live.0.at(&["metadata", "annotations", LAST_APPLIED]).text();
    let last: Value = serde_json::from_str(text).unwrap_or_default();
    if request.writer.manager.as_str() != KUBECTL || last.get("apiVersion").text() != request.writer.api_version.as_str() {
        return fields::leaf();
    }
    let (changed, removed) = compare::objects(request.schema, Some(&last), &live.0, &[]);
    let set = typed::set_of_object(request.schema, &last, &[]);
    [changed, removed].into_iter().flatten().fold(set, |set, less| fields::difference(&set, &less))
}

/// The configuration as the annotation holds it.
fn last_applied(config: &Value) -> String {
    let mut config = config.clone();
    config.remove_at(&["metadata", "annotations", LAST_APPLIED]);
    let text = serde_json::to_string(&config).unwrap_or_default();
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026") + "\n"
}

/// `"kubectl" with subresource "scale" using apps/v1`
fn shown(manager: &Value) -> String {
    let mut text = format!("{:?}", manager.get("manager").text());
    let subresource = manager.get("subresource").text();
    if !subresource.is_empty() {
        text += &format!(" with subresource {subresource:?}");
    }
    if !entry::is_apply(manager) {
        text += &format!(" using {}", manager.get("apiVersion").text());
    }
    text
}

fn refusal(conflicts: Vec<Conflict>) -> Status {
    let mut lines: Vec<String> = Vec::new();
    let mut last = String::new();
    for conflict in &conflicts {
        let manager = shown(&conflict.manager);
        if manager != last {
            lines.push(format!("conflicts with {manager}:"));
        }
        lines.push(format!("- {}", key::path(&conflict.path)));
        last = manager;
    }
    let text = match &conflicts[..] {
        [one] => format!("Apply failed with 1 conflict: conflict with {}: {}", shown(&one.manager), key::path(&one.path)),
        many => format!("Apply failed with {} conflicts: {}", many.len(), lines.join("\n")),
    };
    let cause = |c: &Conflict| {
        let message = format!("conflict with {}", shown(&c.manager));
        value!({"reason": "FieldManagerConflict", "message": message, "field": (key::path(&c.path))})
    };
    let mut status = Status::other(409, "Conflict", text);
    status.details = value!({"causes": (conflicts.iter().map(cause).collect::<Value>())});
    status
}
