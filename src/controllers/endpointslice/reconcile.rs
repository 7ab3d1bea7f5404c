//! Fits the endpoints of a service into its slices, changing as few of them as possible.
//! Follows `k8s.io/endpointslice` `reconciler.go`.

use super::{Known, endpoint, slice};
use crate::api::resource::ENDPOINT_SLICES;
use crate::api::{Object, Request, Status, Str, Value};
use crate::client::{Stop, Sync};
use crate::controllers::common::{attempt, num};
use crate::util::{Order, Time};
use std::collections::BTreeMap;

/// `--max-endpoints-per-slice`
const MAX_PER_SLICE: usize = 100;

#[derive(Default)]
struct Plan {
    create: Vec<Object>,
    update: Vec<Object>,
    delete: Vec<Object>,
}

/// # Errors
/// The first refusal, or `Halted`.
pub(super) fn reconcile(
    sync: &mut Sync<'_>,
    key: &str,
    service: &Object,
    pods: &[&Object],
    slices: &[&Object],
    trigger: Option<Time>,
) -> Result<(), Stop> {
    // Pods of one service may serve a named port at different numbers; each set of ports has its own slices.
    let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
    for pod in pods {
        let Some(e) = endpoint::endpoint(sync, service, pod) else { continue };
        let ports = endpoint::ports(service, pod);
        match groups.iter_mut().find(|(p, _)| *p == ports) {
            Some((_, endpoints)) => endpoints.push(e),
            None => groups.push((ports, vec![e])),
        }
    }
    let mut plan = Plan::default();
    for (ports, desired) in &mut groups {
        let of_ports: Vec<&Object> = slices.iter().filter(|s| same_ports(s, ports)).copied().collect();
        fit(&mut plan, service, ports, std::mem::take(desired), &of_ports);
    }
    let unwanted = slices.iter().filter(|s| !groups.iter().any(|(ports, _)| same_ports(s, ports)));
    plan.delete.extend(unwanted.map(|s| (*s).clone()));
    keep_a_placeholder(&mut plan, service, slices);
    perform(sync, key, plan, trigger)
}

fn same_ports(slice: &Object, ports: &Value) -> bool {
    slice.get("ports").items() == ports.items()
}

/// `reconcileByPortMapping`
fn fit(plan: &mut Plan, service: &Object, ports: &Value, desired: Vec<Value>, slices: &[&Object]) {
    let mut by_pod: BTreeMap<Str, Value> = desired.into_iter().map(|e| (e.at(&["targetRef", "name"]).to_str(), e)).collect();
    let labels = slice::labels(service);
    let (mut updated, mut unchanged): (Vec<Object>, Vec<Object>) = (Vec::new(), Vec::new());
    for old in slices {
        let existing = old.get("endpoints").items();
        let mut kept: Vec<Value> = Vec::with_capacity(existing.len());
        let mut changed = false;
        for e in existing {
            if let Some(wanted) = by_pod.remove(e.at(&["targetRef", "name"]).text()).filter(|d| endpoint::is_same(d, e)) {
                changed |= wanted != *e;
                kept.push(wanted);
            }
        }
        let removed = kept.len() != existing.len();
        if kept.is_empty() && (removed || changed) {
            plan.delete.push((*old).clone());
        } else if changed || removed || *old.labels() != labels {
            let mut new = (*old).clone();
            new.0.set("endpoints", kept);
            new.0.set_at(&["metadata", "labels"], &labels);
            updated.push(new);
        } else {
            unchanged.push((*old).clone());
        }
    }
    let mut desired: Vec<Value> = by_pod.into_values().collect();
    // Slices that are written anyway take what they can, the fullest first.
    updated.order_by_key(|s| std::cmp::Reverse(s.get("endpoints").items().len()));
    for s in &mut updated {
        fill(s, &mut desired);
    }
    while !desired.is_empty() {
        let room = |s: &Object| s.get("endpoints").items().len() + desired.len() <= MAX_PER_SLICE;
        let candidates = unchanged.iter().enumerate().filter(|(_, s)| desired.len() < MAX_PER_SLICE && room(s));
        match candidates.max_by_key(|(_, s)| s.get("endpoints").items().len()).map(|(i, _)| i) {
            Some(i) => {
                let mut s = unchanged.remove(i);
                fill(&mut s, &mut desired);
                updated.push(s);
            }
            None => {
                let mut s = slice::new(service, ports);
                fill(&mut s, &mut desired);
                plan.create.push(s);
            }
        }
    }
    plan.update.append(&mut updated);
}

fn fill(slice: &mut Object, desired: &mut Vec<Value>) {
    let have = slice.get("endpoints").items().len();
    let count = desired.len().min(MAX_PER_SLICE.saturating_sub(have));
    if count > 0 {
        slice.0.entry_at(&["endpoints"]).list_mut().extend(desired.drain(..count));
    }
}

/// A service without endpoints has one empty slice.
fn keep_a_placeholder(plan: &mut Plan, service: &Object, slices: &[&Object]) {
    if slices.len() != plan.delete.len() || !plan.create.is_empty() {
        return;
    }
    let placeholder = slice::new(service, &Value::Null);
    let is_one = |s: &Object| s.get("endpoints").is_empty() && s.get("ports").is_empty() && s.labels() == placeholder.labels();
    if plan.delete.len() == 1 && is_one(&plan.delete[0]) {
        plan.delete.clear();
    } else {
        plan.create.push(placeholder);
    }
}

/// Writes the plan; what would be deleted is used again for what would be created (`finalize`).
fn perform(sync: &mut Sync<'_>, key: &str, mut plan: Plan, trigger: Option<Time>) -> Result<(), Stop> {
    while !plan.delete.is_empty()
        && let Some(mut new) = plan.create.pop()
    {
        let old = plan.delete.remove(0);
        for field in ["name", "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"] {
            let kept = old.meta().get(field);
            if !kept.is_null() {
                new.0.entry_at(&["metadata"]).set(field, kept);
            }
        }
        plan.update.push(new);
    }
    let counts = [plan.create.len(), plan.update.len(), plan.delete.len()];
    if counts.iter().any(|n| *n > 0) {
        sync.differs("differs.endpointslice", counts.iter().map(|n| num(*n as i64)).collect());
    }
    let mut failed: Option<Status> = None;
    let creates = plan.create.into_iter().map(|s| (true, s));
    for (is_new, mut s) in creates.chain(plan.update.into_iter().map(|s| (false, s))) {
        slice::set_trigger(&mut s, trigger);
        let request = if is_new { Request::create(&ENDPOINT_SLICES, s) } else { Request::update(&ENDPOINT_SLICES, s) };
        match attempt(sync, request)? {
            Ok(stored) => note_written(sync, key, &stored),
            Err(e) => {
                failed.get_or_insert(e);
            }
        }
    }
    for s in plan.delete {
        let id = s.key();
        match attempt(sync, Request::delete(&ENDPOINT_SLICES, id.namespace, id.name))? {
            Err(e) if !e.is_not_found() => {
                failed.get_or_insert(e);
            }
            _ => forget(sync, key, s.uid()),
        }
    }
    failed.map_or(Ok(()), |e| Err(Stop::Failed(e)))
}

fn note_written(sync: &mut Sync<'_>, key: &str, stored: &Object) {
    let (uid, generation) = (Str::from(stored.uid()), stored.generation());
    sync.remember(|m: &mut Known| {
        if !m.written.contains_key(key) {
            m.written.insert_mut(Str::from(key), crate::util::Tree::new());
        }
        m.written.get_mut(key).expect("put in above").insert_mut(uid, generation);
    });
}

fn forget(sync: &mut Sync<'_>, key: &str, uid: &str) {
    sync.remember(|m: &mut Known| {
        if let Some(w) = m.written.get_mut(key) {
            w.remove_mut(uid);
        }
    });
}
