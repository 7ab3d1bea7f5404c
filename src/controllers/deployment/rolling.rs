//! The rolling update: the new ReplicaSet up, old ones down, within surge and unavailability.
//! Follows upstream `rolling.go`.

use super::Work;
use super::numbers::{self, Sets};
use crate::api::Object;
use crate::client::Stop;
use crate::util::Order;

impl Work<'_, '_> {
    pub(super) fn roll(&mut self) -> Result<(), Stop> {
        let (new, old) = self.new_and_old(true)?;
        let new = new.expect("created if it was not there");
        if self.scale_up_new(&new, &old)? || self.scale_down_old(&new, &old)? {
            return self.write_rollout_status(Some(&new), &old);
        }
        if self.is_complete() {
            self.clean_up(&old)?;
        }
        self.write_rollout_status(Some(&new), &old)
    }

    fn scale_up_new(&mut self, new: &Object, old: &[Object]) -> Result<bool, Stop> {
        let (size, desired) = (numbers::replicas(new), self.desired());
        if size == desired {
            return Ok(false);
        }
        let target = if size > desired { desired } else { numbers::new_size(&self.d, size + old.replicas(), size) };
        if target == size {
            return Ok(false);
        }
        Ok(self.scale_set(new, target)?.0)
    }

    fn scale_down_old(&mut self, new: &Object, old: &[Object]) -> Result<bool, Stop> {
        let mut old: Vec<Object> = old.iter().filter(|rs| numbers::replicas(rs) > 0).cloned().collect();
        if old.is_empty() {
            return Ok(false);
        }
        let min_available = self.desired() - numbers::max_unavailable(&self.d);
        let new_unavailable = numbers::replicas(new) - numbers::available(new);
        let may_go = old.replicas() + numbers::replicas(new) - min_available - new_unavailable;
        if may_go <= 0 {
            return Ok(false);
        }
        old.order_by(numbers::by_creation);
        let unhealthy = self.drop_unhealthy(&mut old, may_go)?;
        let healthy = self.drop_available(&old, new, min_available)?;
        Ok(unhealthy + healthy > 0)
    }

    /// Pods that are not available go first, or they would stand in the rollout's way.
    fn drop_unhealthy(&mut self, old: &mut [Object], may_go: i64) -> Result<i64, Stop> {
        let mut gone = 0;
        for rs in old {
            if gone >= may_go {
                break;
            }
            let size = numbers::replicas(rs);
            let unhealthy = (may_go - gone).min(size - numbers::available(rs));
            if size == 0 || unhealthy <= 0 {
                continue;
            }
            *rs = self.scale_set(rs, size - unhealthy)?.1;
            gone += unhealthy;
        }
        Ok(gone)
    }

    fn drop_available(&mut self, old: &[Object], new: &Object, min_available: i64) -> Result<i64, Stop> {
        let may_go = old.available() + numbers::available(new) - min_available;
        let mut gone = 0;
        for rs in old {
            if gone >= may_go {
                break;
            }
            let size = numbers::replicas(rs);
            let count = size.min(may_go - gone);
            if count > 0 {
                self.scale_set(rs, size - count)?;
                gone += count;
            }
        }
        Ok(gone)
    }
}
