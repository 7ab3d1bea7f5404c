//! Objects as YAML and JSON.

use super::super::fault::Fault;
use crate::api::{Object, Value, json};

/// The object in a format of `-o`.
///
/// # Errors
/// There is no such format.
pub fn object(format: &str, object: &Object, managed: bool) -> Result<String, Fault> {
    let value = if managed { object.0.clone() } else { without_managed(&object.0) };
    match format {
        "yaml" | "kyaml" => Ok(yaml(&value)),
        "json" => Ok(json(&value)),
        format => match format.strip_prefix("jsonpath=") {
            Some(path) => super::jsonpath::print(path, &object.0),
            None => Err(Fault::text(format!(
                "unable to match a printer suitable for the output format \"{format}\", allowed formats are: json,kyaml,name,yaml"
            ))),
        },
    }
}

/// The object without managedFields, which kubectl shows only if asked.
pub fn without_managed(value: &Value) -> Value {
    let mut plain = value.clone();
    plain.remove_at(&["metadata", "managedFields"]);
    plain
}

pub fn yaml(value: &Value) -> String {
    crate::api::yaml::write(value)
}

/// With four spaces, as kubectl writes it.
pub fn json(value: &Value) -> String {
    json::write_pretty(value)
}

/// On one line, as Go's encoder writes it.
pub fn json_line(value: &Value) -> String {
    json::write_compact(value)
}
