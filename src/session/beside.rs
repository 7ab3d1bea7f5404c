//! A second world beside a run's own. Either the edge-triggered twin, which lives through the same history with the same faults
//! and is compared at every moment, or the branch that a fork left, as it was.

use super::Moment;
use super::action::Action;
use super::reduce;
use crate::cluster::Cluster;
use std::rc::Rc;

/// Which world stands beside the run's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Its ReplicaSet loop counts events.
    Twin,
    /// The branch that was left.
    Branch,
}

impl Moment {
    /// Lets the twin live through what has just happened in the own world: the same deed, and as much time.
    ///
    /// While both are alike every action leads to the same in both. After they have parted, what moves time by somebody's next
    /// move would move it by another amount there; then the twin runs for as long by itself.
    pub(super) fn take_along(&mut self, action: &Action, together: bool) {
        let Some(twin) = self.twin.take() else { return };
        let mut there = Moment { world: (*twin).clone(), ..self.clone() };
        if together || !moves_time(action) {
            reduce::perform(&mut there, action);
        }
        there.world.run_until(self.world.now());
        self.twin = Some(Rc::new(there.world));
    }

    /// Whether the twin has done the same so far, step by step.
    pub fn is_together(&self) -> bool {
        let mark = |w: &Cluster| (w.now(), w.etcd().revision(), w.records().len());
        self.twin.as_ref().is_none_or(|t| mark(t) == mark(&self.world))
    }
}

/// Moves by whatever comes next, or just waits: no deed that could be done elsewhere.
fn moves_time(action: &Action) -> bool {
    matches!(
        action,
        Action::Advance { .. } | Action::Step | Action::StepLoop { .. } | Action::StepInto { .. } | Action::Tick | Action::Settle
    )
}
