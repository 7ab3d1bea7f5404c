//! The dynamic, reference-counted value that every object is made of. Two versions of an object share
//! all that did not change, so a clone costs nothing and a comparison stops at what is shared.

mod from;
#[cfg(test)]
mod tests;

use super::Str;
use crate::util::Order;
use crate::util::bytes;
use std::rc::Rc;

/// A JSON-like value. Maps keep their keys sorted, as Kubernetes prints them.
#[derive(Clone, Debug, Default)]
pub enum Value {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Str),
    List(List),
    Map(Map),
}

/// A shared list.
#[derive(Clone, Debug, Default)]
pub struct List(Rc<Vec<Value>>);

/// A shared map, sorted by key.
#[derive(Clone, Debug, Default)]
pub struct Map(Rc<Vec<(Str, Value)>>);

/// Maps of no more entries are read from front to back.
const SCANNED_MAX: usize = 24;

/// What a missing field reads as.
const NULL: &Value = &Value::Null;

impl Value {
    pub fn str(text: impl Into<Str>) -> Value {
        Value::Str(text.into())
    }

    /// An empty map.
    pub fn map() -> Value {
        Value::Map(Map::default())
    }

    /// An empty list.
    pub fn list() -> Value {
        Value::List(List::default())
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Null, "", 0, false, an empty list or map: what Go's `omitempty` leaves out.
    pub fn is_empty(&self) -> bool {
        match self {
            Value::Null => true,
            Value::Bool(b) => !b,
            Value::Int(n) => *n == 0,
            Value::Float(f) => *f == 0.0,
            Value::Str(s) => s.is_empty(),
            Value::List(l) => l.is_empty(),
            Value::Map(m) => m.is_empty(),
        }
    }

    /// The field of a map, or null.
    pub fn get(&self, key: &str) -> &Value {
        match self {
            Value::Map(m) => m.get(key).unwrap_or(NULL),
            _ => NULL,
        }
    }

    /// The value at the end of a path of map keys, or null.
    pub fn at(&self, path: &[&str]) -> &Value {
        path.iter().fold(self, |v, key| v.get(key))
    }

    /// The item of a list, or null.
    pub fn item(&self, index: usize) -> &Value {
        self.items().get(index).unwrap_or(NULL)
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(s) => Some(s),
            _ => None,
        }
    }

    /// The shared string, or an empty one.
    pub fn to_str(&self) -> Str {
        match self {
            Value::Str(s) => s.clone(),
            _ => Str::default(),
        }
    }

    /// The text, or "".
    pub fn text(&self) -> &str {
        self.as_str().unwrap_or("")
    }

    /// Whether this is this text.
    pub fn is(&self, text: &str) -> bool {
        matches!(self, Value::Str(s) if *s == *text)
    }

    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(n) => Some(*n),
            _ => None,
        }
    }

    /// The number, or 0.
    pub fn int(&self) -> i64 {
        self.as_int().unwrap_or(0)
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// Whether this is `true`.
    pub fn is_true(&self) -> bool {
        matches!(self, Value::Bool(true))
    }

    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Value::Map(m) => Some(m),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&List> {
        match self {
            Value::List(l) => Some(l),
            _ => None,
        }
    }

    /// The items of a list; none of anything else.
    pub fn items(&self) -> &[Value] {
        match self {
            Value::List(l) => &l.0,
            _ => &[],
        }
    }

    /// The entries of a map; none of anything else.
    pub fn entries(&self) -> &[(Str, Value)] {
        match self {
            Value::Map(m) => &m.0,
            _ => &[],
        }
    }

    /// Puts a field into this map. Anything but a map becomes one first.
    pub fn set(&mut self, key: impl Into<Str>, value: impl Into<Value>) {
        self.map_mut().insert(key, value);
    }

    /// Takes a field out of this map.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        match self {
            Value::Map(m) => m.remove(key),
            _ => None,
        }
    }

    /// Puts a value at the end of a path, making maps on the way.
    pub fn set_at(&mut self, path: &[&'static str], value: impl Into<Value>) {
        *self.entry_at(path) = value.into();
    }

    /// Takes the value at the end of a path out, if it is there.
    pub fn remove_at(&mut self, path: &[&str]) -> Option<Value> {
        let (last, before) = path.split_last()?;
        if self.at(before).get(last).is_null() && self.at(before).as_map().is_none_or(|m| !m.contains(last)) {
            return None;
        }
        let mut here = self;
        for key in before {
            here = here.map_mut().get_mut(key)?;
        }
        here.remove(last)
    }

    /// The place at the end of a path, making maps on the way.
    pub fn entry_at(&mut self, path: &[&'static str]) -> &mut Value {
        let mut here = self;
        for key in path {
            here = here.map_mut().entry(Str::fixed(key));
        }
        here
    }

    /// This value as a map to change; anything else becomes an empty map first.
    pub fn map_mut(&mut self) -> &mut Map {
        if !matches!(self, Value::Map(_)) {
            *self = Value::map();
        }
        match self {
            Value::Map(m) => m,
            _ => unreachable!("made a map above"),
        }
    }

    /// This value as a list to change; anything else becomes an empty list first.
    pub fn list_mut(&mut self) -> &mut Vec<Value> {
        if !matches!(self, Value::List(_)) {
            *self = Value::list();
        }
        match self {
            Value::List(l) => Rc::make_mut(&mut l.0),
            _ => unreachable!("made a list above"),
        }
    }

    /// The item of a list whose field `key` is `value`: a condition by type, a container by name.
    pub fn find(&self, key: &str, value: &str) -> Option<&Value> {
        self.items().iter().find(|item| item.get(key).is(value))
    }

    /// Whether both are the same shared value, without looking inside.
    pub fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Map(a), Value::Map(b)) => Rc::ptr_eq(&a.0, &b.0),
            (Value::List(a), Value::List(b)) => Rc::ptr_eq(&a.0, &b.0),
            _ => false,
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::List(a), Value::List(b)) => Rc::ptr_eq(&a.0, &b.0) || a.0 == b.0,
            (Value::Map(a), Value::Map(b)) => Rc::ptr_eq(&a.0, &b.0) || a.0 == b.0,
            _ => false,
        }
    }
}

impl Map {
    /// A map of entries that are already in order of their keys, each key once.
    pub fn from_sorted(entries: Vec<(Str, Value)>) -> Map {
        debug_assert!(entries.windows(2).all(|w| w[0].0 < w[1].0), "keys must be sorted and unique");
        Map(Rc::new(entries))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn place(&self, key: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(k, _)| bytes::compare(k.as_bytes(), key.as_bytes()))
    }

    pub fn contains(&self, key: &str) -> bool {
        self.place(key).is_ok()
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        if self.0.len() > SCANNED_MAX {
            return self.place(key).ok().map(|i| &self.0[i].1);
        }
        // Most fields differ in length already, which costs nothing to see.
        let key = key.as_bytes();
        self.0.iter().find(|(k, _)| k.size() == key.len() && bytes::same(k.as_bytes(), key)).map(|(_, v)| v)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        let i = self.place(key).ok()?;
        Some(&mut Rc::make_mut(&mut self.0)[i].1)
    }

    /// The place of `key`, null if it was not there.
    pub fn entry(&mut self, key: Str) -> &mut Value {
        let i = self.place(&key).unwrap_or_else(|i| {
            self.put_in(i, (key, Value::Null));
            i
        });
        &mut Rc::make_mut(&mut self.0)[i].1
    }

    /// Puts a new entry in. A shared map is copied with room for it, not twice.
    fn put_in(&mut self, i: usize, entry: (Str, Value)) {
        if let Some(own) = Rc::get_mut(&mut self.0) {
            return own.insert(i, entry);
        }
        let mut all = Vec::with_capacity(self.0.len() + 2);
        all.extend_from_slice(&self.0[..i]);
        all.push(entry);
        all.extend_from_slice(&self.0[i..]);
        self.0 = Rc::new(all);
    }

    pub fn insert(&mut self, key: impl Into<Str>, value: impl Into<Value>) {
        *self.entry(key.into()) = value.into();
    }

    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let i = self.place(key).ok()?;
        Some(Rc::make_mut(&mut self.0).remove(i).1)
    }

    pub fn iter(&self) -> std::slice::Iter<'_, (Str, Value)> {
        self.0.iter()
    }

    pub fn same(&self, other: &Map) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Map {
    /// A map of these entries, for `value!`: not generic, so that no list of fields costs code of its own.
    pub fn of(entries: Box<[(Str, Value)]>) -> Map {
        Map::sorted(entries.into_vec())
    }

    /// Sorts the entries; the last of equal keys wins.
    fn sorted(mut all: Vec<(Str, Value)>) -> Map {
        if !all.is_sorted_by(|a, b| a.0 < b.0) {
            all.order_by(|a, b| a.0.cmp(&b.0));
            // Of equal keys the last is kept: the first of each run, seen from behind.
            all.reverse();
            all.dedup_by(|later, kept| later.0 == kept.0);
            all.reverse();
        }
        Map(Rc::new(all))
    }
}

impl FromIterator<(Str, Value)> for Map {
    /// The last of equal keys wins.
    fn from_iter<I: IntoIterator<Item = (Str, Value)>>(entries: I) -> Map {
        Map::sorted(entries.into_iter().collect())
    }
}

impl List {
    /// A list of these items, for `value!`.
    pub fn of(items: Box<[Value]>) -> List {
        List(Rc::new(items.into_vec()))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.0.iter()
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> List {
        List(Rc::new(items.into_iter().collect()))
    }
}
