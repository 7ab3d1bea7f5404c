//! A string that is cheap to clone: a constant of the program, or shared.

use crate::util::bytes;
use std::borrow::Borrow;
use std::cell::RefCell;
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

/// An immutable string. Cloning never copies text.
#[derive(Clone)]
pub enum Str {
    Fixed(&'static str),
    Shared(Rc<str>),
}

impl Str {
    pub const fn fixed(text: &'static str) -> Str {
        Str::Fixed(text)
    }

    /// The parts one after the other.
    pub fn of(parts: &[&str]) -> Str {
        thread_local! {
            static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
        }
        TEXT.with_borrow_mut(|text| {
            text.clear();
            parts.iter().for_each(|part| text.push_str(part));
            Str::from(text.as_str())
        })
    }

    /// The length in bytes, without looking at the text.
    #[inline(always)]
    pub fn size(&self) -> usize {
        match self {
            Str::Fixed(s) => s.len(),
            Str::Shared(s) => s.len(),
        }
    }

    #[inline(always)]
    pub fn as_str(&self) -> &str {
        match self {
            Str::Fixed(s) => s,
            Str::Shared(s) => s,
        }
    }
}

impl Deref for Str {
    type Target = str;
    #[inline(always)]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Str {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Str {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Default for Str {
    fn default() -> Str {
        Str::Fixed("")
    }
}

impl From<&str> for Str {
    fn from(s: &str) -> Str {
        Str::Shared(Rc::from(s))
    }
}

impl From<String> for Str {
    fn from(s: String) -> Str {
        Str::Shared(Rc::from(s))
    }
}

impl From<&String> for Str {
    fn from(s: &String) -> Str {
        Str::Shared(Rc::from(s.as_str()))
    }
}

impl From<Rc<str>> for Str {
    fn from(s: Rc<str>) -> Str {
        Str::Shared(s)
    }
}

impl PartialEq for Str {
    fn eq(&self, other: &Str) -> bool {
        self.size() == other.size() && bytes::same(self.as_bytes(), other.as_bytes())
    }
}

impl Eq for Str {}

impl PartialEq<str> for Str {
    fn eq(&self, other: &str) -> bool {
        self.size() == other.len() && bytes::same(self.as_bytes(), other.as_bytes())
    }
}

impl PartialEq<&str> for Str {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl PartialOrd for Str {
    fn partial_cmp(&self, other: &Str) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Str {
    fn cmp(&self, other: &Str) -> std::cmp::Ordering {
        let (a, b) = (self.as_str(), other.as_str());
        if a.as_ptr() == b.as_ptr() && a.len() == b.len() { std::cmp::Ordering::Equal } else { bytes::compare(a.as_bytes(), b.as_bytes()) }
    }
}

impl std::hash::Hash for Str {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl serde::Serialize for Str {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Str {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Str, D::Error> {
        String::deserialize(d).map(Str::from)
    }
}
