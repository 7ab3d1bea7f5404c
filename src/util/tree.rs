//! A sorted map that is cheap to clone: lists of a few entries each, shared until they change. It takes the place of a balanced
//! tree, whose code is made anew for each type of key and value, thirty times as much as this.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::RangeFrom;
use std::rc::Rc;

/// A list of more entries is cut in two.
const ENTRIES_MAX: usize = 32;

type Leaf<K, V> = Rc<Vec<(K, V)>>;

/// A sorted map. No leaf is empty.
pub struct Tree<K, V> {
    leaves: Rc<Vec<Leaf<K, V>>>,
    size: usize,
}

impl<K, V> Clone for Tree<K, V> {
    fn clone(&self) -> Self {
        Tree { leaves: self.leaves.clone(), size: self.size }
    }
}

impl<K, V> Default for Tree<K, V> {
    fn default() -> Self {
        Tree { leaves: Rc::default(), size: 0 }
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Tree<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.leaves.iter().flat_map(|l| l.iter()).map(|(k, v)| (k, v))).finish()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for Tree<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.size == other.size && self.leaves.iter().flat_map(|l| l.iter()).eq(other.leaves.iter().flat_map(|l| l.iter()))
    }
}

impl<K: Ord, V> Tree<K, V> {
    pub fn new() -> Self {
        Tree::default()
    }

    pub fn size(&self) -> usize {
        self.size
    }

    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// The leaf that has the key or would have it, and its place there.
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> (usize, Result<usize, usize>)
    where
        K: Borrow<Q>,
    {
        // The first leaf whose first key is later, less one.
        let (mut low, mut high) = (0, self.leaves.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.leaves[middle][0].0.borrow().cmp(key) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return (middle, Ok(0)),
                Ordering::Greater => high = middle,
            }
        }
        let leaf = low.saturating_sub(1);
        let Some(entries) = self.leaves.get(leaf) else { return (leaf, Err(0)) };
        let (mut low, mut high) = (0, entries.len());
        while low < high {
            let middle = (low + high) / 2;
            match entries[middle].0.borrow().cmp(key) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return (leaf, Ok(middle)),
                Ordering::Greater => high = middle,
            }
        }
        (leaf, Err(low))
    }

    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let (leaf, place) = self.place(key);
        place.ok().map(|i| &self.leaves[leaf][i].1)
    }

    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).1.is_ok()
    }

    pub fn first(&self) -> Option<(&K, &V)> {
        self.iter().next()
    }

    /// All entries in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + Clone {
        self.leaves.iter().flat_map(|l| l.iter()).map(|(k, v)| (k, v))
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + Clone {
        self.iter().map(|(k, _)| k)
    }

    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + Clone {
        self.iter().map(|(_, v)| v)
    }

    /// The entries from a key on.
    pub fn range<Q: Ord>(&self, from: RangeFrom<Q>) -> impl Iterator<Item = (&K, &V)>
    where
        K: Borrow<Q>,
    {
        let (leaf, place) = self.place(&from.start);
        let skipped = place.unwrap_or_else(|i| i);
        let leaves = self.leaves.get(leaf..).unwrap_or_default();
        leaves.iter().flat_map(|l| l.iter()).skip(skipped).map(|(k, v)| (k, v))
    }
}

impl<K: Ord + Clone, V: Clone> Tree<K, V> {
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let (leaf, place) = self.place(key);
        let i = place.ok()?;
        Some(&mut Rc::make_mut(&mut Rc::make_mut(&mut self.leaves)[leaf])[i].1)
    }

    /// Puts an entry in, and gives back the value that was there.
    pub fn insert_mut(&mut self, key: K, value: V) -> Option<V> {
        let (leaf, place) = self.place(&key);
        let leaves = Rc::make_mut(&mut self.leaves);
        let Some(entries) = leaves.get_mut(leaf) else {
            leaves.push(Rc::new(vec![(key, value)]));
            self.size = 1;
            return None;
        };
        let entries = Rc::make_mut(entries);
        match place {
            Ok(i) => Some(std::mem::replace(&mut entries[i].1, value)),
            Err(i) => {
                entries.insert(i, (key, value));
                self.size += 1;
                if entries.len() > ENTRIES_MAX {
                    // What is put in at the end in order fills the leaves.
                    let cut = if i + 1 == entries.len() { ENTRIES_MAX } else { ENTRIES_MAX / 2 };
                    let rest = entries.split_off(cut);
                    leaves.insert(leaf + 1, Rc::new(rest));
                }
                None
            }
        }
    }

    #[must_use]
    pub fn insert(&self, key: K, value: V) -> Self {
        let mut new = self.clone();
        new.insert_mut(key, value);
        new
    }

    /// Takes an entry out; false if there was none.
    pub fn remove_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        let (leaf, place) = self.place(key);
        let Ok(i) = place else { return false };
        let leaves = Rc::make_mut(&mut self.leaves);
        if leaves[leaf].len() == 1 {
            leaves.remove(leaf);
        } else {
            Rc::make_mut(&mut leaves[leaf]).remove(i);
        }
        self.size -= 1;
        true
    }
}

impl<K: Ord + Clone, V: Clone> FromIterator<(K, V)> for Tree<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut all = Tree::new();
        for (k, v) in entries {
            all.insert_mut(k, v);
        }
        all
    }
}

impl<'a, K: Ord, V> IntoIterator for &'a Tree<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Box<dyn Iterator<Item = (&'a K, &'a V)> + 'a>;
    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::Draws;
    use std::collections::BTreeMap;

    #[test]
    fn it_holds_what_a_map_of_the_standard_library_holds_and_clones_stay_as_they_were() {
        let draws = Draws::new(11);
        let (mut ours, mut theirs) = (Tree::new(), BTreeMap::new());
        let mut kept = Vec::new();
        for step in 0..4000 {
            let key = draws.between("key", "", step, 0, 500);
            if draws.between("what", "", step, 0, 2) == 0 {
                assert_eq!(ours.remove_mut(&key), theirs.remove(&key).is_some());
            } else {
                assert_eq!(ours.insert_mut(key, step), theirs.insert(key, step));
            }
            assert_eq!((ours.size(), ours.get(&key)), (theirs.len(), theirs.get(&key)));
            if step % 400 == 0 {
                assert!(ours.iter().eq(theirs.iter()) && ours.range(key..).eq(theirs.range(key..)));
                kept.push((ours.clone(), theirs.clone()));
            }
        }
        assert!(kept.iter().all(|(a, b)| a.iter().eq(b.iter())));
    }
}
