//! Deployments, ReplicaSets, StatefulSets, DaemonSets and ReplicationControllers, after upstream's `pkg/apis/apps`
//! (defaults, validation) and `pkg/registry/apps` (strategies).

use super::check;
use super::edit::{edit, edit_each, ensure, put};
use super::podspec::{default_claim_spec, default_template};
use super::{Generation, PLAIN, StatusAtCreate, Strategy, spec_changed};
use crate::api::Value;
use crate::value;

/// The annotation in which a DaemonSet counts its templates.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

pub const DEPLOYMENTS: Strategy = Strategy {
    resource: "deployments.apps",
    default: default_deployment,
    has_status: true,
    status: StatusAtCreate::Set(Value::map),
    generation: Generation::Counts(deployment_changed),
    validate: check::apps::deployment,
    validate_update: check::apps::selector_is_fixed,
    ..PLAIN
};

pub const REPLICA_SETS: Strategy = Strategy {
    resource: "replicasets.apps",
    default: default_replica_set,
    has_status: true,
    status: StatusAtCreate::Set(|| value!({"replicas": 0_i64})),
    generation: Generation::Counts(spec_changed),
    validate: check::apps::replica_set,
    validate_update: check::apps::selector_is_fixed,
    ..PLAIN
};

pub const STATEFUL_SETS: Strategy = Strategy {
    resource: "statefulsets.apps",
    default: default_stateful_set,
    has_status: true,
    status: StatusAtCreate::Set(|| value!({"replicas": 0_i64, "availableReplicas": 0_i64})),
    generation: Generation::Counts(spec_changed),
    validate: check::apps::stateful_set,
    validate_update: check::apps::stateful_set_update,
    ..PLAIN
};

pub const DAEMON_SETS: Strategy = Strategy {
    resource: "daemonsets.apps",
    default: default_daemon_set,
    has_status: true,
    status: StatusAtCreate::Set(new_daemon_status),
    generation: Generation::Counts(spec_changed),
    prepare_create: |object, _| count_template(object, 1),
    prepare_update: |object, old| {
        let changed = object.at(&["spec", "template"]) != old.at(&["spec", "template"]);
        count_template(object, template_generation(old) + i64::from(changed));
    },
    validate: check::apps::daemon_set,
    validate_update: check::apps::selector_is_fixed,
    ..PLAIN
};

pub const REPLICATION_CONTROLLERS: Strategy = Strategy {
    resource: "replicationcontrollers",
    validate: check::apps::replication_controller,
    default: default_controller,
    has_status: true,
    status: StatusAtCreate::Set(|| value!({"replicas": 0_i64})),
    generation: Generation::Counts(spec_changed),
    ..PLAIN
};

/// A Deployment's annotations count as part of its goal: they are copied to its ReplicaSets.
fn deployment_changed(new: &Value, old: &Value) -> bool {
    spec_changed(new, old) || new.at(&["metadata", "annotations"]) != old.at(&["metadata", "annotations"])
}

fn new_daemon_status() -> Value {
    value!({"currentNumberScheduled": 0_i64, "numberMisscheduled": 0_i64, "desiredNumberScheduled": 0_i64, "numberReady": 0_i64})
}

fn template_generation(object: &Value) -> i64 {
    object.at(&["metadata", "annotations", TEMPLATE_GENERATION]).text().parse().unwrap_or(0)
}

fn count_template(object: &mut Value, generation: i64) {
    if template_generation(object) != generation {
        object.set_at(&["metadata", "annotations", TEMPLATE_GENERATION], generation.to_string());
    }
}

fn default_deployment(object: &mut Value) {
    ensure(object, "spec", |spec| {
        put(spec, "replicas", 1_i64);
        put(spec, "revisionHistoryLimit", 10_i64);
        put(spec, "progressDeadlineSeconds", 600_i64);
        ensure(spec, "strategy", |strategy| {
            put(strategy, "type", "RollingUpdate");
            if strategy.get("type").text() == "RollingUpdate" {
                ensure(strategy, "rollingUpdate", |rolling| {
                    put(rolling, "maxUnavailable", "25%");
                    put(rolling, "maxSurge", "25%");
                });
            }
        });
        ensure(spec, "template", default_template);
    });
    put(object, "status", Value::map());
}

fn default_replica_set(object: &mut Value) {
    ensure(object, "spec", |spec| {
        put(spec, "replicas", 1_i64);
        ensure(spec, "template", default_template);
    });
}

fn default_stateful_set(object: &mut Value) {
    ensure(object, "spec", |spec| {
        put(spec, "replicas", 1_i64);
        put(spec, "podManagementPolicy", "OrderedReady");
        put(spec, "revisionHistoryLimit", 10_i64);
        ensure(spec, "updateStrategy", |strategy| {
            // Who names the type alone gets no partition.
            if strategy.get("type").is_empty() {
                ensure(strategy, "rollingUpdate", |_| {});
            }
            put(strategy, "type", "RollingUpdate");
            edit(strategy, "rollingUpdate", |rolling| put(rolling, "partition", 0_i64));
        });
        ensure(spec, "persistentVolumeClaimRetentionPolicy", |policy| {
            put(policy, "whenDeleted", "Retain");
            put(policy, "whenScaled", "Retain");
        });
        edit_each(spec, "volumeClaimTemplates", |claim| {
            put(claim, "apiVersion", "v1");
            put(claim, "kind", "PersistentVolumeClaim");
            put(claim, "metadata", Value::map());
            ensure(claim, "spec", default_claim_spec);
            ensure(claim, "status", |status| put(status, "phase", "Pending"));
        });
        ensure(spec, "template", default_template);
    });
}

fn default_daemon_set(object: &mut Value) {
    ensure(object, "spec", |spec| {
        put(spec, "revisionHistoryLimit", 10_i64);
        ensure(spec, "updateStrategy", |strategy| {
            put(strategy, "type", "RollingUpdate");
            if strategy.get("type").text() == "RollingUpdate" {
                ensure(strategy, "rollingUpdate", |rolling| {
                    put(rolling, "maxUnavailable", 1_i64);
                    put(rolling, "maxSurge", 0_i64);
                });
            }
        });
        ensure(spec, "template", default_template);
    });
}

fn default_controller(object: &mut Value) {
    let labels = object.at(&["spec", "template", "metadata", "labels"]).clone();
    if !labels.is_empty() {
        if object.at(&["spec", "selector"]).is_empty() {
            object.set_at(&["spec", "selector"], labels.clone());
        }
        if object.at(&["metadata", "labels"]).is_empty() {
            object.set_at(&["metadata", "labels"], labels);
        }
    }
    edit(object, "spec", |spec| {
        put(spec, "replicas", 1_i64);
        edit(spec, "template", default_template);
    });
}
