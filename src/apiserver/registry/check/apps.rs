//! Deployments, ReplicaSets, StatefulSets and DaemonSets (`pkg/apis/apps/validation`).

use super::super::Causes;
use super::super::path::Path;
use super::super::rules::{forbidden, immutable, invalid, labels, nonnegative, not_supported, quoted, required};
use super::{at_most_all, int_or_percent, int_or_percent_value, label_selector, pod};
use crate::api::Value;
use crate::api::selector::Selector;
use crate::api::status::Cause;
use crate::value;

const NO_MATCH: &str = "`selector` does not match template `labels`";

/// A selector that is required, and the template that it must match.
fn selector_and_template(spec: &Value, at: &Path, kind: &str, causes: &mut Causes) {
    check_selector(spec, at, kind, causes);
    let template = at.child("template");
    pod::template(spec.get("template"), &template, causes);
}

fn check_selector(spec: &Value, at: &Path, kind: &str, causes: &mut Causes) {
    let selector = spec.get("selector");
    if selector.is_null() {
        causes.push(required(at.child("selector"), ""));
    } else {
        label_selector(selector, &at.child("selector"), causes);
        if selector.get("matchLabels").is_empty() && selector.get("matchExpressions").is_empty() {
            causes.push(invalid(at.child("selector"), selector, &format!("empty selector is invalid for {kind}")));
        }
    }
    matches_template(spec, at, causes);
}

/// An absent selector matches nothing, an empty one is not looked at.
pub fn matches_template(spec: &Value, at: &Path, causes: &mut Causes) {
    let selector = spec.get("selector");
    let labels = spec.at(&["template", "metadata", "labels"]);
    let parsed = if selector.is_null() { Ok(Selector::nothing()) } else { Selector::from_object(selector) };
    match parsed {
        Err(_) => causes.push(invalid(at.child("selector"), selector, "invalid label selector")),
        Ok(s) if !s.is_everything() && !s.matches(labels) => {
            let template = at.child("template");
            let meta = template.child("metadata");
            causes.push(invalid(meta.child("labels"), labels, NO_MATCH));
        }
        Ok(_) => {}
    }
}

/// Pods of a workload restart always and run for ever.
fn runs_for_ever(spec: &Value, at: &Path, kind: &str, causes: &mut Causes) {
    let template = at.child("template");
    let at = template.child("spec");
    let policy = spec.at(&["template", "spec", "restartPolicy"]);
    if policy.text() != "Always" {
        causes.push(not_supported(at.child("restartPolicy"), policy, &["Always"]));
    }
    if !spec.at(&["template", "spec", "activeDeadlineSeconds"]).is_null() {
        causes.push(forbidden(at.child("activeDeadlineSeconds"), &format!("activeDeadlineSeconds in {kind} is not Supported")));
    }
}

/// `ValidateDeploymentSpec`.
pub fn deployment(object: &Value, causes: &mut Causes) {
    let (spec, at) = (object.get("spec"), Path::root("spec"));
    nonnegative(spec.get("replicas"), at.child("replicas"), causes);
    selector_and_template(spec, &at, "deployment", causes);
    runs_for_ever(spec, &at, "ReplicaSet", causes);
    deployment_strategy(spec.get("strategy"), &at.child("strategy"), causes);
    nonnegative(spec.get("minReadySeconds"), at.child("minReadySeconds"), causes);
    nonnegative(spec.get("revisionHistoryLimit"), at.child("revisionHistoryLimit"), causes);
    let deadline = spec.get("progressDeadlineSeconds");
    nonnegative(deadline, at.child("progressDeadlineSeconds"), causes);
    if deadline.as_int().is_some_and(|d| d <= spec.get("minReadySeconds").int()) {
        causes.push(invalid(at.child("progressDeadlineSeconds"), deadline, "must be greater than minReadySeconds"));
    }
}

fn deployment_strategy(strategy: &Value, at: &Path, causes: &mut Causes) {
    let rolling = strategy.get("rollingUpdate");
    let at_rolling = at.child("rollingUpdate");
    match strategy.get("type").text() {
        "Recreate" => {
            if !rolling.is_null() {
                causes.push(forbidden(at_rolling, "may not be specified when strategy `type` is 'Recreate'"));
            }
        }
        "RollingUpdate" => {
            let (unavailable, surge) = (rolling.get("maxUnavailable"), rolling.get("maxSurge"));
            int_or_percent(unavailable, at_rolling.child("maxUnavailable"), causes);
            int_or_percent(surge, at_rolling.child("maxSurge"), causes);
            if int_or_percent_value(unavailable) == 0 && int_or_percent_value(surge) == 0 {
                causes.push(invalid(at_rolling.child("maxUnavailable"), unavailable, "may not be 0 when `maxSurge` is 0"));
            }
            at_most_all(unavailable, at_rolling.child("maxUnavailable"), causes);
        }
        _ => causes.push(not_supported(at.child("type"), strategy.get("type"), &["Recreate", "RollingUpdate"])),
    }
}

/// `ValidateReplicaSetSpec`.
pub fn replica_set(object: &Value, causes: &mut Causes) {
    let (spec, at) = (object.get("spec"), Path::root("spec"));
    nonnegative(spec.get("replicas"), at.child("replicas"), causes);
    nonnegative(spec.get("minReadySeconds"), at.child("minReadySeconds"), causes);
    selector_and_template(spec, &at, "deployment", causes);
    runs_for_ever(spec, &at, "ReplicaSet", causes);
}

/// `ValidateReplicationControllerSpec`: its selector is labels alone.
pub fn replication_controller(object: &Value, causes: &mut Causes) {
    let (spec, at) = (object.get("spec"), Path::root("spec"));
    for field in ["replicas", "minReadySeconds"] {
        nonnegative(spec.get(field), at.child(field), causes);
    }
    if spec.get("selector").is_empty() {
        causes.push(required(at.child("selector"), ""));
    }
    let template = at.child("template");
    if spec.get("template").is_null() {
        causes.push(required(template, ""));
        return;
    }
    let labels = spec.at(&["template", "metadata", "labels"]);
    if spec.get("selector").entries().iter().any(|(key, value)| labels.get(key) != value) {
        let meta = template.child("metadata");
        causes.push(invalid(meta.child("labels"), labels, NO_MATCH));
    }
    pod::template(spec.get("template"), &template, causes);
    runs_for_ever(spec, &at, "ReplicationController", causes);
}

/// `ValidateStatefulSetSpec`.
pub fn stateful_set(object: &Value, causes: &mut Causes) {
    let (spec, at) = (object.get("spec"), Path::root("spec"));
    let management = spec.get("podManagementPolicy");
    if !matches!(management.text(), "OrderedReady" | "Parallel") {
        causes.push(invalid(at.child("podManagementPolicy"), management, "must be 'OrderedReady' or 'Parallel'"));
    }
    let strategy = spec.get("updateStrategy");
    let at_strategy = at.child("updateStrategy");
    match strategy.get("type").text() {
        "RollingUpdate" => {
            let at_rolling = at_strategy.child("rollingUpdate");
            nonnegative(strategy.at(&["rollingUpdate", "partition"]), at_rolling.child("partition"), causes);
        }
        "OnDelete" => {
            let rolling = strategy.get("rollingUpdate");
            if !rolling.is_null() {
                causes.push(invalid(at_strategy.child("rollingUpdate"), rolling, "only allowed for updateStrategy 'RollingUpdate'"));
            }
        }
        _ => {
            // The value is printed as Go's own struct is.
            let (kind, rolling) = (quoted(strategy.get("type")), quoted(strategy.get("rollingUpdate")));
            let value = format!("{{\"Type\":{kind},\"RollingUpdate\":{rolling}}}");
            let body = format!("Invalid value: {value}: must be 'RollingUpdate' or 'OnDelete'");
            causes.push(Cause::new("spec.updateStrategy", "FieldValueInvalid", body));
        }
    }
    for field in ["replicas", "minReadySeconds"] {
        nonnegative(spec.get(field), at.child(field), causes);
    }
    let ordinals = at.child("ordinals");
    nonnegative(spec.at(&["ordinals", "start"]), ordinals.child("start"), causes);
    check_selector(spec, &at, "statefulset", causes);
    let template = at.child("template");
    pod::spec(&with_claims(spec), &template.child("spec"), causes);
    let labels_at: crate::api::Str = template.child("labels").into();
    labels(spec.at(&["template", "metadata", "labels"]), &labels_at, causes);
    runs_for_ever(spec, &at, "StatefulSet", causes);
    let claims = at.child("volumeClaimTemplates");
    for (i, claim) in spec.get("volumeClaimTemplates").items().iter().enumerate() {
        let at = claims.index(i);
        super::core::claim_spec(claim.get("spec"), &at.child("spec"), causes);
    }
}

/// The pods' spec with the volumes that their claims will give them.
fn with_claims(spec: &Value) -> Value {
    let mut pod = spec.at(&["template", "spec"]).clone();
    for claim in spec.get("volumeClaimTemplates").items() {
        let name = claim.at(&["metadata", "name"]);
        let volumes = pod.entry_at(&["volumes"]).list_mut();
        if !name.is_empty() && !volumes.iter().any(|v| v.get("name") == name) {
            volumes.push(value!({"name": name, "persistentVolumeClaim": {"claimName": name}}));
        }
    }
    pod
}

const STATEFUL_SET_MAY_CHANGE: [&str; 7] = [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
];

/// `ValidateStatefulSetUpdate`.
pub fn stateful_set_update(object: &Value, old: &Value, causes: &mut Causes) {
    let (new, was) = (object.get("spec"), old.get("spec"));
    if new.same(was) {
        return;
    }
    let fixed = |spec: &Value| -> Vec<(crate::api::Str, Value)> {
        spec.entries().iter().filter(|(key, _)| !STATEFUL_SET_MAY_CHANGE.contains(&key.as_str())).cloned().collect()
    };
    if fixed(new) != fixed(was) {
        causes.push(forbidden(
            "spec",
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
        ));
    }
}

/// `ValidateDaemonSetSpec`.
pub fn daemon_set(object: &Value, causes: &mut Causes) {
    let (spec, at) = (object.get("spec"), Path::root("spec"));
    selector_and_template(spec, &at, "daemonset", causes);
    runs_for_ever(spec, &at, "DaemonSet", causes);
    nonnegative(spec.get("minReadySeconds"), at.child("minReadySeconds"), causes);
    let strategy = spec.get("updateStrategy");
    let at_strategy = at.child("updateStrategy");
    match strategy.get("type").text() {
        "OnDelete" => {}
        "RollingUpdate" => {
            let at_rolling = at_strategy.child("rollingUpdate");
            let (unavailable, surge) = (strategy.at(&["rollingUpdate", "maxUnavailable"]), strategy.at(&["rollingUpdate", "maxSurge"]));
            int_or_percent(unavailable, at_rolling.child("maxUnavailable"), causes);
            int_or_percent(surge, at_rolling.child("maxSurge"), causes);
            at_most_all(unavailable, at_rolling.child("maxUnavailable"), causes);
            at_most_all(surge, at_rolling.child("maxSurge"), causes);
            match (int_or_percent_value(unavailable), int_or_percent_value(surge)) {
                (0, 0) => causes.push(required(at_rolling.child("maxUnavailable"), "cannot be 0 when maxSurge is 0")),
                (u, s) if u > 0 && s > 0 => {
                    causes.push(invalid(at_rolling.child("maxSurge"), surge, "may not be set when maxUnavailable is non-zero"));
                }
                _ => {}
            }
        }
        _ => causes.push(not_supported(at_strategy.child("type"), strategy.get("type"), &["RollingUpdate", "OnDelete"])),
    }
    nonnegative(spec.get("revisionHistoryLimit"), at.child("revisionHistoryLimit"), causes);
}

/// The selector of a workload never changes.
pub fn selector_is_fixed(object: &Value, old: &Value, causes: &mut Causes) {
    immutable(object.at(&["spec", "selector"]), old.at(&["spec", "selector"]), "spec.selector", causes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stateful_set_may_mount_its_claims_and_nothing_else_that_is_not_there() {
        for (volume, refused) in [("data", false), ("nope", true)] {
            let container = value!({"name": "a", "image": "b", "imagePullPolicy": "Always", "terminationMessagePolicy": "File",
                "volumeMounts": [{"name": volume, "mountPath": "/x"}]});
            let claim = value!({"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}});
            let spec = value!({"selector": {"matchLabels": {"a": "b"}}, "volumeClaimTemplates": [claim],
                "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [container]}}});
            let mut causes = Causes::new();
            stateful_set(&value!({"spec": spec}), &mut causes);
            let at = "spec.template.spec.containers[0].volumeMounts[0].name";
            assert_eq!(causes.iter().any(|c| c.field == at), refused, "{volume}");
        }
    }
}
