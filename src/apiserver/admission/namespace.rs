//! NamespaceLifecycle, DefaultStorageClass, DefaultIngressClass, StorageObjectInUseProtection and TaintNodesByCondition, after upstream's
//! `plugin/pkg/admission` and apiserver's `pkg/admission/plugin/namespace/lifecycle`.

use super::{Attributes, Operation, View};
use crate::api::resource::NAMESPACES;
use crate::api::{Object, ObjectKey, Resource, Status, Str, Value};
use crate::value;

const STORAGE_CLASSES: Resource = Resource::fixed("storageclasses.storage.k8s.io");
const INGRESS_CLASSES: Resource = Resource::fixed("ingressclasses.networking.k8s.io");
const IS_DEFAULT_INGRESS_CLASS: &str = "ingressclass.kubernetes.io/is-default-class";
const IS_DEFAULT_CLASS: &str = "storageclass.kubernetes.io/is-default-class";

/// Nothing is made in a namespace that is not there or is going; three namespaces stay for ever.
pub fn lifecycle(view: &dyn View, a: &Attributes, object: &Value) -> Result<(), Status> {
    if a.operation == Operation::Delete && *a.resource == NAMESPACES && matches!(a.name, "default" | "kube-system" | "kube-public") {
        return Err(a.forbidden_early(object, "this namespace may not be deleted"));
    }
    if a.namespace.is_empty() || a.operation != Operation::Create || *a.resource == NAMESPACES {
        return Ok(());
    }
    let Some(namespace) = view.get(&NAMESPACES, &ObjectKey::new(Str::default(), a.namespace)) else {
        return Err(Status::not_found("namespaces", a.namespace));
    };
    if namespace.status().get("phase").text() != "Terminating" {
        return Ok(());
    }
    let why = format!("unable to create new content in namespace {} because it is being terminated", a.namespace);
    let mut status = a.forbidden_early(object, &why);
    let cause = format!("namespace {} is being terminated", a.namespace);
    status.details.set("causes", value!([{"reason": "NamespaceTerminating", "message": cause, "field": "metadata.namespace"}]));
    Err(status)
}

/// A claim that names no class gets the default one; of several the youngest.
pub fn default_storage_class(view: &dyn View, claim: &mut Value) {
    if !claim.at(&["spec", "storageClassName"]).is_null() {
        return;
    }
    if let Some(class) = newest_default(&view.list(&STORAGE_CLASSES, ""), IS_DEFAULT_CLASS) {
        claim.set_at(&["spec", "storageClassName"], class.meta().get("name"));
    }
}

/// An Ingress that names no class gets the default one; of several the youngest.
pub fn default_ingress_class(view: &dyn View, ingress: &mut Value) {
    let named = ingress.at(&["metadata", "annotations", "kubernetes.io/ingress.class"]);
    if !ingress.at(&["spec", "ingressClassName"]).is_null() || !named.is_null() {
        return;
    }
    if let Some(class) = newest_default(&view.list(&INGRESS_CLASSES, ""), IS_DEFAULT_INGRESS_CLASS) {
        ingress.set_at(&["spec", "ingressClassName"], class.meta().get("name"));
    }
}

fn newest_default<'a>(classes: &'a [Object], mark: &str) -> Option<&'a Object> {
    let defaults = classes.iter().filter(|c| c.annotation(mark) == Some("true"));
    let age = |o: &Object| o.meta().get("creationTimestamp").to_str();
    defaults.max_by(|x, y| age(x).cmp(&age(y)).then_with(|| y.name().cmp(x.name())))
}

/// Adds a finalizer that keeps a volume or claim while somebody uses it.
pub fn protect(object: &mut Value, finalizer: &'static str) {
    let there = object.at(&["metadata", "finalizers"]).items().iter().any(|f| f.text() == finalizer);
    if !there {
        object.entry_at(&["metadata", "finalizers"]).list_mut().push(Value::from(finalizer));
    }
}

/// A new node takes no pods until it is known to be ready.
pub fn taint_new_node(node: &mut Value) {
    const KEY: &str = "node.kubernetes.io/not-ready";
    if node.at(&["spec", "taints"]).find("key", KEY).is_none() {
        node.entry_at(&["spec", "taints"]).list_mut().push(value!({"key": KEY, "effect": "NoSchedule"}));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_ingress_without_a_class_gets_the_default_one() {
        let class = value!({"metadata": {"name": "nginx", "annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}}});
        let shelf = Shelf(vec![(INGRESS_CLASSES, Object(class)), (INGRESS_CLASSES, Object(value!({"metadata": {"name": "other"}})))]);
        for (name, mut ingress, expected) in [
            ("none named", value!({"spec": {}}), "nginx"),
            ("one named", value!({"spec": {"ingressClassName": "other"}}), "other"),
            ("as it was done before", value!({"metadata": {"annotations": {"kubernetes.io/ingress.class": "x"}}, "spec": {}}), ""),
        ] {
            default_ingress_class(&shelf, &mut ingress);
            assert_eq!(ingress.at(&["spec", "ingressClassName"]).text(), expected, "{name}");
        }
    }

    use super::super::tests::{Shelf, create};
    use super::*;
    use crate::api::Object;
    use crate::api::resource::PODS;

    #[test]
    fn nothing_is_made_where_no_namespace_is() {
        let going = value!({"metadata": {"name": "shop"}, "status": {"phase": "Terminating"}});
        let there = value!({"metadata": {"name": "default"}, "status": {"phase": "Active"}});
        let shelf = Shelf(vec![(NAMESPACES, Object(going)), (NAMESPACES, Object(there))]);
        for (namespace, message) in [
            ("default", None),
            ("nowhere", Some("namespaces \"nowhere\" not found")),
            ("shop", Some("pods \"web\" is forbidden: unable to create new content in namespace shop because it is being terminated")),
        ] {
            let answer = lifecycle(&shelf, &create(&PODS, namespace, "web"), &Value::map());
            assert_eq!(answer.err().map(|s| s.message.to_string()), message.map(str::to_string), "{namespace}");
        }
    }

    #[test]
    fn the_first_namespaces_cannot_be_deleted() {
        let resource = NAMESPACES;
        let a = Attributes { operation: Operation::Delete, ..create(&resource, "", "default") };
        let refusal = lifecycle(&Shelf::default(), &a, &Value::map()).unwrap_err();
        assert_eq!(refusal.message, "namespaces \"default\" is forbidden: this namespace may not be deleted");
    }
}
