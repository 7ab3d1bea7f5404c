//! Names of resources and of the objects in them.

use super::Str;
use std::fmt;

/// A kind of object as the API's paths name it: `pods`, `deployments.apps`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Resource(pub Str);

impl Resource {
    pub const fn fixed(name: &'static str) -> Resource {
        Resource(Str::fixed(name))
    }

    /// `deployments` of `deployments.apps`.
    pub fn plural(&self) -> &str {
        self.0.split('.').next().unwrap_or("")
    }

    /// `apps` of `deployments.apps`, "" for the core group.
    pub fn group(&self) -> &str {
        self.0.split_once('.').map_or("", |(_, group)| group)
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub const PODS: Resource = Resource::fixed("pods");
pub const NODES: Resource = Resource::fixed("nodes");
pub const NAMESPACES: Resource = Resource::fixed("namespaces");
pub const SERVICES: Resource = Resource::fixed("services");
pub const CONFIG_MAPS: Resource = Resource::fixed("configmaps");
pub const SECRETS: Resource = Resource::fixed("secrets");
pub const EVENTS: Resource = Resource::fixed("events");
pub const SERVICE_ACCOUNTS: Resource = Resource::fixed("serviceaccounts");
pub const PERSISTENT_VOLUME_CLAIMS: Resource = Resource::fixed("persistentvolumeclaims");
pub const PERSISTENT_VOLUMES: Resource = Resource::fixed("persistentvolumes");
pub const RESOURCE_QUOTAS: Resource = Resource::fixed("resourcequotas");
pub const LIMIT_RANGES: Resource = Resource::fixed("limitranges");
pub const DEPLOYMENTS: Resource = Resource::fixed("deployments.apps");
pub const REPLICA_SETS: Resource = Resource::fixed("replicasets.apps");
pub const STATEFUL_SETS: Resource = Resource::fixed("statefulsets.apps");
pub const DAEMON_SETS: Resource = Resource::fixed("daemonsets.apps");
pub const ENDPOINT_SLICES: Resource = Resource::fixed("endpointslices.discovery.k8s.io");
pub const LEASES: Resource = Resource::fixed("leases.coordination.k8s.io");
pub const PRIORITY_CLASSES: Resource = Resource::fixed("priorityclasses.scheduling.k8s.io");
pub const CUSTOM_RESOURCE_DEFINITIONS: Resource = Resource::fixed("customresourcedefinitions.apiextensions.k8s.io");

/// Namespace ("" where the kind has none) and name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct ObjectKey {
    pub namespace: Str,
    pub name: Str,
}

impl ObjectKey {
    pub fn new(namespace: impl Into<Str>, name: impl Into<Str>) -> ObjectKey {
        ObjectKey { namespace: namespace.into(), name: name.into() }
    }

    /// client-go's `MetaNamespaceKeyFunc`: `namespace/name`, or `name`.
    pub fn joined(&self) -> Str {
        if self.namespace.is_empty() { self.name.clone() } else { Str::of(&[&self.namespace, "/", &self.name]) }
    }

    /// The reverse of `joined`.
    pub fn split(key: &str) -> ObjectKey {
        match key.split_once('/') {
            Some((namespace, name)) => ObjectKey::new(namespace, name),
            None => ObjectKey::new(Str::default(), key),
        }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.namespace.is_empty() { f.write_str(&self.name) } else { write!(f, "{}/{}", self.namespace, self.name) }
    }
}
