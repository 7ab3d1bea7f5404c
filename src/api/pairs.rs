//! Two maps walked side by side.

use super::Value;
use std::cmp::Ordering;

/// What is called with a key of either map and the values found there.
pub type Each<'a, 'f> = dyn FnMut(&'a super::Str, Option<&'a Value>, Option<&'a Value>) + 'f;

/// Calls `f` with every key of either map, in order.
pub fn each_pair<'a>(l: &'a Value, r: &'a Value, f: &mut Each<'a, '_>) {
    let (l, r) = (l.entries(), r.entries());
    let (mut i, mut j) = (0, 0);
    while i < l.len() || j < r.len() {
        let order = match (l.get(i), r.get(j)) {
            (Some(a), Some(b)) => a.0.cmp(&b.0),
            (Some(_), None) => Ordering::Less,
            _ => Ordering::Greater,
        };
        match order {
            Ordering::Less => f(&l[i].0, Some(&l[i].1), None),
            Ordering::Greater => f(&r[j].0, None, Some(&r[j].1)),
            Ordering::Equal => f(&r[j].0, Some(&l[i].1), Some(&r[j].1)),
        }
        i += usize::from(order.is_le());
        j += usize::from(order.is_ge());
    }
}
