//! Defaults of the pod spec that pods and all templates share, after upstream's `pkg/apis/core/v1/defaults.go`.

use super::edit::{edit, edit_at, edit_each, ensure, is_unset, put, put_nonzero};
use crate::api::{Str, Value};
use crate::value;

/// Mode 0644, which files of a volume get.
const FILE_MODE: i64 = 420;

/// Defaults of a `PodTemplateSpec`.
pub fn default_template(template: &mut Value) {
    put(template, "metadata", Value::map());
    ensure(template, "spec", default_spec);
}

/// Defaults of a `PodSpec`.
pub fn default_spec(spec: &mut Value) {
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        edit_each(spec, list, default_container);
    }
    edit_each(spec, "volumes", default_volume);
    put(spec, "dnsPolicy", "ClusterFirst");
    put(spec, "restartPolicy", "Always");
    put(spec, "schedulerName", "default-scheduler");
    put(spec, "securityContext", Value::map());
    put(spec, "terminationGracePeriodSeconds", 30_i64);
    mirror_service_account(spec);
}

/// `serviceAccount` is the old name of `serviceAccountName`; both always say the same.
fn mirror_service_account(spec: &mut Value) {
    let name = spec.get("serviceAccountName").to_str();
    if name.is_empty() {
        let old = spec.get("serviceAccount").to_str();
        if !old.is_empty() {
            spec.set("serviceAccountName", old);
        }
    } else if spec.get("serviceAccount").text() != name.as_str() {
        spec.set("serviceAccount", name);
    }
}

fn default_container(c: &mut Value) {
    if is_unset(c.get("imagePullPolicy")) {
        c.set("imagePullPolicy", if is_latest(c.get("image").text()) { "Always" } else { "IfNotPresent" });
    }
    put(c, "terminationMessagePath", "/dev/termination-log");
    put(c, "terminationMessagePolicy", "File");
    put(c, "resources", Value::map());
    edit_each(c, "ports", |port| put(port, "protocol", "TCP"));
    edit_each(c, "env", |env| {
        edit_at(env, &["valueFrom", "fieldRef"], &mut |f| put(f, "apiVersion", "v1"));
        edit_at(env, &["valueFrom", "resourceFieldRef"], &mut |r| put(r, "divisor", "0"));
        edit_at(env, &["valueFrom", "fileKeyRef"], &mut |r| put(r, "optional", false));
    });
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        edit(c, probe, default_probe);
    }
    for hook in ["postStart", "preStop"] {
        edit_at(c, &["lifecycle", hook, "httpGet"], &mut default_http_get);
    }
}

/// Whether an image reference means the tag `latest`: no tag and no digest, or that tag.
fn is_latest(image: &str) -> bool {
    let (name, digest) = image.split_once('@').map_or((image, ""), |(n, d)| (n, d));
    let last = name.rsplit('/').next().unwrap_or("");
    match last.split_once(':') {
        Some((_, tag)) => tag == "latest",
        None => digest.is_empty(),
    }
}

fn default_probe(probe: &mut Value) {
    for (field, seconds) in [("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3)] {
        put_nonzero(probe, field, seconds);
    }
    edit(probe, "httpGet", default_http_get);
    edit(probe, "grpc", |g| {
        if g.get("service").is_null() {
            g.set("service", "");
        }
    });
}

fn default_http_get(http: &mut Value) {
    put(http, "path", "/");
    put(http, "scheme", "HTTP");
}

fn default_volume(volume: &mut Value) {
    if volume.entries().iter().all(|(key, source)| *key == "name" || source.is_null()) {
        volume.set("emptyDir", Value::map());
    }
    for source in ["secret", "configMap"] {
        edit(volume, source, |s| put(s, "defaultMode", FILE_MODE));
    }
    edit(volume, "downwardAPI", |d| {
        put(d, "defaultMode", FILE_MODE);
        default_downward_items(d);
    });
    edit(volume, "projected", |p| {
        put(p, "defaultMode", FILE_MODE);
        edit_each(p, "sources", |source| {
            edit(source, "serviceAccountToken", |t| put(t, "expirationSeconds", 3600_i64));
            edit(source, "downwardAPI", default_downward_items);
        });
    });
    edit(volume, "hostPath", |h| {
        if h.get("type").is_null() {
            h.set("type", "");
        }
    });
    edit(volume, "iscsi", |i| put(i, "iscsiInterface", "default"));
    for (source, field, preset) in [
        ("azureDisk", "cachingMode", "ReadWrite"),
        ("azureDisk", "fsType", "ext4"),
        ("azureDisk", "kind", "Shared"),
        ("rbd", "pool", "rbd"),
        ("rbd", "user", "admin"),
        ("rbd", "keyring", "/etc/ceph/keyring"),
    ] {
        edit(volume, source, |s| put(s, field, preset));
    }
    edit_at(volume, &["ephemeral", "volumeClaimTemplate"], &mut |t| {
        put(t, "metadata", Value::map());
        ensure(t, "spec", default_claim_spec);
    });
    edit(volume, "image", |i| {
        if is_unset(i.get("pullPolicy")) {
            i.set("pullPolicy", if is_latest(i.get("reference").text()) { "Always" } else { "IfNotPresent" });
        }
    });
}

/// Defaults of a `PersistentVolumeClaimSpec`.
pub fn default_claim_spec(spec: &mut Value) {
    put(spec, "volumeMode", "Filesystem");
    put(spec, "resources", Value::map());
}

fn default_downward_items(d: &mut Value) {
    edit_each(d, "items", |item| {
        edit(item, "fieldRef", |f| put(f, "apiVersion", "v1"));
        edit(item, "resourceFieldRef", |r| put(r, "divisor", "0"));
    });
}

/// What a pod has beyond its spec's defaults (`SetDefaults_Pod`): requests follow limits, host ports
/// follow container ports in the host's network.
pub fn default_pod_only(spec: &mut Value) {
    put(spec, "enableServiceLinks", true);
    let host_network = spec.get("hostNetwork").is_true();
    for list in ["initContainers", "containers"] {
        edit_each(spec, list, |c| {
            edit(c, "resources", requests_from_limits);
            if host_network {
                edit_each(c, "ports", |p| {
                    let port = p.get("containerPort").int();
                    put_nonzero(p, "hostPort", port);
                });
            }
        });
    }
}

fn requests_from_limits(resources: &mut Value) {
    let limits = resources.get("limits").clone();
    for (name, amount) in limits.entries() {
        if resources.at(&["requests", name]).is_null() {
            resources.entry_at(&["requests"]).set(name.clone(), amount);
        }
    }
}

thread_local! {
    /// What every token volume holds; one shared value for all pods.
    static TOKEN: Value = value!({
        "defaultMode": FILE_MODE,
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607_i64, "path": "token"}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]}}
        ]
    });
}

/// The projected volume that holds a pod's token, certificate and namespace.
pub fn token_volume(name: Str) -> Value {
    value!({"name": name, "projected": (TOKEN.with(Clone::clone))})
}

/// The mount of a token volume.
pub fn token_mount(name: &Str, path: &'static str) -> Value {
    value!({"name": name, "readOnly": true, "mountPath": path})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_decides_the_pull_policy() {
        for (image, latest) in [
            ("nginx", true),
            ("nginx:latest", true),
            ("nginx:1.14", false),
            ("localhost:5000/web", true),
            ("localhost:5000/web:2", false),
            ("web@sha256:aa", false),
            ("web:latest@sha256:aa", true),
        ] {
            assert_eq!(is_latest(image), latest, "{image}");
        }
    }

    #[test]
    fn what_is_defaulted_stays_the_same_shared_value() {
        let mut spec = value!({"containers": [{"name": "web", "image": "web:1", "ports": [{"containerPort": 80_i64}]}]});
        default_spec(&mut spec);
        let before = spec.clone();
        default_spec(&mut spec);
        assert!(spec.same(&before));
        assert_eq!(spec.get("containers").item(0).get("imagePullPolicy").text(), "IfNotPresent");
        assert_eq!(spec.get("containers").item(0).get("ports").item(0).get("protocol").text(), "TCP");
    }

    #[test]
    fn requests_follow_limits_where_they_are_missing() {
        let mut spec = value!({"containers": [{"resources": {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}}}]});
        default_pod_only(&mut spec);
        assert_eq!(spec.get("containers").item(0).at(&["resources", "requests"]), &value!({"cpu": "500m", "memory": "1Gi"}));
    }
}
