//! Rolls a Deployment's template out: one ReplicaSet a template, scaled against each other. Follows upstream
//! `pkg/controller/deployment` (deployment_controller.go, sync.go, rolling.go, recreate.go, progress.go, util/).
//! Left out: the deprecated rollback annotation, pod replacement policy, metrics.

mod handlers;
mod history;
mod numbers;
mod progress;
mod recreate;
mod revision;
mod rolling;
mod scale;

use super::common::claim::{Claim, claim};
use super::common::{conditions, num, send};
use crate::api::resource::{DEPLOYMENTS, PODS, REPLICA_SETS};
use crate::api::{Object, ObjectKey, Request, Resource, Selector, Str, Value};
use crate::client::{Change, Controller, Handling, Memory, Stop, Sync};
use numbers::Sets;

/// The Deployment loop.
pub struct DeploymentController;

const WATCHES: &[Resource] = &[DEPLOYMENTS, REPLICA_SETS, PODS];
const PROGRESSING: &str = "Progressing";

impl Controller for DeploymentController {
    fn name(&self) -> &'static str {
        "deployment"
    }

    fn watches(&self) -> &'static [Resource] {
        WATCHES
    }

    fn workers(&self) -> usize {
        5
    }

    fn component(&self) -> &'static str {
        "deployment-controller"
    }

    fn memory(&self, _node: &Str) -> Memory {
        Memory::new(())
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        if change.resource == PODS {
            handlers::pod(h, change);
        } else if change.resource == REPLICA_SETS {
            handlers::replica_set(h, change);
        } else {
            h.queue.add(change.object().key().joined());
        }
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let Some(d) = sync.cache(&DEPLOYMENTS).by_key(&ObjectKey::split(key)) else { return Ok(()) };
        if d.spec().get("selector").is_empty() {
            return selects_all(sync, d);
        }
        let selector = Selector::of_object(d.spec().get("selector"));
        let c = Claim { owner: d, owner_resource: &DEPLOYMENTS, selector: &selector, resource: &REPLICA_SETS };
        let sets: Vec<Object> = claim(sync, &c, |_| true)?.into_iter().cloned().collect();
        Work { sync, key, d: d.clone(), sets }.run()
    }
}

/// A selector without terms is a mistake that the server refuses; an old object may still have one.
fn selects_all(sync: &mut Sync<'_>, d: &Object) -> Result<(), Stop> {
    let text = "This deployment is selecting all pods. A non-empty selector is required.";
    sync.event(d, "Warning", "SelectingAll", text);
    if d.status().get("observedGeneration").int() < d.generation() {
        let mut d = d.clone();
        let generation = d.generation();
        d.0.set_at(&["status", "observedGeneration"], generation);
        send(sync, Request::update_status(&DEPLOYMENTS, d))?;
    }
    Ok(())
}

/// One sync of one Deployment. `d` is this sync's own copy, which it changes as upstream changes its deep copy.
struct Work<'s, 'a> {
    sync: &'s mut Sync<'a>,
    key: &'s str,
    d: Object,
    sets: Vec<Object>,
}

impl Work<'_, '_> {
    fn run(mut self) -> Result<(), Stop> {
        self.note_what_is_seen();
        if self.d.is_deleting() {
            let (new, old) = self.new_and_old(false)?;
            return self.write_status_only(new.as_ref(), &old);
        }
        self.check_paused_conditions()?;
        if self.d.spec().get("paused").is_true() || self.is_scaling()? {
            return self.scale_only();
        }
        if self.d.spec().at(&["strategy", "type"]).text() == "Recreate" { self.roll_by_recreating() } else { self.roll() }
    }

    fn note_what_is_seen(&mut self) {
        let (total, active) = (self.sets.replicas(), self.sets.iter().filter(|rs| numbers::replicas(rs) > 0).count());
        let args = vec![num(self.desired()), num(self.sets.len() as i64), num(active as i64), num(total), num(self.sets.available())];
        self.sync.saw("saw.deployment", args);
    }

    /// `spec.replicas`, 1 if it is absent.
    fn desired(&self) -> i64 {
        numbers::replicas(&self.d)
    }

    /// Whether `spec.progressDeadlineSeconds` says when a rollout has failed.
    fn deadline_s(&self) -> Option<i64> {
        self.d.spec().get("progressDeadlineSeconds").as_int().filter(|s| *s != i64::from(i32::MAX))
    }

    /// Sends the status (and the annotations) of this sync's copy. The copy keeps the revision it was read with, as
    /// upstream's does: a second write in one sync is refused as a conflict, and the key comes back.
    fn send_status(&mut self) -> Result<(), Stop> {
        send(self.sync, Request::update_status(&DEPLOYMENTS, self.d.clone())).map(drop)
    }

    fn set_condition(&mut self, new: Value) {
        numbers::set_condition(self.d.0.entry_at(&["status", "conditions"]), new, self.sync.now());
    }

    /// Says that progress is not measured while paused, and again when resumed, so that a pause does not count.
    fn check_paused_conditions(&mut self) -> Result<(), Stop> {
        let reason = self.d.condition(PROGRESSING).map_or(Str::default(), |c| c.get("reason").to_str());
        if self.deadline_s().is_none() || reason == "ProgressDeadlineExceeded" {
            return Ok(());
        }
        let paused = self.d.spec().get("paused").is_true();
        let (reason, text) = match (paused, reason == "DeploymentPaused") {
            (true, false) => ("DeploymentPaused", "Deployment is paused"),
            (false, true) => ("DeploymentResumed", "Deployment is resumed"),
            _ => return Ok(()),
        };
        let now = self.sync.now();
        self.set_condition(conditions::condition(PROGRESSING, "Unknown", reason, text, now));
        self.send_status()
    }
}
