//! Where each object stands: a place is given at birth, by uid, and kept until death; a freed place waits as a space and is
//! taken only by a new object. Nothing is laid out again because something else changed.

use crate::api::Str;
use crate::session::view::{Board, Kid, Row};
use std::collections::BTreeMap;
use std::rc::Rc;

/// One place in a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// The n-th pod of the row's list.
    Pod(usize),
    /// Wanted, not there.
    Wanted,
    /// Somebody stood here.
    Space,
}

/// A board with the places of every row, in the order of its trees and rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Placed {
    pub board: Rc<Board>,
    pub rows: Vec<Vec<Place>>,
}

/// The memory of places: for each row, who stands where.
#[derive(Clone, Debug, Default)]
pub struct Places {
    rows: BTreeMap<Str, Vec<Option<Str>>>,
}

impl Places {
    /// Gives every pod of `board` its place.
    pub fn settle(&mut self, board: &Rc<Board>) -> Placed {
        let mut rows = Vec::new();
        let mut kept = BTreeMap::new();
        for tree in &board.trees {
            for (nth, row) in tree.rows.iter().enumerate() {
                let key = row
                    .owner
                    .as_ref()
                    .or(tree.root.as_ref())
                    .map_or_else(|| Str::from(["row ", &nth.to_string()].concat()), |o| o.uid.clone());
                let mut seats = self.rows.remove(&key).unwrap_or_default();
                rows.push(seat(&mut seats, row));
                kept.insert(key, seats);
            }
        }
        self.rows = kept;
        Placed { board: board.clone(), rows }
    }
}

fn seat(seats: &mut Vec<Option<Str>>, row: &Row) -> Vec<Place> {
    let index: BTreeMap<&str, usize> = row.pods.iter().enumerate().map(|(i, k): (usize, &Kid)| (k.uid.as_str(), i)).collect();
    let mut seated = BTreeMap::new();
    for (place, seat) in seats.iter_mut().enumerate() {
        match seat {
            Some(uid) if index.contains_key(uid.as_str()) => {
                seated.insert(uid.clone(), place);
            }
            _ => *seat = None,
        }
    }
    let mut free = 0;
    for pod in row.pods.iter().filter(|p| !seated.contains_key(&p.uid)) {
        while seats.get(free).is_some_and(Option::is_some) {
            free += 1;
        }
        match seats.get_mut(free) {
            Some(empty) => *empty = Some(pod.uid.clone()),
            None => seats.push(Some(pod.uid.clone())),
        }
    }
    while seats.last().is_some_and(Option::is_none) {
        seats.pop();
    }
    let mut missing = row.missing;
    let mut out: Vec<Place> = seats
        .iter()
        .map(|s| match s {
            Some(uid) => Place::Pod(index[uid.as_str()]),
            None if missing > 0 => {
                missing -= 1;
                Place::Wanted
            }
            None => Place::Space,
        })
        .collect();
    out.extend((0..missing.min(300)).map(|_| Place::Wanted));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::view::Tree;

    fn board(pods: &[&'static str], missing: u64) -> Rc<Board> {
        let pods = pods.iter().map(|p| Kid { uid: Str::fixed(p), ..Kid::default() }).collect();
        Rc::new(Board { trees: vec![Tree { root: None, rows: vec![Row { pods, missing, ..Row::default() }] }], ..Board::default() })
    }

    fn drawn(places: &mut Places, pods: &[&'static str], missing: u64) -> String {
        let b = board(pods, missing);
        let placed = places.settle(&b);
        placed.rows[0]
            .iter()
            .map(|p| match p {
                Place::Pod(i) => b.trees[0].rows[0].pods[*i].uid.as_str(),
                Place::Wanted => "?",
                Place::Space => "_",
            })
            .collect()
    }

    #[test]
    fn a_pod_keeps_its_place_and_a_new_one_takes_a_free_one() {
        let mut places = Places::default();
        assert_eq!(drawn(&mut places, &["a", "b", "c"], 0), "abc");
        assert_eq!(drawn(&mut places, &["a", "c"], 1), "a?c", "the hole stays where the dead one stood");
        assert_eq!(drawn(&mut places, &["a", "c"], 0), "a_c", "a space that nobody wants filled is kept open");
        assert_eq!(drawn(&mut places, &["c", "a", "d"], 0), "adc", "the order of the list does not matter");
        assert_eq!(drawn(&mut places, &["a"], 2), "a??");
    }
}
