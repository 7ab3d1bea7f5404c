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

/// Where the item is that is the same as `item`.
pub fn place(list: &[Value], item: &Value, key: &str) -> Option<usize> {
    if key.is_empty() {
        return list.iter().position(|other| other == item);
    }
    let id = item.get(key);
    list.iter().position(|other| other.get(key) == id)
}

/// Items in the order of `by`; those not in it keep their place, deletions come last.
pub fn sorted(items: Vec<Value>, by: &[Value], key: &str) -> Vec<Value> {
    let placed = items.into_iter().map(|item| Placed { by: place(by, &item, key), on_server: None, item }).collect();
    ordered(placed, key).into_iter().map(|p| p.item).collect()
}

/// An item with its places in the list that it is to be ordered by and in the server's.
struct Placed {
    by: Option<usize>,
    on_server: Option<usize>,
    item: Value,
}

fn ordered(items: Vec<Placed>, key: &str) -> Vec<Placed> {
    let (mut delete, mut keep): (Vec<Placed>, Vec<Placed>) = items.into_iter().partition(|p| !key.is_empty() && is_delete(&p.item));
    keep.order_by(|a, b| match (a.by, b.by) {
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
    // Mostly the patch names everything, in the order in which it is.
    if merged.len() == named.len() && merged.iter().zip(named).all(|(a, b)| same_item(a, b, key) && !is_delete(a)) {
        return merged;
    }
    let (mut patched, mut server_only): (Vec<Placed>, Vec<Placed>) = (Vec::new(), Vec::new());
    for item in merged {
        let (by, on_server) = (place(named, &item, key), place(server, &item, key));
        match by {
            Some(_) => patched.push(Placed { by, on_server, item }),
            None => server_only.push(Placed { by: on_server, on_server, item }),
        }
    }
    woven(ordered(server_only, key), ordered(patched, key))
}

/// Each item of `left` goes before the first one of `right` that comes later on the server.
fn woven(left: Vec<Placed>, right: Vec<Placed>) -> Vec<Value> {
    let mut out = Vec::with_capacity(left.len() + right.len());
    let mut left = left.into_iter().peekable();
    for p in right {
        while let Some(before) = left.next_if(|l| p.on_server.is_some_and(|h| l.on_server.is_some_and(|there| there < h))) {
            out.push(before.item);
        }
        out.push(p.item);
    }
    out.extend(left.map(|p| p.item));
    out
}
