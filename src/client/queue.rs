//! The work queue of a loop: each key once, none twice at a time, per-key exponential back-off, delayed adds.
//! Follows client-go `util/workqueue` (queue, delaying_queue, rate_limiting_queue). A key that fails comes back for ever:
//! left out are the limits on tries and the back-offs that single loops set for themselves.

use crate::api::Str;
use crate::util::Time;
use crate::util::Tree;

/// Per-key back-off of `DefaultTypedControllerRateLimiter`: 5 ms, doubled each time, at most 1,000 s.
const BASE_DELAY_MS: u64 = 5;
const MAX_DELAY_MS: u64 = 1_000_000;
/// A key remembers the records of this many triggers.
const CAUSES_KEPT: usize = 8;

/// Why a key is in the queue: the first few records that put it there, and how many there were.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Causes {
    pub records: Vec<u64>,
    pub count: u64,
}

/// When a delayed key comes, its place among those that come then, and since when that was settled.
#[derive(Clone, Copy)]
struct Appointment {
    at: (Time, u64),
    since: Time,
}

/// A work queue. Keys wait in order of (`order`, arrival).
#[derive(Clone, Default)]
pub struct Queue {
    ready: Tree<(i64, u64), Str>,
    queued: Tree<Str, (i64, u64)>,
    processing: Tree<Str, ()>,
    again: Tree<Str, i64>,
    delayed: Tree<(Time, u64), Str>,
    delayed_of: Tree<Str, Appointment>,
    failures: Tree<Str, u32>,
    causes: Tree<Str, Causes>,
    arrivals: u64,
    /// The record that is being handled; keys added now were caused by it.
    pub cause: u64,
}

impl Queue {
    /// Puts a key in, unless it waits already. A key that is being worked on comes back when that is done.
    pub fn add(&mut self, key: impl Into<Str>) {
        self.add_ordered(key, 0);
    }

    /// As `add`; keys with a lower `order` are taken first.
    pub fn add_ordered(&mut self, key: impl Into<Str>, order: i64) {
        let key = key.into();
        self.note_cause(&key);
        if self.processing.contains_key(&key) {
            self.again.insert_mut(key, order);
        } else if !self.queued.contains_key(&key) {
            self.arrivals += 1;
            self.ready.insert_mut((order, self.arrivals), key.clone());
            self.queued.insert_mut(key, (order, self.arrivals));
        }
    }

    fn note_cause(&mut self, key: &Str) {
        let cause = self.cause;
        if let Some(c) = self.causes.get_mut(key) {
            c.count += 1;
            if c.records.len() < CAUSES_KEPT && c.records.last() != Some(&cause) {
                c.records.push(cause);
            }
        } else {
            self.causes.insert_mut(key.clone(), Causes { records: vec![cause], count: 1 });
        }
    }

    /// Puts a key in at `now` + `ms`, or earlier if it is already to come earlier.
    pub fn add_after(&mut self, key: impl Into<Str>, now: Time, ms: u64) {
        let key = key.into();
        if ms == 0 {
            return self.add(key);
        }
        let due = now.after_ms(ms);
        if let Some(appointment) = self.delayed_of.get(&key).copied() {
            if appointment.at.0 <= due {
                return;
            }
            self.delayed.remove_mut(&appointment.at);
        }
        self.appoint(key, due, now);
    }

    fn appoint(&mut self, key: Str, due: Time, since: Time) {
        self.arrivals += 1;
        let at = (due, self.arrivals);
        self.delayed.insert_mut(at, key.clone());
        self.delayed_of.insert_mut(key, Appointment { at, since });
    }

    /// As `add_after`, but replaces an earlier appointment.
    pub fn add_at(&mut self, key: impl Into<Str>, now: Time, due: Time) {
        let key = key.into();
        let before = self.delayed_of.get(&key).filter(|a| a.at.0 == due).map(|a| a.since);
        self.cancel(&key);
        self.appoint(key, due, before.unwrap_or(now));
    }

    /// Forgets a delayed add.
    pub fn cancel(&mut self, key: &str) {
        if let Some(at) = self.delayed_of.get(key).map(|a| a.at) {
            self.delayed.remove_mut(&at);
            self.delayed_of.remove_mut(key);
        }
    }

    /// Puts a key in after its back-off, which doubles each time until `forget`.
    pub fn add_rate_limited(&mut self, key: impl Into<Str>, now: Time) {
        self.add_rate_limited_within(key, now, MAX_DELAY_MS);
    }

    /// As `add_rate_limited`, for a loop that waits no longer than `max_ms`.
    pub fn add_rate_limited_within(&mut self, key: impl Into<Str>, now: Time, max_ms: u64) {
        let key = key.into();
        let failed = self.failures.get(&key).copied().unwrap_or(0);
        self.failures.insert_mut(key.clone(), failed + 1);
        let ms = BASE_DELAY_MS.checked_shl(failed.min(40)).unwrap_or(MAX_DELAY_MS).min(MAX_DELAY_MS.min(max_ms));
        self.add_after(key, now, ms);
    }

    pub fn forget(&mut self, key: &str) {
        self.failures.remove_mut(key);
    }

    pub fn failures(&self, key: &str) -> u32 {
        self.failures.get(key).copied().unwrap_or(0)
    }

    /// Moves the delayed keys that are due at `now` into the queue.
    pub fn promote(&mut self, now: Time) {
        while let Some((at, key)) = self.delayed.first().map(|(at, key)| (*at, key.clone()))
            && at.0 <= now
        {
            self.delayed.remove_mut(&at);
            self.delayed_of.remove_mut(&key);
            self.add(key);
        }
    }

    /// The next key to work on, with why it is there.
    pub fn take(&mut self) -> Option<(Str, Causes)> {
        let (place, key) = self.ready.first().map(|(p, k)| (*p, k.clone()))?;
        self.ready.remove_mut(&place);
        self.queued.remove_mut(&key);
        self.processing.insert_mut(key.clone(), ());
        let causes = self.causes.get(&key).cloned().unwrap_or_default();
        self.causes.remove_mut(&key);
        Some((key, causes))
    }

    /// As `take`, for a key that somebody chose.
    pub fn take_key(&mut self, key: &str) -> Option<(Str, Causes)> {
        let place = *self.queued.get(key)?;
        let order = (i64::MIN, place.1);
        let name = self.ready.get(&place).cloned()?;
        self.ready.remove_mut(&place);
        self.ready.insert_mut(order, name.clone());
        self.queued.insert_mut(name, order);
        self.take()
    }

    /// Says that the work on a key is over.
    pub fn done(&mut self, key: &str) {
        self.processing.remove_mut(key);
        if let Some(order) = self.again.get(key).copied() {
            self.again.remove_mut(key);
            let causes = self.causes.get(key).cloned();
            self.add_ordered(key, order);
            if let Some(causes) = causes {
                self.causes.insert_mut(Str::from(key), causes);
            }
        }
    }

    /// Whether a key that is being worked on was added again meanwhile.
    pub fn comes_back(&self, key: &str) -> bool {
        self.again.contains_key(key)
    }

    /// How many keys could be taken now.
    pub fn len(&self) -> usize {
        self.ready.size()
    }

    pub fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// The keys that could be taken now, in order.
    pub fn keys(&self) -> impl Iterator<Item = &Str> {
        self.ready.values()
    }

    /// The delayed keys and when they come.
    pub fn waiting(&self) -> impl Iterator<Item = (Time, &Str)> {
        self.delayed.iter().map(|(at, key)| (at.0, key))
    }

    /// The delayed keys and how long each waits in all, in milliseconds.
    pub fn waits(&self) -> impl Iterator<Item = (&Str, u64)> {
        self.delayed_of.iter().map(|(key, a)| (key, a.at.0.since_ms(a.since)))
    }

    /// When the next delayed key comes.
    pub fn next_due(&self) -> Option<Time> {
        self.delayed.first().map(|(at, _)| at.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_waits_once_and_comes_back_if_added_while_worked_on() {
        let mut q = Queue::default();
        q.add("a");
        q.add("a");
        q.add("b");
        assert_eq!(q.len(), 2);
        let (key, causes) = q.take().unwrap();
        assert_eq!((key.as_str(), causes.count), ("a", 2));
        q.add("a");
        assert_eq!(q.len(), 1);
        q.done("a");
        assert_eq!(q.keys().map(Str::as_str).collect::<Vec<_>>(), ["b", "a"]);
    }

    #[test]
    fn back_off_doubles_until_forgotten_and_the_earliest_appointment_wins() {
        let mut q = Queue::default();
        for expected in [5, 10, 20] {
            q.add_rate_limited("a", Time(0));
            assert_eq!(q.next_due(), Some(Time(expected)));
            q.promote(Time(expected));
            q.take().unwrap();
            q.done("a");
        }
        q.forget("a");
        q.add_after("a", Time(0), 100);
        q.add_after("a", Time(0), 50);
        q.add_after("a", Time(0), 70);
        assert_eq!(q.waiting().map(|(t, _)| t).collect::<Vec<_>>(), [Time(50)]);
        q.add_at("a", Time(10), Time(90));
        q.add_at("a", Time(40), Time(90));
        assert_eq!(q.waits().map(|(_, ms)| ms).collect::<Vec<_>>(), [80], "the same appointment is as old as before");
        q.add_at("a", Time(40), Time(60));
        assert_eq!(q.waits().map(|(_, ms)| ms).collect::<Vec<_>>(), [20]);
    }
}
