//! The table of types behind a `Schema`, and how the generated ones are read (`xtask/src/schema/table.rs` writes them).

use super::{ListType, Presence, Shape};
use crate::api::{Str, Value};
use crate::util::Order;
use std::rc::Rc;

#[derive(Debug, Default)]
pub struct Table {
    pub types: Vec<Type>,
    pub nodes: Vec<Node>,
    /// (kind, version, group), in order, and the node
    pub kinds: Vec<((Str, Str, Str), u32)>,
}

impl Table {
    pub fn kind(&self, group: &str, version: &str, kind: &str) -> Option<u32> {
        let place =
            |(k, v, g): &(Str, Str, Str)| k.as_str().cmp(kind).then_with(|| v.as_str().cmp(version)).then_with(|| g.as_str().cmp(group));
        self.kinds.binary_search_by(|(key, _)| place(key)).ok().map(|i| self.kinds[i].1)
    }
}

/// An object with named fields, sorted by name.
#[derive(Debug)]
pub struct Type {
    /// `v1.Container`, "" of a custom type.
    pub name: Str,
    pub fields: Vec<Field>,
}

#[derive(Debug)]
pub struct Field {
    pub name: Str,
    pub node: u32,
    pub required: bool,
    pub presence: Presence,
}

/// What a field, an item or a map's value may be.
#[derive(Debug, Default)]
pub struct Node {
    pub shape: Shape,
    /// A list's item, a map's value, an object's type.
    pub inner: u32,
    pub atomic: bool,
    pub more: Option<Box<More>>,
}

/// What few nodes have.
#[derive(Debug, Default)]
pub struct More {
    pub list_type: Option<ListType>,
    pub keys: Rc<[Str]>,
    pub values: Rc<[Str]>,
    pub strategy: Str,
    pub merge_key: Str,
    pub go_type: Str,
    pub default: Value,
    /// A custom kind's own schema of this node, with all its rules.
    pub source: Value,
    /// Unknown fields are kept.
    pub open: bool,
    /// A field or map value that may be null.
    pub nullable: bool,
    /// The value is a whole object with apiVersion, kind and metadata.
    pub embedded: bool,
    /// An object with free keys beside its fields; the value's node.
    pub rest: Option<u32>,
}

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

/// Reads the generated table, which is a part of the program: a fault in it is a fault of the build.
struct Reader {
    bytes: &'static [u8],
    texts: Vec<&'static str>,
}

impl Reader {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.bytes.split_first().expect("the schema table is whole");
        self.bytes = rest;
        *first
    }

    fn number(&mut self) -> usize {
        let mut n = 0;
        for shift in (0..).step_by(7) {
            let b = self.byte();
            n |= usize::from(b & 127) << shift;
            if b < 128 {
                break;
            }
        }
        n
    }

    fn node(&mut self) -> u32 {
        self.number() as u32
    }

    fn text(&mut self) -> Str {
        let i = self.number();
        Str::fixed(self.texts[i])
    }

    fn texts(&mut self) -> Rc<[Str]> {
        (0..self.number()).map(|_| self.text()).collect()
    }

    fn many<T>(&mut self, mut read: impl FnMut(&mut Reader) -> T) -> Vec<T> {
        (0..self.number()).map(|_| read(self)).collect()
    }

    fn read_type(&mut self) -> Type {
        let name = self.text();
        let fields = self.many(|r| {
            let (name, node, flags) = (r.text(), r.node(), r.byte());
            Field { name, node, required: flags & 1 == 1, presence: Presence::ALL[usize::from(flags >> 1)] }
        });
        Type { name, fields }
    }

    fn read_node(&mut self) -> Node {
        let shape = Shape::ALL[usize::from(self.byte())];
        let inner = if matches!(shape, Shape::List | Shape::Map | Shape::Object | Shape::ObjectOr) { self.node() } else { 0 };
        let flags = self.byte();
        let atomic = flags & has::ATOMIC != 0;
        if flags & !has::ATOMIC == 0 {
            return Node { shape, inner, atomic, more: None };
        }
        let mut more = More::default();
        if flags & has::LIST_TYPE != 0 {
            more.list_type = Some(ListType::ALL[usize::from(self.byte())]);
        }
        for (bit, list) in [(has::KEYS, &mut more.keys), (has::VALUES, &mut more.values)] {
            if flags & bit != 0 {
                *list = self.texts();
            }
        }
        for (bit, word) in [(has::STRATEGY, &mut more.strategy), (has::MERGE_KEY, &mut more.merge_key), (has::GO_TYPE, &mut more.go_type)] {
            if flags & bit != 0 {
                *word = self.text();
            }
        }
        if flags & has::DEFAULT != 0 {
            let text = self.text();
            more.default = text.parse::<i64>().map_or(Value::Str(text), Value::Int);
        }
        Node { shape, inner, atomic, more: Some(Box::new(more)) }
    }
}

/// The kinds that every cluster has.
pub fn common() -> Table {
    generated(include_bytes!("common.bin"))
}

/// All other kinds of Kubernetes' own.
pub fn others() -> Table {
    generated(include_bytes!("others.bin"))
}

fn generated(bytes: &'static [u8]) -> Table {
    let mut r = Reader { bytes, texts: Vec::new() };
    let length = r.number();
    let (texts, rest) = r.bytes.split_at(length);
    r.texts = std::str::from_utf8(texts).expect("the schema table's texts are UTF-8").split('\n').collect();
    r.bytes = rest;
    let types = r.many(Reader::read_type);
    let nodes = r.many(Reader::read_node);
    let mut kinds = r.many(|r| {
        let (group, version, kind) = (r.text(), r.text(), r.text());
        ((kind, version, group), r.node())
    });
    kinds.order();
    assert!(r.bytes.is_empty(), "nothing follows the schema table");
    Table { types, nodes, kinds }
}
