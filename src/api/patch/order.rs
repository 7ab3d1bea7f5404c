//! The order of merged lists: what the patch names in its order, what only the server has in the server's,
//! woven together (`normalizeElementOrder` of apimachinery's strategicpatch).

use crate::api::Value;
use crate::util::Order;

/// Marks a map in a patch as something other than a merge: `delete` or `replace`.
pub const MARKER: &str = "$patch";

/// Whether two items are the same by the merge key, or, in a list of scalars (`key` is ""), equal.
pub fn same_item(a: &Value, b: &Value, key: &str) -> bool {
    if key.is_empty() { a == b } else { a.get(key) == b.get(key) }
}

fn place(list: &[Value], item: &Value, key: &str) -> Option<usize> {
    list.iter().position(|other| same_item(other, item, key))
}

/// Items in the order of `by`; those not in it keep their place, deletions come last.
pub fn sorted(items: Vec<Value>, by: &[Value], key: &str) -> Vec<Value> {
    let (mut delete, mut keep): (Vec<Value>, Vec<Value>) = items.into_iter().partition(|i| is_delete(i) && !key.is_empty());
    keep.order_by(|a, b| match (place(by, a, key), place(by, b, key)) {
        (Some(i), Some(j)) => i.cmp(&j),
        _ => std::cmp::Ordering::Equal,
    });
    keep.append(&mut delete);
    keep
}

pub fn is_delete(item: &Value) -> bool {
    item.get(MARKER).text() == "delete"
}

/// Brings a merged list into order: `named` are the items that the patch names, in its order, `server` the
/// list before the patch.
pub fn normalized(merged: Vec<Value>, named: &[Value], server: &[Value], key: &str) -> Vec<Value> {
    let (patched, server_only): (Vec<Value>, Vec<Value>) = merged.into_iter().partition(|item| place(named, item, key).is_some());
    let patched = sorted(patched, named, key);
    let server_only = sorted(server_only, server, key);
    woven(server_only, patched, server, key)
}

/// Each item of `left` goes before the first one of `right` that comes later on the server.
fn woven(left: Vec<Value>, right: Vec<Value>, server: &[Value], key: &str) -> Vec<Value> {
    let mut out = Vec::with_capacity(left.len() + right.len());
    let mut left = left.into_iter().peekable();
    for item in right {
        let here = place(server, &item, key);
        while let Some(before) = left.next_if(|l| here.is_some_and(|h| place(server, l, key).is_some_and(|p| p < h))) {
            out.push(before);
        }
        out.push(item);
    }
    out.extend(left);
    out
}
