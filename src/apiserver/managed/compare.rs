//! What changed between two versions of an object, as sets of fields (structured-merge-diff
//! `typed/compare.go`). Only what is not shared between the versions is visited.

use super::fields::{self, Node};
use super::key::{self, Key, Keys};
use super::memo::{self, Before, Sets};
use super::reset::Paths;
use super::shape::{self, Shape, Zero};
use crate::api::{Schema, Str, Value, each_pair};

/// A value on one side of a comparison.
#[derive(Clone, Copy)]
enum Side<'a> {
    /// Not there.
    Absent,
    /// A Go struct that is there although nothing is in it.
    Zero,
    /// A zero value that is not written here but by Go: null, "", 0, an empty list.
    Nil,
    Is(&'a Value),
}

const NULL: &Value = &Value::Null;

impl<'a> Side<'a> {
    fn value(self) -> &'a Value {
        match self {
            Side::Is(v) => v,
            _ => NULL,
        }
    }

    fn is_absent(self) -> bool {
        matches!(self, Side::Absent)
    }

    /// The field of a map, or what its absence means in this type.
    fn child(self, found: Option<&'a Value>, zero: Zero) -> Side<'a> {
        match (found, self, zero) {
            (Some(v), _, _) => Side::Is(v),
            (None, Side::Absent | Side::Nil | Side::Is(Value::Null), _) | (None, _, Zero::Absent) => Side::Absent,
            (None, _, Zero::Struct) => Side::Zero,
            (None, _, Zero::Nil) => Side::Nil,
        }
    }
}

/// Fields that differ: `changed` are those that the new version adds or alters, `removed` those it lacks.
#[derive(Default)]
struct Changes {
    changed: Node,
    removed: Node,
}

impl Changes {
    fn sets(self) -> Sets {
        (self.changed.value(), self.removed.value())
    }

    fn mark(&mut self, l: Side, r: Side) {
        self.removed.own |= r.is_absent();
        self.changed.own |= !r.is_absent() && (l.is_absent() || !equal(l.value(), r.value()));
    }
}

/// To Go a list that is null and an empty one are the same.
fn equal(l: &Value, r: &Value) -> bool {
    match (l, r) {
        (Value::Null, Value::List(list)) | (Value::List(list), Value::Null) => list.is_empty(),
        _ => l == r,
    }
}

/// Fields that no manager ever owns (`internal/stripmeta.go`).
pub const UNTRACKED: [&str; 9] =
    ["clusterName", "creationTimestamp", "generation", "managedFields", "name", "namespace", "resourceVersion", "selfLink", "uid"];

/// Compares whole objects. `reset` are the fields that this way of writing cannot change, as paths.
pub fn objects(schema: Option<&Schema>, old: Option<&Value>, new: &Value, reset: Paths) -> Sets {
    match old {
        Some(_) => compared(schema, old, new, reset),
        None => memo::of_new(schema, Before::Nothing(reset), new, || compared(schema, None, new, reset)),
    }
}

fn compared(schema: Option<&Schema>, old: Option<&Value>, new: &Value, reset: Paths) -> Sets {
    let mut out = Changes::default();
    let l = old.map_or(Side::Zero, Side::Is);
    each_pair(l.value(), new, &mut |name, lv, rv| {
        let ignored = matches!(name.as_str(), "apiVersion" | "kind") || reset.iter().any(|path| matches!(path, [only] if name == only));
        if ignored {
            return;
        }
        let (schema, zero) = shape::field(schema, name);
        let (l, r) = (l.child(lv, zero), Side::Is(new).child(rv, zero));
        if *name == "metadata" {
            let mut inner = Changes::default();
            each_pair(l.value(), r.value(), &mut |key, lv, rv| {
                if !UNTRACKED.contains(&key.as_str()) && !reset.iter().any(|path| **path == [name.as_str(), key.as_str()]) {
                    field(schema.as_ref(), key, (l, lv), (r, rv), &mut inner);
                }
            });
            let (changed, removed) = inner.sets();
            out.changed.below.extend(changed.map(|v| (key::field(name), v)));
            out.removed.below.extend(removed.map(|v| (key::field(name), v)));
        } else if !both_same(l, r) {
            visit(|| key::field(name), schema.as_ref(), l, r, &mut out);
        }
    });
    out.sets()
}

/// Whether nothing below can differ, seen without looking inside of maps and lists.
fn both_same(l: Side, r: Side) -> bool {
    match (l, r) {
        (Side::Is(a), Side::Is(b)) => match (a, b) {
            (Value::Map(_) | Value::List(_), Value::Map(_) | Value::List(_)) => a.same(b),
            _ => a == b,
        },
        (Side::Zero, Side::Zero) | (Side::Nil, Side::Nil) | (Side::Absent, Side::Absent) => true,
        (Side::Zero, Side::Is(Value::Map(m))) | (Side::Is(Value::Map(m)), Side::Zero) => m.is_empty(),
        (Side::Nil, Side::Is(v)) | (Side::Is(v), Side::Nil) => v.is_empty(),
        _ => false,
    }
}

/// Compares a field of two structs or maps; each side is the parent and the value found in it.
fn field<'a>(
    parent: Option<&Schema>,
    name: &str,
    (l, lv): (Side<'a>, Option<&'a Value>),
    (r, rv): (Side<'a>, Option<&'a Value>),
    out: &mut Changes,
) {
    if let (Some(a), Some(b)) = (lv, rv)
        && both_same(Side::Is(a), Side::Is(b))
    {
        return;
    }
    let (schema, zero) = shape::field(parent, name);
    let (l, r) = (l.child(lv, zero), r.child(rv, zero));
    if !both_same(l, r) {
        visit(|| key::field(name), schema.as_ref(), l, r, out);
    }
}

fn visit(key: impl Fn() -> Str, schema: Option<&Schema>, l: Side, r: Side, out: &mut Changes) {
    let (changed, removed) = sets(schema, l, r);
    out.changed.below.extend(changed.map(|v| (key(), v)));
    out.removed.below.extend(removed.map(|v| (key(), v)));
}

fn sets(schema: Option<&Schema>, l: Side, r: Side) -> Sets {
    let make = || {
        let mut inner = Changes::default();
        compare(schema, l, r, &mut inner);
        inner.sets()
    };
    let before = match l {
        Side::Absent => Before::Absent,
        Side::Zero => Before::Zero,
        Side::Nil => Before::Nil,
        Side::Is(_) => return make(),
    };
    match r {
        Side::Is(new @ Value::Map(_)) => memo::of_new(schema, before, new, make),
        _ => make(),
    }
}

/// Compares two values of a type, at least one of them there.
fn compare(schema: Option<&Schema>, l: Side, r: Side, out: &mut Changes) {
    let (lv, rv) = (l.value(), r.value());
    let no_entries = lv.entries().is_empty() && rv.entries().is_empty();
    let no_items = lv.items().is_empty() && rv.items().is_empty();
    if l.is_absent() {
        out.changed.below.reserve_exact(rv.entries().len() + 1);
    }
    match shape::of(schema, if rv.is_null() { lv } else { rv }) {
        Shape::Map if !no_entries => each_pair(lv, rv, &mut |name, below_l, below_r| field(schema, name, (l, below_l), (r, below_r), out)),
        Shape::Set if !no_items => set(lv, rv, out),
        Shape::Keyed if !no_items => keyed(&Keys::of(schema), lv, rv, out),
        _ => return out.mark(l, r),
    }
    out.changed.own |= l.is_absent();
    out.removed.own |= r.is_absent();
}

fn set(l: &Value, r: &Value, out: &mut Changes) {
    let only = |these: &Value, those: &Value, node: &mut Node| {
        for (i, item) in these.items().iter().enumerate() {
            if those.items().get(i) != Some(item) && !those.items().contains(item) && !these.items()[..i].contains(item) {
                node.below.push((key::value(item), fields::leaf()));
            }
        }
    };
    only(r, l, &mut out.changed);
    only(l, r, &mut out.removed);
}

/// Compares lists whose items are told apart by their keys. Items with equal keys are compared as one value.
fn keyed(keys: &Keys, l: &Value, r: &Value, out: &mut Changes) {
    let (old, new) = (l.items(), r.items());
    let (old_keys, new_keys) = (keys.all(old), keys.all(new));
    for (i, item) in new.iter().enumerate() {
        let found = places(&new_keys, &new_keys[i]);
        if found[0] == i {
            pair(keys, item, (old, &places(&old_keys, &new_keys[i])), (new, &found), out);
        }
    }
    for (i, item) in old.iter().enumerate() {
        let found = places(&old_keys, &old_keys[i]);
        if found[0] == i && !new_keys.contains(&old_keys[i]) {
            pair(keys, item, (old, &found), (new, &[]), out);
        }
    }
}

fn places(keys: &[Key], key: &Key) -> Vec<usize> {
    (0..keys.len()).filter(|i| keys[*i] == *key).collect()
}

/// Compares the items of one key on both sides, given by their places in the lists.
fn pair(keys: &Keys, named: &Value, old: (&[Value], &[usize]), new: (&[Value], &[usize]), out: &mut Changes) {
    let key = || keys.text(named);
    let first = |(list, places): (&'_ [Value], &[usize])| places.first().map(|i| list[*i].clone());
    let one = |l: Option<Value>, r: Option<Value>, out: &mut Changes| {
        let (l, r) = (l.as_ref().map_or(Side::Absent, Side::Is), r.as_ref().map_or(Side::Absent, Side::Is));
        if !both_same(l, r) {
            visit(key, keys.item.as_ref(), l, r, out);
        }
    };
    match (old.1.len(), new.1.len()) {
        (0 | 1, 0 | 1) => one(first(old), first(new), out),
        (2.., 2..) => {
            if !old.1.iter().map(|i| &old.0[*i]).eq(new.1.iter().map(|i| &new.0[*i])) {
                out.changed.below.push((key(), fields::leaf()));
            }
        }
        (2.., _) => {
            if !new.1.is_empty() {
                one(None, first(new), out);
            }
            out.removed.below.push((key(), fields::leaf()));
        }
        _ => {
            if !old.1.is_empty() {
                one(first(old), None, out);
            }
            out.changed.below.push((key(), fields::leaf()));
        }
    }
}
