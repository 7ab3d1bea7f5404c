//! Deletes old ReplicaSets beyond `spec.revisionHistoryLimit` (`cleanupDeployment`).

use super::Work;
use super::numbers;
use crate::api::resource::REPLICA_SETS;
use crate::api::{Object, Request};
use crate::client::Stop;
use crate::controllers::common::attempt;
use crate::util::Order;

impl Work<'_, '_> {
    pub(super) fn clean_up(&mut self, old: &[Object]) -> Result<(), Stop> {
        let limit = self.d.spec().get("revisionHistoryLimit").as_int().filter(|n| *n != i64::from(i32::MAX));
        let Some(limit) = limit.and_then(|n| usize::try_from(n).ok()) else { return Ok(()) };
        let mut alive: Vec<&Object> = old.iter().filter(|rs| !rs.is_deleting()).collect();
        let excess = alive.len().saturating_sub(limit);
        alive.order_by(|a, b| numbers::revision(a).cmp(&numbers::revision(b)).then_with(|| numbers::by_creation(a, b)));
        for rs in alive.into_iter().take(excess) {
            let status = rs.status();
            let in_use = status.get("replicas").int() != 0 || numbers::replicas(rs) != 0;
            if in_use || rs.generation() > status.get("observedGeneration").int() {
                continue;
            }
            let key = rs.key();
            self.sync.differs("differs.deployment.history", vec![key.name.clone()]);
            let request = Request::delete(&REPLICA_SETS, key.namespace, key.name);
            if let Err(e) = attempt(self.sync, request)?
                && !e.is_not_found()
            {
                return Err(Stop::Failed(e));
            }
        }
        Ok(())
    }
}
