//! Gives each namespace its ServiceAccount `default`. Follows upstream
//! `pkg/controller/serviceaccount/serviceaccounts_controller.go`. Left out: tokens.

use super::common::{attempt, is_namespace_terminating};
use crate::api::resource::{NAMESPACES, SERVICE_ACCOUNTS};
use crate::api::{Object, Request, Resource, Str};
use crate::client::{Change, Controller, Handling, Memory, Stop, Sync};
use crate::value;

/// The service account loop.
pub struct ServiceAccountController;

const WATCHES: &[Resource] = &[NAMESPACES, SERVICE_ACCOUNTS];
const NAME: &str = "default";

impl Controller for ServiceAccountController {
    fn name(&self) -> &'static str {
        "serviceaccount"
    }

    fn watches(&self) -> &'static [Resource] {
        WATCHES
    }

    fn component(&self) -> &'static str {
        "serviceaccount-controller"
    }

    fn memory(&self, _node: &Str) -> Memory {
        Memory::new(())
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        if change.resource == NAMESPACES {
            if !change.is_deleted() {
                h.queue.add(change.object().meta().get("name").to_str());
            }
        } else if change.is_deleted() && change.object().name() == NAME {
            h.queue.add(change.object().meta().get("namespace").to_str());
        }
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let Some(namespace) = sync.cache(&NAMESPACES).get("", key) else { return Ok(()) };
        if namespace.status().get("phase").text() != "Active" || sync.cache(&SERVICE_ACCOUNTS).get(key, NAME).is_some() {
            return Ok(());
        }
        sync.differs("differs.serviceaccount", vec![Str::from(key)]);
        let account = value!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": NAME, "namespace": (Str::from(key))}});
        match attempt(sync, Request::create(&SERVICE_ACCOUNTS, Object(account)))? {
            Err(e) if !e.is_already_exists() && !is_namespace_terminating(&e) => Err(Stop::Failed(e)),
            _ => Ok(()),
        }
    }
}
