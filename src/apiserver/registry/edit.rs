//! Copy-on-write helpers: a default is put only where nothing is, so that an object which has all of
//! them stays the same shared value.

use crate::api::{Str, Value};

/// Puts a field if it is missing, null or "".
pub fn put(v: &mut Value, key: &'static str, default: impl Into<Value>) {
    if is_unset(v.get(key)) {
        v.set(Str::fixed(key), default);
    }
}

/// Puts a number if it is missing or 0: what a field that is no pointer means by 0.
pub fn put_nonzero(v: &mut Value, key: &'static str, default: i64) {
    if v.get(key).is_null() || v.get(key).as_int() == Some(0) {
        v.set(Str::fixed(key), default);
    }
}

/// Missing, null or "".
pub fn is_unset(v: &Value) -> bool {
    v.is_null() || v.as_str() == Some("")
}

/// Changes a map or list in place; one that comes out the same stays shared.
pub fn edit(v: &mut Value, key: &'static str, change: impl FnOnce(&mut Value)) {
    let old = v.get(key);
    if old.as_map().is_none() && old.as_list().is_none() {
        return;
    }
    let mut new = old.clone();
    change(&mut new);
    if !new.same(v.get(key)) {
        v.set(Str::fixed(key), new);
    }
}

/// `edit` at the end of a path of maps.
pub fn edit_at(v: &mut Value, path: &[&'static str], change: &mut dyn FnMut(&mut Value)) {
    match path {
        [] => change(v),
        [key, rest @ ..] => edit(v, key, |inner| edit_at(inner, rest, change)),
    }
}

/// Changes each map of a list that the field `key` holds.
pub fn edit_each(v: &mut Value, key: &'static str, mut change: impl FnMut(&mut Value)) {
    edit(v, key, |list| {
        for i in 0..list.items().len() {
            let old = list.item(i);
            if old.as_map().is_none() {
                continue;
            }
            let mut new = old.clone();
            change(&mut new);
            if !new.same(list.item(i)) {
                list.list_mut()[i] = new;
            }
        }
    });
}

/// Makes sure that a map is there, then changes it.
pub fn ensure(v: &mut Value, key: &'static str, change: impl FnOnce(&mut Value)) {
    put(v, key, Value::map());
    edit(v, key, change);
}

/// Puts `from`'s field over `to`'s, or takes it out where `from` has none.
pub fn copy_field(to: &mut Value, from: &Value, key: &'static str) {
    let there = from.get(key);
    if there.is_null() {
        if !to.get(key).is_null() {
            to.remove(key);
        }
    } else if !there.same(to.get(key)) {
        to.set(Str::fixed(key), there);
    }
}

/// Takes a field out if it is there.
pub fn drop_field(v: &mut Value, key: &str) {
    if v.as_map().is_some_and(|m| m.contains(key)) {
        v.remove(key);
    }
}
