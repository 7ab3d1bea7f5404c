//! Volumes in descriptions of pods and pod templates.

use super::scalar;
use super::write::put;
use crate::api::Value;

pub fn describe(out: &mut String, volumes: &Value, space: &str) {
    if volumes.items().is_empty() {
        put(out, 0, format!("{space}Volumes:\t<none>"));
        return;
    }
    put(out, 0, format!("{space}Volumes:"));
    let indent = if space.is_empty() { "" } else { " " };
    for volume in volumes.items() {
        put(out, 1, format!("{indent}{}:", volume.get("name").text()));
        for line in lines(volume) {
            put(out, 2, line);
        }
    }
}

fn lines(volume: &Value) -> Vec<String> {
    let source = volume.entries().iter().find(|(k, _)| k != "name");
    let Some((kind, source)) = source else {
        return vec!["<unknown>".to_string()];
    };
    let text = |field: &str| source.get(field).text().to_string();
    let truth = |field: &str| source.get(field).is_true();
    match kind.as_str() {
        "hostPath" => vec![
            "Type:\tHostPath (bare host directory volume)".to_string(),
            format!("Path:\t{}", text("path")),
            format!("HostPathType:\t{}", text("type")),
        ],
        "emptyDir" => {
            let limit = source.get("sizeLimit");
            vec![
                "Type:\tEmptyDir (a temporary directory that shares a pod's lifetime)".to_string(),
                format!("Medium:\t{}", text("medium")),
                format!("SizeLimit:\t{}", if limit.is_null() { "<unset>".to_string() } else { scalar(limit) }),
            ]
        }
        "secret" => vec![
            "Type:\tSecret (a volume populated by a Secret)".to_string(),
            format!("SecretName:\t{}", text("secretName")),
            format!("Optional:\t{}", truth("optional")),
        ],
        "configMap" => vec![
            "Type:\tConfigMap (a volume populated by a ConfigMap)".to_string(),
            format!("Name:\t{}", text("name")),
            format!("Optional:\t{}", truth("optional")),
        ],
        "persistentVolumeClaim" => vec![
            "Type:\tPersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)".to_string(),
            format!("ClaimName:\t{}", text("claimName")),
            format!("ReadOnly:\t{}", truth("readOnly")),
        ],
        "nfs" => vec![
            "Type:\tNFS (an NFS mount that lasts the lifetime of a pod)".to_string(),
            format!("Server:\t{}", text("server")),
            format!("Path:\t{}", text("path")),
            format!("ReadOnly:\t{}", truth("readOnly")),
        ],
        "downwardAPI" => {
            let items = source.get("items").items().iter();
            let mut all = vec!["Type:\tDownwardAPI (a volume populated by information about the pod)".to_string(), "Items:".to_string()];
            all.extend(items.map(|i| format!("  {} -> {}", i.at(&["fieldRef", "fieldPath"]).text(), i.get("path").text())));
            all
        }
        "projected" => projected(source),
        "csi" => vec![
            "Type:\tCSI (a Container Storage Interface (CSI) volume source)".to_string(),
            format!("Driver:\t{}", text("driver")),
            format!("FSType:\t{}", text("fsType")),
            format!("ReadOnly:\t{}", truth("readOnly")),
        ],
        "ephemeral" => {
            vec!["Type:\tEphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)".to_string()]
        }
        _ => vec!["<unknown>".to_string()],
    }
}

fn projected(source: &Value) -> Vec<String> {
    let mut all = vec!["Type:\tProjected (a volume that contains injected data from multiple sources)".to_string()];
    for part in source.get("sources").items() {
        if let secret @ Value::Map(_) = part.get("secret") {
            all.push(format!("SecretName:\t{}", secret.get("name").text()));
            all.push(format!("Optional:\t{}", secret.get("optional").is_true()));
        } else if part.get("downwardAPI").as_map().is_some() {
            all.push("DownwardAPI:\ttrue".to_string());
        } else if let map @ Value::Map(_) = part.get("configMap") {
            all.push(format!("ConfigMapName:\t{}", map.get("name").text()));
            all.push(format!("Optional:\t{}", map.get("optional").is_true()));
        } else if let token @ Value::Map(_) = part.get("serviceAccountToken") {
            all.push(format!("TokenExpirationSeconds:\t{}", token.get("expirationSeconds").int()));
        }
    }
    all
}
