//! Objects of custom kinds: pruning, defaulting and validation by `openAPIV3Schema`. Follows apiextensions'
//! `pkg/apiserver/schema/{pruning,defaulting}` and kube-openapi's `pkg/validation/validate`. Left out: CEL rules, formats other
//! than dates.

use super::pattern::Pattern;
use crate::api::status::Cause;
use crate::api::{Str, Value};
use crate::apiserver::registry::Causes;
use crate::apiserver::registry::edit::drop_field;
use crate::apiserver::registry::rules::{go_quote, quoted, required};

/// Takes out fields that the schema does not know; answers with their paths.
pub fn prune(schema: &Value, object: &mut Value) -> Vec<String> {
    let mut gone = Vec::new();
    prune_at(schema, object, "", true, &mut gone);
    gone
}

fn keeps_unknown(schema: &Value) -> bool {
    schema.get("x-kubernetes-preserve-unknown-fields").is_true()
}

fn prune_at(schema: &Value, value: &mut Value, path: &str, is_root: bool, gone: &mut Vec<String>) {
    match value {
        Value::Map(_) => {
            let whole = is_root || schema.get("x-kubernetes-embedded-resource").is_true();
            let keys: Vec<Str> = value.entries().iter().map(|(k, _)| k.clone()).collect();
            for key in keys {
                if whole && matches!(key.as_str(), "apiVersion" | "kind" | "metadata") {
                    continue;
                }
                let here = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
                let inner = match schema.get("properties").get(&key) {
                    Value::Null => schema.get("additionalProperties"),
                    property => property,
                };
                match inner {
                    Value::Map(_) => change(value, &key, |v| prune_at(inner, v, &here, false, gone)),
                    Value::Bool(true) => {}
                    _ if keeps_unknown(schema) => {}
                    _ => {
                        drop_field(value, &key);
                        gone.push(here);
                    }
                }
            }
        }
        Value::List(_) => {
            let items = schema.get("items");
            if items.as_map().is_none() {
                return;
            }
            for i in 0..value.items().len() {
                let mut item = value.item(i).clone();
                prune_at(items, &mut item, &format!("{path}[{i}]"), false, gone);
                if !item.same(value.item(i)) && item != *value.item(i) {
                    value.list_mut()[i] = item;
                }
            }
        }
        _ => {}
    }
}

/// Changes a field in place; one that comes out the same stays shared.
fn change(value: &mut Value, key: &Str, edit: impl FnOnce(&mut Value)) {
    let mut inner = value.get(key).clone();
    edit(&mut inner);
    if !inner.same(value.get(key)) && inner != *value.get(key) {
        value.set(key.clone(), inner);
    }
}

/// Puts the schema's defaults where nothing is; null counts as nothing unless the schema allows null, and goes.
pub fn default(schema: &Value, value: &mut Value) {
    match value {
        Value::Map(_) => {
            for (name, property) in schema.get("properties").entries() {
                let is_nothing = value.get(name).is_null() && value.as_map().is_some_and(|m| m.contains(name));
                if is_nothing && !property.get("nullable").is_true() {
                    drop_field(value, name);
                }
                let preset = property.get("default");
                let there = value.get(name);
                let absent = there.is_null() && (!property.get("nullable").is_true() || !value.as_map().is_some_and(|m| m.contains(name)));
                if absent && !preset.is_null() {
                    value.set(name.clone(), preset);
                }
                if value.get(name).as_map().is_some() || value.get(name).as_list().is_some() {
                    change(value, name, |v| default(property, v));
                }
            }
            let rest = schema.get("additionalProperties");
            if rest.as_map().is_some() {
                let keys: Vec<Str> = value.entries().iter().map(|(k, _)| k.clone()).collect();
                for key in keys.iter().filter(|k| schema.get("properties").get(k).is_null()) {
                    change(value, key, |v| default(rest, v));
                }
            }
        }
        Value::List(_) => {
            let items = schema.get("items");
            for i in 0..value.items().len() {
                let mut item = value.item(i).clone();
                default(items, &mut item);
                if !item.same(value.item(i)) && item != *value.item(i) {
                    value.list_mut()[i] = item;
                }
            }
        }
        _ => {}
    }
}

/// What is wrong with an object of a custom kind.
pub fn validate(schema: &Value, object: &Value, causes: &mut Causes) {
    validate_at(schema, object, "", causes);
}

/// The type of a value as messages name it.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Int(_) => "integer",
        Value::Float(_) => "number",
        Value::Str(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) => "object",
    }
}

fn is_of_type(value: &Value, schema: &Value) -> bool {
    if schema.get("x-kubernetes-int-or-string").is_true() {
        return matches!(value, Value::Int(_) | Value::Str(_));
    }
    let wanted = schema.get("type").text();
    match value {
        Value::Null => schema.get("nullable").is_true() || wanted.is_empty(),
        Value::Int(_) => matches!(wanted, "" | "integer" | "number"),
        Value::Float(f) => wanted == "number" || wanted.is_empty() || wanted == "integer" && f.trunc() == *f,
        other => wanted.is_empty() || wanted == type_of(other),
    }
}

fn push_invalid(causes: &mut Causes, path: &str, shown: &str, why: &str) {
    causes.push(Cause::new(Str::from(path), "FieldValueInvalid", format!("Invalid value: {shown}: {path} in body {why}")));
}

fn validate_at(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    if schema.as_map().is_none() {
        return;
    }
    if !is_of_type(value, schema) {
        let wanted = if schema.get("x-kubernetes-int-or-string").is_true() { "integer,string" } else { schema.get("type").text() };
        let actual = type_of(value);
        push_invalid(causes, path, &go_quote(actual), &format!("must be of type {wanted}: {}", go_quote(actual)));
        return;
    }
    match value {
        Value::Str(text) => check_text(schema, text, path, causes),
        Value::Int(_) | Value::Float(_) => check_number(schema, value, path, causes),
        Value::List(_) => check_list(schema, value, path, causes),
        Value::Map(_) => check_map(schema, value, path, causes),
        Value::Null | Value::Bool(_) => {}
    }
    let allowed = schema.get("enum").items();
    if !allowed.is_empty() && !allowed.contains(value) && !value.is_null() {
        let all: Vec<String> = allowed.iter().map(quoted).collect();
        let body = format!("Unsupported value: {}: supported values: {}", quoted(value), all.join(", "));
        causes.push(Cause::new(Str::from(path), "FieldValueNotSupported", body));
    }
    combinations(schema, value, path, causes);
}

fn check_text(schema: &Value, text: &str, path: &str, causes: &mut Causes) {
    let length = text.chars().count() as i64;
    if let Some(most) = schema.get("maxLength").as_int()
        && length > most
    {
        causes.push(Cause::new(Str::from(path), "FieldValueTooLong", format!("Too long: may not be more than {most} bytes")));
        return;
    }
    if let Some(least) = schema.get("minLength").as_int()
        && length < least
    {
        push_invalid(causes, path, &go_quote(text), &format!("should be at least {least} chars long"));
        return;
    }
    if let Some(pattern) = schema.get("pattern").as_str()
        && !Pattern::parse(pattern).is_none_or(|p| p.is_match(text))
    {
        push_invalid(causes, path, &go_quote(text), &format!("should match '{pattern}'"));
        return;
    }
    let format = schema.get("format").text();
    if matches!(format, "date-time" | "date") && !looks_like_date(text, format == "date-time") {
        push_invalid(causes, path, &go_quote(text), &format!("must be of type {format}: {}", go_quote(text)));
    }
}

fn looks_like_date(text: &str, with_time: bool) -> bool {
    let b = text.as_bytes();
    let digits = |r: std::ops::Range<usize>| b.get(r).is_some_and(|s| s.iter().all(u8::is_ascii_digit));
    let date = digits(0..4) && b.get(4) == Some(&b'-') && digits(5..7) && b.get(7) == Some(&b'-') && digits(8..10);
    if !with_time {
        return date && b.len() == 10;
    }
    date && matches!(b.get(10), Some(b'T' | b't' | b' ')) && digits(11..13) && b.get(13) == Some(&b':') && b.len() >= 20
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Int(n) => *n as f64,
        Value::Float(f) => *f,
        _ => 0.0,
    }
}

fn check_number(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let n = number(value);
    let shown = quoted(value);
    let step = schema.get("multipleOf");
    if !step.is_null() && number(step) != 0.0 && (n / number(step)).fract() != 0.0 {
        push_invalid(causes, path, &shown, &format!("should be a multiple of {}", quoted(step)));
    }
    let most = schema.get("maximum");
    if !most.is_null() {
        let exclusive = schema.get("exclusiveMaximum").is_true();
        if n > number(most) || exclusive && n >= number(most) {
            let words = if exclusive { "less than" } else { "less than or equal to" };
            push_invalid(causes, path, &shown, &format!("should be {words} {}", quoted(most)));
        }
    }
    let least = schema.get("minimum");
    if !least.is_null() {
        let exclusive = schema.get("exclusiveMinimum").is_true();
        if n < number(least) || exclusive && n <= number(least) {
            let words = if exclusive { "greater than" } else { "greater than or equal to" };
            push_invalid(causes, path, &shown, &format!("should be {words} {}", quoted(least)));
        }
    }
}

fn check_list(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let count = value.items().len() as i64;
    if let Some(least) = schema.get("minItems").as_int()
        && count < least
    {
        push_invalid(causes, path, &count.to_string(), &format!("should have at least {least} items"));
    }
    if let Some(most) = schema.get("maxItems").as_int()
        && count > most
    {
        causes.push(Cause::new(Str::from(path), "FieldValueTooMany", format!("Too many: {count}: must have at most {most} items")));
    }
    for (i, item) in value.items().iter().enumerate() {
        validate_at(schema.get("items"), item, &format!("{path}[{i}]"), causes);
    }
    duplicates(schema, value, path, causes);
}

/// Items of a set, and keys of a map, appear once.
fn duplicates(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let keys: Vec<&str> = match schema.get("x-kubernetes-list-type").text() {
        "set" => Vec::new(),
        "map" => schema.get("x-kubernetes-list-map-keys").items().iter().map(Value::text).collect(),
        _ => return,
    };
    let identity = |item: &Value| -> Value {
        if keys.is_empty() { item.clone() } else { keys.iter().map(|k| (Str::from(*k), item.get(k).clone())).collect() }
    };
    let mut seen: Vec<Value> = Vec::new();
    for (i, item) in value.items().iter().enumerate() {
        let id = identity(item);
        if seen.contains(&id) {
            causes.push(Cause::new(format!("{path}[{i}]"), "FieldValueDuplicate", format!("Duplicate value: {}", quoted(&id))));
        }
        seen.push(id);
    }
}

fn check_map(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let child = |key: &str| if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
    let count = value.entries().len() as i64;
    if let Some(least) = schema.get("minProperties").as_int()
        && count < least
    {
        push_invalid(causes, path, &count.to_string(), &format!("should have at least {least} properties"));
    }
    if let Some(most) = schema.get("maxProperties").as_int()
        && count > most
    {
        causes.push(Cause::new(Str::from(path), "FieldValueTooMany", format!("Too many: {count}: must have at most {most} items")));
    }
    for name in schema.get("required").items() {
        if !value.as_map().is_some_and(|m| m.contains(name.text())) {
            causes.push(required(child(name.text()), ""));
        }
    }
    for (key, inner) in value.entries() {
        let property = match schema.get("properties").get(key) {
            Value::Null => schema.get("additionalProperties"),
            property => property,
        };
        if path.is_empty() && matches!(key.as_str(), "apiVersion" | "kind" | "metadata") {
            continue;
        }
        validate_at(property, inner, &child(key), causes);
    }
}

fn combinations(schema: &Value, value: &Value, path: &str, causes: &mut Causes) {
    let fits = |s: &Value| {
        let mut wrong = Causes::new();
        validate_at(s, value, path, &mut wrong);
        wrong.is_empty()
    };
    for inner in schema.get("allOf").items() {
        validate_at(inner, value, path, causes);
    }
    let any = schema.get("anyOf").items();
    if !any.is_empty() && !any.iter().any(fits) {
        causes.push(Cause::new(
            Str::from(path),
            "FieldValueInvalid",
            format!("Invalid value: \"\": {} must validate at least one schema (anyOf)", go_quote(path)),
        ));
    }
    let one = schema.get("oneOf").items();
    let matched = one.iter().filter(|s| fits(s)).count();
    if !one.is_empty() && matched != 1 {
        let found = if matched == 0 { "none valid".to_string() } else { format!("{matched} valid alternatives") };
        let why = format!("Invalid value: \"\": {} must validate one and only one schema (oneOf). Found {found}", go_quote(path));
        causes.push(Cause::new(Str::from(path), "FieldValueInvalid", why));
    }
    if schema.get("not").as_map().is_some() && fits(schema.get("not")) {
        causes.push(Cause::new(
            Str::from(path),
            "FieldValueInvalid",
            format!("Invalid value: \"\": {} must not validate the schema (not)", go_quote(path)),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value;

    fn schema() -> Value {
        value!({"type": "object", "properties": {"spec": {"type": "object", "required": ["fuel", "shelves"], "default": {}, "properties": {
            "fuel": {"type": "string", "enum": ["wood", "gas"], "default": "gas"},
            "shelves": {"type": "integer", "minimum": 1_i64, "maximum": 10_i64},
            "label": {"type": "string", "maxLength": 8_i64, "pattern": "^[a-z]+$"},
            "racks": {"type": "array", "items": {"type": "object", "properties": {"wide": {"type": "boolean", "default": true}}}}
        }}}})
    }

    #[test]
    fn what_the_schema_forbids_is_said_in_the_real_words() {
        for (name, spec, texts) in [
            ("fine", value!({"fuel": "gas", "shelves": 3_i64, "label": "one"}), vec![]),
            (
                "out of bounds",
                value!({"fuel": "coal", "shelves": 12_i64, "label": "Number-One-Oven"}),
                vec![
                    "spec.fuel: Unsupported value: \"coal\": supported values: \"wood\", \"gas\"",
                    "spec.label: Too long: may not be more than 8 bytes",
                    "spec.shelves: Invalid value: 12: spec.shelves in body should be less than or equal to 10",
                ],
            ),
            (
                "wrong type",
                value!({"fuel": "gas", "shelves": "three"}),
                vec!["spec.shelves: Invalid value: \"string\": spec.shelves in body must be of type integer: \"string\""],
            ),
            ("missing", value!({"fuel": "gas"}), vec!["spec.shelves: Required value"]),
            (
                "pattern",
                value!({"fuel": "gas", "shelves": 1_i64, "label": "No1"}),
                vec!["spec.label: Invalid value: \"No1\": spec.label in body should match '^[a-z]+$'"],
            ),
        ] {
            let mut causes = Causes::new();
            validate(&schema(), &value!({"kind": "Oven", "spec": spec}), &mut causes);
            assert_eq!(causes.iter().map(Cause::text).collect::<Vec<_>>(), texts, "{name}");
        }
    }

    #[test]
    fn defaults_go_in_and_unknown_fields_out() {
        let mut oven = value!({"kind": "Oven", "spec": {"racks": [{}, {"wide": false, "deep": true}], "colour": "red"}});
        assert_eq!(prune(&schema(), &mut oven), ["spec.colour", "spec.racks[1].deep"]);
        default(&schema(), &mut oven);
        assert_eq!(oven.get("spec"), &value!({"fuel": "gas", "racks": [{"wide": true}, {"wide": false}]}));
        let mut empty = value!({"kind": "Oven"});
        default(&schema(), &mut empty);
        assert_eq!(empty.get("spec"), &value!({"fuel": "gas"}));
    }
}
