//! The description of kinds that have none of their own: every field, by its name in words.
//! Follows kubectl `pkg/describe/describe.go` (`GenericDescriber`, `printUnstructuredContent`).

use super::super::fault::Fault;
use super::scalar;
use super::write::{marks, put};
use crate::api::{Object, Value};
use crate::client::Transport;

/// Fields that the head of the description shows already, or nobody wants to see.
const SKIPPED: &[&str] = &[
    ".metadata.managedFields",
    ".metadata.name",
    ".metadata.namespace",
    ".metadata.labels",
    ".metadata.annotations",
    ".kind",
    ".apiVersion",
];

pub fn describe(out: &mut String, o: &Object, _: &mut dyn Transport) -> Result<(), Fault> {
    put(out, 0, format!("Name:\t{}", o.name()));
    put(out, 0, format!("Namespace:\t{}", o.namespace()));
    marks(out, o);
    put(out, 0, format!("API Version:\t{}", o.api_version()));
    put(out, 0, format!("Kind:\t{}", o.kind()));
    content(out, 0, &o.0, "");
    Ok(())
}

fn content(out: &mut String, level: usize, value: &Value, path: &str) {
    for (field, inner) in value.entries() {
        let here = format!("{path}.{field}");
        if SKIPPED.contains(&here.as_str()) {
            continue;
        }
        let title = words(field);
        match inner {
            Value::Map(_) => {
                put(out, level, format!("{title}:"));
                content(out, level + 1, inner, &here);
            }
            Value::List(items) => {
                put(out, level, format!("{title}:"));
                for item in items.iter() {
                    if item.as_map().is_some() {
                        content(out, level + 1, item, &here);
                    } else {
                        put(out, level + 1, scalar(item));
                    }
                }
            }
            other => put(out, level, format!("{title}:\t{}", scalar(other))),
        }
    }
}

/// `repoURL` as `Repo URL`: kubectl's `smartLabelFor`.
fn words(field: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let letters: Vec<char> = field.chars().collect();
    for (i, c) in letters.iter().enumerate() {
        let before = i.checked_sub(1).map(|j| letters[j]);
        let after = letters.get(i + 1);
        let class = |c: char| (c.is_uppercase(), c.is_lowercase(), c.is_ascii_digit());
        let starts = match before {
            None => true,
            Some(b) if c.is_uppercase() && b.is_uppercase() => after.is_some_and(|a| a.is_lowercase()),
            Some(b) if c.is_lowercase() && b.is_uppercase() => false,
            Some(b) => class(*c) != class(b),
        };
        match parts.last_mut() {
            Some(last) if !starts => last.push(*c),
            _ => parts.push(c.to_string()),
        }
    }
    let title = |p: &String| {
        let upper = p.to_ascii_uppercase();
        if ["API", "URL", "UID", "OSB", "GUID"].contains(&upper.as_str()) {
            return upper;
        }
        let mut letters = p.chars();
        letters.next().map_or(String::new(), |c| c.to_ascii_uppercase().to_string() + letters.as_str())
    };
    let kept: Vec<String> = parts.iter().filter(|p| p.chars().any(char::is_alphanumeric)).map(title).collect();
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_read_as_words() {
        for (field, text) in [
            ("repoURL", "Repo URL"),
            ("creationTimestamp", "Creation Timestamp"),
            ("uid", "UID"),
            ("apiVersion", "API Version"),
            ("id", "Id"),
        ] {
            assert_eq!(words(field), text);
        }
    }
}
