//! Namespaces, after upstream's `pkg/registry/core/namespace/strategy.go`.

use super::edit::{copy_field, edit, put};
use super::{PLAIN, StatusAtCreate, Strategy};
use crate::api::Value;
use crate::value;

pub const NAMESPACES: Strategy = Strategy {
    resource: "namespaces",
    default: default_namespace,
    has_status: true,
    status: StatusAtCreate::Set(|| value!({"phase": "Active"})),
    prepare_create: |object, _| add_finalizer(object),
    prepare_update: |object, old| {
        let kept = old.at(&["spec", "finalizers"]).clone();
        edit(object, "spec", |spec| copy_field(spec, &value!({"finalizers": kept}), "finalizers"));
    },
    name: super::rules::label,
    validate: |object, causes| super::rules::finalizers(object.at(&["spec", "finalizers"]), "spec.finalizers", causes),
    ..PLAIN
};

fn default_namespace(object: &mut Value) {
    let name = object.at(&["metadata", "name"]).to_str();
    if !name.is_empty() && object.at(&["metadata", "labels", "kubernetes.io/metadata.name"]).text() != name.as_str() {
        object.set_at(&["metadata", "labels", "kubernetes.io/metadata.name"], name);
    }
    put(object, "spec", Value::map());
}

fn add_finalizer(object: &mut Value) {
    let has = object.at(&["spec", "finalizers"]).items().iter().any(|f| f.text() == "kubernetes");
    if !has {
        object.entry_at(&["spec", "finalizers"]).list_mut().push(Value::from("kubernetes"));
    }
}
