//! Sorting with one small piece of code for all types. The standard library's sort is made anew for each type and comparison,
//! four kilobytes of the page's program each time; lists here are short.

use std::cmp::Ordering;

/// Stable sorting of slices.
pub trait Order<T> {
    /// As `sort_by`.
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// As `sort_by_key`; a key is asked for at each comparison.
    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.order_by(|a, b| key(a).cmp(&key(b)));
    }

    /// As `sort`.
    fn order(&mut self)
    where
        T: Ord,
    {
        self.order_by(T::cmp);
    }
}

impl<T> Order<T> for [T] {
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        if self.is_sorted_by(|a, b| compare(a, b) != Ordering::Greater) {
            return;
        }
        let mut places = merge_sort(self.len(), &mut |a, b| compare(&self[a as usize], &self[b as usize]));
        // `places[i]` says which item belongs at i: each cycle of that is walked once.
        for start in 0..self.len() {
            let mut here = start;
            while places[here] as usize != start {
                let next = places[here] as usize;
                self.swap(here, next);
                places[here] = here as u32;
                here = next;
            }
            places[here] = here as u32;
        }
    }
}

/// The numbers below `count` in the order that `compare` gives them; equal ones stay in theirs.
fn merge_sort(count: usize, compare: &mut dyn FnMut(u32, u32) -> Ordering) -> Vec<u32> {
    let mut from: Vec<u32> = (0..count as u32).collect();
    let mut to = from.clone();
    let mut run = 1;
    while run < count {
        for low in (0..count).step_by(2 * run) {
            let (middle, high) = ((low + run).min(count), (low + 2 * run).min(count));
            let (mut a, mut b) = (low, middle);
            for slot in &mut to[low..high] {
                let first = b >= high || a < middle && compare(from[a], from[b]) != Ordering::Greater;
                *slot = if first { from[a] } else { from[b] };
                if first { a += 1 } else { b += 1 }
            }
        }
        std::mem::swap(&mut from, &mut to);
        run *= 2;
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::Draws;

    #[test]
    fn lists_are_sorted_as_the_standard_library_sorts_them() {
        let draws = Draws::new(3);
        for length in 0..70 {
            let mut ours: Vec<(u64, u64)> = (0..length).map(|i| (draws.at("key", "", i * 100 + length) % 9, i)).collect();
            let mut theirs = ours.clone();
            ours.order_by_key(|(key, _)| *key);
            theirs.sort_by_key(|(key, _)| *key);
            assert_eq!(ours, theirs, "{length} items");
        }
    }
}
