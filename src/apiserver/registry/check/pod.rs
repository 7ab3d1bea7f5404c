//! Pods and pod templates.

use super::super::Causes;
use super::super::path::Path;
use super::super::rules::{annotations, duplicate, forbidden, invalid, label, labels, required, subdomain};
use super::container::{Surroundings, containers, init_containers};
use super::{all_invalid, one_of, placement, volume};
use crate::api::{Str, Value};
use std::collections::BTreeSet;

/// `ValidatePodTemplateSpec`.
pub fn template(template: &Value, at: &Path, causes: &mut Causes) {
    let meta = at.child("metadata");
    let where_labels: Str = meta.child("labels").into();
    labels(template.at(&["metadata", "labels"]), &where_labels, causes);
    let where_annotations: Str = meta.child("annotations").into();
    annotations(template.at(&["metadata", "annotations"]), &where_annotations, causes);
    spec(template.get("spec"), &at.child("spec"), causes);
    if !template.at(&["spec", "ephemeralContainers"]).is_empty() {
        let spec = at.child("spec");
        causes.push(forbidden(spec.child("ephemeralContainers"), "ephemeral containers not allowed in pod template"));
    }
}

/// `ValidatePodSpec`.
pub fn spec(spec: &Value, at: &Path, causes: &mut Causes) {
    let mut around = Surroundings { volumes: volume::volumes(spec.get("volumes"), &at.child("volumes"), causes), names: BTreeSet::new() };
    containers(spec.get("containers"), &at.child("containers"), &mut around, causes);
    if !spec.get("initContainers").is_empty() {
        init_containers(spec.get("initContainers"), &at.child("initContainers"), &mut around, causes);
    }
    one_of(spec.get("restartPolicy"), at.child("restartPolicy"), &["Always", "OnFailure", "Never"], causes);
    one_of(spec.get("dnsPolicy"), at.child("dnsPolicy"), &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"], causes);
    let selector: Str = at.child("nodeSelector").into();
    labels(spec.get("nodeSelector"), &selector, causes);
    // What few pods have is kept out of line and left out where it is not there: this is done for each pod.
    let given = |field: &str| !spec.get(field).is_null();
    if given("affinity") {
        placement::affinity(spec.get("affinity"), &at.child("affinity"), causes);
    }
    if given("schedulingGates") {
        scheduling_gates(spec, at, causes);
    }
    if given("topologySpreadConstraints") {
        placement::topology_spread(spec.get("topologySpreadConstraints"), &at.child("topologySpreadConstraints"), causes);
    }
    for (field, rule) in
        [("serviceAccountName", subdomain as fn(&str) -> Vec<String>), ("nodeName", subdomain), ("hostname", label), ("subdomain", label)]
    {
        let name = spec.get(field);
        if !name.text().is_empty() {
            all_invalid(rule(name.text()), name, &at.child(field), causes);
        }
    }
    if let Some(seconds) = spec.get("activeDeadlineSeconds").as_int()
        && !(1..=i64::from(i32::MAX)).contains(&seconds)
    {
        causes.push(invalid(
            at.child("activeDeadlineSeconds"),
            spec.get("activeDeadlineSeconds"),
            "must be between 1 and 2147483647, inclusive",
        ));
    }
    placement::tolerations(spec.get("tolerations"), &at.child("tolerations"), causes);
    for (field, rule) in [("priorityClassName", subdomain as fn(&str) -> Vec<String>), ("runtimeClassName", subdomain)] {
        let name = spec.get(field);
        if !name.text().is_empty() {
            all_invalid(rule(name.text()), name, &at.child(field), causes);
        }
    }
    if given("hostAliases") {
        host_aliases(spec.get("hostAliases"), &at.child("hostAliases"), causes);
    }
    if given("securityContext") {
        super::container::identity(spec.get("securityContext"), &at.child("securityContext"), causes);
    }
    if spec.get("hostNetwork").is_true() {
        host_ports(spec, at, causes);
    }
}

/// On the node's own network a container has the node's ports.
fn host_ports(spec: &Value, at: &Path, causes: &mut Causes) {
    for list in ["containers", "initContainers"] {
        let all = at.child(list);
        for (i, container) in spec.get(list).items().iter().enumerate() {
            let at = all.index(i);
            let ports = at.child("ports");
            for (j, port) in container.get("ports").items().iter().enumerate() {
                let at = ports.index(j);
                let (inner, outer) = (port.get("containerPort"), port.get("hostPort"));
                if outer.int() != 0 && inner != outer {
                    causes.push(invalid(at.child("hostPort"), outer, "must match `containerPort` when `hostNetwork` is true"));
                }
            }
        }
    }
}

#[inline(never)]
fn scheduling_gates(spec: &Value, at: &Path, causes: &mut Causes) {
    let gates = at.child("schedulingGates");
    let mut seen = BTreeSet::new();
    for (i, gate) in spec.get("schedulingGates").items().iter().enumerate() {
        let name = gate.get("name");
        if name.text().is_empty() {
            let gate = gates.index(i);
            causes.push(required(gate.child("name"), ""));
        }
        if !seen.insert(name.text()) {
            let gate = gates.index(i);
            causes.push(duplicate(gate.child("name"), name));
        }
    }
}

#[inline(never)]
fn host_aliases(list: &Value, at: &Path, causes: &mut Causes) {
    for (i, alias) in list.items().iter().enumerate() {
        let at = at.index(i);
        super::table::address(alias.get("ip"), &at.child("ip"), causes);
        let names = at.child("hostnames");
        for (j, name) in alias.get("hostnames").items().iter().enumerate() {
            all_invalid(subdomain(name.text()), name, &names.index(j), causes);
        }
    }
}

/// A new pod.
pub fn pod(object: &Value, causes: &mut Causes) {
    spec(object.get("spec"), &Path::root("spec"), causes);
    if !object.at(&["spec", "ephemeralContainers"]).is_empty() {
        causes.push(forbidden("spec.ephemeralContainers", "cannot be set on create"));
    }
}

const MAY_CHANGE: &str = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,\
`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/// `ValidatePodUpdate`: almost nothing of a pod's spec can change. The difference that upstream prints after the text is left out.
pub fn pod_update(object: &Value, old: &Value, causes: &mut Causes) {
    let (new, was) = (object.get("spec"), old.get("spec"));
    if new == was {
        return;
    }
    let at = Path::root("spec");
    for list in ["containers", "initContainers"] {
        if new.get(list).items().len() != was.get(list).items().len() {
            causes.push(forbidden(at.child(list), "pod updates may not add or remove containers"));
            return;
        }
    }
    let (after, before) = (new.get("activeDeadlineSeconds"), was.get("activeDeadlineSeconds"));
    match (before.as_int(), after.as_int()) {
        (Some(b), Some(a)) if a > b => {
            causes.push(invalid(at.child("activeDeadlineSeconds"), after, &format!("must be less than or equal to previous value {b}")));
        }
        (Some(_), None) => {
            causes.push(invalid(at.child("activeDeadlineSeconds"), after, "must not update from a positive integer to nil value"));
        }
        _ => {}
    }
    let kept = was.get("tolerations").items().iter().all(|t| new.get("tolerations").items().contains(t));
    if !kept {
        causes.push(forbidden(at.child("tolerations"), "existing toleration can not be modified except its tolerationSeconds"));
    }
    let gates = |s: &Value| s.get("schedulingGates").items().to_vec();
    if gates(new).iter().any(|g| !gates(was).contains(g)) {
        causes.push(forbidden(at.child("schedulingGates"), "only deletion is allowed, but found new scheduling gate"));
    }
    if fixed_part(new, was) != *was {
        causes.push(forbidden("spec", &format!("{MAY_CHANGE}\n")));
    }
}

/// The new spec with all that may change as it was.
fn fixed_part(new: &Value, was: &Value) -> Value {
    let mut fixed = new.clone();
    for list in ["containers", "initContainers"] {
        for (i, before) in was.get(list).items().iter().enumerate() {
            if new.get(list).item(i).get("image") != before.get("image") {
                fixed.entry_at(&[list]).list_mut()[i].set("image", before.get("image"));
            }
        }
    }
    let mut fields = vec!["activeDeadlineSeconds", "tolerations", "schedulingGates"];
    if was.get("terminationGracePeriodSeconds").int() < 0 && new.get("terminationGracePeriodSeconds").int() == 1 {
        fields.push("terminationGracePeriodSeconds");
    }
    if !was.get("schedulingGates").is_empty() {
        fields.extend(["nodeSelector", "affinity"]);
    }
    for field in fields {
        super::super::edit::copy_field(&mut fixed, was, field);
    }
    fixed
}
