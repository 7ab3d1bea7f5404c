//! Objects as YAML and JSON.

use super::super::fault::Fault;
use crate::api::{Object, Value};

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
    serde_yaml::to_string(value).unwrap_or_default()
}

/// With four spaces, as kubectl writes it.
pub fn json(value: &Value) -> String {
    let mut bytes = Vec::new();
    let format = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    let mut writer = serde_json::Serializer::with_formatter(&mut bytes, format);
    serde::Serialize::serialize(value, &mut writer).expect("a value has only text keys");
    String::from_utf8(bytes).expect("JSON is UTF-8") + "\n"
}

/// On one line, with `<`, `>` and `&` escaped as Go does.
pub fn json_line(value: &Value) -> String {
    let text = serde_json::to_string(value).expect("a value has only text keys");
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}
