//! What a client asks of the API server, and what it gets.

use super::{Object, Resource, Str, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    Get,
    List,
    Create,
    Update,
    Patch(PatchType),
    Delete,
    DeleteCollection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PatchType {
    /// RFC 6902
    Json,
    /// RFC 7386
    Merge,
    /// Kubernetes' strategic merge
    Strategic,
    /// server-side apply
    Apply,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subresource {
    Status,
    Scale,
    /// pods/binding: the body is a Binding
    Binding,
    /// pods/eviction: the body is an Eviction
    Eviction,
    /// namespaces/finalize: writes spec.finalizers
    Finalize,
}

impl Subresource {
    pub fn name(self) -> &'static str {
        match self {
            Subresource::Status => "status",
            Subresource::Scale => "scale",
            Subresource::Binding => "binding",
            Subresource::Eviction => "eviction",
            Subresource::Finalize => "finalize",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Propagation {
    Background,
    Foreground,
    Orphan,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeleteOptions {
    pub propagation: Option<Propagation>,
    pub grace_period_seconds: Option<i64>,
    pub precondition_uid: Option<Str>,
    pub precondition_revision: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListOptions {
    /// as in `-l`
    pub label_selector: Str,
    pub field_selector: Str,
    pub limit: usize,
    pub continue_token: Str,
}

/// One request. `manager` is the field manager, what a user agent would say; nothing else tells who asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub verb: Verb,
    pub resource: Resource,
    pub namespace: Str,
    pub name: Str,
    pub subresource: Option<Subresource>,
    /// The object, patch or delete options' subject.
    pub body: Value,
    pub manager: Str,
    pub delete: DeleteOptions,
    pub list: ListOptions,
    /// server-side apply: take fields from other managers
    pub force: bool,
    /// unknown and duplicate fields are errors, as kubectl asks (`fieldValidation=Strict`)
    pub strict: bool,
    pub dry_run: bool,
}

impl Request {
    pub fn new(verb: Verb, resource: &Resource, namespace: impl Into<Str>, name: impl Into<Str>) -> Request {
        Request {
            verb,
            resource: resource.clone(),
            namespace: namespace.into(),
            name: name.into(),
            subresource: None,
            body: Value::Null,
            manager: Str::default(),
            delete: DeleteOptions::default(),
            list: ListOptions::default(),
            force: false,
            strict: false,
            dry_run: false,
        }
    }

    pub fn get(resource: &Resource, namespace: impl Into<Str>, name: impl Into<Str>) -> Request {
        Request::new(Verb::Get, resource, namespace, name)
    }

    pub fn list(resource: &Resource, namespace: impl Into<Str>) -> Request {
        Request::new(Verb::List, resource, namespace, "")
    }

    pub fn create(resource: &Resource, object: Object) -> Request {
        let key = object.key();
        Request { body: object.0, ..Request::new(Verb::Create, resource, key.namespace, key.name) }
    }

    pub fn update(resource: &Resource, object: Object) -> Request {
        let key = object.key();
        Request { body: object.0, ..Request::new(Verb::Update, resource, key.namespace, key.name) }
    }

    pub fn update_status(resource: &Resource, object: Object) -> Request {
        Request { subresource: Some(Subresource::Status), ..Request::update(resource, object) }
    }

    pub fn patch(kind: PatchType, resource: &Resource, namespace: impl Into<Str>, name: impl Into<Str>, patch: Value) -> Request {
        Request { body: patch, ..Request::new(Verb::Patch(kind), resource, namespace, name) }
    }

    pub fn delete(resource: &Resource, namespace: impl Into<Str>, name: impl Into<Str>) -> Request {
        Request::new(Verb::Delete, resource, namespace, name)
    }

    pub fn on(self, subresource: Subresource) -> Request {
        Request { subresource: Some(subresource), ..self }
    }

    pub fn by(self, manager: impl Into<Str>) -> Request {
        Request { manager: manager.into(), ..self }
    }
}

/// The answer to a request that succeeded.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The object as stored now (of a delete: as it was last).
    Object(Object),
    List(Listing),
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Listing {
    pub items: Vec<Object>,
    /// etcd's revision when the list was made
    pub revision: u64,
    /// "" on the last page
    pub continue_token: Str,
    pub remaining: usize,
}

impl Answer {
    /// The object; a null one if this is a list.
    pub fn object(self) -> Object {
        match self {
            Answer::Object(o) => o,
            Answer::List(_) => Object::default(),
        }
    }

    pub fn items(self) -> Vec<Object> {
        match self {
            Answer::Object(o) => vec![o],
            Answer::List(l) => l.items,
        }
    }
}
