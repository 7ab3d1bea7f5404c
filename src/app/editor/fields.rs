//! What the schema knows of a place in a manifest, for the editor's completions: plain lines, so that the bridge stays small.

use crate::api::schema::{self, Shape};
use crate::api::scheme::Kinds;

/// Answers apiVersion, kind and path, a line each: for each field its name, type and shape; `=` before each allowed value.
/// Without a kind, all kinds with their apiVersions.
pub fn answer(question: &str) -> String {
    let mut lines = question.split('\n');
    let mut part = || lines.next().unwrap_or("");
    let (api_version, kind, path) = (part(), part(), part());
    let mut out = String::new();
    let mut say = |parts: &[&str]| {
        for part in parts {
            out.push_str(part);
        }
        out.push('\n');
    };
    if kind.is_empty() {
        for k in Kinds::built_in().iter() {
            say(&[k.kind.as_str(), "\t", k.api_version().as_str()]);
        }
        return out;
    }
    let path: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    let Some(here) = schema::of_type(api_version, kind).and_then(|s| s.path(&path)).map(|s| s.through_lists()) else { return out };
    for value in here.values() {
        say(&["=", value.as_str()]);
    }
    if here.shape() == Shape::Bool {
        say(&["=true"]);
        say(&["=false"]);
    }
    for field in here.fields() {
        let shape = match field.schema.shape() {
            Shape::Object | Shape::ObjectOr | Shape::Map => "o",
            Shape::List => "l",
            _ => "",
        };
        say(&[field.name.as_str(), "\t", &field.schema.go_type(), "\t", shape]);
    }
    out
}
