//! How the parts of a value are owned, read from the schema (kube-openapi `schemaconv/smd.go`).

use crate::api::schema::{ListType, Presence, Shape as Kind};
use crate::api::{Schema, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// As one: scalars, atomic maps and lists.
    Leaf,
    /// Field by field.
    Map,
    /// A list of scalars, each owned on its own.
    Set,
    /// A list of maps told apart by keys.
    Keyed,
}

/// The shape of a value of this type. Where nothing is said of the type, maps are owned field by field.
pub fn of(schema: Option<&Schema>, value: &Value) -> Shape {
    let Some(schema) = schema else {
        return if value.as_map().is_some() { Shape::Map } else { Shape::Leaf };
    };
    match schema.shape() {
        Kind::List => match schema.list_type() {
            ListType::Atomic => Shape::Leaf,
            ListType::Set => Shape::Set,
            ListType::Map => Shape::Keyed,
        },
        Kind::Map | Kind::Object | Kind::ObjectOr | Kind::Any if value.as_map().is_some() && !schema.is_atomic() => Shape::Map,
        _ => Shape::Leaf,
    }
}

/// What the absence of a field means while the struct around it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zero {
    Absent,
    /// A Go struct that is never absent.
    Struct,
    /// A zero value that is written.
    Nil,
}

/// The type of a field, and what its absence means.
pub fn field(schema: Option<&Schema>, name: &str) -> (Option<Schema>, Zero) {
    let Some(schema) = schema else { return (None, Zero::Absent) };
    let Some(field) = schema.field_info(name) else { return (schema.field(name), Zero::Absent) };
    let zero = match field.presence {
        Presence::IfNotEmpty | Presence::IfSet => Zero::Absent,
        Presence::Always if field.schema.shape() == Kind::Object => Zero::Struct,
        Presence::Always | Presence::OrNull => Zero::Nil,
    };
    (Some(field.schema), zero)
}
