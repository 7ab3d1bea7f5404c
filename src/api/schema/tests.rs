//! What the generated table says of known fields, and what becomes of a custom definition.

use super::*;
use crate::value;

fn at(api_version: &str, kind: &str, path: &str) -> Schema {
    let schema = of_type(api_version, kind).unwrap_or_else(|| panic!("no {kind}"));
    schema.path(&path.split('.').collect::<Vec<_>>()).unwrap_or_else(|| panic!("no {path}"))
}

#[test]
fn go_types_are_those_of_the_decoder() {
    for (kind, path, go) in [
        ("Pod", "spec.containers", "[]v1.Container"),
        ("Pod", "spec.containers.command", "[]string"),
        ("Pod", "spec.containers.imagePullPolicy", "v1.PullPolicy"),
        ("Pod", "spec.containers.resources.limits", "v1.ResourceList"),
        ("Pod", "spec.containers.resources.limits.cpu", "resource.Quantity"),
        ("Pod", "spec.containers.livenessProbe", "v1.Probe"),
        ("Pod", "spec.containers.livenessProbe.httpGet.port", "intstr.IntOrString"),
        ("Pod", "spec.nodeSelector", "map[string]string"),
        ("Pod", "spec.terminationGracePeriodSeconds", "int64"),
        ("Pod", "spec.hostNetwork", "bool"),
        ("Pod", "metadata.uid", "types.UID"),
        ("Pod", "metadata.creationTimestamp", "v1.Time"),
        ("Secret", "data", "map[string][]uint8"),
        ("PersistentVolumeClaim", "spec.accessModes", "[]v1.PersistentVolumeAccessMode"),
    ] {
        assert_eq!(at("v1", kind, path).go_type(), go, "{kind}.{path}");
    }
}

#[test]
fn lists_tell_how_they_merge() {
    for (api_version, kind, path, list_type, keys, merge_key) in [
        ("v1", "Pod", "spec.containers", ListType::Map, "name", "name"),
        ("v1", "Pod", "spec.containers.ports", ListType::Map, "containerPort protocol", "containerPort"),
        ("v1", "Pod", "spec.containers.args", ListType::Atomic, "", ""),
        ("v1", "Pod", "spec.tolerations", ListType::Atomic, "", ""),
        ("v1", "Pod", "metadata.finalizers", ListType::Set, "", ""),
        ("v1", "Service", "spec.ports", ListType::Map, "port protocol", "port"),
        ("apps/v1", "Deployment", "status.conditions", ListType::Map, "type", "type"),
    ] {
        let list = at(api_version, kind, path);
        assert_eq!((list.list_type(), list.list_keys().join(" ")), (list_type, keys.to_string()), "{path}");
        assert_eq!(list.merge_key().unwrap_or_default(), *merge_key, "{path}");
    }
    assert!(at("v1", "Pod", "metadata.finalizers").merges());
    assert!(!at("v1", "Pod", "spec.tolerations").merges());
    assert!(at("apps/v1", "Deployment", "spec.strategy").retains_keys());
    assert!(at("apps/v1", "Deployment", "spec.selector").is_atomic());
    assert!(at("v1", "Pod", "spec.nodeSelector").is_atomic() && !at("v1", "Pod", "metadata.labels").is_atomic());
    assert_eq!(at("v1", "Pod", "spec.containers.ports.protocol").default_value(), &Value::str("TCP"));
    assert_eq!(at("v1", "Pod", "spec.containers.imagePullPolicy").values().join(" "), "Always IfNotPresent Never");
}

#[test]
fn fields_tell_when_they_are_written() {
    let presence =
        |api_version, kind, path: &str, field: &str| at(api_version, kind, path).through_lists().field_info(field).unwrap().presence;
    for (path, field, expected) in [
        ("spec", "replicas", Presence::IfSet),
        ("spec", "minReadySeconds", Presence::IfNotEmpty),
        ("spec", "strategy", Presence::Always),
        ("spec", "selector", Presence::OrNull),
        ("metadata", "creationTimestamp", Presence::IfNotEmpty),
        ("spec.template.spec.containers", "name", Presence::Always),
        ("spec.template.spec.containers", "resources", Presence::Always),
        ("spec.template.spec.containers", "env", Presence::IfNotEmpty),
        ("spec.template.spec", "containers", Presence::OrNull),
    ] {
        assert_eq!(presence("apps/v1", "Deployment", path, field), expected, "{path}.{field}");
    }
    assert_eq!(presence("v1", "Pod", "status.conditions", "lastProbeTime"), Presence::Always);
    assert!(at("apps/v1", "Deployment", "spec").field_info("selector").unwrap().required);
}

#[test]
fn every_listed_kind_has_a_schema_in_each_version() {
    for kind in crate::api::scheme::iter() {
        for version in kind.versions.iter() {
            let schema = of(kind.group(), version, &kind.kind).unwrap_or_else(|| panic!("no schema of {kind:?}"));
            assert_eq!(schema.type_name(), kind.kind.as_str());
            assert!(schema.field("metadata").is_some() && schema.field("nonsense").is_none());
        }
    }
    assert!(of("autoscaling", "v1", "Scale").is_some() && of("policy", "v1", "Eviction").is_some());
}

#[test]
fn recursive_types_can_be_walked_for_ever() {
    let path = ["spec", "versions", "schema", "openAPIV3Schema", "properties", "spec", "items", "additionalProperties", "type"];
    assert_eq!(of_type("apiextensions.k8s.io/v1", "CustomResourceDefinition").unwrap().path(&path).unwrap().shape(), Shape::String);
}

#[test]
fn a_custom_definition_is_walked_like_a_built_in_one() {
    let schema = from_custom(&value!({
        "type": "object",
        "required": ["spec"],
        "properties": {
            "spec": {
                "type": "object",
                "required": ["size"],
                "properties": {
                    "size": {"type": "integer", "minimum": 1_i64},
                    "port": {"x-kubernetes-int-or-string": true},
                    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                    "beds": {
                        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                        "items": {"type": "object", "properties": {"name": {"type": "string", "enum": ["a", "b"]}}}
                    },
                    "template": {"type": "object", "x-kubernetes-embedded-resource": true}
                }
            }
        }
    }));
    let at = |path: &str| schema.path(&path.split('.').collect::<Vec<_>>());
    let shape = |path: &str| at(path).map(|s| s.shape());
    for (path, expected) in [
        ("kind", Shape::String),
        ("metadata.labels.x", Shape::String),
        ("metadata.ownerReferences.uid", Shape::String),
        ("spec.size", Shape::Integer),
        ("spec.port", Shape::IntOrString),
        ("spec.labels.any", Shape::String),
        ("spec.beds.name", Shape::String),
        ("spec.template.metadata.name", Shape::String),
    ] {
        assert_eq!(shape(path), Some(expected), "{path}");
    }
    assert!(at("spec.nothing").is_none());
    assert!(at("spec.free").unwrap().keeps_unknown());
    assert_eq!(at("spec.beds").unwrap().list_keys(), ["name"]);
    assert_eq!(at("spec.size").unwrap().source().get("minimum").int(), 1);
    assert!(schema.field_info("spec").unwrap().required);
}
