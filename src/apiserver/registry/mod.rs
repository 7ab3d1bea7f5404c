//! What the API server does to each kind: defaults, preparation and validation of a write. One file a
//! kind or group of alike kinds, one line each in `KINDS`; a kind without a line gets `PLAIN`.
//!
//! Order of a create, as upstream's generic registry has it: decode, `default`, `admission::mutate`, fill in
//! uid, creationTimestamp and generated name, `prepare_create`, `allocate`, `validate_create`, `admission::validate`, store.
//! Of an update: decode, `default`, `admission::mutate`, `prepare_update`, `allocate`, `validate_update`, `admission::validate`, store.

mod apps;
mod autoscaling;
mod batch;
mod check;
mod core;
mod delete;
pub mod edit;
mod namespace;
mod networking;
mod node;
pub mod path;
mod pod;
pub mod podspec;
mod policy;
pub mod rules;
mod service;
mod storage;

pub use delete::{default_propagation, finalizers_on_delete, graceful};
pub use pod::qos_class;
pub use service::allocate;

use crate::api::status::Cause;
use crate::api::{Resource, Str, Subresource, Value};
use crate::util::Time;
use edit::{copy_field, drop_field};

/// What a preparation may know besides the object: nothing here is looked up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    pub now: Time,
}

/// The causes that a validation collects.
pub type Causes = Vec<Cause>;

/// What happens to an object's status when it is made.
#[derive(Clone, Copy)]
pub enum StatusAtCreate {
    /// The kind has no status, or whoever creates may give one.
    Kept,
    /// It becomes what a new object's status reads as.
    Set(fn() -> Value),
}

/// How metadata.generation moves.
#[derive(Clone, Copy)]
pub enum Generation {
    /// There is none.
    Absent,
    /// 1 at first, and one more whenever this says that the goal changed.
    Counts(fn(new: &Value, old: &Value) -> bool),
}

/// What the registry knows of one kind.
pub struct Strategy {
    /// `deployments.apps`
    pub resource: &'static str,
    pub default: fn(&mut Value),
    /// Whether writes of the object leave its status alone, and of its status all else.
    pub has_status: bool,
    pub status: StatusAtCreate,
    pub generation: Generation,
    pub prepare_create: fn(&mut Value, &Facts),
    pub prepare_update: fn(&mut Value, &Value),
    /// The rule for metadata.name.
    pub name: fn(&str) -> Vec<String>,
    pub validate: fn(&Value, &mut Causes),
    pub validate_update: fn(&Value, &Value, &mut Causes),
}

/// A kind about which there is nothing special.
pub const PLAIN: Strategy = Strategy {
    resource: "",
    default: |_| {},
    has_status: false,
    status: StatusAtCreate::Kept,
    generation: Generation::Absent,
    prepare_create: |_, _| {},
    prepare_update: |_, _| {},
    name: rules::subdomain,
    validate: |_, _| {},
    validate_update: |_, _, _| {},
};

/// The kinds, sorted by resource.
const KINDS: &[Strategy] = &[
    batch::CRON_JOBS,
    crate::apiserver::crd::definition::DEFINITIONS,
    apps::DAEMON_SETS,
    apps::DEPLOYMENTS,
    networking::ENDPOINT_SLICES,
    core::CONFIG_MAPS,
    core::ENDPOINTS,
    core::EVENTS,
    autoscaling::AUTOSCALERS,
    networking::INGRESSES,
    batch::JOBS,
    core::LIMIT_RANGES,
    namespace::NAMESPACES,
    networking::CLASSES,
    networking::NETWORK_POLICIES,
    node::NODES,
    storage::CLAIMS,
    storage::VOLUMES,
    policy::DISRUPTION_BUDGETS,
    pod::PODS,
    core::POD_TEMPLATES,
    node::PRIORITY_CLASSES,
    apps::REPLICA_SETS,
    apps::REPLICATION_CONTROLLERS,
    core::RESOURCE_QUOTAS,
    policy::CLUSTER_ROLE_BINDINGS,
    policy::CLUSTER_ROLES,
    policy::ROLE_BINDINGS,
    policy::ROLES,
    core::SECRETS,
    service::SERVICES,
    apps::STATEFUL_SETS,
    storage::CLASSES,
    policy::MUTATING_WEBHOOKS,
    policy::VALIDATING_WEBHOOKS,
    policy::ADMISSION_POLICIES,
    policy::ADMISSION_BINDINGS,
];

/// The strategy of a resource; `None` for kinds about which there is nothing special.
fn find(resource: &Resource) -> Option<&'static Strategy> {
    let name: &str = &resource.0;
    KINDS.iter().find(|k| k.resource == name)
}

fn strategy(resource: &Resource) -> &'static Strategy {
    find(resource).unwrap_or(&PLAIN)
}

/// Whether the registry has a line for this resource.
pub fn is_known(resource: &Resource) -> bool {
    find(resource).is_some()
}

/// Puts the defaults where nothing is (`pkg/apis/*/v1/defaults.go`).
pub fn default(resource: &Resource, object: &mut Value) {
    (strategy(resource).default)(object);
}

/// What a strategy does before a create: status, generation, and what the kind needs. metadata.uid is there already.
pub fn prepare_create(resource: &Resource, object: &mut Value, facts: &Facts) {
    let s = strategy(resource);
    if let StatusAtCreate::Set(fresh) = s.status {
        object.set("status", fresh());
    }
    edit::edit(object, "metadata", |meta| {
        if let Generation::Counts(_) = s.generation {
            meta.set("generation", 1_i64);
        } else {
            drop_field(meta, "generation");
        }
    });
    (s.prepare_create)(object, facts);
}

/// What a strategy does before an update of the object or of a subresource: keeps what this write may not
/// touch, and counts the generation.
pub fn prepare_update(resource: &Resource, object: &mut Value, old: &Value, subresource: Option<Subresource>) {
    let s = strategy(resource);
    if subresource == Some(Subresource::Status) {
        keep_all_but_status(resource, object, old);
        return;
    }
    if subresource == Some(Subresource::Finalize) {
        let finalizers = object.at(&["spec", "finalizers"]).clone();
        copy_field(object, old, "status");
        copy_field(object, old, "spec");
        object.set_at(&["spec", "finalizers"], finalizers);
        return;
    }
    if s.has_status {
        copy_field(object, old, "status");
    }
    keep_generation(object, old);
    (s.prepare_update)(object, old);
    if let Generation::Counts(changed) = s.generation
        && changed(object, old)
    {
        object.entry_at(&["metadata"]).set("generation", old.at(&["metadata", "generation"]).int() + 1);
    }
}

fn keep_generation(object: &mut Value, old: &Value) {
    let generation = old.at(&["metadata", "generation"]);
    if object.at(&["metadata", "generation"]) != generation {
        edit::edit(object, "metadata", |meta| copy_field(meta, old.get("metadata"), "generation"));
    }
}

/// A write of the status: everything but metadata and status is as it was; labels of workloads and owners of pods too.
fn keep_all_but_status(resource: &Resource, object: &mut Value, old: &Value) {
    let fields: Vec<Str> = object.entries().iter().chain(old.entries()).map(|(key, _)| key.clone()).collect();
    for key in fields {
        if matches!(key.as_str(), "metadata" | "status" | "apiVersion" | "kind") || object.get(&key).same(old.get(&key)) {
            continue;
        }
        match old.get(&key) {
            Value::Null => drop_field(object, &key),
            there => object.set(key, there),
        }
    }
    let kept: &[&'static str] = match resource.0.as_str() {
        "deployments.apps" | "statefulsets.apps" | "daemonsets.apps" | "replicasets.apps" => &["generation", "labels"],
        "pods" => &["generation", "ownerReferences"],
        _ => &["generation"],
    };
    for field in kept {
        if object.at(&["metadata", field]) != old.at(&["metadata", field]) {
            edit::edit(object, "metadata", |meta| copy_field(meta, old.get("metadata"), field));
        }
    }
    if resource.0 == "pods" {
        pod::prepare_status(object, old);
    }
}

/// What is wrong with a new object; empty if nothing.
pub fn validate_create(resource: &Resource, object: &Value) -> Causes {
    let s = strategy(resource);
    let mut causes = Causes::new();
    rules::metadata(object, s.name, &mut causes);
    rules::finalizers(object.at(&["metadata", "finalizers"]), "metadata.finalizers", &mut causes);
    (s.validate)(object, &mut causes);
    check::table::check(resource, object, &mut causes);
    causes
}

/// What is wrong with a changed object; empty if nothing.
pub fn validate_update(resource: &Resource, object: &Value, old: &Value, subresource: Option<Subresource>) -> Causes {
    let s = strategy(resource);
    let mut causes = Causes::new();
    rules::metadata_update(object, old, &mut causes);
    if subresource.is_none() {
        // A spec that is the same shared value was valid when it was stored.
        if !object.get("spec").same(old.get("spec")) || object.get("spec").is_null() {
            (s.validate)(object, &mut causes);
            check::table::check(resource, object, &mut causes);
        }
        if !object.at(&["metadata", "finalizers"]).same(old.at(&["metadata", "finalizers"])) {
            rules::finalizers(object.at(&["metadata", "finalizers"]), "metadata.finalizers", &mut causes);
        }
        (s.validate_update)(object, old, &mut causes);
    }
    causes
}

/// Whether `spec` differs, the usual measure of a changed goal.
fn spec_changed(new: &Value, old: &Value) -> bool {
    new.get("spec") != old.get("spec")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_one_line() {
        let mut names: Vec<&str> = KINDS.iter().map(|k| k.resource).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(!names.contains(&""));
    }
}
