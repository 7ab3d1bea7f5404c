//! The binary table of all types and their fields that `src/api/schema` reads. Numbers are LEB128; texts are
//! indexes into one sorted list. Its parts: texts, types, nodes, kinds. A node is what a field, an item or a
//! map's value may be; equal nodes are one.

use super::GoTypes;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Bits of a node's second byte: which properties follow. `src/api/schema/table.rs` has the same.
mod has {
    pub const ATOMIC: u8 = 1;
    pub const LIST_TYPE: u8 = 2;
    pub const KEYS: u8 = 4;
    pub const STRATEGY: u8 = 8;
    pub const MERGE_KEY: u8 = 16;
    pub const GO_TYPE: u8 = 32;
    pub const VALUES: u8 = 64;
    pub const DEFAULT: u8 = 128;
}

/// When Go writes a field.
mod presence {
    pub const IF_NOT_EMPTY: u8 = 0;
    pub const IF_SET: u8 = 1;
    pub const ALWAYS: u8 = 2;
    pub const OR_NULL: u8 = 3;
}

type Definitions = BTreeMap<String, Value>;

struct Builder<'a> {
    definitions: &'a Definitions,
    go: &'a GoTypes,
    /// Names of the types met so far; a type's index is its place here.
    types: Vec<String>,
    nodes: Vec<Vec<Part>>,
}

/// A piece of a node, before texts have their indexes.
#[derive(Clone, PartialEq)]
enum Part {
    Byte(u8),
    Number(usize),
    Text(String),
}

/// The kinds that every cluster and every Deployment has, by group and kind. They are a table of their own, as a page that shows no
/// other kinds need not have the table of those.
const COMMON: [(&str, &str); 13] = [
    ("", "ConfigMap"),
    ("", "Event"),
    ("", "Namespace"),
    ("", "Node"),
    ("", "Pod"),
    ("", "Service"),
    ("", "ServiceAccount"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("coordination.k8s.io", "Lease"),
    ("discovery.k8s.io", "EndpointSlice"),
    ("events.k8s.io", "Event"),
    ("scheduling.k8s.io", "PriorityClass"),
];

/// The table of the common kinds, or of all others.
///
/// # Errors
/// A reference to a schema that is not there.
pub fn build(definitions: &Definitions, go: &GoTypes, common: bool) -> Result<Vec<u8>, String> {
    let mut b = Builder { definitions, go, types: Vec::new(), nodes: Vec::new() };
    let mut kinds = Vec::new();
    for (name, schema) in definitions {
        let Some(names) = schema["x-kubernetes-group-version-kind"].as_array() else { continue };
        let [only] = &names[..] else { continue };
        let kind = text(&only["kind"]);
        if COMMON.contains(&(text(&only["group"]), kind)) != common {
            continue;
        }
        if schema["properties"].get("items").is_none() && schema["properties"].get("apiVersion").is_some() && kind != "APIGroup" {
            let node = b.node(&serde_json::json!({"$ref": name}), "")?;
            let mut row: Vec<Part> = ["group", "version", "kind"].map(|k| Part::Text(text(&only[k]).into())).into();
            row.push(Part::Number(node));
            kinds.push(row);
        }
    }
    let mut types = Vec::new();
    while types.len() < b.types.len() {
        types.push(b.fields(types.len())?);
    }
    Ok(write(&types, &b.nodes, &kinds))
}

impl Builder<'_> {
    /// A type's name, then its fields in order: name, node, when it is written (times two) plus whether it is required.
    fn fields(&mut self, index: usize) -> Result<Vec<Part>, String> {
        let full = self.types[index].clone();
        let schema = &self.definitions[&full];
        let none = serde_json::Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&none);
        let required: BTreeSet<&str> = schema["required"].as_array().into_iter().flatten().map(text).collect();
        let mut parts = vec![Part::Text(go_name(&full)), Part::Number(properties.len())];
        for (name, property) in properties {
            let (go, options) = self.go.get(&(full.clone(), name.clone())).cloned().unwrap_or_default();
            let node = self.node(property, go.trim_start_matches('*'))?;
            let flags = when(&go, &options, &self.nodes[node]) << 1 | u8::from(required.contains(name.as_str()));
            parts.extend([Part::Text(name.clone()), Part::Number(node), Part::Byte(flags)]);
        }
        Ok(parts)
    }

    /// The index of the node for a schema whose Go type is `go` ("" if unknown).
    fn node(&mut self, schema: &Value, go: &str) -> Result<usize, String> {
        let reference = schema.get("$ref").or_else(|| schema.pointer("/allOf/0/$ref")).map(text);
        let named = match reference {
            Some(path) => {
                let name = path.rsplit('/').next().unwrap_or(path);
                let found = self.definitions.get(name).ok_or_else(|| format!("no schema {name}"))?;
                Some((name, found))
            }
            None => None,
        };
        let mut go_type = Some(go).filter(|g| !g.is_empty());
        let mut parts = match named {
            Some((name, target)) => self.reference(name, target),
            None => match text(&schema["type"]) {
                "array" => {
                    let item = self.node(&schema["items"], go.strip_prefix("[]").unwrap_or("").trim_start_matches('*'))?;
                    go_type = go_type.filter(|g| !g.starts_with("[]"));
                    vec![Part::Byte(12), Part::Number(item)]
                }
                "object" if schema["additionalProperties"].is_object() => {
                    let value = go.strip_prefix("map[").and_then(|g| g.split_once(']')).map_or("", |(_, value)| value);
                    let item = self.node(&schema["additionalProperties"], value)?;
                    go_type = go_type.filter(|g| !g.starts_with("map[string]"));
                    vec![Part::Byte(13), Part::Number(item)]
                }
                plain => vec![Part::Byte(scalar(plain, text(&schema["format"])))],
            },
        };
        if named.is_some() || matches!(go, "string" | "int32" | "int64" | "bool" | "float64" | "[]uint8") {
            go_type = None;
        }
        let map_type = schema.get("x-kubernetes-map-type").or_else(|| named.and_then(|(_, t)| t.get("x-kubernetes-map-type")));
        extras(&mut parts, schema, map_type.map_or("", text) == "atomic", go_type);
        Ok(self.nodes.iter().position(|n| *n == parts).unwrap_or_else(|| {
            self.nodes.push(parts);
            self.nodes.len() - 1
        }))
    }

    /// The shape of a schema with a name.
    fn reference(&mut self, name: &str, target: &Value) -> Vec<Part> {
        let shape = match go_name(name).split_once('.').map_or("", |(_, n)| n) {
            "IntOrString" => 7,
            "Quantity" => 8,
            "Time" => 9,
            "MicroTime" => 10,
            "JSONSchemaPropsOrArray" | "JSONSchemaPropsOrBool" => 15,
            _ if target["type"] == "object" && (target.get("properties").is_some() || name.ends_with("SubresourceStatus")) => 14,
            _ => 0,
        };
        if shape < 14 {
            return vec![Part::Byte(shape)];
        }
        let name = if shape == 15 { name.trim_end_matches("OrArray").trim_end_matches("OrBool") } else { name };
        let index = self.types.iter().position(|t| t == name).unwrap_or_else(|| {
            self.types.push(name.into());
            self.types.len() - 1
        });
        vec![Part::Byte(shape), Part::Number(index)]
    }
}

fn scalar(plain: &str, format: &str) -> u8 {
    match (plain, format) {
        ("string", "byte") => 11,
        ("string", _) => 1,
        ("integer", "int32") => 2,
        ("integer", _) => 3,
        ("boolean", _) => 5,
        ("number", _) => 6,
        _ => 0,
    }
}

/// What follows the shape: a byte that tells which properties there are, and they.
fn extras(parts: &mut Vec<Part>, schema: &Value, atomic: bool, go_type: Option<&str>) {
    let mut flags = if atomic { has::ATOMIC } else { 0 };
    let mut rest = Vec::new();
    if let Some(list) = schema.get("x-kubernetes-list-type") {
        flags |= has::LIST_TYPE;
        rest.push(Part::Byte(["atomic", "set", "map"].iter().position(|n| list == n).unwrap_or(0) as u8));
    }
    let mut texts = |bit: u8, values: &Value, parts: &mut Vec<Part>| {
        if let Some(values) = values.as_array() {
            flags |= bit;
            parts.push(Part::Number(values.len()));
            parts.extend(values.iter().map(|v| Part::Text(text(v).into())));
        }
    };
    texts(has::KEYS, &schema["x-kubernetes-list-map-keys"], &mut rest);
    texts(has::VALUES, &schema["enum"], &mut rest);
    let default = match &schema["default"] {
        Value::String(s) if !s.is_empty() => Some(s.clone()),
        Value::Number(n) if n.as_i64() != Some(0) => Some(n.to_string()),
        _ => None,
    };
    let words = [
        (has::STRATEGY, schema["x-kubernetes-patch-strategy"].as_str()),
        (has::MERGE_KEY, schema["x-kubernetes-patch-merge-key"].as_str()),
        (has::GO_TYPE, go_type),
        (has::DEFAULT, default.as_deref()),
    ];
    for (bit, word) in words {
        if let Some(word) = word {
            flags |= bit;
            rest.push(Part::Text(word.into()));
        }
    }
    parts.push(Part::Byte(flags));
    parts.append(&mut rest);
}

/// When a field of this Go type and these JSON options is written.
fn when(go: &str, options: &str, node: &[Part]) -> u8 {
    let omit = options.contains("omitempty");
    let shape = match node.first() {
        Some(Part::Byte(shape)) => *shape,
        _ => 0,
    };
    let nullable = go.starts_with('*') || go.starts_with("[]") || go.starts_with("map[") || matches!(shape, 11..=13);
    // A struct is never empty to `omitempty`, whatever is in it; those are objects, times, quantities and raw JSON.
    let is_struct = matches!(shape, 0 | 7..=10 | 14 | 15);
    match (go.starts_with('*'), omit) {
        _ if go.is_empty() || options.contains("omitzero") => presence::IF_NOT_EMPTY,
        (true, true) => presence::IF_SET,
        (false, true) if is_struct => presence::ALWAYS,
        (false, true) => presence::IF_NOT_EMPTY,
        (_, false) if nullable => presence::OR_NULL,
        (_, false) => presence::ALWAYS,
    }
}

/// `v1.Container` of `io.k8s.api.core.v1.Container`.
fn go_name(full: &str) -> String {
    let mut parts = full.rsplit('.');
    let name = parts.next().unwrap_or("");
    format!("{}.{name}", parts.next().unwrap_or(""))
}

fn text(v: &Value) -> &str {
    v.as_str().unwrap_or("")
}

fn write(types: &[Vec<Part>], nodes: &[Vec<Part>], kinds: &[Vec<Part>]) -> Vec<u8> {
    let parts = || types.iter().chain(nodes).chain(kinds).flatten();
    let texts: BTreeSet<&str> = parts()
        .filter_map(|p| match p {
            Part::Text(t) => Some(t.as_str()),
            _ => None,
        })
        .collect();
    let index: BTreeMap<&str, usize> = texts.iter().enumerate().map(|(i, t)| (*t, i)).collect();
    let joined = texts.iter().copied().collect::<Vec<_>>().join("\n");
    let mut out = Vec::new();
    number(&mut out, joined.len());
    out.extend_from_slice(joined.as_bytes());
    for section in [types, nodes, kinds] {
        number(&mut out, section.len());
        for part in section.iter().flatten() {
            match part {
                Part::Byte(b) => out.push(*b),
                Part::Number(n) => number(&mut out, *n),
                Part::Text(t) => number(&mut out, index[t.as_str()]),
            }
        }
    }
    out
}

fn number(out: &mut Vec<u8>, mut n: usize) {
    while n > 127 {
        out.push(n as u8 & 127 | 128);
        n >>= 7;
    }
    out.push(n as u8);
}
