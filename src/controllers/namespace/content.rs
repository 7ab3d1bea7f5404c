//! Deletes everything in a namespace, pods before the rest.

use crate::api::resource::{CUSTOM_RESOURCE_DEFINITIONS, PODS};
use crate::api::scheme::Kinds;
use crate::api::{Object, Propagation, Request, Resource, Status, Str, Verb};
use crate::client::{Stop, Sync};
use crate::controllers::common::MANAGER;
use crate::util::Order;
use std::collections::BTreeMap;

/// What finalizers of unknown duration are given.
const FINALIZER_S: i64 = 15;

/// What a namespace still holds.
#[derive(Default)]
pub(super) struct Left {
    /// pods that the rest waits for; upstream's conditions do not speak of them
    pub pods: i64,
    /// objects by kind
    pub kinds: BTreeMap<Resource, i64>,
    /// objects by finalizer
    pub finalizers: BTreeMap<Str, i64>,
    /// how long what is left may take
    pub wait_s: i64,
    pub failed: Option<Status>,
}

impl Left {
    pub(super) fn total(&self) -> i64 {
        self.pods + self.kinds.values().sum::<i64>()
    }
}

/// Deletes what it can. Refusals are noted; the others go on.
///
/// # Errors
/// Only `Halted`.
pub(super) fn delete_all(sync: &mut Sync<'_>, namespace: &str) -> Result<Left, Stop> {
    let mut left = Left::default();
    delete_kind(sync, namespace, &PODS, &mut left)?;
    if left.wait_s > 0 {
        left.pods = left.total();
        left.kinds.clear();
        left.finalizers.clear();
        return Ok(left);
    }
    for resource in namespaced_kinds(sync) {
        delete_kind(sync, namespace, &resource, &mut left)?;
    }
    Ok(left)
}

/// Every kind whose objects live in namespaces and can be deleted together.
fn namespaced_kinds(sync: &Sync<'_>) -> Vec<Resource> {
    let kinds = Kinds::built_in();
    let built_in = kinds.iter().filter(|k| k.namespaced && k.can("deletecollection") && k.resource != PODS);
    let mut all: Vec<Resource> = built_in.map(|k| k.resource.clone()).collect();
    for definition in sync.cache(&CUSTOM_RESOURCE_DEFINITIONS).all() {
        if definition.spec().get("scope").text() == "Namespaced" {
            all.push(Resource::named(definition.meta().get("name").to_str()));
        }
    }
    all.order();
    all.dedup();
    all
}

fn delete_kind(sync: &mut Sync<'_>, namespace: &str, resource: &Resource, left: &mut Left) -> Result<(), Stop> {
    let before = list(sync, namespace, resource, left)?;
    if before.is_empty() {
        return Ok(());
    }
    let mut request = Request::new(Verb::DeleteCollection, resource, namespace, "").by(MANAGER);
    request.delete.propagation = Some(Propagation::Background);
    if let Err(e) = sync.batch(vec![request])?.remove(0) {
        left.failed.get_or_insert(e);
    }
    let after = list(sync, namespace, resource, left)?;
    if after.is_empty() {
        return Ok(());
    }
    left.kinds.insert(resource.clone(), after.len() as i64);
    let grace = |o: &Object| o.meta().get("deletionGracePeriodSeconds").int().max(o.spec().get("terminationGracePeriodSeconds").int());
    if *resource == PODS {
        left.wait_s = left.wait_s.max(after.iter().map(grace).max().unwrap_or(0)).max(1);
    }
    for finalizer in after.iter().flat_map(|o| o.meta().get("finalizers").items()) {
        *left.finalizers.entry(finalizer.to_str()).or_default() += 1;
        left.wait_s = left.wait_s.max(FINALIZER_S);
    }
    if left.wait_s == 0 {
        left.wait_s = FINALIZER_S;
    }
    Ok(())
}

fn list(sync: &mut Sync<'_>, namespace: &str, resource: &Resource, left: &mut Left) -> Result<Vec<Object>, Stop> {
    match sync.batch(vec![Request::list(resource, namespace).by(MANAGER)])?.remove(0) {
        Ok(answer) => Ok(answer.items()),
        Err(e) => {
            // A kind that is no longer served holds nothing.
            if !e.is_not_found() {
                left.failed.get_or_insert(e);
            }
            Ok(Vec::new())
        }
    }
}
