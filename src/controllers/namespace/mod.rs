//! Empties a namespace that is to go, and lets it go. Follows upstream `pkg/controller/namespace`
//! (namespace_controller.go, deletion/namespaced_resources_deleter.go, deletion/status_condition_utils.go).

mod conditions;
mod content;

use super::common::{num, send};
use crate::api::resource::{CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES};
use crate::api::{Object, Request, Resource, Str, Subresource, Value};
use crate::client::{Change, Controller, Handling, Memory, Stop, Sync};

/// The namespace loop.
pub struct NamespaceController;

const WATCHES: &[Resource] = &[NAMESPACES];
const READS: &[Resource] = &[CUSTOM_RESOURCE_DEFINITIONS];
const FINALIZER: &str = "kubernetes";
/// Lets other servers and loops see that the namespace is going before its content goes.
const GRACE_MS: u64 = 5000;

impl Controller for NamespaceController {
    fn name(&self) -> &'static str {
        "namespace"
    }

    fn watches(&self) -> &'static [Resource] {
        WATCHES
    }

    fn reads(&self) -> &'static [Resource] {
        READS
    }

    fn workers(&self) -> usize {
        10
    }

    /// Upstream multiplies its rate by 20 and its burst by 100: it asks for every kind there is.
    fn rate_limit(&self) -> (u64, u64) {
        (400, 3000)
    }

    fn component(&self) -> &'static str {
        "namespace-controller"
    }

    fn memory(&self, _node: &Str) -> Memory {
        Memory::new(())
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        if let Some(namespace) = change.new.as_ref().filter(|n| n.is_deleting()) {
            h.queue.add_after(namespace.meta().get("name").to_str(), h.now, GRACE_MS);
        }
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let Some(namespace) = sync.cache(&NAMESPACES).get("", key).filter(|n| n.is_deleting()) else { return Ok(()) };
        if finalizers(namespace).next().is_none() {
            return Ok(());
        }
        let left = content::delete_all(sync, key)?;
        sync.saw("saw.namespace", vec![Str::from(key), num(left.total())]);
        let status = conditions::update(namespace, &left, sync.now());
        if status != *namespace.status() {
            let mut changed = namespace.clone();
            changed.0.set("status", status);
            send(sync, Request::update_status(&NAMESPACES, changed))?;
        }
        if let Some(e) = left.failed {
            return Err(Stop::Failed(e));
        }
        if left.wait_s > 0 {
            sync.requeue_after(key, (left.wait_s.unsigned_abs() / 2 + 1).saturating_mul(1000));
            return Ok(());
        }
        finalize(sync, key)
    }
}

fn finalizers(namespace: &Object) -> impl Iterator<Item = &Value> {
    namespace.at(&["spec", "finalizers"]).items().iter()
}

fn finalize(sync: &mut Sync<'_>, name: &str) -> Result<(), Stop> {
    let mut fresh = send(sync, Request::get(&NAMESPACES, "", name))?;
    let kept: Value = finalizers(&fresh).filter(|f| f.text() != FINALIZER).cloned().collect();
    sync.differs("differs.namespace", vec![Str::from(name)]);
    fresh.0.set_at(&["spec", "finalizers"], kept);
    send(sync, Request::update(&NAMESPACES, fresh).on(Subresource::Finalize)).map(drop)
}
