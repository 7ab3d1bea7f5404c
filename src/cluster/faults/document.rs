//! A fault's one written form: the document that a scenario, a link and a panel hold. Reading is strict; what is wrong is
//! said with the field's name.

use super::{FAMILIES, Fault};
use crate::api::{Resource, Str, Value, scheme};
use crate::cluster::About;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A name may be this long.
const NAME_MAX_BYTES: usize = 253;
/// No fault asks for more time than a day.
const SECONDS_MAX: f64 = 86_400.0;
const COUNT_MAX: i64 = 1_000_000;
/// The fields that every lasting fault may have.
const FOR: &str = "for";

/// One form of a document.
pub struct Form {
    /// The field that names it.
    pub key: &'static str,
    /// The other fields that it may have.
    pub fields: &'static [&'static str],
    pub read: fn(&Reader) -> Result<Fault, String>,
}

/// The names of all forms.
pub fn form_keys() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().flat_map(|f| f.forms).map(|f| f.key)
}

impl Fault {
    /// Reads a document.
    ///
    /// # Errors
    /// What is wrong with it, with the field's name.
    pub fn parse(document: &Value) -> Result<Fault, String> {
        let Some(map) = document.as_map() else { return Err("a fault is a map with one of its forms' fields".to_string()) };
        let forms = || FAMILIES.iter().flat_map(|f| f.forms);
        let Some(form) = forms().find(|f| map.contains(f.key)) else {
            let known: Vec<&str> = form_keys().collect();
            let first = map.iter().next().map_or("", |(k, _)| k.as_str());
            return Err(format!("unknown fault \"{}\" (known: {})", short(first), known.join(", ")));
        };
        for (key, _) in map.iter() {
            let known = key == form.key || form.fields.contains(&key.as_str()) || key == FOR;
            if !known {
                let fields: Vec<&str> = form.fields.iter().copied().chain([FOR]).collect();
                return Err(format!("{}: unknown field \"{}\" (known: {})", form.key, short(key), fields.join(", ")));
            }
        }
        let reader = Reader { document, form };
        let fault = (form.read)(&reader)?;
        if document.get(FOR).is_null() {
            return Ok(fault);
        }
        if !fault.lasts() {
            return Err(format!("{}: \"{FOR}\" is for faults that last", form.key));
        }
        let ms = reader.ms(FOR)?.filter(|ms| *ms > 0).ok_or_else(|| reader.wrong(FOR, "a number of seconds above 0"))?;
        Ok(Fault::For { ms, fault: Box::new(fault) })
    }

    /// The document that says this fault.
    pub fn document(&self) -> Value {
        if let Fault::For { ms, fault } = self {
            let mut document = fault.document();
            document.set(FOR, seconds(*ms));
            return document;
        }
        FAMILIES.iter().find_map(|f| (f.write)(self)).expect("every fault belongs to a family")
    }

    /// Whether it is in force until something ends it.
    pub fn lasts(&self) -> bool {
        use Fault::*;
        !matches!(
            self.inner(),
            Resync { .. } | Disconnect { .. } | Relist { .. } | EtcdCompact | NodeDown(_) | NodeUp(_) | RegistryUp(_) | Kill { .. }
        )
    }

    /// The field that names its form.
    pub fn key(&self) -> &'static str {
        let document = self.document();
        form_keys().find(|key| !document.get(key).is_null()).expect("a document has its form's field")
    }
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.document().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Fault {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fault, D::Error> {
        Fault::parse(&Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// Milliseconds as the number of seconds that a document holds.
pub fn seconds(ms: u64) -> Value {
    if ms.is_multiple_of(1000) { Value::Int((ms / 1000) as i64) } else { Value::Float(ms as f64 / 1000.0) }
}

/// A document whose only fields are these.
pub fn written<const N: usize>(fields: [(&'static str, Value); N]) -> Value {
    let mut document = Value::map();
    for (key, value) in fields {
        if !value.is_null() {
            document.set(key, value);
        }
    }
    document
}

/// `pods/web-1`, or with its namespace in front.
pub fn about_text(about: &About) -> Value {
    let space = if about.namespace.is_empty() { String::new() } else { format!("{}/", about.namespace) };
    Value::from(format!("{space}{}/{}", about.resource, about.name))
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Reads the fields of one document.
pub struct Reader<'a> {
    document: &'a Value,
    form: &'a Form,
}

impl Reader<'_> {
    pub fn wrong(&self, field: &str, wanted: &str) -> String {
        format!("{}: \"{field}\" wants {wanted}", self.form.key)
    }

    pub fn field(&self, field: &str) -> &Value {
        self.document.get(field)
    }

    /// A name that must be there.
    pub fn name(&self, field: &str) -> Result<Str, String> {
        let text = self.field(field).as_str().filter(|t| is_name(t)).map(Str::from);
        text.ok_or_else(|| self.wrong(field, "a name"))
    }

    /// The name that the form's own field holds.
    pub fn own(&self) -> Result<Str, String> {
        self.name(self.form.key)
    }

    /// A name that may be missing.
    pub fn name_or(&self, field: &str, default: &'static str) -> Result<Str, String> {
        if self.field(field).is_null() { Ok(Str::fixed(default)) } else { self.name(field) }
    }

    /// Seconds as milliseconds.
    pub fn ms(&self, field: &str) -> Result<Option<u64>, String> {
        let n = match self.field(field) {
            Value::Null => return Ok(None),
            Value::Int(n) => *n as f64,
            Value::Float(f) => *f,
            _ => -1.0,
        };
        if !(0.0..=SECONDS_MAX).contains(&n) {
            return Err(self.wrong(field, "a number of seconds from 0 to 86400"));
        }
        Ok(Some((n * 1000.0 + 0.5) as u64))
    }

    /// A whole number above 0.
    pub fn count(&self, field: &str, default: u64) -> Result<u64, String> {
        match self.field(field) {
            Value::Null => Ok(default),
            Value::Int(n) if (1..=COUNT_MAX).contains(n) => Ok(n.unsigned_abs()),
            _ => Err(self.wrong(field, "a whole number from 1 to 1000000")),
        }
    }

    /// A kind by any word that kubectl takes.
    pub fn kind(&self) -> Result<Resource, String> {
        let word = self.name("kind")?;
        resource_of(&word).ok_or_else(|| format!("{}: unknown kind \"{}\"", self.form.key, short(&word)))
    }

    pub fn kind_if_any(&self) -> Result<Option<Resource>, String> {
        if self.field("kind").is_null() { Ok(None) } else { self.kind().map(Some) }
    }

    /// `KIND/NAME`, or `NAMESPACE/KIND/NAME`.
    pub fn about(&self) -> Result<About, String> {
        let text = self.field("about").text();
        let parts: Vec<&str> = text.split('/').collect();
        let (namespace, kind, name) = match parts[..] {
            [kind, name] => ("", kind, name),
            [namespace, kind, name] => (namespace, kind, name),
            _ => return Err(self.wrong("about", "KIND/NAME or NAMESPACE/KIND/NAME")),
        };
        if !is_name(name) || !(namespace.is_empty() || is_name(namespace)) {
            return Err(self.wrong("about", "KIND/NAME or NAMESPACE/KIND/NAME"));
        }
        let resource = resource_of(kind).ok_or_else(|| format!("{}: unknown kind \"{}\"", self.form.key, short(kind)))?;
        Ok(About { resource, namespace: namespace.into(), name: name.into() })
    }
}

fn resource_of(word: &str) -> Option<Resource> {
    scheme::by_name(word).map(|k| k.resource.clone())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= NAME_MAX_BYTES && !text.chars().any(|c| c.is_control() || c == '/')
}
