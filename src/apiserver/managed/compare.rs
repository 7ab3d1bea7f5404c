//! What changed between two versions of an object, as sets of fields (structured-merge-diff
//! `typed/compare.go`). Only what is not shared between the versions is visited.

use super::fields::{self, Node};
use super::key::{self, Keys};
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
    let (old, new) = (Items::of(keys, l.items()), Items::of(keys, r.items()));
    for i in 0..new.items.len() {
        let found = new.find(new.key(i));
        if found.first == Some(i) {
            pair(keys, &new.items[i], (&old, old.find(new.key(i))), (&new, found), out);
        }
    }
    for i in 0..old.items.len() {
        let found = old.find(old.key(i));
        if found.first == Some(i) && new.find(old.key(i)).first.is_none() {
            pair(keys, &old.items[i], (&old, found), (&new, Found::default()), out);
        }
    }
}

/// The items of one side with what tells them apart.
struct Items<'a> {
    items: &'a [Value],
    /// As many for each item as there are key fields.
    keys: Vec<&'a Value>,
    width: usize,
}

/// Where the items of one key are.
#[derive(Clone, Copy, Default)]
struct Found {
    first: Option<usize>,
    more: bool,
}

impl<'a> Items<'a> {
    fn of(keys: &'a Keys, items: &'a [Value]) -> Items<'a> {
        Items { items, keys: items.iter().flat_map(|item| keys.key(item)).collect(), width: keys.width() }
    }

    fn key(&self, i: usize) -> &[&'a Value] {
        &self.keys[i * self.width..(i + 1) * self.width]
    }

    fn places<'b>(&'b self, key: &'b [&'b Value]) -> impl Iterator<Item = usize> + 'b {
        (0..self.items.len()).filter(move |i| self.key(*i) == key)
    }

    fn find(&self, key: &[&Value]) -> Found {
        let mut places = self.places(key);
        Found { first: places.next(), more: places.next().is_some() }
    }

    /// All items with the key of the one at `i`.
    fn alike(&self, i: usize) -> impl Iterator<Item = &'a Value> {
        self.places(self.key(i)).map(|i| &self.items[i])
    }
}

/// Compares the items of one key on both sides.
fn pair(keys: &Keys, named: &Value, (old, in_old): (&Items, Found), (new, in_new): (&Items, Found), out: &mut Changes) {
    let key = || keys.text(named);
    let one = |l: Option<&Value>, r: Option<&Value>, out: &mut Changes| {
        let (l, r) = (l.map_or(Side::Absent, Side::Is), r.map_or(Side::Absent, Side::Is));
        if !both_same(l, r) {
            visit(key, keys.item.as_ref(), l, r, out);
        }
    };
    let (l, r) = (in_old.first.map(|i| &old.items[i]), in_new.first.map(|i| &new.items[i]));
    match (in_old.more, in_new.more) {
        (false, false) => one(l, r, out),
        (true, true) => {
            let both = in_old.first.zip(in_new.first);
            if both.is_some_and(|(i, j)| !old.alike(i).eq(new.alike(j))) {
                out.changed.below.push((key(), fields::leaf()));
            }
        }
        (true, false) => {
            if r.is_some() {
                one(None, r, out);
            }
            out.removed.below.push((key(), fields::leaf()));
        }
        (false, true) => {
            if l.is_some() {
                one(l, None, out);
            }
            out.changed.below.push((key(), fields::leaf()));
        }
    }
}
