//! CustomResourceDefinitions: defaults, validation, and the names and conditions that the server gives them. Follows
//! apiextensions' `pkg/apis/apiextensions/{v1/defaults,validation/validation}.go` and `pkg/controller/{status,establish}`.

use crate::api::scheme::KindInfo;
use crate::api::{Str, Value};
use crate::apiserver::registry::Causes;
use crate::apiserver::registry::edit::{edit, ensure, is_unset, put};
use crate::apiserver::registry::path::Path;
use crate::apiserver::registry::rules::{dns_1035, forbidden, immutable, invalid, not_supported, required, subdomain};
use crate::apiserver::registry::{Facts, Generation, PLAIN, StatusAtCreate, Strategy};
use crate::util::Time;
use crate::value;

pub const DEFINITIONS: Strategy = Strategy {
    resource: "customresourcedefinitions.apiextensions.k8s.io",
    default,
    has_status: true,
    status: StatusAtCreate::Set(|| value!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": null})),
    generation: Generation::Counts(|new, old| new.get("spec") != old.get("spec")),
    prepare_create: |object, _: &Facts| note_stored_version(object),
    prepare_update: |object, _| note_stored_version(object),
    validate,
    validate_update,
    ..PLAIN
};

fn default(object: &mut Value) {
    edit(object, "spec", |spec| {
        ensure(spec, "conversion", |c| put(c, "strategy", "None"));
        ensure(spec, "names", |names| {
            let kind = names.get("kind").to_str();
            if kind.is_empty() {
                return;
            }
            if is_unset(names.get("singular")) {
                names.set("singular", kind.to_ascii_lowercase());
            }
            if is_unset(names.get("listKind")) {
                names.set("listKind", format!("{kind}List"));
            }
        });
    });
}

/// Remembers that objects may be stored in the version that is stored now.
fn note_stored_version(object: &mut Value) {
    let versions = object.at(&["spec", "versions"]).items();
    let Some(name) = versions.iter().find(|v| v.get("storage").is_true()).map(|v| v.get("name").to_str()) else { return };
    if !object.at(&["status", "storedVersions"]).items().iter().any(|v| v.text() == name.as_str()) {
        object.entry_at(&["status", "storedVersions"]).list_mut().push(Value::from(name));
    }
}

fn validate(object: &Value, causes: &mut Causes) {
    let (spec, at) = (object.get("spec"), Path::root("spec"));
    let names = spec.get("names");
    let full = format!("{}.{}", names.get("plural").text(), spec.get("group").text());
    if object.at(&["metadata", "name"]).text() != full {
        causes.push(invalid("metadata.name", object.at(&["metadata", "name"]), "must be spec.names.plural+\".\"+spec.group"));
    }
    let group = spec.get("group");
    if group.text().is_empty() {
        causes.push(required(at.child("group"), ""));
    } else {
        for why in subdomain(group.text()) {
            causes.push(invalid(at.child("group"), group, &why));
        }
        if !group.text().contains('.') {
            causes.push(invalid(at.child("group"), group, "should be a domain with at least one dot"));
        }
    }
    match spec.get("scope").text() {
        "" => causes.push(required(at.child("scope"), "")),
        "Namespaced" | "Cluster" => {}
        _ => causes.push(not_supported(at.child("scope"), spec.get("scope"), &["Cluster", "Namespaced"])),
    }
    versions(spec.get("versions"), &at.child("versions"), causes);
    check_names(names, &at.child("names"), causes);
}

fn versions(list: &Value, at: &Path, causes: &mut Causes) {
    if list.items().is_empty() {
        causes.push(required(at, "must have at least one version"));
        return;
    }
    let stored = list.items().iter().filter(|v| v.get("storage").is_true()).count();
    if stored != 1 {
        causes.push(invalid(at, list, "must have exactly one version marked as storage version"));
    }
    // One schema for all versions is, to the validation, one of the definition.
    let schemas: Vec<&Value> = list.items().iter().map(|v| v.get("schema")).collect();
    let shared = schemas.iter().all(|s| !s.is_null() && *s == schemas[0]);
    let whole = Path::root("spec");
    for (i, version) in list.items().iter().enumerate() {
        let at = at.index(i);
        for why in dns_1035(version.get("name").text()) {
            causes.push(invalid(at.child("name"), version.get("name"), &why));
        }
        let schema = version.at(&["schema", "openAPIV3Schema"]);
        columns(version, if list.items().len() == 1 { &whole } else { &at }, causes);
        let at = if shared { whole.child("validation") } else { at.child("schema") };
        if shared && i > 0 {
            continue;
        }
        let at = at.child("openAPIV3Schema");
        if schema.is_null() {
            causes.push(required(&at, ""));
            continue;
        }
        match schema.get("type").text() {
            "object" => {}
            "" => causes.push(required(at.child("type"), "must not be empty at the root")),
            _ => causes.push(invalid(at.child("type"), schema.get("type"), "must be object at the root")),
        }
        structural(schema, &at, causes);
    }
}

/// Where columns and replicas are found.
fn columns(version: &Value, at: &Path, causes: &mut Causes) {
    const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
    const SIMPLE: &str = "must be a simple json path starting with .";
    let all = at.child("additionalPrinterColumns");
    for (i, column) in version.get("additionalPrinterColumns").items().iter().enumerate() {
        let at = all.index(i);
        if !TYPES.contains(&column.get("type").text()) {
            causes.push(invalid(at.child("type"), column.get("type"), &format!("must be one of {}", TYPES.join(","))));
        }
        if !column.get("jsonPath").text().starts_with('.') {
            causes.push(invalid(at.child("JSONPath"), column.get("jsonPath"), SIMPLE));
        }
    }
    let at = at.child("subresources");
    let at = at.child("scale");
    let scale = version.at(&["subresources", "scale"]);
    for field in ["specReplicasPath", "statusReplicasPath"] {
        if !scale.is_null() && !scale.get(field).text().starts_with('.') {
            causes.push(invalid(at.child(field), scale.get(field), SIMPLE));
        }
    }
}

/// Each field and item needs a type, unless it may be anything.
fn structural(schema: &Value, at: &Path, causes: &mut Causes) {
    let untyped = |s: &Value| {
        s.get("type").text().is_empty()
            && !s.get("x-kubernetes-int-or-string").is_true()
            && !s.get("x-kubernetes-preserve-unknown-fields").is_true()
    };
    const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
    let kind = schema.get("type");
    if !kind.text().is_empty() && !TYPES.contains(&kind.text()) {
        causes.push(not_supported(at.child("type"), kind, &TYPES));
    }
    if !schema.get("properties").is_empty() && !schema.get("additionalProperties").is_null() {
        causes.push(forbidden(at.child("additionalProperties"), "additionalProperties and properties are mutual exclusive"));
    }
    let properties = at.child("properties");
    for (name, inner) in schema.get("properties").entries() {
        let at = properties.key(name);
        if untyped(inner) {
            causes.push(required(at.child("type"), "must not be empty for specified object fields"));
        }
        structural(inner, &at, causes);
    }
    for (field, what) in [("items", "array items"), ("additionalProperties", "object fields")] {
        let inner = schema.get(field);
        if inner.as_map().is_some() {
            let at = at.child(field);
            if untyped(inner) {
                causes.push(required(at.child("type"), &format!("must not be empty for specified {what}")));
            }
            structural(inner, &at, causes);
        }
    }
    if schema.get("type").text() == "array" && schema.get("items").is_null() {
        causes.push(required(at.child("items"), "must be specified"));
    }
    if schema.get("default").is_null() && schema.get("uniqueItems").is_true() {
        causes.push(forbidden(at.child("uniqueItems"), "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
    }
}

fn check_names(names: &Value, at: &Path, causes: &mut Causes) {
    for field in ["plural", "singular"] {
        let name = names.get(field);
        if name.text().is_empty() && field == "plural" {
            causes.push(required(at.child(field), ""));
        }
        for why in if name.text().is_empty() { Vec::new() } else { dns_1035(name.text()) } {
            causes.push(invalid(at.child(field), name, &why));
        }
    }
    for field in ["kind", "listKind"] {
        let name = names.get(field);
        if name.text().is_empty() {
            causes.push(required(at.child(field), ""));
            continue;
        }
        for why in dns_1035(&name.text().to_ascii_lowercase()) {
            causes.push(invalid(at.child(field), name, &format!("may have mixed case, but should otherwise match: {why}")));
        }
    }
    if !names.get("kind").text().is_empty() && names.get("kind") == names.get("listKind") {
        causes.push(invalid(at.child("listKind"), names.get("listKind"), "kind and listKind may not be the same"));
    }
}

fn validate_update(object: &Value, old: &Value, causes: &mut Causes) {
    let established = condition_is_true(old, "Established");
    if established {
        immutable(object.at(&["spec", "scope"]), old.at(&["spec", "scope"]), "spec.scope", causes);
        immutable(object.at(&["spec", "names", "kind"]), old.at(&["spec", "names", "kind"]), "spec.names.kind", causes);
    }
    immutable(object.at(&["spec", "group"]), old.at(&["spec", "group"]), "spec.group", causes);
    immutable(object.at(&["spec", "names", "plural"]), old.at(&["spec", "names", "plural"]), "spec.names.plural", causes);
}

fn condition_is_true(definition: &Value, kind: &str) -> bool {
    definition.at(&["status", "conditions"]).find("type", kind).is_some_and(|c| c.get("status").text() == "True")
}

/// The statuses that the server's own controllers write next, one after the other: names accepted, then
/// established. None if nothing is to be done. `others`: the kinds of the same group.
pub fn next_statuses<'a>(definition: &Value, others: impl Iterator<Item = &'a KindInfo>, now: Time) -> Vec<Value> {
    let names = definition.at(&["spec", "names"]);
    let accepted = definition.at(&["status", "acceptedNames"]);
    let established = condition_is_true(definition, "Established");
    if established && accepted == names {
        return Vec::new();
    }
    let mut status = definition.get("status").clone();
    let time = now.rfc3339();
    if let Some((reason, message)) = conflict(definition, others) {
        if definition.at(&["status", "conditions"]).find("type", "NamesAccepted").is_some_and(|c| c.get("message").text() == message) {
            return Vec::new();
        }
        set_condition(&mut status, "NamesAccepted", false, reason, &message, &time);
        if !established {
            set_condition(&mut status, "Established", false, "NotAccepted", "not all names are accepted", &time);
        }
        return vec![status];
    }
    status.set("acceptedNames", names);
    set_condition(&mut status, "NamesAccepted", true, "NoConflicts", "no conflicts found", &time);
    let message = "the initial names have been accepted";
    if established {
        return vec![status];
    }
    set_condition(&mut status, "Established", false, "Installing", message, &time);
    let installing = status.clone();
    set_condition(&mut status, "Established", true, "InitialNamesAccepted", message, &time);
    vec![installing, status]
}

fn conflict<'a>(definition: &Value, others: impl Iterator<Item = &'a KindInfo>) -> Option<(&'static str, String)> {
    let names = definition.at(&["spec", "names"]);
    let own = definition.at(&["metadata", "name"]).text();
    let (plural, kind) = (names.get("plural").text(), names.get("kind").text());
    for other in others.filter(|k| k.resource.0 != own && k.group() == definition.at(&["spec", "group"]).text()) {
        if other.kind == kind {
            return Some(("KindConflict", format!("\"{kind}\" is already in use")));
        }
        if other.plural() == plural || other.singular == plural || other.short_names.iter().any(|s| *s == plural) {
            return Some(("PluralConflict", format!("\"{plural}\" is already in use")));
        }
        let shorts = names.get("shortNames").items().iter().map(Value::text);
        for short in shorts {
            if other.short_names.iter().any(|s| *s == short) || other.plural() == short || other.singular == short {
                return Some(("ShortNamesConflict", format!("\"{short}\" is already in use")));
            }
        }
    }
    None
}

fn set_condition(status: &mut Value, kind: &'static str, is_true: bool, reason: &'static str, message: &str, time: &str) {
    let word = if is_true { "True" } else { "False" };
    let mut condition = value!({"type": kind, "status": word, "reason": reason, "message": (Value::str(message)), "lastTransitionTime": (Value::str(time))});
    let list = status.entry_at(&["conditions"]).list_mut();
    match list.iter_mut().find(|c| c.get("type").text() == kind) {
        Some(old) => {
            if old.get("status").text() == word {
                condition.set("lastTransitionTime", old.get("lastTransitionTime"));
            }
            *old = condition;
        }
        None => list.push(condition),
    }
}

/// The resource that a definition defines: its own name.
pub fn defined_resource(definition: &Value) -> Str {
    definition.at(&["metadata", "name"]).to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition() -> Value {
        let mut d = value!({
            "metadata": {"name": "ovens.bakery.example.com"},
            "spec": {"group": "bakery.example.com", "scope": "Namespaced", "names": {"plural": "ovens", "kind": "Oven"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}
        });
        default(&mut d);
        d
    }

    #[test]
    fn names_are_completed_then_accepted_then_established() {
        let mut d = definition();
        assert_eq!(d.at(&["spec", "names", "listKind"]).text(), "OvenList");
        let statuses = next_statuses(&d, std::iter::empty(), Time(0));
        let words: Vec<(&str, &str)> = statuses
            .iter()
            .map(|s| s.get("conditions").find("type", "Established").unwrap())
            .map(|c| (c.get("status").text(), c.get("reason").text()))
            .collect();
        assert_eq!(words, [("False", "Installing"), ("True", "InitialNamesAccepted")]);
        d.set("status", statuses[1].clone());
        assert!(next_statuses(&d, std::iter::empty(), Time(0)).is_empty());
    }

    #[test]
    fn a_version_needs_a_schema() {
        let mut d = definition();
        d.entry_at(&["spec", "versions"]).list_mut()[0].remove("schema");
        let mut causes = Causes::new();
        validate(&d, &mut causes);
        let texts: Vec<String> = causes.iter().map(crate::api::status::Cause::text).collect();
        assert_eq!(texts, ["spec.versions[0].schema.openAPIV3Schema: Required value"]);
    }
}
