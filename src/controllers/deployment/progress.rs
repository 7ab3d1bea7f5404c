//! A Deployment's status and what it says of the rollout's progress. Follows upstream `progress.go` and
//! `sync.go` (`calculateStatus`, `syncDeploymentStatus`).

use super::numbers::{self, Sets};
use super::{PROGRESSING, Work};
use crate::api::{Object, Value};
use crate::client::Stop;
use crate::controllers::common::conditions;
use crate::util::Time;

const COUNTS: [&str; 6] =
    ["observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"];
const FAILURE: &str = "ReplicaFailure";

impl Work<'_, '_> {
    /// Writes the status without judging progress.
    pub(super) fn write_status_only(&mut self, new: Option<&Object>, old: &[Object]) -> Result<(), Stop> {
        let status = self.calculate(new, old);
        if same(self.d.status(), &status) {
            return Ok(());
        }
        self.write(status)
    }

    /// Writes the status with the rollout's progress (`syncRolloutStatus`).
    pub(super) fn write_rollout_status(&mut self, new: Option<&Object>, old: &[Object]) -> Result<(), Stop> {
        let mut status = self.calculate(new, old);
        if self.deadline_s().is_none() {
            conditions::remove(status.entry_at(&["conditions"]), PROGRESSING);
        }
        let reason = self.d.condition(PROGRESSING).map(|c| c.get("reason").to_str());
        let count = |field: &str| status.get(field).int();
        let finished = count("replicas") == count("updatedReplicas") && reason.is_some_and(|r| r == "NewReplicaSetAvailable");
        if self.deadline_s().is_some() && !finished {
            self.judge_progress(&mut status, new);
        }
        match failure(new, old) {
            Some(c) => numbers::set_condition(status.entry_at(&["conditions"]), c, self.sync.now()),
            None => conditions::remove(status.entry_at(&["conditions"]), FAILURE),
        }
        if same(self.d.status(), &status) {
            return self.come_back_for_deadline(&status);
        }
        self.write(status)
    }

    fn write(&mut self, status: Value) -> Result<(), Stop> {
        self.sync.differs("differs.status", Vec::new());
        self.d.0.set("status", status);
        self.send_status()
    }

    fn judge_progress(&mut self, status: &mut Value, new: Option<&Object>) {
        let now = self.sync.now();
        let what = match new {
            Some(rs) => format!("ReplicaSet \"{}\"", rs.name()),
            None => format!("Deployment \"{}\"", self.d.name()),
        };
        let list = &mut status.get("conditions").clone();
        if is_complete(&self.d, status) {
            let text = format!("{what} has successfully progressed.");
            numbers::set_condition(list, conditions::condition(PROGRESSING, "True", "NewReplicaSetAvailable", text, now), now);
        } else if has_progressed(self.d.status(), status) {
            let text = format!("{what} is progressing.");
            let mut c = conditions::condition(PROGRESSING, "True", "ReplicaSetUpdated", text, now);
            // Even with the reason unchanged, the time of update must move: it is what the deadline counts from.
            if let Some(current) = self.d.condition(PROGRESSING) {
                if current.get("status").text() == "True" {
                    c.set("lastTransitionTime", current.get("lastTransitionTime"));
                }
                conditions::remove(list, PROGRESSING);
            }
            numbers::set_condition(list, c, now);
        } else if self.is_late(status) {
            let text = format!("{what} has timed out progressing.");
            numbers::set_condition(list, conditions::condition(PROGRESSING, "False", "ProgressDeadlineExceeded", text, now), now);
        }
        status.set("conditions", &*list);
    }

    /// Whether the deadline has passed since the last progress (`DeploymentTimedOut`).
    fn is_late(&self, status: &Value) -> bool {
        let Some(c) = status.get("conditions").find("type", PROGRESSING) else { return false };
        match c.get("reason").text() {
            "NewReplicaSetAvailable" => false,
            "ProgressDeadlineExceeded" => true,
            _ => self.deadline_of(c).is_some_and(|due| due < self.sync.now()),
        }
    }

    fn deadline_of(&self, condition: &Value) -> Option<Time> {
        let updated = Time::parse_rfc3339(condition.get("lastUpdateTime").text())?;
        Some(updated.after_ms(self.deadline_s()?.unsigned_abs() * 1000))
    }

    /// Nothing happens when nothing progresses, so the loop itself must look again (`requeueStuckDeployment`).
    fn come_back_for_deadline(&mut self, status: &Value) -> Result<(), Stop> {
        let Some(c) = self.d.condition(PROGRESSING) else { return Ok(()) };
        if is_complete(&self.d, status) || c.get("reason").text() == "ProgressDeadlineExceeded" {
            return Ok(());
        }
        let Some(due) = self.deadline_of(c) else { return Ok(()) };
        let (now, left) = (self.sync.now(), due.since_ms(self.sync.now()));
        let key = self.key;
        if left < 1000 {
            self.sync.queue(|q| q.add_rate_limited(key, now));
        } else {
            self.sync.requeue_after(key, left + 1000);
        }
        Ok(())
    }

    /// Whether the rollout is over by the status last written.
    pub(super) fn is_complete(&self) -> bool {
        is_complete(&self.d, self.d.status())
    }

    fn calculate(&self, new: Option<&Object>, old: &[Object]) -> Value {
        let all: Vec<&Object> = old.iter().chain(new).collect();
        let available = all.available();
        let updated = new.map_or(0, |rs| rs.status().get("replicas").int());
        let unavailable = (all.replicas() - available).max(0);
        let counts = [self.d.generation(), all.actual(), updated, all.ready(), available, unavailable];
        let mut status = Value::map();
        for (field, n) in COUNTS.into_iter().zip(counts).filter(|(_, n)| *n != 0) {
            status.set(field, n);
        }
        if let Some(n) = numbers::terminating(&all) {
            status.set("terminatingReplicas", n);
        }
        if let Some(n) = self.d.status().get("collisionCount").as_int() {
            status.set("collisionCount", n);
        }
        let now = self.sync.now();
        let enough = available >= self.desired() - numbers::max_unavailable(&self.d);
        let c = if enough {
            conditions::condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", now)
        } else {
            conditions::condition("Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.", now)
        };
        let mut list = self.d.status().get("conditions").clone();
        numbers::set_condition(&mut list, c, now);
        status.set("conditions", list);
        status
    }
}

fn is_complete(d: &Object, status: &Value) -> bool {
    let desired = numbers::replicas(d);
    let all = ["updatedReplicas", "replicas", "availableReplicas"].iter().all(|f| status.get(f).int() == desired);
    all && status.get("observedGeneration").int() >= d.generation()
}

fn has_progressed(before: &Value, after: &Value) -> bool {
    let old_ones = |s: &Value| s.get("replicas").int() - s.get("updatedReplicas").int();
    let grew = |f: &str| after.get(f).int() > before.get(f).int();
    grew("updatedReplicas") || old_ones(after) < old_ones(before) || grew("readyReplicas") || grew("availableReplicas")
}

/// The failure of a ReplicaSet, the new one's first, as a Deployment's condition.
fn failure(new: Option<&Object>, old: &[Object]) -> Option<Value> {
    let mut c = new.into_iter().chain(old).find_map(|rs| rs.condition(FAILURE))?.clone();
    c.set("lastUpdateTime", c.get("lastTransitionTime").clone());
    Some(c)
}

fn same(a: &Value, b: &Value) -> bool {
    let optional = ["terminatingReplicas", "collisionCount"];
    COUNTS.iter().all(|f| a.get(f).int() == b.get(f).int())
        && optional.iter().all(|f| a.get(f) == b.get(f))
        && a.get("conditions").items() == b.get("conditions").items()
}
