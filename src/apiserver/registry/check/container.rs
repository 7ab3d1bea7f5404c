//! Containers: names, images, ports, environment, mounts and resources.

use super::super::Causes;
use super::super::path::Path;
use super::super::rules::{duplicate, forbidden, invalid, label, not_found, not_supported, qualified_name, required};
use super::{all_invalid, port_name, port_number, probe};
use crate::api::Value;
use crate::api::quantity::Quantity;
use std::collections::{BTreeMap, BTreeSet};

/// What a container may refer to, and the names that are taken.
pub struct Surroundings<'a> {
    pub volumes: BTreeMap<&'a str, &'a Value>,
    pub names: BTreeSet<&'a str>,
}

/// `validateContainers`.
#[inline(never)]
pub fn containers<'a>(list: &'a Value, at: &Path, around: &mut Surroundings<'a>, causes: &mut Causes) {
    if list.items().is_empty() {
        causes.push(required(at, ""));
    }
    let mut host_ports = BTreeSet::new();
    for (i, c) in list.items().iter().enumerate() {
        let at = at.index(i);
        common(c, &at, around, causes);
        if !around.names.insert(c.get("name").text()) {
            causes.push(duplicate(at.child("name"), c.get("name")));
        }
        if !c.get("lifecycle").is_empty() {
            probe::lifecycle(c.get("lifecycle"), &at.child("lifecycle"), causes);
        }
        probe::probes(c, &at, causes);
        check_host_ports(c, &at, &mut host_ports, causes);
        if !c.get("restartPolicy").is_null() && c.get("restartPolicyRules").is_null() {
            restart_policy(c, &at, &["Always", "OnFailure", "Never"], causes);
        }
    }
}

/// `validateInitContainers`: only those that go on running may have probes.
#[inline(never)]
pub fn init_containers<'a>(list: &'a Value, at: &Path, around: &mut Surroundings<'a>, causes: &mut Causes) {
    for (i, c) in list.items().iter().enumerate() {
        let at = at.index(i);
        common(c, &at, around, causes);
        if !around.names.insert(c.get("name").text()) {
            causes.push(duplicate(at.child("name"), c.get("name")));
        }
        let sidecar = c.get("restartPolicy").text() == "Always";
        if sidecar {
            probe::lifecycle(c.get("lifecycle"), &at.child("lifecycle"), causes);
            probe::probes(c, &at, causes);
        } else {
            for field in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
                if !c.get(field).is_null() {
                    causes.push(forbidden(at.child(field), "may not be set for init containers without restartPolicy=Always"));
                }
            }
        }
        if !c.get("restartPolicy").is_null() {
            restart_policy(c, &at, &["Always", "OnFailure", "Never"], causes);
        }
    }
}

fn restart_policy(c: &Value, at: &Path, allowed: &[&str], causes: &mut Causes) {
    if !allowed.contains(&c.get("restartPolicy").text()) {
        causes.push(not_supported(at.child("restartPolicy"), c.get("restartPolicy"), allowed));
    }
}

#[inline(never)]
fn common(c: &Value, at: &Path, around: &Surroundings, causes: &mut Causes) {
    let name = c.get("name");
    if name.text().is_empty() {
        causes.push(required(at.child("name"), ""));
    } else {
        all_invalid(label(name.text()), name, &at.child("name"), causes);
    }
    let image = c.get("image").text();
    if image.is_empty() {
        causes.push(required(at.child("image"), ""));
    } else if image.trim() != image {
        causes.push(invalid(at.child("image"), c.get("image"), "must not have leading or trailing whitespace"));
    }
    super::one_of(c.get("terminationMessagePolicy"), at.child("terminationMessagePolicy"), &["FallbackToLogsOnError", "File"], causes);
    let check = |field: &'static str, check: fn(&Value, &Path, &mut Causes), causes: &mut Causes| {
        if !c.get(field).is_empty() {
            check(c.get(field), &at.child(field), causes);
        }
    };
    check("ports", ports, causes);
    check("env", env, causes);
    check("envFrom", env_from, causes);
    mounts(c.get("volumeMounts"), &at.child("volumeMounts"), around, causes);
    super::one_of(c.get("imagePullPolicy"), at.child("imagePullPolicy"), &["Always", "IfNotPresent", "Never"], causes);
    check("resources", resources, causes);
    check("securityContext", security, causes);
}

#[inline(never)]
fn ports(list: &Value, at: &Path, causes: &mut Causes) {
    let mut names = BTreeSet::new();
    for (i, port) in list.items().iter().enumerate() {
        let at = at.index(i);
        let name = port.get("name");
        if !name.text().is_empty() {
            let wrong = port_name(name.text());
            if wrong.is_empty() {
                if !names.insert(name.text()) {
                    causes.push(duplicate(at.child("name"), name));
                }
            } else {
                all_invalid(wrong, name, &at.child("name"), causes);
            }
        }
        if port.get("containerPort").int() == 0 {
            causes.push(required(at.child("containerPort"), ""));
        } else {
            port_number(port.get("containerPort"), at.child("containerPort"), causes);
        }
        if port.get("hostPort").int() != 0 {
            port_number(port.get("hostPort"), at.child("hostPort"), causes);
        }
        super::one_of(port.get("protocol"), at.child("protocol"), &["SCTP", "TCP", "UDP"], causes);
    }
}

fn check_host_ports<'a>(c: &'a Value, at: &Path, taken: &mut BTreeSet<(i64, &'a str, &'a str)>, causes: &mut Causes) {
    let ports = at.child("ports");
    for (i, port) in c.get("ports").items().iter().enumerate() {
        let number = port.get("hostPort").int();
        if number != 0 && !taken.insert((number, port.get("protocol").text(), port.get("hostIP").text())) {
            let text = format!("{}/{}/{}", port.get("protocol").text(), port.get("hostIP").text(), number);
            let port = ports.index(i);
            causes.push(duplicate(port.child("hostPort"), &Value::from(text)));
        }
    }
}

#[inline(never)]
fn env(list: &Value, at: &Path, causes: &mut Causes) {
    for (i, var) in list.items().iter().enumerate() {
        let at = at.index(i);
        let name = var.get("name");
        if name.text().is_empty() {
            causes.push(required(at.child("name"), ""));
        } else if name.text().bytes().any(|b| !(32..127).contains(&b) || b == b'=') {
            let why = "a valid environment variable name must consist only of printable ASCII characters other than '='";
            causes.push(invalid(at.child("name"), name, why));
        }
        let from = var.get("valueFrom");
        if from.is_null() {
            continue;
        }
        let at = at.child("valueFrom");
        let sources = from.entries().iter().filter(|(_, v)| !v.is_null()).count();
        if sources == 0 {
            causes.push(invalid(
                &at,
                &Value::from(""),
                "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
            ));
        } else if !var.get("value").text().is_empty() {
            causes.push(invalid(&at, &Value::from(""), "may not be specified when `value` is not empty"));
        } else if sources > 1 {
            causes.push(invalid(&at, &Value::from(""), "may not have more than one field specified at a time"));
        }
        for source in ["configMapKeyRef", "secretKeyRef"] {
            key_ref(from.get(source), &at.child(source), causes);
        }
        field_ref(from.get("fieldRef"), &at.child("fieldRef"), causes);
    }
}

fn key_ref(source: &Value, at: &Path, causes: &mut Causes) {
    if source.is_null() {
        return;
    }
    let key = source.get("key");
    if key.text().is_empty() {
        causes.push(required(at.child("key"), ""));
    } else {
        all_invalid(super::core::data_key(key.text()), key, &at.child("key"), causes);
    }
}

fn field_ref(source: &Value, at: &Path, causes: &mut Causes) {
    const PLAIN: [&str; 9] = [
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.serviceAccountName",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
    ];
    if source.is_null() {
        return;
    }
    let path = source.get("fieldPath");
    if path.text().is_empty() {
        causes.push(required(at.child("fieldPath"), ""));
        return;
    }
    let of_map = ["metadata.labels['", "metadata.annotations['"].iter().any(|p| path.text().starts_with(p)) && path.text().ends_with("']");
    if PLAIN.contains(&path.text()) || of_map {
        return;
    }
    // Fields that can be selected by, but not handed to a container.
    if matches!(path.text(), "spec.restartPolicy" | "spec.schedulerName" | "status.phase" | "status.nominatedNodeName") {
        causes.push(not_supported(at.child("fieldPath"), path, &PLAIN));
    } else {
        let why = format!("error converting fieldPath: field label not supported: {}", path.text());
        causes.push(invalid(at.child("fieldPath"), path, &why));
    }
}

#[inline(never)]
fn env_from(list: &Value, at: &Path, causes: &mut Causes) {
    for (i, source) in list.items().iter().enumerate() {
        let at = at.index(i);
        let kinds: Vec<&'static str> = ["configMapRef", "secretRef"].into_iter().filter(|k| !source.get(k).is_null()).collect();
        for kind in &kinds {
            if source.get(kind).get("name").text().is_empty() {
                let at = at.child(kind);
                causes.push(required(at.child("name"), ""));
            }
        }
        match kinds.len() {
            0 => causes.push(invalid(&at, &Value::from(""), "must specify one of: `configMapRef` or `secretRef`")),
            1 => {}
            _ => causes.push(invalid(&at, &Value::from(""), "may not have more than one field specified at a time")),
        }
    }
}

#[inline(never)]
fn mounts(list: &Value, at: &Path, around: &Surroundings, causes: &mut Causes) {
    let mut paths = BTreeSet::new();
    for (i, mount) in list.items().iter().enumerate() {
        let at = at.index(i);
        let name = mount.get("name");
        if name.text().is_empty() {
            causes.push(required(at.child("name"), ""));
        }
        if !around.volumes.contains_key(name.text()) {
            causes.push(not_found(at.child("name"), name));
        }
        let path = mount.get("mountPath");
        if path.text().is_empty() {
            causes.push(required(at.child("mountPath"), ""));
        }
        if !paths.insert(path.text()) {
            causes.push(invalid(at.child("mountPath"), path, "must be unique"));
        }
        if path.text().contains(':') && mount.get("subPath").is_null() && path.text().starts_with('/') {
            causes.push(invalid(at.child("mountPath"), path, "must not contain ':'"));
        }
        let sub = mount.get("subPath");
        if sub.text().starts_with('/') {
            causes.push(invalid(at.child("subPath"), sub, "must be a relative path"));
        }
        if sub.text().split('/').any(|part| part == "..") {
            causes.push(invalid(at.child("subPath"), sub, "must not contain '..'"));
        }
    }
}

/// `ValidateContainerResourceRequirements`.
#[inline(never)]
pub fn resources(r: &Value, at: &Path, causes: &mut Causes) {
    let (limits, requests) = (r.get("limits"), r.get("requests"));
    let limits_at = at.child("limits");
    for (name, amount) in limits.entries() {
        resource_amount(name, amount, &limits_at.key(name), causes);
    }
    let requests_at = at.child("requests");
    for (name, amount) in requests.entries() {
        resource_amount(name, amount, &requests_at.key(name), causes);
        let request = Quantity::of_or_zero(amount);
        let overcommits = !name.contains('/') && !name.starts_with("hugepages-") || name.contains("kubernetes.io/");
        match Quantity::of(limits.get(name)) {
            Some(limit) if !overcommits && request != limit => {
                let why = format!("must be equal to {name} limit of {limit}");
                causes.push(invalid(&requests_at, &Value::from(request.to_string()), &why));
            }
            Some(limit) if request > limit => {
                let why = format!("must be less than or equal to {name} limit of {limit}");
                causes.push(invalid(&requests_at, &Value::from(request.to_string()), &why));
            }
            None if !overcommits => causes.push(required(&limits_at, "Limit must be set for non overcommitable resources")),
            _ => {}
        }
    }
}

fn resource_amount(name: &str, amount: &Value, at: &Path, causes: &mut Causes) {
    let value = Value::str(name);
    all_invalid(qualified_name(name), &value, at, causes);
    let known = matches!(name, "cpu" | "memory" | "ephemeral-storage") || name.starts_with("hugepages-");
    if !name.contains('/') && !known {
        causes.push(invalid(at, &value, "must be a standard resource type or fully qualified"));
        causes.push(invalid(at, &value, "must be a standard resource for containers"));
    }
    let q = Quantity::of_or_zero(amount);
    if q.is_negative() {
        causes.push(invalid(at, &Value::from(q.to_string()), "must be greater than or equal to 0"));
    }
    if name.contains('/') && !name.contains("kubernetes.io/") && q.milli() % 1000 != 0 {
        causes.push(invalid(at, &Value::from(q.to_string()), "must be an integer"));
    }
}

/// What a container's and a pod's security have in common.
#[inline(never)]
pub fn identity(context: &Value, at: &Path, causes: &mut Causes) {
    for field in ["runAsUser", "runAsGroup", "fsGroup"] {
        if !(0..=i64::from(i32::MAX)).contains(&context.get(field).int()) {
            causes.push(invalid(at.child(field), context.get(field), "must be between 0 and 2147483647, inclusive"));
        }
    }
    let seccomp = context.get("seccompProfile");
    if seccomp.is_null() {
        return;
    }
    let at = at.child("seccompProfile");
    super::one_of(seccomp.get("type"), at.child("type"), &["Localhost", "RuntimeDefault", "Unconfined"], causes);
    let local = seccomp.get("localhostProfile");
    match (seccomp.get("type").text() == "Localhost", local.text().is_empty()) {
        (true, true) => causes.push(required(at.child("localhostProfile"), "must be set when seccomp type is Localhost")),
        (false, false) => causes.push(invalid(at.child("localhostProfile"), local, "can only be set when seccomp type is Localhost")),
        _ => {}
    }
}

fn security(context: &Value, at: &Path, causes: &mut Causes) {
    identity(context, at, causes);
    let mount = context.get("procMount");
    if !mount.is_null() {
        super::one_of(mount, at.child("procMount"), &["Default", "Unmasked"], causes);
    }
    if context.get("allowPrivilegeEscalation").as_bool() == Some(false) {
        if context.get("privileged").is_true() {
            causes.push(invalid(at, context, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"));
        }
        if context.at(&["capabilities", "add"]).items().iter().any(|c| c.text() == "CAP_SYS_ADMIN") {
            causes.push(invalid(at, context, "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"));
        }
    }
}
