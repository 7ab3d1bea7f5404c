//! Values into the forms of Go's structs, and back.

use super::scalar::{self, Scalar};
use super::{Found, Path};
use crate::api::schema::{Field, Presence, Shape};
use crate::api::{List, Map, Schema, Str, Value};

pub struct Decoder {
    pub found: Found,
    pub path: Path,
    /// Whether fields are set that nobody gave but a struct always writes.
    pub fill: bool,
}

/// The struct that Go embeds between a type and one of its fields, and names in its messages.
fn embedded(owner: &str, field: &str) -> &'static str {
    match (owner, field) {
        ("Probe", "exec" | "httpGet" | "tcpSocket" | "grpc") => "ProbeHandler",
        ("Volume", source) if source != "name" => "VolumeSource",
        ("EphemeralContainer", common) if common != "targetContainerName" => "EphemeralContainerCommon",
        (
            "ConfigMapKeySelector"
            | "SecretKeySelector"
            | "ConfigMapEnvSource"
            | "SecretEnvSource"
            | "ConfigMapVolumeSource"
            | "ConfigMapProjection"
            | "SecretProjection",
            "name",
        ) => "LocalObjectReference",
        _ => "",
    }
}

impl Decoder {
    /// The top of an object.
    pub fn value(&mut self, value: &Value, schema: &Schema) -> Value {
        self.decode(value, schema, "")
    }

    /// `owner` is the name of the struct that the value's field belongs to.
    fn decode(&mut self, value: &Value, schema: &Schema, owner: &str) -> Value {
        match (schema.shape(), value) {
            (_, Value::Null) => Value::Null,
            (Shape::Object | Shape::ObjectOr, Value::Map(map)) => self.object(map, schema),
            (Shape::ObjectOr, Value::List(list)) => {
                let items = list.iter().enumerate().map(|(i, item)| self.item(i, item, schema, owner)).collect::<List>();
                Value::List(items)
            }
            (Shape::Any | Shape::ObjectOr, _) => value.clone(),
            (Shape::Map, Value::Map(map)) => {
                let Some(inner) = schema.item() else { return value.clone() };
                let entries = map.iter().map(|(k, v)| (k.clone(), self.entry(k, v, &inner, owner))).collect::<Map>();
                Value::Map(entries)
            }
            (Shape::List, Value::List(list)) => {
                let Some(inner) = schema.item() else { return value.clone() };
                let items = list.iter().enumerate().map(|(i, item)| self.item(i, item, &inner, owner)).collect::<List>();
                Value::List(items)
            }
            (shape, _) => match scalar::decode(value, shape) {
                Scalar::Fits(decoded) => decoded,
                Scalar::Refused(message) => {
                    self.found.wrong(message, &self.path);
                    Value::Null
                }
                Scalar::WrongType(is) => {
                    let field = if owner.is_empty() { String::new() } else { format!("Go struct field {owner}.{}", self.path.fields) };
                    let place = if field.is_empty() { "Go value".into() } else { field };
                    self.found.wrong(format!("json: cannot unmarshal {is} into {place} of type {}", schema.go_type()), &self.path);
                    Value::Null
                }
            },
        }
    }

    fn item(&mut self, index: usize, item: &Value, schema: &Schema, owner: &str) -> Value {
        let mut path = std::mem::take(&mut self.path);
        let decoded = path.at_index(index, |path| self.at(path, |d| d.decode(item, schema, owner)));
        self.path = path;
        self.or_zero(decoded, schema)
    }

    fn entry(&mut self, key: &str, value: &Value, schema: &Schema, owner: &str) -> Value {
        let mut path = std::mem::take(&mut self.path);
        let decoded = path.within(key, false, |path| self.at(path, |d| d.decode(value, schema, owner)));
        self.path = path;
        self.or_zero(decoded, schema)
    }

    /// Lends a path for a while.
    fn at<T>(&mut self, path: &mut Path, then: impl FnOnce(&mut Decoder) -> T) -> T {
        std::mem::swap(&mut self.path, path);
        let result = then(self);
        std::mem::swap(&mut self.path, path);
        result
    }

    fn object(&mut self, map: &Map, schema: &Schema) -> Value {
        let owner = schema.type_name();
        let mut entries: Vec<(Str, Value)> = Vec::with_capacity(map.len() + 2);
        for (key, value) in map.iter() {
            let mut path = std::mem::take(&mut self.path);
            path.within_struct(embedded(owner, key), key, |path| {
                self.at(path, |d| match schema.field_info(key) {
                    None => d.found.unknown(&d.path),
                    Some(field) => {
                        let decoded = d.decode(value, &field.schema, owner);
                        entries.extend(d.written(decoded, &field).map(|v| (field.name.clone(), v)));
                    }
                });
            });
            self.path = path;
        }
        if self.fill {
            for field in schema.fields().filter(|f| matches!(f.presence, Presence::Always | Presence::OrNull) && !map.contains(&f.name)) {
                entries.extend(self.written(Value::Null, &field).map(|v| (field.name, v)));
            }
        }
        Value::Map(entries.into_iter().collect::<Map>())
    }

    /// What Go writes of a field's value; nothing if it leaves the field out.
    fn written(&self, decoded: Value, field: &Field) -> Option<Value> {
        match field.presence {
            Presence::IfNotEmpty => Some(decoded).filter(|v| !v.is_empty()),
            Presence::IfSet => Some(decoded).filter(|v| !v.is_null()),
            Presence::OrNull if decoded.is_null() => self.fill.then_some(Value::Null),
            Presence::Always if decoded.is_null() => self.fill.then(|| self.zero(&field.schema)),
            Presence::Always | Presence::OrNull => Some(decoded),
        }
    }

    fn or_zero(&self, decoded: Value, schema: &Schema) -> Value {
        if decoded.is_null() && self.fill { self.zero(schema) } else { decoded }
    }

    /// What Go writes of a value that was never set.
    fn zero(&self, schema: &Schema) -> Value {
        match schema.shape() {
            Shape::String => Value::from(""),
            Shape::Int32 | Shape::Int64 | Shape::Integer | Shape::IntOrString | Shape::Number => Value::Int(0),
            Shape::Bool => Value::Bool(false),
            Shape::Quantity => Value::from("0"),
            Shape::Object => {
                let always = schema.fields().filter_map(|f| self.written(Value::Null, &f).map(|v| (f.name, v)));
                Value::Map(always.collect::<Map>())
            }
            Shape::Any | Shape::Time | Shape::MicroTime | Shape::Bytes | Shape::List | Shape::Map | Shape::ObjectOr => Value::Null,
        }
    }
}
