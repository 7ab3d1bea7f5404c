//! What fields each kind of object has and how they are merged: Kubernetes' own kinds from a generated table,
//! custom ones from their definition's `openAPIV3Schema`. Both are walked alike, field by field.

mod custom;
mod table;

use super::{Str, Value};
use crate::util::bytes;
use std::fmt;
use std::rc::Rc;
use table::{More, Node, Table, Type};

pub use custom::from_custom;

/// What kind of value is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Shape {
    /// Anything: raw JSON, an unknown field.
    #[default]
    Any,
    String,
    Int32,
    Int64,
    /// An integer of a custom kind without a format.
    Integer,
    Bool,
    Number,
    IntOrString,
    Quantity,
    /// RFC 3339, whole seconds
    Time,
    /// RFC 3339, microseconds
    MicroTime,
    /// base64
    Bytes,
    List,
    Map,
    /// Named fields.
    Object,
    /// An object of the type if it is a map, anything else too (`items` and `additionalProperties` of a JSON schema).
    ObjectOr,
}

impl Shape {
    /// By their numbers in the generated table.
    const ALL: [Shape; 16] = [
        Shape::Any,
        Shape::String,
        Shape::Int32,
        Shape::Int64,
        Shape::Integer,
        Shape::Bool,
        Shape::Number,
        Shape::IntOrString,
        Shape::Quantity,
        Shape::Time,
        Shape::MicroTime,
        Shape::Bytes,
        Shape::List,
        Shape::Map,
        Shape::Object,
        Shape::ObjectOr,
    ];
}

/// `x-kubernetes-list-type`: how server-side apply merges a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ListType {
    #[default]
    Atomic,
    Set,
    Map,
}

impl ListType {
    const ALL: [ListType; 3] = [ListType::Atomic, ListType::Set, ListType::Map];
}

/// When the server, which keeps objects as Go structs, writes a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Presence {
    /// Left out when null, "", 0, false or without entries.
    IfNotEmpty,
    /// Left out when null (a pointer).
    #[default]
    IfSet,
    /// Always written, `{}`, "" or 0 if it was not given.
    Always,
    /// Always written, null if it was not given.
    OrNull,
}

impl Presence {
    const ALL: [Presence; 4] = [Presence::IfNotEmpty, Presence::IfSet, Presence::Always, Presence::OrNull];
}

/// What one place in an object may hold. Cloning is cheap.
#[derive(Clone)]
pub struct Schema {
    table: Rc<Table>,
    node: u32,
}

/// A field of an object's type.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: Str,
    pub schema: Schema,
    pub required: bool,
    pub presence: Presence,
}

thread_local! {
    static COMMON: Rc<Table> = Rc::new(table::common());
    static OTHERS: Rc<Table> = Rc::new(table::others());
}

/// The schema of one of Kubernetes' own kinds in one version.
pub fn of(group: &str, version: &str, kind: &str) -> Option<Schema> {
    let place = |table: &Rc<Table>| Some(Schema { table: table.clone(), node: table.kind(group, version, kind)? });
    // The table of the others is read, and in a page fetched, when one of them is asked for.
    COMMON.with(place).or_else(|| OTHERS.with(place))
}

/// The same by what `apiVersion` and `kind` of an object say.
pub fn of_type(api_version: &str, kind: &str) -> Option<Schema> {
    let (group, version) = super::scheme::group_and_version(api_version);
    of(group, version, kind)
}

impl Schema {
    fn at(&self, node: u32) -> Schema {
        Schema { table: self.table.clone(), node }
    }

    /// A number that tells the places of one kind's schema apart.
    pub fn number(&self) -> u32 {
        self.node
    }

    /// Whether both are the same place of the same schema.
    pub fn is(&self, other: &Schema) -> bool {
        self.node == other.node && Rc::ptr_eq(&self.table, &other.table)
    }

    fn node(&self) -> &Node {
        &self.table.nodes[self.node as usize]
    }

    fn more(&self) -> Option<&More> {
        self.node().more.as_deref()
    }

    fn of_object(&self) -> Option<&Type> {
        let node = self.node();
        matches!(node.shape, Shape::Object | Shape::ObjectOr).then(|| &self.table.types[node.inner as usize])
    }

    pub fn shape(&self) -> Shape {
        self.node().shape
    }

    /// The named field of an object, the value of a map at any key; nothing if there is no such field.
    pub fn field(&self, name: &str) -> Option<Schema> {
        if self.shape() == Shape::Map {
            return self.item();
        }
        self.named(name).map(|f| self.at(f.node)).or_else(|| self.more().and_then(|m| m.rest).map(|n| self.at(n)))
    }

    /// The named field with what its type says of it.
    pub fn field_info(&self, name: &str) -> Option<Field> {
        self.named(name).map(|f| self.info(f))
    }

    fn named(&self, name: &str) -> Option<&table::Field> {
        let fields = &self.of_object()?.fields;
        fields.binary_search_by(|f| bytes::compare(f.name.as_bytes(), name.as_bytes())).ok().map(|i| &fields[i])
    }

    fn info(&self, f: &table::Field) -> Field {
        Field { name: f.name.clone(), schema: self.at(f.node), required: f.required, presence: f.presence }
    }

    /// All named fields, sorted by name.
    pub fn fields(&self) -> impl Iterator<Item = Field> {
        self.of_object().into_iter().flat_map(|t| &t.fields).map(|f| self.info(f))
    }

    /// The schema at the end of a path of field names and map keys; lists are passed through.
    pub fn path(&self, path: &[&str]) -> Option<Schema> {
        path.iter().try_fold(self.clone(), |here, name| here.through_lists().field(name))
    }

    /// The innermost item if this is a list (of lists), else this.
    pub fn through_lists(&self) -> Schema {
        let mut here = self.clone();
        while let (Shape::List, Some(item)) = (here.shape(), here.item()) {
            here = item;
        }
        here
    }

    /// A list's item, a map's value.
    pub fn item(&self) -> Option<Schema> {
        let node = self.node();
        matches!(node.shape, Shape::List | Shape::Map).then(|| self.at(node.inner))
    }

    pub fn list_type(&self) -> ListType {
        self.more().and_then(|m| m.list_type).unwrap_or_default()
    }

    /// The fields that tell a list's items apart under server-side apply.
    pub fn list_keys(&self) -> &[Str] {
        self.more().map_or(&[], |m| &m.keys)
    }

    /// Whether a strategic merge patch merges this list by key or as a set.
    pub fn merges(&self) -> bool {
        self.more().is_some_and(|m| m.strategy.split(',').any(|s| s == "merge"))
    }

    /// Whether a strategic merge patch drops the fields of this object that it does not name.
    pub fn retains_keys(&self) -> bool {
        self.more().is_some_and(|m| m.strategy.split(',').any(|s| s == "retainKeys"))
    }

    /// `x-kubernetes-patch-strategy`, "" if none.
    pub fn strategy(&self) -> Str {
        self.more().map(|m| m.strategy.clone()).unwrap_or_default()
    }

    /// The field that tells a list's items apart under a strategic merge patch.
    pub fn merge_key(&self) -> Option<Str> {
        self.more().map(|m| m.merge_key.clone()).filter(|k| !k.is_empty())
    }

    /// Whether server-side apply replaces this as a whole: an atomic map or object, a list that is not a map or
    /// set, and every scalar.
    pub fn is_atomic(&self) -> bool {
        match self.shape() {
            Shape::List => self.list_type() == ListType::Atomic,
            Shape::Map | Shape::Object => self.node().atomic,
            Shape::Any => self.more().is_none_or(|m| !m.open),
            _ => true,
        }
    }

    /// The only values allowed, of an enumeration; else none.
    pub fn values(&self) -> &[Str] {
        self.more().map_or(&[], |m| &m.values)
    }

    /// The default that the schema itself gives, or null. Most defaults of Kubernetes' own kinds are not in it.
    pub fn default_value(&self) -> &Value {
        self.more().map_or(&Value::Null, |m| &m.default)
    }

    /// Whether unknown fields are kept (custom kinds only).
    pub fn keeps_unknown(&self) -> bool {
        self.more().is_some_and(|m| m.open)
    }

    pub fn is_nullable(&self) -> bool {
        self.more().is_some_and(|m| m.nullable)
    }

    /// Whether the value is a whole object with apiVersion, kind and metadata (custom kinds only).
    pub fn is_embedded(&self) -> bool {
        self.more().is_some_and(|m| m.embedded)
    }

    /// A custom kind's own schema of this place, with all its rules (`maximum`, `pattern`, …); else null.
    pub fn source(&self) -> &Value {
        self.more().map_or(&Value::Null, |m| &m.source)
    }

    /// The name of the object's Go type without its package, `Container`; "" if it has none.
    pub fn type_name(&self) -> &str {
        self.of_object().and_then(|t| t.name.split_once('.')).map_or("", |(_, name)| name)
    }

    /// The Go type as its decoder's messages name it: `[]v1.EnvVar`, `int32`, `map[string]string`.
    pub fn go_type(&self) -> String {
        let named = self.more().map(|m| m.go_type.as_str()).unwrap_or_default();
        if !named.is_empty() {
            return named.into();
        }
        match (self.shape(), self.item()) {
            (Shape::List, Some(item)) => format!("[]{}", item.go_type()),
            (Shape::Map, Some(item)) => format!("map[string]{}", item.go_type()),
            (shape, _) => match shape {
                Shape::Object | Shape::ObjectOr => self.of_object().map(|t| t.name.to_string()).unwrap_or_default(),
                Shape::String => "string".into(),
                Shape::Int32 => "int32".into(),
                Shape::Int64 | Shape::Integer => "int64".into(),
                Shape::Bool => "bool".into(),
                Shape::Number => "float64".into(),
                Shape::IntOrString => "intstr.IntOrString".into(),
                Shape::Quantity => "resource.Quantity".into(),
                Shape::Time => "v1.Time".into(),
                Shape::MicroTime => "v1.MicroTime".into(),
                Shape::Bytes => "[]uint8".into(),
                Shape::Any | Shape::List | Shape::Map => "interface {}".into(),
            },
        }
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Schema({})", self.go_type())
    }
}

#[cfg(test)]
mod tests;
