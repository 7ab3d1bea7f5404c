//! What a loop has asked for and not yet seen in its cache, so that it does not ask again.
//! Follows upstream `controller_utils.go` (`UIDTrackingControllerExpectations`).

use crate::api::Str;
use crate::util::Time;
use crate::util::Tree;

/// After this long a loop stops waiting.
const TIMEOUT_MS: u64 = 5 * 60 * 1000;

/// Expected creations and deletions, by the key of the object whose sync asked for them.
#[derive(Clone, Default)]
pub struct Expectations(Tree<Str, Expected>);

#[derive(Clone)]
struct Expected {
    creations: i64,
    deletions: Tree<Str, ()>,
    since: Time,
}

impl Expectations {
    /// Whether everything was seen, or has been waited for long enough.
    pub fn satisfied(&self, key: &str, now: Time) -> bool {
        self.0.get(key).is_none_or(|e| (e.creations <= 0 && e.deletions.is_empty()) || now.since_ms(e.since) > TIMEOUT_MS)
    }

    /// How many creations and deletions are still to be seen.
    pub fn pending(&self, key: &str) -> (i64, usize) {
        self.0.get(key).map_or((0, 0), |e| (e.creations.max(0), e.deletions.size()))
    }

    pub fn expect_creations(&mut self, key: &str, count: i64, now: Time) {
        self.0.insert_mut(Str::from(key), Expected { creations: count, deletions: Tree::new(), since: now });
    }

    /// `keys`: what will be deleted, so that seeing one deletion twice counts once.
    pub fn expect_deletions(&mut self, key: &str, keys: impl IntoIterator<Item = Str>, now: Time) {
        let deletions = keys.into_iter().map(|k| (k, ())).collect();
        self.0.insert_mut(Str::from(key), Expected { creations: 0, deletions, since: now });
    }

    pub fn creations_observed(&mut self, key: &str, count: i64) {
        if let Some(e) = self.0.get_mut(key) {
            e.creations -= count;
        }
    }

    pub fn deletion_observed(&mut self, key: &str, deleted: &str) {
        if let Some(e) = self.0.get_mut(key) {
            e.deletions.remove_mut(deleted);
        }
    }

    pub fn forget(&mut self, key: &str) {
        self.0.remove_mut(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_waits_for_what_it_asked_for_but_not_for_ever() {
        let mut e = Expectations::default();
        assert!(e.satisfied("a", Time(0)));
        e.expect_creations("a", 2, Time(0));
        e.creations_observed("a", 1);
        assert!(!e.satisfied("a", Time(TIMEOUT_MS)));
        assert!(e.satisfied("a", Time(TIMEOUT_MS + 1)));
        e.creations_observed("a", 1);
        assert!(e.satisfied("a", Time(0)));
    }

    #[test]
    fn one_deletion_seen_twice_counts_once() {
        let mut e = Expectations::default();
        e.expect_deletions("a", [Str::from("x"), Str::from("y")], Time(0));
        e.deletion_observed("a", "x");
        e.deletion_observed("a", "x");
        assert_eq!(e.pending("a"), (0, 1));
        e.deletion_observed("a", "y");
        assert!(e.satisfied("a", Time(0)));
    }

    /// Whatever the order in which events come, and however often, all are seen in the end.
    #[test]
    fn the_order_of_events_does_not_matter() {
        let draws = crate::util::Draws::new(7);
        for run in 0..50_u64 {
            let mut left: Vec<u64> = (0..8).collect();
            let mut e = Expectations::default();
            e.expect_deletions("a", (0..8).map(|i| Str::from(format!("p{i}"))), Time(0));
            for step in 0.. {
                let Some(last) = left.len().checked_sub(1) else { break };
                let i = draws.between("order", "x", run * 100 + step, 0, last as u64) as usize;
                let pod = format!("p{}", left.remove(i));
                assert!(!e.satisfied("a", Time(0)));
                for _ in 0..=draws.between("twice", "x", run * 100 + step, 0, 2) {
                    e.deletion_observed("a", &pod);
                }
            }
            assert!(e.satisfied("a", Time(0)));
        }
    }
}
