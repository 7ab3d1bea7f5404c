//! Counts how many pods of each PodDisruptionBudget are healthy and how many may go.
//! Follows upstream `pkg/controller/disruption/disruption.go`. Left out: stale DisruptionTarget conditions (an eviction
//! deletes its pod at once), the Event about a pod with several budgets, the scale of custom kinds.

mod scale;

use super::common::{num, pod, send};
use crate::api::resource::{DEPLOYMENTS, PODS, REPLICA_SETS, STATEFUL_SETS};
use crate::api::{Object, ObjectKey, Request, Resource, Str, Value, disruption};
use crate::client::{Change, Controller, Handling, Memory, Stop, Sync};
use crate::util::Time;

/// The disruption budgets' loop.
pub struct DisruptionController;

const BUDGETS: Resource = Resource::fixed("poddisruptionbudgets.policy");
const REPLICATION_CONTROLLERS: Resource = Resource::fixed("replicationcontrollers");
const WATCHES: &[Resource] = &[BUDGETS, PODS];
const READS: &[Resource] = &[DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS, REPLICATION_CONTROLLERS];
/// A pod whose eviction was granted has so long to begin its end.
const DELETION_MS: u64 = 120_000;

impl Controller for DisruptionController {
    fn name(&self) -> &'static str {
        "disruption"
    }

    fn watches(&self) -> &'static [Resource] {
        WATCHES
    }

    fn reads(&self) -> &'static [Resource] {
        READS
    }

    fn component(&self) -> &'static str {
        "controllermanager"
    }

    fn memory(&self, _node: &Str) -> Memory {
        Memory::new(())
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        if change.resource == BUDGETS {
            h.queue.add(change.object().key().joined());
            return;
        }
        let budgets = h.caches.of(&BUDGETS);
        if budgets.is_empty() {
            return;
        }
        let about = change.object();
        let first = budgets.in_namespace(about.namespace()).find(|b| disruption::covers(b, about));
        if let Some(key) = first.map(|b| b.key().joined()) {
            h.queue.add(key);
        }
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let Some(budget) = sync.cache(&BUDGETS).by_key(&ObjectKey::split(key)) else { return Ok(()) };
        let pods: Vec<&Object> = sync.cache(&PODS).in_namespace(budget.namespace()).filter(|p| disruption::covers(budget, p)).collect();
        if pods.is_empty() {
            sync.event(budget, "Normal", "NoPods", "No matching pods found");
        }
        let counted = match scale::expected(sync, budget, &pods) {
            Ok(counted) => counted,
            Err(why) => return fail_safe(sync, budget, &why),
        };
        if counted.has_unmanaged {
            sync.event(budget, "Warning", "UnmanagedPods", unmanaged(budget));
        }
        let now = sync.now();
        let disrupted = still_disrupted(sync, budget, &pods);
        let is_going = |p: &Object| disrupted.iter().any(|(name, _)| name == p.name());
        let healthy = pods.iter().filter(|p| !p.is_deleting() && !is_going(p) && pod::is_ready(p)).count() as i64;
        sync.saw("saw.disruption", vec![budget.name().into(), num(healthy), num(counted.desired)]);
        write(sync, budget, healthy, &counted, &disrupted)?;
        if let Some(at) = disrupted.iter().map(|(_, at)| at.after_ms(DELETION_MS)).min() {
            sync.requeue_after(key, at.since_ms(now).max(1));
        }
        Ok(())
    }
}

/// What could not be counted must not be disrupted (`failSafe`).
fn fail_safe(sync: &mut Sync<'_>, budget: &Object, why: &str) -> Result<(), Stop> {
    let text = format!("Failed to calculate the number of expected pods: {why}");
    sync.event(budget, "Warning", "CalculateExpectedPodCountFailed", text);
    let mut changed = budget.clone();
    changed.0.set_at(&["status", "disruptionsAllowed"], 0_i64);
    disruption::set_condition(&mut changed, "False", "SyncFailed", why, sync.now());
    if changed.status() == budget.status() {
        return Ok(());
    }
    sync.differs("differs.status", Vec::new());
    send(sync, Request::update_status(&BUDGETS, changed)).map(drop)
}

/// The pods whose evictions were granted and that are still to be deleted (`buildDisruptedPodMap`).
fn still_disrupted(sync: &mut Sync<'_>, budget: &Object, pods: &[&Object]) -> Vec<(Str, Time)> {
    let granted = budget.status().get("disruptedPods");
    let mut left = Vec::new();
    for p in pods.iter().filter(|p| !p.is_deleting()) {
        let Some(at) = Time::parse_rfc3339(granted.get(p.name()).text()) else { continue };
        if at.after_ms(DELETION_MS) < sync.now() {
            // Upstream says the namespace twice.
            let place = budget.namespace();
            sync.event(p, "Warning", "NotDeleted", format!("Pod was expected by PDB {place}/{place} to be deleted but it wasn't"));
        } else {
            left.push((p.name().into(), at));
        }
    }
    left
}

fn write(sync: &mut Sync<'_>, budget: &Object, healthy: i64, counted: &scale::Counted, disrupted: &[(Str, Time)]) -> Result<(), Stop> {
    let spare = healthy - counted.desired;
    let allowed = if counted.expected <= 0 || spare <= 0 { 0 } else { spare };
    let mut changed = budget.clone();
    let status = changed.0.entry_at(&["status"]);
    let numbers = [
        ("currentHealthy", healthy),
        ("desiredHealthy", counted.desired),
        ("expectedPods", counted.expected),
        ("disruptionsAllowed", allowed),
        ("observedGeneration", budget.generation()),
    ];
    for (field, n) in numbers {
        status.set(Str::fixed(field), n);
    }
    if disrupted.is_empty() {
        status.remove("disruptedPods");
    } else {
        let going = disrupted.iter().map(|(name, at)| (name.clone(), Value::from(at.rfc3339())));
        status.set("disruptedPods", going.collect::<Value>());
    }
    if changed.status() == budget.status() && disruption::is_up_to_date(budget) {
        return Ok(());
    }
    sync.differs("differs.status", Vec::new());
    disruption::set_allowed(&mut changed, sync.now());
    send(sync, Request::update_status(&BUDGETS, changed)).map(drop)
}

fn unmanaged(budget: &Object) -> String {
    format!(
        "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a result, the status of the PDB cannot be \
         calculated correctly, which may result in undefined behavior. To account for these pods please set \".spec.minAvailable\" \
         field of the PDB to an integer value.",
        go_text(budget.spec().get("selector"))
    )
}

/// A LabelSelector as Go prints it.
fn go_text(selector: &Value) -> String {
    let labels: String = selector.get("matchLabels").entries().iter().map(|(k, v)| format!("{k}: {},", v.text())).collect();
    let expression = |e: &Value| {
        let values: Vec<&str> = e.get("values").items().iter().map(Value::text).collect();
        let (key, operator) = (e.get("key").text(), e.get("operator").text());
        format!("LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{}],}},", values.join(" "))
    };
    let expressions: String = selector.get("matchExpressions").items().iter().map(expression).collect();
    format!("&LabelSelector{{MatchLabels:map[string]string{{{labels}}},MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}")
}
