//! Steps as a person takes them: one whole sync of one loop, its next write, one tick of all.

use super::agenda::Actor;
use super::{Activity, Cluster, Detail, LoopId, StepRecord};
use crate::util::Time;
use std::rc::Rc;

/// A tick lets no more than this happen, so that it ends whatever the loops do.
const TICK_STEPS_MAX: usize = 20_000;
/// A tick skips no more idle time than this.
const IDLE_MAX_MS: u64 = 60_000;
/// What is due within this time can happen in any order.
const ABOUT_NOW_MS: u64 = 5;
/// Looking for a loop's next key passes over no more than this.
const SEARCH_STEPS_MAX: usize = 200_000;

impl Cluster {
    /// One whole sync of a loop: events that wait for it arrive first, if it has no key; time goes on if it must.
    /// None: nothing will ever wake this loop by itself.
    pub fn step_loop(&mut self, of: LoopId, budget: Option<u32>) -> Option<Rc<StepRecord>> {
        for _ in 0..SEARCH_STEPS_MAX {
            if self.is_full() {
                return None;
            }
            if let Some(record) = self.sync_now(of, budget) {
                return Some(record);
            }
            if !self.deliver_one_to(of) {
                let at = self.agenda.when(&Actor::Loop(of))?;
                self.now = self.now.max(at);
                if self.the_loop(of).queue.is_empty() && self.the_loop(of).in_flight.is_empty() {
                    self.step(Activity::Wake { of });
                }
            }
        }
        None
    }

    /// Syncs a key that is there now, or goes on with a sync that waits.
    fn sync_now(&mut self, of: LoopId, budget: Option<u32>) -> Option<Rc<StepRecord>> {
        let l = self.the_loop(of);
        if !l.running || !self.process(of.process).running {
            return None;
        }
        if let Some(flight) = l.in_flight.first() {
            let key = flight.key.clone();
            self.now = self.now.max(flight.resume_at);
            return Some(self.step_within(Activity::Resume { of, key }, budget));
        }
        if l.queue.is_empty() {
            return None;
        }
        Some(self.step_within(Activity::Sync { of }, budget))
    }

    /// As `step`, for a sync that may send only so many requests before it waits.
    fn step_within(&mut self, activity: Activity, budget: Option<u32>) -> Rc<StepRecord> {
        let Some(budget) = budget else { return self.step(activity) };
        let number = self.records.len() as u64;
        let before = self.server.etcd.revision();
        let (causes, detail) = match &activity {
            Activity::Sync { of } => self.sync(*of, None, Some(budget)),
            Activity::Resume { of, key } => self.resume(*of, key, Some(budget)),
            _ => (Default::default(), Detail::None),
        };
        self.finish(number, before, activity, causes, detail)
    }

    /// The next event on the wires that this loop listens to arrives.
    fn deliver_one_to(&mut self, of: LoopId) -> bool {
        let process = self.process(of.process);
        let watches = self.the_loop(of).controller.watches();
        let next = process
            .wires
            .iter()
            .filter(|(resource, wire)| !process.cut && watches.contains(resource) && wire.due().is_some())
            .min_by_key(|(_, wire)| wire.due());
        let Some((resource, wire)) = next else { return false };
        let (resource, listing) = (resource.clone(), wire.list_at.is_some());
        self.now = self.now.max(wire.due().unwrap_or(self.now).min(self.now.after_ms(1000)));
        let process = of.process;
        self.step(if listing { Activity::List { process, resource } } else { Activity::Deliver { process, resource } });
        true
    }

    /// The loop that owes the next sync, were time to run: the first one due among those that have something to do.
    pub fn owes_next(&self) -> Option<LoopId> {
        let mut ahead = self.clone();
        for _ in 0..TICK_STEPS_MAX {
            let (at, activity) = ahead.next()?;
            match activity {
                Activity::Sync { of } | Activity::Resume { of, .. } if !ahead.is_housekeeping(of) => return Some(of),
                _ => {}
            }
            if at.since_ms(self.now) > 2_000 {
                return None;
            }
            ahead.advance(at);
        }
        None
    }

    /// Whether the next key of a loop is one of those that come round by the clock: a lease, a node's status, a monitor.
    fn is_housekeeping(&self, of: LoopId) -> bool {
        let l = self.the_loop(of);
        let resumed = l.in_flight.iter().min_by_key(|f| f.resume_at).map(|f| &f.key);
        let key = resumed.or_else(|| l.queue.keys().next()).or_else(|| l.queue.waiting().next().map(|(_, key)| key));
        key.is_none_or(|key| l.controller.is_periodic(key))
    }

    /// Everything happens up to and with the next sync of something other than housekeeping.
    pub fn step_next(&mut self, until: Time) -> Option<Rc<StepRecord>> {
        for _ in 0..SEARCH_STEPS_MAX {
            let (at, activity) = self.next()?;
            if at > until {
                return None;
            }
            let counts = match &activity {
                Activity::Sync { of } | Activity::Resume { of, .. } => !self.is_housekeeping(*of),
                _ => false,
            };
            let record = self.advance(at)?;
            if counts && record.sync().is_some() {
                return Some(record);
            }
        }
        None
    }

    /// The n-th of the things that can happen within a moment from the first one happens; if there are not so many, the first.
    pub fn happen(&mut self, nth: u64) -> Option<Rc<StepRecord>> {
        let (first, _) = self.next()?;
        let soon = first.after_ms(ABOUT_NOW_MS);
        let nth = usize::try_from(nth).unwrap_or(usize::MAX);
        let chosen = self.runnable().take_while(|(at, _)| *at <= soon).nth(nth).or_else(|| self.next());
        let (at, activity) = chosen?;
        self.now = self.now.max(at);
        Some(self.step(activity))
    }

    /// One tick: what is due arrives; each loop, in fixed order, syncs the keys that were in its queue at the start;
    /// then time goes to the next instant at which a loop has a key.
    pub fn tick(&mut self) {
        let now = self.now;
        let mut steps = 0;
        while let Some((at, activity)) = self.next() {
            let arrives = matches!(activity, Activity::Deliver { .. } | Activity::List { .. });
            if at > now || !arrives || steps >= TICK_STEPS_MAX {
                break;
            }
            self.advance(at);
            steps += 1;
        }
        // Delayed keys that are due come into their queues first, or the loop that has only those would never have its turn.
        let due = |of: &LoopId| {
            let l = self.the_loop(*of);
            l.running && self.process(of.process).running && l.queue.next_due().is_some_and(|at| at <= self.now)
        };
        let late: Vec<LoopId> = self.loops().filter(due).collect();
        for of in late {
            self.step(Activity::Wake { of });
        }
        let turns: Vec<(LoopId, usize)> =
            self.loops().map(|of| (of, self.the_loop(of).queue.len() + self.the_loop(of).in_flight.len())).collect();
        for (of, keys) in turns {
            for _ in 0..keys {
                if self.is_full() || self.sync_now(of, None).is_none() {
                    break;
                }
            }
        }
        // Time goes on to the next sync that is more than housekeeping, or to whatever brings one.
        let end = self.now.after_ms(IDLE_MAX_MS);
        for _ in 0..SEARCH_STEPS_MAX {
            let Some((at, activity)) = self.next() else { return };
            if at > end {
                return;
            }
            if let Activity::Sync { of } | Activity::Resume { of, .. } = activity
                && !self.is_housekeeping(of)
            {
                self.now = self.now.max(at);
                return;
            }
            self.advance(at);
        }
    }
}
