//! Sets of fields as FieldsV1 writes them, and their algebra (structured-merge-diff `fieldpath/set.go`).
//! A set is a map: `f:NAME` a field, `k:{...}` an item of a list of maps, `v:...` an item of a set. What a
//! key leads to is `{}` if the key itself is in the set, and holds `.` if something below it is, too.
//! Every function returns the very same shared set if nothing changes.

use crate::api::{Map, Str, Value};
use crate::util::{Order, bytes};

thread_local! {
    /// One empty map for all leaves.
    static EMPTY: Value = Value::map();
}

/// The set that a leaf leads to.
pub fn leaf() -> Value {
    EMPTY.with(Value::clone)
}

/// One key of a set while the set is made: whether the key is in it, and what is below.
#[derive(Default)]
pub struct Node {
    pub own: bool,
    pub below: Vec<(Str, Value)>,
}

impl Node {
    pub fn is_empty(&self) -> bool {
        !self.own && self.below.is_empty()
    }

    /// The node as FieldsV1 writes it; `None` if there is nothing in it. Keys may be in any order.
    pub fn value(mut self) -> Option<Value> {
        if self.below.is_empty() {
            return self.own.then(leaf);
        }
        self.below.order_by(|a, b| a.0.cmp(&b.0));
        if self.own {
            self.below.insert(0, (Str::fixed("."), leaf()));
        }
        Some(Value::Map(Map::from_sorted(self.below)))
    }
}

/// Whether what a key leads to says that the key itself is in the set.
pub fn owns(node: &Value) -> bool {
    node.entries().first().is_none_or(|(key, _)| *key == ".")
}

/// The entries below a key, without `.`.
pub fn below(node: &Value) -> &[(Str, Value)] {
    match node.entries() {
        [(key, _), rest @ ..] if *key == "." => rest,
        all => all,
    }
}

fn find<'a>(node: &'a Value, key: &str) -> Option<&'a Value> {
    let all = below(node);
    all.binary_search_by(|(k, _)| bytes::compare(k.as_bytes(), key.as_bytes())).ok().map(|i| &all[i].1)
}

/// All that is in `a` or in `b`.
pub fn union(a: &Value, b: &Value) -> Value {
    if a.entries().is_empty() || a.same(b) {
        return b.clone();
    }
    more(false, a, false, b).unwrap_or_else(|| a.clone())
}

/// `a` with what only `b` has; `None` if `b` has nothing more.
fn more(a_own: bool, a: &Value, b_own: bool, b: &Value) -> Option<Value> {
    if a.same(b) {
        return None;
    }
    let old = below(a);
    let mut new: Vec<(Str, Value)> = Vec::new();
    for (key, theirs) in below(b) {
        match find(a, key) {
            Some(ours) => new.extend(more(owns(ours), ours, owns(theirs), theirs).map(|v| (key.clone(), v))),
            None => new.push((key.clone(), theirs.clone())),
        }
    }
    if new.is_empty() && (a_own || !b_own) {
        return None;
    }
    let mut all: Vec<(Str, Value)> = Vec::with_capacity(old.len() + new.len() + 1);
    let mut new = new.into_iter().peekable();
    for (key, value) in old {
        while let Some(before) = new.next_if(|(k, _)| k < key) {
            all.push(before);
        }
        let changed = new.next_if(|(k, _)| k == key).map(|(_, v)| v);
        all.push((key.clone(), changed.unwrap_or_else(|| value.clone())));
    }
    all.extend(new);
    Node { own: a_own || b_own, below: all }.value()
}

/// All that is in `a` but not in `b`; an empty set may be left.
pub fn difference(a: &Value, b: &Value) -> Value {
    match less(false, a, false, b) {
        Less::Same => a.clone(),
        Less::Nothing => leaf(),
        Less::New(v) => v,
    }
}

enum Less {
    Same,
    Nothing,
    New(Value),
}

fn less(a_own: bool, a: &Value, b_own: bool, b: &Value) -> Less {
    if a.same(b) && (a_own == b_own) {
        return Less::Nothing;
    }
    let mut changes: Vec<(&Str, Option<Value>)> = Vec::new();
    for (key, theirs) in below(b) {
        let Some(ours) = find(a, key) else { continue };
        match less(owns(ours), ours, owns(theirs), theirs) {
            Less::Same => {}
            Less::Nothing => changes.push((key, None)),
            Less::New(v) => changes.push((key, Some(v))),
        }
    }
    let own = a_own && !b_own;
    if changes.is_empty() && own == a_own {
        return Less::Same;
    }
    let mut changes = changes.into_iter().peekable();
    let mut left = Node { own, below: Vec::with_capacity(below(a).len() + 1) };
    for (key, value) in below(a) {
        match changes.next_if(|(k, _)| *k == key) {
            Some((_, None)) => {}
            Some((_, Some(v))) => left.below.push((key.clone(), v)),
            None => left.below.push((key.clone(), value.clone())),
        }
    }
    left.value().map_or(Less::Nothing, Less::New)
}

/// All that is in both.
pub fn intersection(a: &Value, b: &Value) -> Value {
    both(false, a, false, b).value().unwrap_or_else(leaf)
}

fn both(a_own: bool, a: &Value, b_own: bool, b: &Value) -> Node {
    let mut out = Node { own: a_own && b_own, below: Vec::new() };
    for (key, theirs) in below(b) {
        if let Some(ours) = find(a, key) {
            out.below.extend(both(owns(ours), ours, owns(theirs), theirs).value().map(|v| (key.clone(), v)));
        }
    }
    out
}

/// The subset below a key; `None` if there is none.
pub fn under<'a>(set: &'a Value, key: &str) -> Option<&'a Value> {
    find(set, key)
}

/// Whether a key at the top of a set is itself in it.
pub fn has(set: &Value, key: &str) -> bool {
    find(set, key).is_some_and(owns)
}

/// Calls `f` with the path of every field in the set: those of one level first, then those below.
pub fn each(set: &Value, path: &mut Vec<Str>, f: &mut impl FnMut(&[Str])) {
    for (key, node) in below(set).iter().filter(|(_, node)| owns(node)) {
        let _ = node;
        path.push(key.clone());
        f(path);
        path.pop();
    }
    for (key, node) in below(set) {
        path.push(key.clone());
        each(node, path, f);
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    const A: &str = r#"{"f:a":{},"f:b":{".":{},"f:c":{}},"f:d":{"f:e":{}}}"#;

    #[test]
    fn sets_are_added_taken_away_and_cut() {
        let rows = [
            ("disjoint", r#"{"f:x":{}}"#, r#"{"f:a":{},"f:b":{".":{},"f:c":{}},"f:d":{"f:e":{}},"f:x":{}}"#, A, r#"{}"#),
            ("the same", A, A, r#"{}"#, A),
            ("a leaf", r#"{"f:a":{}}"#, A, r#"{"f:b":{".":{},"f:c":{}},"f:d":{"f:e":{}}}"#, r#"{"f:a":{}}"#),
            ("only the parent", r#"{"f:b":{}}"#, A, r#"{"f:a":{},"f:b":{"f:c":{}},"f:d":{"f:e":{}}}"#, r#"{"f:b":{}}"#),
            ("only the child", r#"{"f:b":{"f:c":{}}}"#, A, r#"{"f:a":{},"f:b":{},"f:d":{"f:e":{}}}"#, r#"{"f:b":{"f:c":{}}}"#),
            ("a parent that was not in it", r#"{"f:d":{}}"#, r#"{"f:a":{},"f:b":{".":{},"f:c":{}},"f:d":{".":{},"f:e":{}}}"#, A, r#"{}"#),
            ("the last child", r#"{"f:d":{"f:e":{}}}"#, A, r#"{"f:a":{},"f:b":{".":{},"f:c":{}}}"#, r#"{"f:d":{"f:e":{}}}"#),
        ];
        for (name, b, sum, rest, common) in rows {
            let (a, b) = (json(A), json(b));
            assert_eq!(union(&a, &b), json(sum), "union with {name}");
            assert_eq!(difference(&a, &b), json(rest), "difference from {name}");
            assert_eq!(intersection(&a, &b), json(common), "intersection with {name}");
        }
    }

    #[test]
    fn what_does_not_change_is_the_same_shared_set() {
        let a = json(A);
        assert!(union(&a, &json(r#"{"f:b":{"f:c":{}}}"#)).same(&a));
        assert!(difference(&a, &json(r#"{"f:d":{}}"#)).same(&a));
    }

    #[test]
    fn members_of_a_level_come_before_what_is_below() {
        let mut seen = Vec::new();
        each(&json(A), &mut Vec::new(), &mut |path| seen.push(path.iter().map(Str::as_str).collect::<Vec<_>>().join(" ")));
        assert_eq!(seen, ["f:a", "f:b", "f:b f:c", "f:d f:e"]);
    }
}
