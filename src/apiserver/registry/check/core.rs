//! ConfigMaps, Secrets, Nodes, Namespaces, claims, volumes, quotas and limit ranges.

use super::super::Causes;
use super::super::path::Path;
use super::super::rules::{duplicate, forbidden, immutable, invalid, label_value, qualified_name, required};
use super::{all_invalid, placement};
use crate::api::Value;
use crate::api::quantity::Quantity;
use crate::api::status::Cause;

/// What ConfigMaps and Secrets may hold.
const DATA_BYTES_MAX: usize = 1024 * 1024;

/// What is wrong with a key of a ConfigMap or Secret.
pub fn data_key(key: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if key.len() > 253 {
        wrong.push("must be no more than 253 bytes".to_string());
    }
    if key.is_empty() || !key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')) {
        wrong.push(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
                .to_string(),
        );
    } else if key == "." {
        wrong.push("must not be '.'".to_string());
    } else if key.starts_with("..") {
        wrong.push("must not start with '..'".to_string());
    }
    wrong
}

/// `ValidateConfigMap`.
pub fn config_map(object: &Value, causes: &mut Causes) {
    let mut bytes = 0;
    for field in ["data", "binaryData"] {
        let at = Path::root(field);
        for (key, value) in object.get(field).entries() {
            all_invalid(data_key(key), &Value::from(key), &at.key(key), causes);
            if field == "data" && !object.get("binaryData").get(key).is_null() {
                let why = "duplicate of key present in binaryData";
                causes.push(invalid(at.key(key), &Value::from(key), why));
            }
            bytes += value.text().len();
        }
    }
    too_much(bytes, "", causes);
}

fn too_much(bytes: usize, field: &'static str, causes: &mut Causes) {
    if bytes > DATA_BYTES_MAX {
        causes.push(Cause::new(field, "FieldValueTooLong", format!("Too long: may not be more than {DATA_BYTES_MAX} bytes")));
    }
}

/// What is marked immutable stays so, with its data.
pub fn stays_immutable(object: &Value, old: &Value, causes: &mut Causes) {
    const WHY: &str = "field is immutable when `immutable` is set";
    if !old.get("immutable").is_true() {
        return;
    }
    if !object.get("immutable").is_true() {
        causes.push(forbidden("immutable", WHY));
    }
    for field in ["data", "binaryData"] {
        if object.get(field) != old.get(field) {
            causes.push(forbidden(field, WHY));
        }
    }
}

/// `ValidateSecret`.
pub fn secret(object: &Value, causes: &mut Causes) {
    let (data, at) = (object.get("data"), Path::root("data"));
    let mut bytes = 0;
    for (key, value) in data.entries() {
        all_invalid(data_key(key), &Value::from(key), &at.key(key), causes);
        bytes += value.text().len() / 4 * 3;
    }
    too_much(bytes, "data", causes);
    let needed: &[&str] = match object.get("type").text() {
        "kubernetes.io/dockercfg" => &[".dockercfg"],
        "kubernetes.io/dockerconfigjson" => &[".dockerconfigjson"],
        "kubernetes.io/ssh-auth" => &["ssh-privatekey"],
        "kubernetes.io/tls" => &["tls.crt", "tls.key"],
        _ => &[],
    };
    if let [key @ (".dockercfg" | ".dockerconfigjson")] = needed
        && let Some(bytes) = crate::api::base64::decode(data.get(key).text())
        && let Err(why) = crate::api::json::parse(&String::from_utf8_lossy(&bytes))
    {
        causes.push(invalid(at.key(key), &Value::from("<secret contents redacted>"), &why.to_string()));
    }
    for key in needed.iter().filter(|k| data.get(k).is_null()) {
        causes.push(required(at.key(key), ""));
    }
    let basic = object.get("type").text() == "kubernetes.io/basic-auth";
    if basic && data.get("username").is_null() && data.get("password").is_null() {
        causes.push(required(at.key("username"), ""));
        causes.push(required(at.key("password"), ""));
    }
    let account = object.at(&["metadata", "annotations", "kubernetes.io/service-account.name"]);
    if object.get("type").text() == "kubernetes.io/service-account-token" && account.text().is_empty() {
        causes.push(required("metadata.annotations[kubernetes.io/service-account.name]", ""));
    }
}

/// `ValidateSecretUpdate`.
pub fn secret_update(object: &Value, old: &Value, causes: &mut Causes) {
    immutable(object.get("type"), old.get("type"), "type", causes);
    stays_immutable(object, old, causes);
}

/// Taints of a node.
pub fn node(object: &Value, causes: &mut Causes) {
    let at = Path::root("spec");
    let taints = at.child("taints");
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for (i, taint) in object.at(&["spec", "taints"]).items().iter().enumerate() {
        let at = taints.index(i);
        all_invalid(qualified_name(taint.get("key").text()), taint.get("key"), &at.child("key"), causes);
        all_invalid(label_value(taint.get("value").text()), taint.get("value"), &at.child("value"), causes);
        placement::taint_effect(taint.get("effect"), &at.child("effect"), causes);
        let pair = (taint.get("key").text(), taint.get("effect").text());
        if seen.contains(&pair) {
            causes.push(duplicate(&at, taint));
        }
        seen.push(pair);
    }
}

/// A node gets its range of pod addresses once.
pub fn node_update(object: &Value, old: &Value, causes: &mut Causes) {
    let was = old.at(&["spec", "podCIDR"]);
    if !was.text().is_empty() && object.at(&["spec", "podCIDR"]) != was {
        causes.push(forbidden("spec.podCIDRs", "node updates may not change podCIDR except from \"\" to valid"));
    }
    let was = old.at(&["spec", "providerID"]);
    if !was.text().is_empty() && object.at(&["spec", "providerID"]) != was {
        causes.push(forbidden("spec.providerID", "node updates may not change providerID except from \"\" to valid"));
    }
}

/// `ValidatePersistentVolumeClaimSpec`.
pub fn claim(object: &Value, causes: &mut Causes) {
    claim_spec(object.get("spec"), &Path::root("spec"), causes);
}

/// What a claim asks for, in a claim or in a template of one.
pub fn claim_spec(spec: &Value, at: &Path, causes: &mut Causes) {
    access_modes(spec, at, "at least 1 access mode is required", causes);
    let resources = at.child("resources");
    match Quantity::of(spec.at(&["resources", "requests", "storage"])) {
        None => causes.push(required(resources.key("storage"), "")),
        Some(q) if q.is_negative() || q.is_zero() => {
            causes.push(invalid(resources.key("storage"), &Value::from(q.to_string()), "must be greater than zero"));
        }
        Some(_) => {}
    }
}

fn access_modes(spec: &Value, at: &Path, why: &str, causes: &mut Causes) {
    const MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
    let modes = spec.get("accessModes").items();
    if modes.is_empty() {
        causes.push(required(at.child("accessModes"), why));
    }
    if modes.len() > 1 && modes.iter().any(|m| m.text() == "ReadWriteOncePod") {
        causes.push(forbidden(at.child("accessModes"), "may not use ReadWriteOncePod with other access modes"));
    }
    for mode in modes.iter().filter(|m| !MODES.contains(&m.text())) {
        causes.push(super::super::rules::not_supported(at.child("accessModes"), mode, &MODES));
    }
}

/// A claim's spec is fixed, but for growing once it is bound. The difference that upstream prints is left out.
pub fn claim_update(object: &Value, old: &Value, causes: &mut Causes) {
    let (new, was) = (object.get("spec"), old.get("spec"));
    if new == was {
        return;
    }
    let mut fixed = new.clone();
    if was.get("volumeName").is_null() {
        super::super::edit::copy_field(&mut fixed, was, "volumeName");
    }
    if old.at(&["status", "phase"]).text() == "Bound" {
        fixed.set("resources", was.get("resources"));
        let storage = |s: &Value| Quantity::of_or_zero(s.at(&["resources", "requests", "storage"]));
        if storage(new) < storage(was) {
            causes.push(forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
        }
    }
    if fixed != *was {
        let why = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n";
        causes.push(forbidden("spec", why));
    }
}

/// `ValidatePersistentVolumeSpec`.
pub fn volume(object: &Value, causes: &mut Causes) {
    let (spec, at) = (object.get("spec"), Path::root("spec"));
    access_modes(spec, &at, "", causes);
    const NO_SOURCE: [&str; 9] = [
        "accessModes",
        "capacity",
        "claimRef",
        "mountOptions",
        "nodeAffinity",
        "persistentVolumeReclaimPolicy",
        "storageClassName",
        "volumeAttributesClassName",
        "volumeMode",
    ];
    let sources: Vec<&str> =
        spec.entries().iter().filter(|(k, v)| !v.is_null() && !NO_SOURCE.contains(&k.as_str())).map(|(k, _)| k.as_str()).collect();
    if sources.is_empty() {
        causes.push(required(&at, "must specify a volume type"));
    }
    for more in sources.iter().skip(1) {
        causes.push(forbidden(at.child(more), "may not specify more than 1 volume type"));
    }
    if spec.get("capacity").is_empty() {
        causes.push(required(at.child("capacity"), ""));
    } else if spec.at(&["capacity", "storage"]).is_null() {
        causes.push(super::super::rules::not_supported(at.child("capacity"), spec.get("capacity"), &["storage"]));
    }
}

/// `ValidateResourceQuotaSpec`.
pub fn quota(object: &Value, causes: &mut Causes) {
    let at = Path::root("spec");
    let hard = at.child("hard");
    for (name, amount) in object.at(&["spec", "hard"]).entries() {
        let at = hard.key(name);
        let q = Quantity::of_or_zero(amount);
        if q.is_negative() {
            causes.push(invalid(&at, &Value::from(q.to_string()), "must be greater than or equal to 0"));
        }
        let counted = name.starts_with("count/")
            || matches!(
                name.as_str(),
                "pods" | "services" | "configmaps" | "secrets" | "persistentvolumeclaims" | "replicationcontrollers" | "resourcequotas"
            );
        if counted && q.milli() % 1000 != 0 {
            causes.push(invalid(&at, &Value::from(q.to_string()), "must be an integer"));
        }
        const PLAIN: [&str; 10] = [
            "pods",
            "services",
            "configmaps",
            "secrets",
            "persistentvolumeclaims",
            "replicationcontrollers",
            "resourcequotas",
            "cpu",
            "memory",
            "ephemeral-storage",
        ];
        let dotted = ["requests.", "limits.", "services.", "hugepages-"].iter().any(|p| name.starts_with(p));
        if !name.contains('/') && !dotted && !PLAIN.contains(&name.as_str()) {
            causes.push(invalid(&at, &Value::from(name), "must be a standard resource type or fully qualified"));
            causes.push(invalid(&at, &Value::from(name), "must be a standard resource for quota"));
        }
    }
}

/// `ValidateLimitRange`: the bounds of an item must be in order.
pub fn limit_range(object: &Value, causes: &mut Causes) {
    // the lower bound, the higher, where it is said, the bound shown
    const ORDERS: [(&str, &str, &str, &str); 6] = [
        ("min", "max", "min", "min"),
        ("min", "defaultRequest", "defaultRequest", "defaultRequest"),
        ("defaultRequest", "max", "defaultRequest", "defaultRequest"),
        ("defaultRequest", "default", "defaultRequest", "defaultRequest"),
        ("min", "default", "default", "min"),
        ("default", "max", "default", "max"),
    ];
    let at = Path::root("spec");
    let limits = at.child("limits");
    let mut kinds: Vec<&str> = Vec::new();
    for (i, item) in object.at(&["spec", "limits"]).items().iter().enumerate() {
        let at = limits.index(i);
        let kind = item.get("type").text();
        if kinds.contains(&kind) {
            causes.push(duplicate(at.child("type"), item.get("type")));
        }
        kinds.push(kind);
        for field in ["default", "defaultRequest"] {
            if kind == "Pod" && !item.get(field).is_empty() {
                causes.push(forbidden(at.child(field), "may not be specified when `type` is 'Pod'"));
            }
        }
        for (low, high, said_at, shown) in ORDERS {
            for (name, amount) in item.get(low).entries() {
                let (Some(a), Some(b)) = (Quantity::of(amount), Quantity::of(item.at(&[high, name]))) else { continue };
                if a > b {
                    let word = |field: &str| match field {
                        "defaultRequest" => "default request value",
                        "default" if low == "defaultRequest" => "default limit value",
                        "default" => "default value",
                        "max" => "max value",
                        _ => "min value",
                    };
                    let why = format!("{} {a} is greater than {} {b}", word(low), word(high));
                    let place = at.child(said_at);
                    causes.push(invalid(place.key(name), &Value::from(if shown == low { a } else { b }.to_string()), &why));
                }
            }
        }
    }
}
