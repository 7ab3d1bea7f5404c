//! The Recreate strategy: all old pods go before the first new one comes. Follows upstream `recreate.go`.

use super::Work;
use super::numbers::{self, Sets};
use crate::api::resource::PODS;
use crate::api::{Object, Selector};
use crate::client::Stop;
use crate::controllers::common::pod;

impl Work<'_, '_> {
    pub(super) fn roll_by_recreating(&mut self) -> Result<(), Stop> {
        let (mut new, mut old) = self.new_and_old(false)?;
        let mut scaled = false;
        for rs in old.iter().filter(|rs| numbers::replicas(rs) > 0) {
            scaled |= self.scale_set(rs, 0)?.0;
        }
        if scaled || self.old_pods_run(new.as_ref(), &old) {
            return self.write_rollout_status(new.as_ref(), &old);
        }
        if new.is_none() {
            (new, old) = self.new_and_old(true)?;
        }
        if let Some(rs) = &new {
            let desired = self.desired();
            if numbers::replicas(rs) != desired {
                self.scale_set(rs, desired)?;
            }
        }
        if self.is_complete() {
            self.clean_up(&old)?;
        }
        self.write_rollout_status(new.as_ref(), &old)
    }

    fn old_pods_run(&self, new: Option<&Object>, old: &[Object]) -> bool {
        if old.actual() > 0 {
            return true;
        }
        let selector = Selector::of_object(self.d.spec().get("selector"));
        let pods = self.sync.cache(&PODS);
        let others = self.sets.iter().filter(|rs| new.is_none_or(|n| n.uid() != rs.uid()));
        let mut left = others.flat_map(|rs| pods.controlled_by(rs.uid()));
        left.any(|p| selector.matches(p.labels()) && !pod::is_finished(p))
    }
}
