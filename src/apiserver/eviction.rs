//! pods/eviction: a DELETE that a disruption budget may refuse. Follows upstream `registry/core/pod/storage/eviction.go`.
//! Left out: preconditions, as nothing happens between the check and the deletion.

use super::ApiServer;
use crate::api::resource::PODS;
use crate::api::{Object, Request, Resource, Status, Str, Value, Verb, disruption};
use crate::util::Time;
use crate::value;

const BUDGETS: Resource = Resource::fixed("poddisruptionbudgets.policy");
/// So many granted evictions may wait for their deletions.
const DISRUPTED_MAX: usize = 2000;

impl ApiServer {
    #[inline(never)]
    pub(super) fn evict(&mut self, request: &Request, now: Time) -> Result<Object, Status> {
        let pod = self.get(request)?;
        let going = pod.is_deleting() || matches!(pod.status().get("phase").text(), "Succeeded" | "Failed" | "Pending");
        if !going {
            self.ask_budget(&pod, request.dry_run, now)?;
        }
        let info = self.info(&PODS)?;
        if !pod.is_deleting() && !request.dry_run {
            self.etcd.put(&PODS, disrupted(&pod, now), now);
        }
        let mut delete = Request { subresource: None, verb: Verb::Delete, ..request.clone() };
        delete.delete.grace_period_seconds = request.body.at(&["deleteOptions", "gracePeriodSeconds"]).as_int();
        self.delete(&delete, &info, now)
    }

    fn ask_budget(&mut self, pod: &Object, dry_run: bool, now: Time) -> Result<(), Status> {
        let budgets: Vec<Object> = self.etcd.list(&BUDGETS, pod.namespace()).filter(|b| disruption::covers(b, pod)).cloned().collect();
        let Some(budget) = budgets.first() else { return Ok(()) };
        if budgets.len() > 1 {
            let why = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
            return Err(Status::other(500, "", why));
        }
        let of = |field: &str| budget.status().get(field).int();
        if !pod.condition_is_true("Ready") {
            let always = budget.spec().get("unhealthyPodEvictionPolicy").text() == "AlwaysAllow";
            if always || of("currentHealthy") >= of("desiredHealthy") && of("desiredHealthy") > 0 {
                return Ok(());
            }
        }
        let name = budget.name();
        if of("observedGeneration") < budget.generation() {
            return Err(refused(format!("The disruption budget {name} is still being processed by the server."), 10));
        }
        if of("disruptionsAllowed") < 0 {
            return Err(Status::forbidden("poddisruptionbudget.policy", name, "pdb disruptions allowed is negative"));
        }
        if budget.status().get("disruptedPods").entries().len() > DISRUPTED_MAX {
            let why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
            return Err(Status::forbidden("poddisruptionbudget.policy", name, why));
        }
        if of("disruptionsAllowed") == 0 {
            return Err(refused(why_not(budget), 0));
        }
        if !dry_run {
            let mut granted = budget.clone();
            let left = of("disruptionsAllowed") - 1;
            granted.0.set_at(&["status", "disruptionsAllowed"], left);
            if left == 0 {
                disruption::set_allowed(&mut granted, now);
            }
            granted.0.entry_at(&["status", "disruptedPods"]).set(pod.meta().get("name").to_str(), now.rfc3339());
            self.put_status(&BUDGETS, granted, now);
        }
        Ok(())
    }
}

fn why_not(budget: &Object) -> String {
    let (name, status) = (budget.name(), budget.status());
    match budget.condition("DisruptionAllowed") {
        Some(c) if c.get("reason").text() == "SyncFailed" => {
            let why = c.get("message").text();
            format!("The disruption budget {name} does not allow evicting pods currently because it failed sync: {why}")
        }
        _ => {
            let (want, have) = (status.get("desiredHealthy").int(), status.get("currentHealthy").int());
            format!("The disruption budget {name} needs {want} healthy pods and has {have} currently")
        }
    }
}

fn refused(cause: String, retry_after_s: i64) -> Status {
    let mut status = Status::too_many_requests("Cannot evict pod as it would violate the pod's disruption budget.");
    status.details = value!({"causes": [{"reason": "DisruptionBudget", "message": (Value::from(Str::from(cause)))}]});
    if retry_after_s > 0 {
        status.details.set("retryAfterSeconds", retry_after_s);
    }
    status
}

/// The pod with the reason of its eviction.
fn disrupted(pod: &Object, now: Time) -> Object {
    let mut object = pod.clone();
    let list = object.0.entry_at(&["status", "conditions"]).list_mut();
    list.retain(|c| c.get("type").text() != "DisruptionTarget");
    list.push(value!({
        "type": "DisruptionTarget", "status": "True", "lastProbeTime": null, "lastTransitionTime": (now.rfc3339()),
        "reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting"
    }));
    object
}
