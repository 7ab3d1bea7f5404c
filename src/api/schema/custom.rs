//! A custom kind's schema, from its definition. Follows apiextensions' structural schemas
//! (`pkg/apiserver/schema/convert.go`); rules that only validate stay in `Schema::source`.

use super::table::{Field, More, Node, Table, Type};
use super::{ListType, Presence, Schema, Shape};
use crate::api::{Str, Value};
use crate::util::Order;
use std::rc::Rc;

/// Deeper than any real definition; what lies below is taken as it comes.
const DEPTH_MAX: usize = 64;

/// The schema that `openAPIV3Schema` of a definition's version describes, with apiVersion, kind and metadata
/// as every object has them. A null schema allows anything.
pub fn from_custom(schema: &Value) -> Schema {
    let mut b = Builder { table: Table::default() };
    let metadata = b.metadata();
    let node = b.node(schema, Some(metadata), 0);
    Schema { table: Rc::new(b.table), node }
}

struct Builder {
    table: Table,
}

impl Builder {
    fn add(&mut self, node: Node) -> u32 {
        self.table.nodes.push(node);
        self.table.nodes.len() as u32 - 1
    }

    /// ObjectMeta, copied from the built-in types with all that it refers to.
    fn metadata(&mut self) -> u32 {
        let Some(built_in) = super::of("", "v1", "ConfigMap").and_then(|s| s.field("metadata")) else { return self.add(Node::default()) };
        self.copy(&built_in, 0)
    }

    fn copy(&mut self, from: &Schema, depth: usize) -> u32 {
        let old = from.node();
        if depth > DEPTH_MAX {
            return self.add(Node::default());
        }
        let inner = match from.of_object() {
            Some(t) => {
                let fields = from
                    .fields()
                    .map(|f| Field { node: self.copy(&f.schema, depth + 1), name: f.name, required: f.required, presence: f.presence })
                    .collect();
                self.table.types.push(Type { name: t.name.clone(), fields });
                self.table.types.len() as u32 - 1
            }
            None => from.item().map_or(0, |item| self.copy(&item, depth + 1)),
        };
        let more = old.more.as_ref().map(|m| {
            Box::new(More {
                list_type: m.list_type,
                keys: m.keys.clone(),
                values: m.values.clone(),
                strategy: m.strategy.clone(),
                merge_key: m.merge_key.clone(),
                go_type: m.go_type.clone(),
                default: m.default.clone(),
                ..More::default()
            })
        });
        self.add(Node { shape: old.shape, inner, atomic: old.atomic, more })
    }

    /// `metadata` is the node of ObjectMeta where the value is a whole object.
    fn node(&mut self, schema: &Value, metadata: Option<u32>, depth: usize) -> u32 {
        if depth > DEPTH_MAX {
            return self.add(Node::default());
        }
        let embedded = schema.get("x-kubernetes-embedded-resource").is_true();
        let metadata = metadata.or_else(|| embedded.then(|| self.metadata()));
        let mut more = More {
            list_type: list_type(schema.get("x-kubernetes-list-type").text()),
            keys: schema.get("x-kubernetes-list-map-keys").items().iter().map(Value::to_str).collect(),
            values: schema.get("enum").items().iter().filter(|v| v.as_str().is_some()).map(Value::to_str).collect(),
            default: schema.get("default").clone(),
            open: schema.get("x-kubernetes-preserve-unknown-fields").is_true(),
            nullable: schema.get("nullable").is_true(),
            embedded,
            source: schema.clone(),
            ..More::default()
        };
        let (shape, inner) = self.shape(schema, metadata, depth, &mut more);
        let atomic = schema.get("x-kubernetes-map-type").text() == "atomic";
        self.add(Node { shape, inner, atomic, more: Some(Box::new(more)) })
    }

    fn shape(&mut self, schema: &Value, metadata: Option<u32>, depth: usize, more: &mut More) -> (Shape, u32) {
        if schema.get("x-kubernetes-int-or-string").is_true() {
            return (Shape::IntOrString, 0);
        }
        let format = schema.get("format").text();
        match schema.get("type").text() {
            "string" => (if format == "byte" { Shape::Bytes } else { Shape::String }, 0),
            "integer" => (if format == "int32" { Shape::Int32 } else { Shape::Integer }, 0),
            "boolean" => (Shape::Bool, 0),
            "number" => (Shape::Number, 0),
            "array" => (Shape::List, self.node(schema.get("items"), None, depth + 1)),
            "object" => self.object(schema, metadata, depth, more),
            _ if metadata.is_some() && !schema.is_null() => self.object(schema, metadata, depth, more),
            _ => (Shape::Any, 0),
        }
    }

    fn object(&mut self, schema: &Value, metadata: Option<u32>, depth: usize, more: &mut More) -> (Shape, u32) {
        let additional = schema.get("additionalProperties");
        let properties = schema.get("properties").entries();
        if metadata.is_none() && properties.is_empty() && (additional.as_map().is_some() || additional.is_true()) {
            let value = if additional.is_true() { self.add(open()) } else { self.node(additional, None, depth + 1) };
            return (Shape::Map, value);
        }
        if additional.as_map().is_some() {
            more.rest = Some(self.node(additional, None, depth + 1));
        }
        let required = schema.get("required").items();
        let is_required = |name: &str| required.iter().any(|r| r.as_str() == Some(name));
        let mut fields: Vec<Field> = Vec::new();
        for (name, property) in properties {
            if metadata.is_some() && matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
                continue;
            }
            let node = self.node(property, None, depth + 1);
            fields.push(Field { name: name.clone(), node, required: is_required(name), presence: Presence::IfSet });
        }
        if let Some(metadata) = metadata {
            let text = self.add(Node { shape: Shape::String, ..Node::default() });
            for (name, node) in [("apiVersion", text), ("kind", text), ("metadata", metadata)] {
                fields.push(Field { name: Str::fixed(name), node, required: false, presence: Presence::IfSet });
            }
        }
        fields.order_by(|a, b| a.name.cmp(&b.name));
        self.table.types.push(Type { name: Str::default(), fields });
        (Shape::Object, self.table.types.len() as u32 - 1)
    }
}

/// A value of which nothing is said and all is kept.
fn open() -> Node {
    Node { more: Some(Box::new(More { open: true, ..More::default() })), ..Node::default() }
}

fn list_type(name: &str) -> Option<ListType> {
    match name {
        "atomic" => Some(ListType::Atomic),
        "set" => Some(ListType::Set),
        "map" => Some(ListType::Map),
        _ => None,
    }
}
