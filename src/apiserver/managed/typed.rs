//! Values of a type merged, cut and turned into sets of fields (structured-merge-diff `typed/merge.go`,
//! `remove.go`, `tofieldset.go`).

use super::compare::UNTRACKED;
use super::fields::{self, Node};
use super::key::{self, Keys};
use super::shape::{self, Shape};
use crate::api::{Schema, Str, Value};

/// The fields that a configuration names, without those that nobody owns.
pub fn set_of_object(schema: Option<&Schema>, value: &Value, reset: &[&[&str]]) -> Value {
    let is_reset = |path: &[&str]| reset.contains(&path);
    let mut out = Node::default();
    for (name, below) in value.entries() {
        if matches!(name.as_str(), "apiVersion" | "kind") || is_reset(&[name]) {
            continue;
        }
        let field = schema.and_then(|s| s.field(name));
        if *name != "metadata" {
            named(schema, field.as_ref(), name, below, &mut out);
            continue;
        }
        let mut meta = Node::default();
        for (key, below) in below.entries().iter().filter(|(key, _)| !UNTRACKED.contains(&key.as_str()) && !is_reset(&[name, key])) {
            named(field.as_ref(), field.as_ref().and_then(|f| f.field(key)).as_ref(), key, below, &mut meta);
        }
        out.below.extend(meta.value().map(|v| (key::field(name), v)));
    }
    out.value().unwrap_or_else(fields::leaf)
}

/// Adds a field of a struct or map. One that the struct does not name, and one that is empty, is itself in the set.
fn named(parent: Option<&Schema>, schema: Option<&Schema>, name: &str, value: &Value, out: &mut Node) {
    let mut node = Node::default();
    set(schema, value, &mut node);
    let is_named = parent.is_some_and(|p| p.field_info(name).is_some());
    node.own |= !is_named || value.is_null() || value.as_map().is_some_and(|m| m.is_empty());
    out.below.extend(node.value().map(|v| (key::field(name), v)));
}

fn set(schema: Option<&Schema>, value: &Value, out: &mut Node) {
    match shape::of(schema, value) {
        Shape::Leaf => out.own = true,
        Shape::Map => {
            for (name, below) in value.entries() {
                named(schema, schema.and_then(|s| s.field(name)).as_ref(), name, below, out);
            }
        }
        Shape::Set | Shape::Keyed => {
            let items = Items::of(schema);
            for (i, item) in value.items().iter().enumerate() {
                if value.items()[..i].iter().any(|before| items.same(before, item)) {
                    continue;
                }
                let mut node = Node::default();
                set(items.item_schema(), item, &mut node);
                node.own = true;
                out.below.extend(node.value().map(|v| (items.key(item), v)));
            }
        }
    }
}

/// How the items of a set or a list of maps are told apart.
enum Items {
    Values,
    Keyed(Keys),
}

impl Items {
    fn of(list: Option<&Schema>) -> Items {
        if list.is_some_and(|s| !s.list_keys().is_empty()) { Items::Keyed(Keys::of(list)) } else { Items::Values }
    }

    fn item_schema(&self) -> Option<&Schema> {
        match self {
            Items::Values => None,
            Items::Keyed(keys) => keys.item.as_ref(),
        }
    }

    fn key(&self, item: &Value) -> Str {
        match self {
            Items::Values => key::value(item),
            Items::Keyed(keys) => keys.text(item),
        }
    }

    fn same(&self, a: &Value, b: &Value) -> bool {
        match self {
            Items::Values => a == b,
            Items::Keyed(keys) => keys.key(a).eq(keys.key(b)),
        }
    }

    fn is_in(&self, item: &Value, list: &[Value]) -> bool {
        list.iter().any(|other| self.same(item, other))
    }
}

/// The set with the named fields of structs in it whose children are in it.
pub fn with_parents(set: &Value, schema: Option<&Schema>) -> Value {
    let mut out = Node::default();
    for (key, node) in fields::below(set) {
        let name = key.strip_prefix("f:");
        let inner_schema = match name {
            Some(name) => schema.and_then(|s| s.field(name)),
            None => schema.and_then(Schema::item),
        };
        let is_named = name.is_some_and(|n| schema.is_some_and(|s| s.field_info(n).is_some()));
        let mut inner = Node { own: false, below: fields::below(&with_parents(node, inner_schema.as_ref())).to_vec() };
        inner.own = fields::owns(node) || is_named && !inner.below.is_empty();
        out.below.extend(inner.value().map(|v| (key.clone(), v)));
    }
    out.value().unwrap_or_else(fields::leaf)
}

/// The value without what is in the set; null if nothing is left of it.
pub fn without(value: &Value, set: &Value, schema: Option<&Schema>) -> Value {
    let cut = |key: &str, inner: &Value, inner_schema: Option<&Schema>| match fields::under(set, key) {
        Some(node) if fields::owns(node) => None,
        Some(node) => Some(without(inner, node, inner_schema)),
        None => Some(inner.clone()),
    };
    match shape::of(schema, value) {
        Shape::Leaf => value.clone(),
        Shape::Map => {
            let field = |name: &str| schema.and_then(|s| s.field(name));
            let left = value.entries().iter();
            let left: Value = left.filter_map(|(name, v)| Some((name.clone(), cut(&key::field(name), v, field(name).as_ref())?))).collect();
            if left.is_empty() && !value.is_empty() { Value::Null } else { left }
        }
        Shape::Set | Shape::Keyed => {
            let items = Items::of(schema);
            let left: Value = value.items().iter().filter_map(|item| cut(&items.key(item), item, items.item_schema())).collect();
            if left.is_empty() && !value.is_empty() { Value::Null } else { left }
        }
    }
}

/// The live value with the configuration laid over it. Nothing is removed.
pub fn merged(live: &Value, config: &Value, schema: Option<&Schema>) -> Value {
    if live.same(config) {
        return live.clone();
    }
    match shape::of(schema, if config.is_null() { live } else { config }) {
        Shape::Map if live.as_map().is_some() => {
            let mut out = live.clone();
            for (name, value) in config.entries() {
                let new = match live.as_map().and_then(|m| m.get(name)) {
                    Some(old) => merged(old, value, schema.and_then(|s| s.field(name)).as_ref()),
                    None => value.clone(),
                };
                if live.get(name) != &new || new.is_null() {
                    out.set(name.clone(), new);
                }
            }
            out
        }
        Shape::Set | Shape::Keyed if !live.items().is_empty() => {
            let list = merged_list(live.items(), config.items(), &Items::of(schema));
            if list.as_slice() == live.items() { live.clone() } else { Value::from(list) }
        }
        _ => config.clone(),
    }
}

/// Items of the configuration in its order, those of the live list that it does not name where they were between them.
fn merged_list(live: &[Value], config: &[Value], items: &Items) -> Vec<Value> {
    let find = |item: &Value| live.iter().find(|l| items.same(l, item));
    let merge = |item: &Value| find(item).map_or_else(|| item.clone(), |old| merged(old, item, items.item_schema()));
    let mut shared = config.iter().filter(|item| find(item).is_some()).peekable();
    let mut done: Vec<&Value> = Vec::new();
    let mut out: Vec<Value> = Vec::with_capacity(live.len() + config.len());
    let (mut l, mut r) = (0, 0);
    while l < live.len() || r < config.len() {
        if let (Some(ours), Some(theirs)) = (live.get(l), config.get(r)) {
            if items.same(ours, theirs) {
                out.push(merge(theirs));
                done.push(theirs);
                (l, r) = (l + 1, r + 1);
                shared.next();
                continue;
            }
            if items.is_in(ours, config) && shared.peek().is_some_and(|next| !items.same(next, ours)) {
                l += 1;
                continue;
            }
        }
        if let Some(ours) = live.get(l) {
            if !items.is_in(ours, config) {
                out.push(ours.clone());
                l += 1;
                continue;
            }
            if done.iter().any(|d| items.same(d, ours)) {
                l += 1;
            }
        }
        if let Some(theirs) = config.get(r) {
            out.push(merge(theirs));
            done.push(theirs);
            r += 1;
            shared.next_if(|next| items.same(next, theirs));
        }
    }
    out
}
