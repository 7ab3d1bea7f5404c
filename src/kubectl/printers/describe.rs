//! `kubectl describe`: which description belongs to a kind.

use super::super::fault::Fault;
use super::super::tabs;
use super::{
    cron_job, daemon_set, deployment, endpoint_slice, event, generic, hpa, ingress, job, namespace, node, pod, pod_disruption_budget,
    quota, replica_set, service, small, stateful_set, storage,
};
use crate::api::{Object, Resource};
use crate::client::Transport;

/// Writes what is known of an object; it may ask the server for what belongs to it.
pub type Describe = fn(&mut String, &Object, &mut dyn Transport) -> Result<(), Fault>;

/// The description of an object, with its events if asked.
///
/// # Errors
/// The server refuses to show what belongs to the object.
pub fn text(resource: &Resource, object: &Object, api: &mut dyn Transport, events: bool) -> Result<String, Fault> {
    let mut out = String::new();
    let (describe, own_events): (Describe, bool) = match resource.0.as_str() {
        "pods" => (pod::describe, false),
        "deployments.apps" => (deployment::describe, false),
        "replicasets.apps" | "replicationcontrollers" => (replica_set::describe, false),
        "statefulsets.apps" => (stateful_set::describe, false),
        "daemonsets.apps" => (daemon_set::describe, false),
        "jobs.batch" => (job::describe, false),
        "cronjobs.batch" => (cron_job::describe, false),
        "services" => (service::describe, false),
        "endpointslices.discovery.k8s.io" => (endpoint_slice::describe, false),
        "ingresses.networking.k8s.io" => (ingress::describe, false),
        "nodes" => (node::describe, false),
        "namespaces" => (namespace::describe, true),
        "horizontalpodautoscalers.autoscaling" => (hpa::describe, false),
        "poddisruptionbudgets.policy" => (pod_disruption_budget::describe, false),
        "resourcequotas" => (quota::describe, true),
        "limitranges" => (quota::describe_limits, true),
        "persistentvolumeclaims" => (storage::describe_claim, false),
        "persistentvolumes" => (storage::describe_volume, false),
        "configmaps" => (small::describe_config_map, false),
        "secrets" => (small::describe_secret, true),
        "serviceaccounts" => (small::describe_service_account, false),
        "priorityclasses.scheduling.k8s.io" => (small::describe_priority_class, false),
        _ => (generic::describe, false),
    };
    describe(&mut out, object, api)?;
    if events && !own_events {
        let about = if object.kind() == "Node" { node::events(api, object) } else { event::about(api, object) };
        event::describe(&mut out, &about, api.now());
    }
    Ok(tabs::align(&out, 0, 2))
}
