//! Names of resources and of the objects in them.

use super::Str;
use std::cmp::Ordering;
use std::fmt;

/// A kind of object as the API's paths name it: `pods`, `deployments.apps`. Beside the name is what tells most names apart
/// and puts them in order, as nothing else is looked up as often.
#[derive(Clone)]
pub struct Resource(pub Str, u64);

impl Resource {
    pub const fn fixed(name: &'static str) -> Resource {
        Resource(Str::fixed(name), head(name.as_bytes()))
    }

    pub fn named(name: impl Into<Str>) -> Resource {
        let name = name.into();
        let head = head(name.as_bytes());
        Resource(name, head)
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

/// The first eight bytes, or all with zeros behind.
const fn head(name: &[u8]) -> u64 {
    let (mut head, mut i) = (0, 0);
    while i < 8 {
        head = head << 8 | if i < name.len() { name[i] as u64 } else { 0 };
        i += 1;
    }
    head
}

impl PartialEq for Resource {
    fn eq(&self, other: &Resource) -> bool {
        self.1 == other.1 && self.0 == other.0
    }
}

impl Eq for Resource {}

impl PartialOrd for Resource {
    fn partial_cmp(&self, other: &Resource) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Resource {
    /// As the names.
    fn cmp(&self, other: &Resource) -> Ordering {
        self.1.cmp(&other.1).then_with(|| self.0.cmp(&other.0))
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Resource").field(&self.0).finish()
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
#[derive(Clone, PartialEq, Eq, Debug, Hash, Default)]
pub struct ObjectKey {
    pub namespace: Str,
    pub name: Str,
}

impl PartialOrd for ObjectKey {
    fn partial_cmp(&self, other: &ObjectKey) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ObjectKey {
    /// By namespace, which is mostly the same, and name.
    fn cmp(&self, other: &ObjectKey) -> Ordering {
        if self.namespace == other.namespace { self.name.cmp(&other.name) } else { self.namespace.cmp(&other.namespace) }
    }
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
