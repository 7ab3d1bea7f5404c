//! Admission: what the server adds to an object or refuses it for because of other objects. The plugins are
//! those of a default kube-apiserver, in its order. Left out: PodSecurity, DefaultIngressClass, the growing of
//! claims, certificates; webhooks and CEL policies are stored but not asked.

mod limits;
mod namespace;
mod pods;
mod quota;

use crate::api::{Object, ObjectKey, Resource, Status, Subresource, Value};

/// What admission may look at: the objects as stored now.
pub trait View {
    fn get(&self, resource: &Resource, key: &ObjectKey) -> Option<Object>;
    /// All objects of a namespace; of all namespaces if it is "".
    fn list(&self, resource: &Resource, namespace: &str) -> Vec<Object>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Create,
    Update,
    Delete,
}

/// The request as admission sees it.
#[derive(Clone, Debug)]
pub struct Attributes<'a> {
    pub resource: &'a Resource,
    pub namespace: &'a str,
    /// "" for an object whose name is still to be generated
    pub name: &'a str,
    pub operation: Operation,
    pub subresource: Option<Subresource>,
    pub old: Option<&'a Value>,
    /// one draw, for the name of the token volume
    pub draw: u64,
}

/// How long the end of a generated name is.
const SUFFIX_CHARS: usize = 5;

impl Attributes<'_> {
    /// As `forbidden`, of a mutating plugin: a name that is to be generated does not exist for it.
    pub fn forbidden_early(&self, object: &Value, why: &str) -> Status {
        let meta = object.get("metadata");
        let prefix = meta.get("generateName").text();
        let is_generated = |name: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.len() == SUFFIX_CHARS);
        if self.name.is_empty() && !prefix.is_empty() && is_generated(meta.get("name").text()) {
            return Status::forbidden(&self.resource.0, prefix, why);
        }
        self.forbidden(object, why)
    }

    /// `admission.NewForbidden`: an object without a name yet goes by its prefix.
    pub fn forbidden(&self, object: &Value, why: &str) -> Status {
        let meta = object.get("metadata");
        let name = [self.name, meta.get("name").text(), meta.get("generateName").text(), "Unknown"];
        Status::forbidden(&self.resource.0, name.into_iter().find(|n| !n.is_empty()).unwrap_or(""), why)
    }
}

/// The mutating plugins, before the strategy prepares the object.
///
/// # Errors
/// 403 and 404 as the real plugins answer.
pub fn mutate(view: &dyn View, a: &Attributes, object: &mut Value) -> Result<(), Status> {
    namespace::lifecycle(view, a, object)?;
    if a.subresource.is_some() {
        return Ok(());
    }
    match (a.resource.0.as_str(), a.operation) {
        ("pods", Operation::Create) => {
            limits::defaults(view, a, object);
            pods::service_account(view, a, object)?;
            pods::runtime_class(view, a, object)?;
            pods::priority(view, a, object)?;
            pods::toleration_seconds(object);
        }
        ("persistentvolumeclaims", Operation::Create) => {
            namespace::default_storage_class(view, object);
            namespace::protect(object, "kubernetes.io/pvc-protection");
        }
        ("ingresses.networking.k8s.io", Operation::Create) => namespace::default_ingress_class(view, object),
        ("persistentvolumes", Operation::Create) => namespace::protect(object, "kubernetes.io/pv-protection"),
        ("nodes", Operation::Create) => namespace::taint_new_node(object),
        _ => {}
    }
    Ok(())
}

/// The validating plugins, after validation. Answers with the quotas whose use grew, to be stored with the object.
///
/// # Errors
/// 403 `exceeded quota: …` and the like.
pub fn validate(view: &dyn View, a: &Attributes, object: &Value) -> Result<Vec<Object>, Status> {
    if a.operation == Operation::Delete || a.subresource.is_some() {
        return Ok(Vec::new());
    }
    if a.operation == Operation::Create && matches!(a.resource.0.as_str(), "pods" | "persistentvolumeclaims") {
        limits::limit_ranger(view, a, object)?;
    }
    quota::charge(view, a, object)
}

/// Both, for who needs no preparation between them.
///
/// # Errors
/// As `mutate` and `validate`.
pub fn mutate_and_validate(view: &dyn View, a: &Attributes, object: &mut Value) -> Result<Vec<Object>, Status> {
    mutate(view, a, object)?;
    validate(view, a, object)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A few objects as a view.
    #[derive(Default)]
    pub struct Shelf(pub Vec<(Resource, Object)>);

    impl View for Shelf {
        fn get(&self, resource: &Resource, key: &ObjectKey) -> Option<Object> {
            self.0.iter().find(|(r, o)| r == resource && o.key() == *key).map(|(_, o)| o.clone())
        }

        fn list(&self, resource: &Resource, namespace: &str) -> Vec<Object> {
            let fits = |o: &Object| namespace.is_empty() || o.namespace() == namespace;
            self.0.iter().filter(|(r, o)| r == resource && fits(o)).map(|(_, o)| o.clone()).collect()
        }
    }

    pub fn create<'a>(resource: &'a Resource, namespace: &'a str, name: &'a str) -> Attributes<'a> {
        Attributes { resource, namespace, name, operation: Operation::Create, subresource: None, old: None, draw: 7 }
    }
}
