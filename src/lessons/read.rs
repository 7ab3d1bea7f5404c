//! Reads a lesson's text field by field and remembers what is wrong with it, and where.

use super::format::Said;
use crate::api::{Str, Value, yaml};
use std::fmt;

/// A text of a lesson may be this long.
pub const TEXT_MAX_BYTES: usize = 4_000;

/// One mistake in a lesson.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Counted from 1; 0 if nobody knows.
    pub line: usize,
    /// As `steps[1].goals[0].if`.
    pub field: String,
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        f.write_str(&self.message)
    }
}

/// The document and what was found to be wrong so far.
pub struct Reader {
    document: yaml::Document,
    pub problems: Vec<Problem>,
}

/// A field: its path and its value.
#[derive(Clone)]
pub struct At {
    pub path: String,
    pub value: Value,
}

impl At {
    pub fn get(&self, key: &str) -> At {
        let path = if self.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.path) };
        At { path, value: self.value.get(key).clone() }
    }

    pub fn items(&self) -> impl Iterator<Item = At> + '_ {
        self.value.items().iter().enumerate().map(|(i, v)| At { path: format!("{}[{i}]", self.path), value: v.clone() })
    }

    pub fn is_there(&self) -> bool {
        !self.value.is_null()
    }
}

impl Reader {
    /// # Errors
    /// The text is no YAML of one document.
    pub fn new(text: &str) -> Result<(Reader, At), Problem> {
        let mut parsed = yaml::parse(text);
        if let Some(e) = parsed.error {
            return Err(Problem { line: e.position.line, field: String::new(), message: e.problem });
        }
        let whole = |line, message: &str| Problem { line, field: String::new(), message: message.to_string() };
        if let Some(second) = parsed.documents.get(1) {
            return Err(whole(second.first_line, "a lesson is one document"));
        }
        let document = parsed.documents.pop().ok_or_else(|| whole(1, "the lesson is empty"))?;
        let root = At { path: String::new(), value: document.value.clone() };
        let doubled = document.duplicates.iter();
        let problems =
            doubled.map(|d| Problem { line: d.key.start.line, field: d.path.clone(), message: "is there twice".into() }).collect();
        Ok((Reader { document, problems }, root))
    }

    /// The line of a field, or of what is around it.
    pub fn line(&self, path: &str) -> usize {
        self.document.locate(path).map_or(0, |p| p.key.unwrap_or(p.value).start.line)
    }

    pub fn wrong(&mut self, at: &At, message: impl Into<String>) {
        let line = self.line(&at.path);
        self.problems.push(Problem { line, field: at.path.clone(), message: message.into() });
    }

    /// Says which fields a map may have.
    pub fn fields(&mut self, at: &At, known: &[&str]) {
        if !matches!(at.value, Value::Map(_)) {
            return self.wrong(at, format!("wants fields: {}", known.join(", ")));
        }
        for (key, _) in at.value.entries() {
            if !known.contains(&key.as_str()) {
                self.wrong(&at.get(key), format!("unknown field; known are {}", known.join(", ")));
            }
        }
    }

    /// A list of at least `least` and at most `most` items.
    pub fn list(&mut self, at: &At, least: usize, most: usize) -> Vec<At> {
        let is_list = matches!(at.value, Value::List(_));
        if at.is_there() && !is_list {
            self.wrong(at, "wants a list");
            return Vec::new();
        }
        let items: Vec<At> = at.items().collect();
        if items.len() < least {
            self.wrong(at, format!("wants at least {least}"));
        } else if items.len() > most {
            self.wrong(at, format!("has {} items, at most {most} are read", items.len()));
            return Vec::new();
        }
        items
    }

    /// A text that must be there.
    pub fn text(&mut self, at: &At) -> Str {
        match &at.value {
            Value::Str(s) if !s.trim().is_empty() => {
                if s.len() > TEXT_MAX_BYTES {
                    self.wrong(at, format!("is {} bytes long, the limit is {TEXT_MAX_BYTES}", s.len()));
                }
                s.trim().into()
            }
            Value::Null => {
                self.wrong(at, "is missing");
                Str::default()
            }
            _ => {
                self.wrong(at, "wants text");
                Str::default()
            }
        }
    }

    /// A text in both languages.
    pub fn said(&mut self, at: &At) -> Said {
        if !at.is_there() {
            self.wrong(at, "is missing");
            return Said::default();
        }
        self.fields(at, &["ko", "en"]);
        if !matches!(at.value, Value::Map(_)) {
            return Said::default();
        }
        Said { ko: self.text(&at.get("ko")), en: self.text(&at.get("en")) }
    }

    /// A name of small letters, digits and dashes.
    pub fn name(&mut self, at: &At) -> Str {
        let text = self.text(at);
        let fine = text.len() <= 60 && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !text.is_empty() && !fine {
            self.wrong(at, "wants at most 60 small letters, digits and dashes");
        }
        text
    }
}
