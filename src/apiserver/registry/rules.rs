//! Rules for names, labels and metadata, after apimachinery's `pkg/util/validation` and `pkg/api/validation/objectmeta.go`.

use super::Causes;
use crate::api::status::Cause;
use crate::api::{Str, Value};

pub const LABEL_FORMAT: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an \
     alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN_FORMAT: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an \
     alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const DNS_1035_FORMAT: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an \
     alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE_FORMAT: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
     alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const QUALIFIED_NAME_FORMAT: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character \
     (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const ANNOTATIONS_BYTES_MAX: usize = 256 * 1024;

/// `Invalid value: …`; texts are quoted.
pub fn invalid(field: impl Into<Str>, value: &Value, detail: &str) -> Cause {
    Cause::new(field, "FieldValueInvalid", format!("Invalid value: {}: {detail}", quoted(value)))
}

pub fn required(field: impl Into<Str>, detail: &str) -> Cause {
    let body = if detail.is_empty() { "Required value".to_string() } else { format!("Required value: {detail}") };
    Cause::new(field, "FieldValueRequired", body)
}

pub fn forbidden(field: impl Into<Str>, detail: &str) -> Cause {
    Cause::new(field, "FieldValueForbidden", format!("Forbidden: {detail}"))
}

pub fn duplicate(field: impl Into<Str>, value: &Value) -> Cause {
    Cause::new(field, "FieldValueDuplicate", format!("Duplicate value: {}", quoted(value)))
}

pub fn not_supported(field: impl Into<Str>, value: &Value, supported: &[&str]) -> Cause {
    let all: Vec<String> = supported.iter().map(|s| format!("\"{s}\"")).collect();
    Cause::new(field, "FieldValueNotSupported", format!("Unsupported value: {}: supported values: {}", quoted(value), all.join(", ")))
}

pub fn not_found(field: impl Into<Str>, value: &Value) -> Cause {
    Cause::new(field, "FieldValueNotFound", format!("Not found: {}", quoted(value)))
}

/// A value as `field.Error` prints it: text quoted, null for nothing, JSON for the rest.
pub fn quoted(value: &Value) -> String {
    match value {
        Value::Str(s) => go_quote(s),
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}

/// Go's `%q` for the text that objects hold.
pub fn go_quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn too_long(max: usize) -> String {
    format!("must be no more than {max} bytes")
}

fn is_label(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !text.is_empty() && text.bytes().all(inner) && !text.starts_with('-') && !text.ends_with('-')
}

/// What is wrong with a DNS-1123 label.
pub fn label(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 63 {
        wrong.push(too_long(63));
    }
    if !is_label(text) {
        let dotted = subdomain(text).is_empty();
        wrong.push(if dotted { "must not contain dots".to_string() } else { LABEL_FORMAT.to_string() });
    }
    wrong
}

/// What is wrong with a DNS-1035 label.
pub fn dns_1035(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 63 {
        wrong.push(too_long(63));
    }
    if !is_label(text) || !text.starts_with(|c: char| c.is_ascii_lowercase()) {
        wrong.push(DNS_1035_FORMAT.to_string());
    }
    wrong
}

/// What is wrong with a DNS-1123 subdomain.
pub fn subdomain(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 253 {
        wrong.push(too_long(253));
    }
    if !text.split('.').all(is_label) {
        wrong.push(SUBDOMAIN_FORMAT.to_string());
    }
    wrong
}

/// What is wrong with a name that is only a segment of a path.
pub fn path_segment(text: &str) -> Vec<String> {
    if text == "." || text == ".." {
        return vec![format!("may not be '{text}'")];
    }
    ['/', '%'].iter().filter(|c| text.contains(**c)).map(|c| format!("may not contain '{c}'")).collect()
}

fn is_name_part(text: &str) -> bool {
    let edge = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
    edge(text.bytes().next())
        && edge(text.bytes().last())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

/// What is wrong with a label or annotation key.
pub fn qualified_name(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let parts: Vec<&str> = text.split('/').collect();
    let name = match parts[..] {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                wrong.push("prefix part must be non-empty".to_string());
            } else {
                wrong.extend(subdomain(prefix).into_iter().map(|w| format!("prefix part {w}")));
            }
            name
        }
        _ => {
            return vec![format!(
                "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_string());
    } else if name.len() > 63 {
        wrong.push(format!("name part {}", too_long(63)));
    }
    if !is_name_part(name) {
        wrong.push(QUALIFIED_NAME_FORMAT.to_string());
    }
    wrong
}

/// What is wrong with a label's value.
pub fn label_value(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 63 {
        wrong.push(too_long(63));
    }
    if !text.is_empty() && !is_name_part(text) {
        wrong.push(LABEL_VALUE_FORMAT.to_string());
    }
    wrong
}

/// `ValidateLabels`.
pub fn labels(labels: &Value, field: &str, causes: &mut Causes) {
    for (key, value) in labels.entries() {
        for why in qualified_name(key) {
            causes.push(invalid(field, &Value::from(key), &why));
        }
        for why in label_value(value.text()) {
            causes.push(invalid(field, value, &why));
        }
    }
}

/// `ValidateAnnotations`.
pub fn annotations(annotations: &Value, field: &str, causes: &mut Causes) {
    let mut bytes = 0;
    for (key, value) in annotations.entries() {
        for why in qualified_name(&key.to_ascii_lowercase()) {
            causes.push(invalid(field, &Value::from(key), &why));
        }
        bytes += key.len() + value.text().len();
    }
    if bytes > ANNOTATIONS_BYTES_MAX {
        causes.push(Cause::new(
            Str::from(field),
            "FieldValueTooLong",
            format!("Too long: may not be more than {ANNOTATIONS_BYTES_MAX} bytes"),
        ));
    }
}

/// `ValidateObjectMeta` for a new object.
pub fn metadata(object: &Value, name_rule: fn(&str) -> Vec<String>, causes: &mut Causes) {
    let meta = object.get("metadata");
    if !meta.get("generateName").text().is_empty() {
        let prefix = meta.get("generateName");
        for why in name_rule(prefix.text().trim_end_matches('-')) {
            causes.push(invalid("metadata.generateName", prefix, &why));
        }
    }
    if meta.get("name").text().is_empty() {
        causes.push(required("metadata.name", "name or generateName is required"));
    } else {
        for why in name_rule(meta.get("name").text()) {
            causes.push(invalid("metadata.name", meta.get("name"), &why));
        }
    }
    shared_metadata(meta, causes);
}

fn shared_metadata(meta: &Value, causes: &mut Causes) {
    labels(meta.get("labels"), "metadata.labels", causes);
    annotations(meta.get("annotations"), "metadata.annotations", causes);
    owner_references(meta.get("ownerReferences"), causes);
    for (i, name) in meta.get("finalizers").items().iter().enumerate() {
        let field = format!("metadata.finalizers[{i}]");
        for why in qualified_name(name.text()) {
            causes.push(invalid(field.clone(), name, &why));
        }
    }
}

fn owner_references(owners: &Value, causes: &mut Causes) {
    let mut controller: Option<&Value> = None;
    for owner in owners.items() {
        for (field, detail) in [
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ] {
            if owner.get(field).is_empty() {
                causes.push(invalid(format!("metadata.ownerReferences.{field}"), &Value::from(owner.get(field).to_str()), detail));
            }
        }
        if owner.get("controller").is_true() {
            if let Some(first) = controller {
                let detail = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {}/{} and {}/{}",
                    first.get("kind").text(),
                    first.get("name").text(),
                    owner.get("kind").text(),
                    owner.get("name").text()
                );
                causes.push(invalid("metadata.ownerReferences", owners, &detail));
            }
            controller = Some(owner);
        }
    }
}

/// `validateKubeFinalizerName`: a finalizer of a built-in kind has a domain, unless it is the system's own.
pub fn finalizers(list: &Value, at: &str, causes: &mut Causes) {
    for (i, name) in list.items().iter().enumerate() {
        let text = name.text();
        if !text.contains('/') && !matches!(text, "kubernetes" | "orphan" | "foregroundDeletion") {
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            causes.push(invalid(format!("{at}[{i}]"), name, why));
        }
    }
}

/// `ValidateObjectMetaUpdate`.
pub fn metadata_update(object: &Value, old: &Value, causes: &mut Causes) {
    let (meta, was) = (object.get("metadata"), old.get("metadata"));
    if meta.same(was) {
        return;
    }
    if !was.get("deletionTimestamp").is_null() {
        let had = was.get("finalizers").items();
        let added: Vec<Value> = meta.get("finalizers").items().iter().filter(|f| !had.contains(f)).cloned().collect();
        if !added.is_empty() {
            let names: Vec<String> = added.iter().map(quoted).collect();
            causes.push(forbidden(
                "metadata.finalizers",
                &format!(
                    "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                    names.join(", ")
                ),
            ));
        }
    }
    for field in ["name", "namespace", "uid", "creationTimestamp"] {
        if meta.get(field) != was.get(field) {
            causes.push(invalid(format!("metadata.{field}"), meta.get(field), "field is immutable"));
        }
    }
    for field in ["labels", "annotations", "ownerReferences", "finalizers"] {
        if meta.get(field) != was.get(field) {
            shared_metadata(meta, causes);
            break;
        }
    }
}

/// `ValidateImmutableField`.
pub fn immutable(new: &Value, old: &Value, field: &str, causes: &mut Causes) {
    if !new.same(old) && new != old {
        causes.push(invalid(Str::from(field), new, "field is immutable"));
    }
}

/// `ValidateNonnegativeField`.
pub fn nonnegative(value: &Value, field: impl Into<Str>, causes: &mut Causes) {
    if value.int() < 0 {
        causes.push(invalid(field, value, "must be greater than or equal to 0"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_judged_as_the_real_server_does() {
        for (name, rule, ok) in [
            ("web", subdomain as fn(&str) -> Vec<String>, true),
            ("web.example.com", subdomain, true),
            ("Web", subdomain, false),
            ("web-", subdomain, false),
            ("web..a", subdomain, false),
            ("web.a", label, false),
            ("9web", label, true),
            ("9web", dns_1035, false),
            ("app.kubernetes.io/name", qualified_name, true),
            ("/name", qualified_name, false),
            ("a/b/c", qualified_name, false),
            ("", label_value, true),
            ("s3://x", label_value, false),
            ("a/b", path_segment, false),
            ("A:b", path_segment, true),
        ] {
            assert_eq!(rule(name).is_empty(), ok, "{name}: {:?}", rule(name));
        }
    }
}
