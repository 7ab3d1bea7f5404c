//! The keys of FieldsV1: made of names and values, and read back as paths for messages
//! (structured-merge-diff `fieldpath/serialize-pe.go`, `fieldpath/element.go`).

use crate::api::json::quote;
use crate::api::{Schema, Str, Value};
use crate::util::Order;
use std::cell::RefCell;
use std::fmt::Write;

/// So many keys are kept, each in the place that its text is hashed to.
const KEPT: usize = 1024;

thread_local! {
    /// Keys made lately, so that the sets of thousands of objects share them.
    static LATELY: RefCell<Vec<Str>> = RefCell::new(vec![Str::default(); KEPT]);
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The key of a kind (`f:`, `k:`, `v:`) with the text that `write` appends.
fn made(prefix: &str, write: impl FnOnce(&mut String)) -> Str {
    TEXT.with_borrow_mut(|text| {
        text.clear();
        text.push_str(prefix);
        write(text);
        let hash = text.bytes().fold(0x811c_9dc5_u32, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193));
        LATELY.with_borrow_mut(|lately| {
            let place = &mut lately[hash as usize % KEPT];
            if *place != *text.as_str() {
                *place = Str::from(text.as_str());
            }
            place.clone()
        })
    })
}

/// The key of a field.
pub fn field(name: &str) -> Str {
    made("f:", |text| text.push_str(name))
}

/// The key of an item of a set.
pub fn value(item: &Value) -> Str {
    made("v:", |text| json(item, text))
}

/// The key fields of the items of a list.
pub struct Keys {
    /// the type of an item
    pub item: Option<Schema>,
    /// By name, each with the value it has where it is not given.
    fields: Vec<(Str, Value)>,
}

impl Keys {
    /// The key fields of a list type.
    pub fn of(list: Option<&Schema>) -> Keys {
        let item = list.and_then(Schema::item);
        let default = |key: &Str| item.as_ref().and_then(|i| i.field(key)).map(|f| f.default_value().clone()).unwrap_or_default();
        let names = list.map_or(&[][..], Schema::list_keys);
        let mut fields: Vec<(Str, Value)> = names.iter().map(|key| (key.clone(), default(key))).collect();
        fields.order_by(|a, b| a.0.cmp(&b.0));
        Keys { item, fields }
    }

    /// How many fields tell an item from the others.
    pub fn width(&self) -> usize {
        self.fields.len()
    }

    /// What tells an item from the others: the values of its key fields, defaults filled in.
    pub fn key<'a>(&'a self, item: &'a Value) -> impl Iterator<Item = &'a Value> {
        self.fields.iter().map(|(name, default)| item.as_map().and_then(|m| m.get(name)).unwrap_or(default))
    }

    /// `k:{"name":"web"}`
    pub fn text(&self, item: &Value) -> Str {
        made("k:{", |text| {
            for ((name, _), value) in self.fields.iter().zip(self.key(item)).filter(|(_, value)| !value.is_null()) {
                if !text.ends_with('{') {
                    text.push(',');
                }
                quote(name, text);
                text.push(':');
                json(value, text);
            }
            text.push('}');
        })
    }
}

/// Appends a scalar as JSON.
fn json(value: &Value, out: &mut String) {
    match value {
        Value::Str(s) => quote(s, out),
        other => out.push_str(&serde_json::to_string(other).unwrap_or_default()),
    }
}

/// A path as messages show it: `.spec.ports[port=80,protocol="TCP"].targetPort`.
pub fn path(keys: &[Str]) -> String {
    let mut out = String::new();
    for key in keys {
        match key.split_at_checked(2) {
            Some(("f:", name)) => {
                let _ = write!(out, ".{name}");
            }
            Some(("k:", text)) => {
                let fields: Value = serde_json::from_str(text).unwrap_or_default();
                let parts: Vec<String> = fields.entries().iter().map(|(k, v)| format!("{k}={}", shown(v))).collect();
                let _ = write!(out, "[{}]", parts.join(","));
            }
            Some(("v:", text)) => {
                let _ = write!(out, "[={}]", shown(&serde_json::from_str(text).unwrap_or_default()));
            }
            _ => {
                let _ = write!(out, "[{key}]");
            }
        }
    }
    out
}

fn shown(value: &Value) -> String {
    match value {
        Value::Str(s) => format!("{:?}", s.as_str()),
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}
