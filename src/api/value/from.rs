//! What a `Value` is made from.

use super::{Map, Value};
use crate::api::Str;

impl FromIterator<Value> for Value {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Value {
        Value::List(items.into_iter().collect())
    }
}

impl FromIterator<(Str, Value)> for Value {
    fn from_iter<I: IntoIterator<Item = (Str, Value)>>(entries: I) -> Value {
        Value::Map(entries.into_iter().collect())
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Value {
        Value::Bool(b)
    }
}

impl From<i64> for Value {
    fn from(n: i64) -> Value {
        Value::Int(n)
    }
}

impl From<&'static str> for Value {
    fn from(s: &'static str) -> Value {
        Value::Str(Str::Fixed(s))
    }
}

impl From<String> for Value {
    fn from(s: String) -> Value {
        Value::Str(s.into())
    }
}

impl From<Str> for Value {
    fn from(s: Str) -> Value {
        Value::Str(s)
    }
}

impl From<&Str> for Value {
    fn from(s: &Str) -> Value {
        Value::Str(s.clone())
    }
}

impl From<Map> for Value {
    fn from(m: Map) -> Value {
        Value::Map(m)
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Value {
        items.into_iter().collect()
    }
}

impl From<&Value> for Value {
    fn from(v: &Value) -> Value {
        v.clone()
    }
}
