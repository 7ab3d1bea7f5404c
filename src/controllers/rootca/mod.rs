//! Puts the cluster's certificate into each namespace. Follows upstream
//! `pkg/controller/certificates/rootcacertpublisher/publisher.go`. The certificate itself is none: nothing here
//! speaks TLS.

use super::common::{attempt, is_namespace_terminating, send};
use crate::api::resource::{CONFIG_MAPS, NAMESPACES};
use crate::api::{Object, Request, Resource, Str, Value};
use crate::client::{Change, Controller, Handling, Memory, Stop, Sync};
use crate::value;

/// The root certificate publisher's loop.
pub struct RootCaPublisher;

const WATCHES: &[Resource] = &[NAMESPACES, CONFIG_MAPS];
const NAME: &str = "kube-root-ca.crt";
const DESCRIPTION: &str = "kubernetes.io/description";
const TEXT: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the \
                    internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";
const CERTIFICATE: &str =
    "-----BEGIN CERTIFICATE-----\nTG9vcHNjb3BlIHNpbXVsYXRlcyBhIGNsdXN0ZXI7IG5vdGhpbmcgaXMgc2lnbmVk\n-----END CERTIFICATE-----\n";

impl Controller for RootCaPublisher {
    fn name(&self) -> &'static str {
        "root-ca-certificate-publisher"
    }

    fn watches(&self) -> &'static [Resource] {
        WATCHES
    }

    fn component(&self) -> &'static str {
        "root-ca-cert-publisher"
    }

    fn memory(&self, _node: &Str) -> Memory {
        Memory::new(())
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        if change.resource == NAMESPACES {
            if !change.is_deleted() {
                h.queue.add(change.object().meta().get("name").to_str());
            }
        } else if !change.is_added() && change.object().name() == NAME {
            h.queue.add(change.object().meta().get("namespace").to_str());
        }
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let Some(namespace) = sync.cache(&NAMESPACES).get("", key) else { return Ok(()) };
        if namespace.status().get("phase").text() != "Active" {
            return Ok(());
        }
        let data = || -> Value { [(Str::fixed("ca.crt"), Value::from(CERTIFICATE))].into_iter().collect() };
        let annotations = || -> Value { [(Str::fixed(DESCRIPTION), Value::from(TEXT))].into_iter().collect() };
        let Some(map) = sync.cache(&CONFIG_MAPS).get(key, NAME) else {
            sync.differs("differs.rootca", vec![Str::from(key)]);
            let map = value!({
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": NAME, "namespace": (Str::from(key)), "annotations": (annotations())},
                "data": (data())
            });
            return match attempt(sync, Request::create(&CONFIG_MAPS, Object(map)))? {
                Err(e) if !e.is_already_exists() && !is_namespace_terminating(&e) => Err(Stop::Failed(e)),
                _ => Ok(()),
            };
        };
        if *map.get("data") == data() && map.annotation(DESCRIPTION).is_some_and(|t| !t.is_empty()) {
            return Ok(());
        }
        sync.differs("differs.rootca", vec![Str::from(key)]);
        let mut changed = map.clone();
        changed.0.set("data", data());
        changed.0.set_at(&["metadata", "annotations"], annotations());
        send(sync, Request::update(&CONFIG_MAPS, changed)).map(drop)
    }
}
