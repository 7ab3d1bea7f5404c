//! From what a client sends to what is stored: unknown fields, wrong types, the forms of quantities and times,
//! and the fields that Go's structs write although nobody gave them. Follows sigs.k8s.io/json's decoder and
//! apimachinery's codecs; the messages are theirs. Left out are conversions between versions of a kind;
//! custom kinds are `crd`'s matter.

mod scalar;
#[cfg(test)]
mod tests;
mod typed;

use crate::api::scheme::{KindInfo, group_and_version};
use crate::api::{Schema, Status, Str, Value, schema};

/// The server names no more unknown fields than these.
const UNKNOWN_MAX: usize = 100;

/// Why an object cannot be decoded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{status}")]
pub struct Refusal {
    pub status: Status,
    /// The field with its indexes, for the editor: `spec.containers[0].image`.
    pub field: Str,
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Status {
        refusal.status
    }
}

/// Decodes a whole object of one of Kubernetes' own kinds: wrong types are refused, nulls and empty values dropped
/// and set where Go's structs do so. Unknown fields are refused if `strict`, else dropped. An object of a
/// kind without a schema passes as it is.
///
/// # Errors
/// 400 with the text of Go's decoder, or of the strict one.
pub fn object(value: Value, kind: &KindInfo, strict: bool) -> Result<Value, Refusal> {
    let (_, version) = group_and_version(value.get("apiVersion").text());
    match schema::of(kind.group(), version, &kind.kind) {
        Some(schema) => run(value, &kind.kind, &schema, strict, true),
        None => Ok(value),
    }
}

/// As `object`, but sets nothing that was not given: for the configuration of a server-side apply.
///
/// # Errors
/// As `object`.
pub fn partial(value: Value, kind: &KindInfo, strict: bool) -> Result<Value, Refusal> {
    let (_, version) = group_and_version(value.get("apiVersion").text());
    match schema::of(kind.group(), version, &kind.kind) {
        Some(schema) => run(value, &kind.kind, &schema, strict, false),
        None => Ok(value),
    }
}

fn run(value: Value, kind: &str, schema: &Schema, strict: bool, fill: bool) -> Result<Value, Refusal> {
    let mut decoder = typed::Decoder { found: Found::default(), path: Path::default(), fill };
    let decoded = decoder.value(&value, schema);
    let (_, version) = group_and_version(value.get("apiVersion").text());
    decoder.found.finish(decoded, version, kind, strict)
}

/// What was found wrong, in the order of the document.
#[derive(Default)]
struct Found {
    /// The first wrong value: message and field.
    wrong: Option<(String, Str)>,
    unknown: Vec<Str>,
}

impl Found {
    fn wrong(&mut self, message: String, field: &Path) {
        if self.wrong.is_none() {
            self.wrong = Some((message, field.full.as_str().into()));
        }
    }

    fn unknown(&mut self, field: &Path) {
        if self.unknown.len() < UNKNOWN_MAX {
            self.unknown.push(field.full.as_str().into());
        }
    }

    fn finish(self, decoded: Value, version: &str, kind: &str, strict: bool) -> Result<Value, Refusal> {
        let (problem, field) = match (self.wrong, self.unknown.first()) {
            (Some(wrong), _) => wrong,
            (None, Some(first)) if strict => {
                let list: Vec<String> = self.unknown.iter().map(|f| format!("unknown field \"{f}\"")).collect();
                (format!("strict decoding error: {}", list.join(", ")), first.clone())
            }
            _ => return Ok(decoded),
        };
        let message = format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {problem}");
        Err(Refusal { status: Status::bad_request(message), field })
    }
}

/// Where the decoder is: with indexes and keys, and as Go's messages name it, with fields of structs only.
#[derive(Default)]
struct Path {
    full: String,
    fields: String,
}

impl Path {
    /// Goes into a field (of a struct, or by key of a map), does something there, and comes back.
    fn within<T>(&mut self, name: &str, is_field: bool, then: impl FnOnce(&mut Path) -> T) -> T {
        let before = (self.full.len(), self.fields.len());
        push(&mut self.full, name);
        if is_field {
            push(&mut self.fields, name);
        }
        let result = then(self);
        self.full.truncate(before.0);
        self.fields.truncate(before.1);
        result
    }

    /// Goes into a field of a struct that may be embedded in another.
    fn within_struct<T>(&mut self, embedded: &str, name: &str, then: impl FnOnce(&mut Path) -> T) -> T {
        let before = self.fields.len();
        if !embedded.is_empty() {
            push(&mut self.fields, embedded);
        }
        let result = self.within(name, true, then);
        self.fields.truncate(before);
        result
    }

    fn at_index<T>(&mut self, index: usize, then: impl FnOnce(&mut Path) -> T) -> T {
        let before = self.full.len();
        self.full.push_str(&format!("[{index}]"));
        let result = then(self);
        self.full.truncate(before);
        result
    }
}

fn push(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}
