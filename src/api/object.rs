//! One version of a Kubernetes object, with accessors for what every object has.

use super::{Map, ObjectKey, Str, Value};

/// An object: a map with apiVersion, kind, metadata and the rest. Immutable versions share structure.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Object(pub Value);

impl Object {
    pub fn api_version(&self) -> &str {
        self.0.get("apiVersion").text()
    }

    pub fn kind(&self) -> &str {
        self.0.get("kind").text()
    }

    pub fn meta(&self) -> &Value {
        self.0.get("metadata")
    }

    pub fn spec(&self) -> &Value {
        self.0.get("spec")
    }

    pub fn status(&self) -> &Value {
        self.0.get("status")
    }

    pub fn get(&self, key: &str) -> &Value {
        self.0.get(key)
    }

    pub fn at(&self, path: &[&str]) -> &Value {
        self.0.at(path)
    }

    pub fn name(&self) -> &str {
        self.meta().get("name").text()
    }

    pub fn namespace(&self) -> &str {
        self.meta().get("namespace").text()
    }

    pub fn uid(&self) -> &str {
        self.meta().get("uid").text()
    }

    /// metadata.resourceVersion as a number, 0 if there is none.
    pub fn revision(&self) -> u64 {
        self.meta().get("resourceVersion").text().parse().unwrap_or(0)
    }

    pub fn generation(&self) -> i64 {
        self.meta().get("generation").int()
    }

    pub fn key(&self) -> ObjectKey {
        let meta = self.meta();
        ObjectKey { namespace: meta.get("namespace").to_str(), name: meta.get("name").to_str() }
    }

    pub fn labels(&self) -> &Value {
        self.meta().get("labels")
    }

    pub fn label(&self, key: &str) -> Option<&str> {
        self.labels().get(key).as_str()
    }

    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.meta().get("annotations").get(key).as_str()
    }

    /// Whether metadata.deletionTimestamp is set.
    pub fn is_deleting(&self) -> bool {
        !self.meta().get("deletionTimestamp").is_null()
    }

    pub fn owners(&self) -> &[Value] {
        self.meta().get("ownerReferences").items()
    }

    /// The owner reference with `controller: true`.
    pub fn controller(&self) -> Option<&Value> {
        self.owners().iter().find(|o| o.get("controller").is_true())
    }

    /// The uid of the controlling owner.
    pub fn controller_uid(&self) -> Option<Str> {
        self.controller().map(|o| o.get("uid").to_str())
    }

    /// status.conditions[type].
    pub fn condition(&self, kind: &str) -> Option<&Value> {
        self.status().get("conditions").find("type", kind)
    }

    /// Whether the condition's status is "True".
    pub fn condition_is_true(&self, kind: &str) -> bool {
        self.condition(kind).is_some_and(|c| c.get("status").is("True"))
    }

    /// An owner reference to this object that marks it as the controller (`metav1.NewControllerRef`).
    pub fn controller_ref(&self) -> Value {
        crate::value!({
            "apiVersion": (self.0.get("apiVersion")),
            "kind": (self.0.get("kind")),
            "name": (self.meta().get("name")),
            "uid": (self.meta().get("uid")),
            "controller": true,
            "blockOwnerDeletion": true
        })
    }

    /// The ObjectReference that an Event's involvedObject holds.
    pub fn reference(&self) -> Value {
        let mut r: Vec<(Str, Value)> = Vec::with_capacity(7);
        for field in ["apiVersion", "kind"] {
            r.push((Str::fixed(field), self.0.get(field).clone()));
        }
        let meta = self.meta();
        for field in ["name", "namespace", "resourceVersion", "uid"] {
            let v = meta.get(field);
            if !v.is_empty() {
                r.push((Str::fixed(field), v.clone()));
            }
        }
        Value::Map(Map::from_sorted(r))
    }
}

impl From<Value> for Object {
    fn from(v: Value) -> Object {
        Object(v)
    }
}
