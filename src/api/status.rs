//! What the API server answers when it refuses: a Kubernetes `Status`, with its reason and the real text.
//! Texts follow apimachinery `pkg/api/errors/errors.go`.

use super::{Object, Str, Value};
use crate::value;

/// A refusal. `reason` is Kubernetes' own (`NotFound`, `Conflict`, …), `message` its text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Status {
    pub code: u16,
    pub reason: Str,
    pub message: Str,
    /// `details`, with kind, name, group and causes.
    pub details: Value,
}

impl Status {
    fn new(code: u16, reason: &'static str, message: String, resource: &str, name: &str) -> Status {
        let (kind, group) = resource.split_once('.').unwrap_or((resource, ""));
        let mut details = Value::map();
        for (key, text) in [("name", name), ("group", group), ("kind", kind)] {
            if !text.is_empty() {
                details.set(key, Value::str(text));
            }
        }
        Status { code, reason: Str::fixed(reason), message: message.into(), details }
    }

    /// `pods "x" not found`
    pub fn not_found(resource: &str, name: &str) -> Status {
        Status::new(404, "NotFound", format!("{resource} \"{name}\" not found"), resource, name)
    }

    pub fn already_exists(resource: &str, name: &str) -> Status {
        Status::new(409, "AlreadyExists", format!("{resource} \"{name}\" already exists"), resource, name)
    }

    /// Optimistic locking: the object was changed since it was read.
    pub fn conflict(resource: &str, name: &str) -> Status {
        let why = "the object has been modified; please apply your changes to the latest version and try again";
        Status::conflict_because(resource, name, why)
    }

    pub fn conflict_because(resource: &str, name: &str, why: &str) -> Status {
        Status::new(409, "Conflict", format!("Operation cannot be fulfilled on {resource} \"{name}\": {why}"), resource, name)
    }

    /// `kind` is the kind with its group, `Deployment.apps`; `causes` as (field, message with value, type).
    pub fn invalid(kind: &str, name: &str, causes: &[Cause]) -> Status {
        let texts: Vec<String> = causes.iter().map(Cause::text).collect();
        let list = if texts.len() == 1 { texts[0].clone() } else { format!("[{}]", texts.join(", ")) };
        let mut s = Status::new(422, "Invalid", format!("{kind} \"{name}\" is invalid: {list}"), kind, name);
        let items = causes.iter().map(|c| value!({"reason": (c.reason), "message": (c.body.clone()), "field": (c.field.clone())}));
        s.details.set("causes", items.collect::<Value>());
        s
    }

    pub fn bad_request(message: impl Into<String>) -> Status {
        Status::new(400, "BadRequest", message.into(), "", "")
    }

    pub fn forbidden(resource: &str, name: &str, why: &str) -> Status {
        Status::new(403, "Forbidden", format!("{resource} \"{name}\" is forbidden: {why}"), resource, name)
    }

    pub fn gone(message: impl Into<String>) -> Status {
        Status::new(410, "Expired", message.into(), "", "")
    }

    pub fn internal(message: impl Into<String>) -> Status {
        Status::new(500, "InternalError", format!("Internal error occurred: {}", message.into()), "", "")
    }

    pub fn too_many_requests(message: impl Into<String>) -> Status {
        Status::new(429, "TooManyRequests", message.into(), "", "")
    }

    pub fn timeout(message: impl Into<String>) -> Status {
        Status::new(504, "Timeout", message.into(), "", "")
    }

    pub fn other(code: u16, reason: &'static str, message: impl Into<String>) -> Status {
        Status::new(code, reason, message.into(), "", "")
    }

    pub fn is_not_found(&self) -> bool {
        self.reason == "NotFound"
    }

    pub fn is_conflict(&self) -> bool {
        self.reason == "Conflict"
    }

    pub fn is_already_exists(&self) -> bool {
        self.reason == "AlreadyExists"
    }

    pub fn is_forbidden(&self) -> bool {
        self.reason == "Forbidden"
    }

    pub fn is_invalid(&self) -> bool {
        self.reason == "Invalid"
    }

    pub fn is_gone(&self) -> bool {
        self.code == 410
    }

    /// The `kind: Status` object as sent.
    pub fn object(&self) -> Object {
        Object(value!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": (self.message.clone()), "reason": (self.reason.clone()),
            "details": (self.details.clone()), "code": (i64::from(self.code))
        }))
    }
}

/// One thing that is wrong with a field: apimachinery's `field.Error`.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    pub field: Str,
    /// `FieldValueInvalid`, `FieldValueRequired`, …
    pub reason: &'static str,
    /// The text without the field: `Invalid value: "A": must be lower case`.
    pub body: Str,
}

impl Cause {
    pub fn new(field: impl Into<Str>, reason: &'static str, body: impl Into<Str>) -> Cause {
        Cause { field: field.into(), reason, body: body.into() }
    }

    pub fn text(&self) -> String {
        format!("{}: {}", self.field, self.body)
    }
}
