//! Counts what each quota's namespace uses. Follows upstream
//! `pkg/controller/resourcequota/resource_quota_controller.go` and `resource_quota_monitor.go`. Left out: the full
//! count every 5 minutes, kinds that no loop of this process watches (their number stays as the server charged it).

use super::common::{num, pod, send};
use crate::api::resource::{
    CONFIG_MAPS, DAEMON_SETS, DEPLOYMENTS, PERSISTENT_VOLUME_CLAIMS, PODS, REPLICA_SETS, RESOURCE_QUOTAS, SECRETS, SERVICES, STATEFUL_SETS,
};
use crate::api::usage::{Usage, scopes_match, usage};
use crate::api::{Object, ObjectKey, Quantity, Request, Resource, Str, Value};
use crate::client::{Change, Controller, Handling, Memory, Stop, Sync};

/// The resource quota loop.
pub struct ResourceQuotaController;

const JOBS: Resource = Resource::fixed("jobs.batch");
const CRON_JOBS: Resource = Resource::fixed("cronjobs.batch");
const WATCHES: &[Resource] = &[
    RESOURCE_QUOTAS,
    PODS,
    SERVICES,
    CONFIG_MAPS,
    SECRETS,
    PERSISTENT_VOLUME_CLAIMS,
    DEPLOYMENTS,
    REPLICA_SETS,
    STATEFUL_SETS,
    DAEMON_SETS,
    JOBS,
    CRON_JOBS,
];

impl Controller for ResourceQuotaController {
    fn name(&self) -> &'static str {
        "resourcequota"
    }

    fn watches(&self) -> &'static [Resource] {
        WATCHES
    }

    fn workers(&self) -> usize {
        5
    }

    fn component(&self) -> &'static str {
        "resourcequota-controller"
    }

    fn memory(&self, _node: &Str) -> Memory {
        Memory::new(())
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        if change.resource == RESOURCE_QUOTAS {
            let hard = |o: &Object| o.spec().get("hard").clone();
            let asks = |old: &Object| change.new.as_ref().is_some_and(|new| hard(old) != hard(new) || old.revision() == new.revision());
            if change.old.as_ref().is_none_or(asks) {
                h.queue.add(change.object().key().joined());
            }
            return;
        }
        if h.caches.of(&RESOURCE_QUOTAS).is_empty() {
            return;
        }
        // What came before a quota was first counted, nobody charged.
        let frees = frees(change);
        // Pods are never so early, and too many to count again for.
        let is_early = |q: &Object| {
            let uncounted = q.status().get("used").is_empty() || change.object().revision() < q.revision();
            change.old.is_none() && change.resource != PODS && uncounted
        };
        let quotas = h.caches.of(&RESOURCE_QUOTAS).in_namespace(change.object().namespace());
        let asked = quotas.filter(|q| frees || is_early(q));
        let keys: Vec<Str> = asked.map(|q| q.key().joined()).collect();
        for key in keys {
            h.queue.add(key);
        }
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let Some(quota) = sync.cache(&RESOURCE_QUOTAS).by_key(&ObjectKey::split(key)) else { return Ok(()) };
        let used = count(sync, quota);
        sync.saw("saw.resourcequota", vec![quota.meta().get("name").to_str(), num(used.entries().len() as i64)]);
        let status = quota.status();
        if status.get("hard").entries() == quota.spec().get("hard").entries() && same_amounts(status.get("used"), &used) {
            return Ok(());
        }
        sync.differs("differs.status", Vec::new());
        let mut changed = quota.clone();
        changed.0.set_at(&["status", "hard"], quota.spec().get("hard"));
        changed.0.set_at(&["status", "used"], used);
        send(sync, Request::update_status(&RESOURCE_QUOTAS, changed)).map(drop)
    }
}

/// Whether a change may give something back to a quota; what takes from it is charged by the server.
fn frees(change: &Change) -> bool {
    match (&change.old, &change.new) {
        (_, None) => true,
        (Some(old), Some(new)) if change.resource == PODS => pod::is_finished(new) && !pod::is_finished(old),
        (Some(old), Some(new)) if change.resource == SERVICES => old.spec().get("type") != new.spec().get("type"),
        _ => false,
    }
}

/// What the caches say is used, of what the quota limits.
fn count(sync: &Sync<'_>, quota: &Object) -> Value {
    let hard = quota.spec().get("hard").entries();
    let mut total = Usage::new();
    for resource in WATCHES {
        for object in sync.cache(resource).in_namespace(quota.namespace()) {
            if !scopes_match(quota, resource, &object.0) {
                continue;
            }
            for (name, amount) in usage(resource, &object.0) {
                if hard.iter().any(|(n, _)| *n == name) {
                    *total.entry(name).or_default() += amount;
                }
            }
        }
    }
    let known = |name: &Str| !name.starts_with("count/") || WATCHES.iter().any(|r| name[6..] == *r.0);
    let amount = |name: &Str| -> Value {
        let charged = quota.status().at(&["used", name]);
        if !known(name) && !charged.is_null() {
            return charged.clone();
        }
        Value::from(total.get(name).copied().unwrap_or(Quantity::ZERO))
    };
    hard.iter().map(|(name, _)| (name.clone(), amount(name))).collect()
}

fn same_amounts(a: &Value, b: &Value) -> bool {
    let (a, b) = (a.entries(), b.entries());
    a.len() == b.len() && a.iter().zip(b).all(|((k, x), (l, y))| k == l && Quantity::of(x) == Quantity::of(y))
}
