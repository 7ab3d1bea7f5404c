//! A JSON reader with the messages of Go's `encoding/json`.

use crate::api::{Map, Str, Value};

/// Deeper JSON is refused; what walks values walks them recursively.
const DEPTH_MAX: usize = 256;

/// Why a text is not JSON.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// Go's text: `invalid character 'x' looking for beginning of value`.
    pub message: String,
    /// How many bytes were read, the faulty one among them, as Go counts.
    pub offset: usize,
}

/// Reads a text that is one JSON value.
///
/// # Errors
/// It is not, as Go's decoder says it.
pub fn parse(text: &str) -> Result<Value, Fault> {
    let (value, end, _) = parse_prefix(text)?;
    let rest = text[end..].trim_start_matches([' ', '\t', '\r', '\n']);
    match rest.chars().next() {
        None => Ok(value),
        Some(c) => Err(fault(format!("invalid character {} after top-level value", show(c)), text.len() - rest.len() + 1)),
    }
}

/// A value, where it ends in bytes, and the keys that came twice as `(byte after the key, key)`.
pub type Prefix = (Value, usize, Vec<(usize, Str)>);

/// Reads the JSON value that a text begins with; also tells where it ends in bytes, and which keys came twice
/// in their object (as `(byte after the key, key)`).
///
/// # Errors
/// There is none, as Go's decoder says it.
pub fn parse_prefix(text: &str) -> Result<Prefix, Fault> {
    let mut r = Reader { text, place: 0, depth: 0, duplicates: Vec::new() };
    let value = r.value()?;
    Ok((value, r.place, r.duplicates))
}

struct Reader<'a> {
    text: &'a str,
    place: usize,
    depth: usize,
    duplicates: Vec<(usize, Str)>,
}

fn fault(message: String, offset: usize) -> Fault {
    Fault { message, offset }
}

/// A character as Go's messages quote it.
fn show(c: char) -> String {
    match c {
        '\'' => "'\\''".into(),
        '"' => "'\"'".into(),
        _ => {
            let quoted = super::quote_go(&c.to_string());
            format!("'{}'", &quoted[1..quoted.len() - 1])
        }
    }
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.place).copied()
    }

    fn unexpected<T>(&self, context: &str) -> Result<T, Fault> {
        match self.text.get(self.place..).and_then(|t| t.chars().next()) {
            Some(c) => Err(fault(format!("invalid character {} {context}", show(c)), self.place + 1)),
            None => Err(fault("unexpected end of JSON input".into(), self.text.len())),
        }
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.place += 1;
        }
    }

    fn take(&mut self, c: u8) -> bool {
        let found = self.peek() == Some(c);
        self.place += usize::from(found);
        found
    }

    fn value(&mut self) -> Result<Value, Fault> {
        self.space();
        match self.peek() {
            Some(b'{') => self.nested(Reader::object),
            Some(b'[') => self.nested(Reader::array),
            Some(b'"') => self.string().map(Value::from),
            Some(b't') => self.literal("true", Value::Bool(true)),
            Some(b'f') => self.literal("false", Value::Bool(false)),
            Some(b'n') => self.literal("null", Value::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.unexpected("looking for beginning of value"),
        }
    }

    fn nested(&mut self, read: impl Fn(&mut Self) -> Result<Value, Fault>) -> Result<Value, Fault> {
        self.place += 1;
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(fault("exceeded max depth".into(), self.place));
        }
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self) -> Result<Value, Fault> {
        let mut entries: Vec<(Str, Value)> = Vec::new();
        let mut keys: std::collections::BTreeSet<Str> = std::collections::BTreeSet::new();
        self.space();
        if self.take(b'}') {
            return Ok(Value::map());
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return self.unexpected("looking for beginning of object key string");
            }
            let key = Str::from(self.string()?);
            if !keys.insert(key.clone()) {
                self.duplicates.push((self.place, key.clone()));
            }
            self.space();
            if !self.take(b':') {
                return self.unexpected("after object key");
            }
            entries.push((key, self.value()?));
            self.space();
            if self.take(b'}') {
                return Ok(Value::Map(entries.into_iter().collect::<Map>()));
            }
            if !self.take(b',') {
                return self.unexpected("after object key:value pair");
            }
        }
    }

    fn array(&mut self) -> Result<Value, Fault> {
        let mut items = Vec::new();
        self.space();
        if self.take(b']') {
            return Ok(Value::list());
        }
        loop {
            items.push(self.value()?);
            self.space();
            if self.take(b']') {
                return Ok(Value::from(items));
            }
            if !self.take(b',') {
                return self.unexpected("after array element");
            }
        }
    }

    fn literal(&mut self, word: &str, value: Value) -> Result<Value, Fault> {
        for (i, c) in word.bytes().enumerate() {
            if !self.take(c) {
                let (name, expected) = (word, char::from(c));
                return self.unexpected(&format!("in literal {name} (expecting '{expected}')")).inspect_err(|_| debug_assert!(i > 0));
            }
        }
        Ok(value)
    }

    fn digits(&mut self) -> bool {
        let from = self.place;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.place += 1;
        }
        self.place > from
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let from = self.place;
        self.take(b'-');
        if !self.take(b'0') && !self.digits() {
            return self.unexpected("in numeric literal");
        }
        let mut whole = true;
        if self.take(b'.') {
            whole = false;
            if !self.digits() {
                return self.unexpected("after decimal point in numeric literal");
            }
        }
        if self.take(b'e') || self.take(b'E') {
            whole = false;
            let _ = self.take(b'+') || self.take(b'-');
            if !self.digits() {
                return self.unexpected("in exponent of numeric literal");
            }
        }
        let text = &self.text[from..self.place];
        let float = text.parse::<f64>().unwrap_or_default();
        if let (true, Ok(n)) = (whole, text.parse::<i64>()) {
            return Ok(Value::Int(n));
        }
        if !float.is_finite() {
            let message = format!("cannot unmarshal number {text} into Go value of type float64");
            return Err(fault(message, self.place));
        }
        Ok(Value::Float(float))
    }

    fn string(&mut self) -> Result<String, Fault> {
        self.place += 1;
        let mut out = String::new();
        loop {
            let from = self.place;
            while self.peek().is_some_and(|c| c != b'"' && c != b'\\' && c >= 0x20) {
                self.place += 1;
            }
            out.push_str(&self.text[from..self.place]);
            match self.peek() {
                Some(b'"') => {
                    self.place += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                _ => return self.unexpected("in string literal"),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        self.place += 1;
        let simple = match self.peek() {
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'b') => '\x08',
            Some(b'f') => '\x0C',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.place += 1;
                return self.unicode();
            }
            _ => return self.unexpected("in string escape code"),
        };
        self.place += 1;
        Ok(simple)
    }

    fn hex(&mut self) -> Result<u32, Fault> {
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|c| char::from(c).to_digit(16)) else {
                return self.unexpected("in \\u hexadecimal character escape");
            };
            code = code << 4 | digit;
            self.place += 1;
        }
        Ok(code)
    }

    /// A lone half of a surrogate pair is the replacement character, as in Go.
    fn unicode(&mut self) -> Result<char, Fault> {
        let code = self.hex()?;
        if (0xD800..0xDC00).contains(&code) && self.text[self.place..].starts_with("\\u") {
            let before = self.place;
            self.place += 2;
            let low = self.hex()?;
            if (0xDC00..0xE000).contains(&low) {
                let pair = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                return Ok(char::from_u32(pair).unwrap_or('\u{FFFD}'));
            }
            self.place = before;
        }
        Ok(char::from_u32(code).unwrap_or('\u{FFFD}'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value;

    #[test]
    fn values_are_read() {
        let text = r#" {"a": [1, -2.5, 1e3, "x\u00e9\ud83d\ude00\n"], "b": {"c": null, "d": false}, "a2": 18446744073709551615} "#;
        let a = value!([1_i64, (Value::Float(-2.5)), (Value::Float(1000.0)), "xé😀\n"]);
        let expected = value!({"a": (a), "b": {"c": null, "d": false}, "a2": (Value::Float(18446744073709551615.0))});
        assert_eq!(parse(text), Ok(expected));
        assert_eq!(parse_prefix(r#"{"a":1,"a":2}{"b":3}"#).unwrap(), (value!({"a": 2_i64}), 13, vec![(10, "a".into())]));
    }

    #[test]
    fn faults_read_as_those_of_go() {
        for (text, message, offset) in [
            ("", "unexpected end of JSON input", 0),
            ("{", "unexpected end of JSON input", 1),
            ("{a: 1}", "invalid character 'a' looking for beginning of object key string", 2),
            ("{\"a\" 1}", "invalid character '1' after object key", 6),
            ("{\"a\": 1,}", "invalid character '}' looking for beginning of object key string", 9),
            ("{\"a\": 1 \"b\"}", "invalid character '\"' after object key:value pair", 9),
            ("[1 2]", "invalid character '2' after array element", 4),
            ("{\"a\": tru}", "invalid character '}' in literal true (expecting 'e')", 10),
            ("{} x", "invalid character 'x' after top-level value", 4),
            ("{\"a\": 'b'}", "invalid character '\\'' looking for beginning of value", 7),
            ("\"a\nb\"", "invalid character '\\n' in string literal", 3),
            ("01", "invalid character '1' after top-level value", 2),
        ] {
            assert_eq!(parse(text), Err(fault(message.into(), offset)), "{text}");
        }
        assert_eq!(parse(&"[".repeat(100_000)).unwrap_err().message, "exceeded max depth");
    }
}
