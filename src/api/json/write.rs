//! Values as Go's `encoding/json` writes them: sorted keys, HTML's characters escaped.

use crate::api::Value;
use std::fmt::Write;

/// On one line without spaces, as requests carry it and `last-applied-configuration` holds it.
pub fn write_compact(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out, None);
    out
}

/// As `kubectl get -o json` prints it: four spaces a level, a newline at the end.
pub fn write_pretty(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out, Some(0));
    out.push('\n');
    out
}

/// `level` is how deep the value stands, nothing on one line.
fn write(value: &Value, out: &mut String, level: Option<usize>) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(n) => {
            let _ = write!(out, "{n}");
        }
        Value::Float(f) => out.push_str(&float(*f)),
        Value::Str(s) => quote(s, out),
        Value::List(list) => {
            let items = list.iter().map(|item| (None, item));
            collection(out, level, ('[', ']'), items);
        }
        Value::Map(map) => {
            let entries = map.iter().map(|(k, v)| (Some(k.as_str()), v));
            collection(out, level, ('{', '}'), entries);
        }
    }
}

fn collection<'a>(out: &mut String, level: Option<usize>, ends: (char, char), items: impl Iterator<Item = (Option<&'a str>, &'a Value)>) {
    out.push(ends.0);
    let inner = level.map(|l| l + 1);
    let mut empty = true;
    for (key, value) in items {
        if !empty {
            out.push(',');
        }
        empty = false;
        line(out, inner);
        if let Some(key) = key {
            quote(key, out);
            out.push_str(if level.is_some() { ": " } else { ":" });
        }
        write(value, out, inner);
    }
    if !empty {
        line(out, level);
    }
    out.push(ends.1);
}

fn line(out: &mut String, level: Option<usize>) {
    if let Some(level) = level {
        out.push('\n');
        (0..level).for_each(|_| out.push_str("    "));
    }
}

/// Appends a string as Go's encoder writes it: with `<`, `>` and `&` escaped.
pub fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x08' => out.push_str("\\b"),
            '\x0C' => out.push_str("\\f"),
            '\0'..='\x1F' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// A float as Go's JSON has it: an exponent below 1e-6 and from 1e21 on.
fn float(f: f64) -> String {
    if f != 0.0 && !(1e-6..1e21).contains(&f.abs()) {
        let text = format!("{f:e}");
        if text.contains("e-") { text } else { text.replace('e', "e+") }
    } else {
        format!("{f}")
    }
}

/// A string as Go's `%q` prints it, as in most messages that show what a user gave.
pub fn quote_go(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0B' => out.push_str("\\v"),
            '\x0C' => out.push_str("\\f"),
            '\0'..='\x1F' | '\x7F' => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            '\u{80}'..='\u{A0}' | '\u{AD}' | '\u{2000}'..='\u{200F}' | '\u{2028}'..='\u{202F}' | '\u{FEFF}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value;

    #[test]
    fn both_forms_are_those_of_go() {
        let v = value!({"b": [1_i64, {}, [], null, true], "a": "x<y>&\u{2028}\"\\\n\t\u{1}é", "c": {"d": (Value::Float(1.5))}});
        let escaped = r#""x\u003cy\u003e\u0026\u2028\"\\\n\t\u0001é""#;
        assert_eq!(write_compact(&v), format!(r#"{{"a":{escaped},"b":[1,{{}},[],null,true],"c":{{"d":1.5}}}}"#));
        let lines = [
            "{",
            &format!("    \"a\": {escaped},"),
            "    \"b\": [",
            "        1,",
            "        {},",
            "        [],",
            "        null,",
            "        true",
            "    ],",
            "    \"c\": {",
            "        \"d\": 1.5",
            "    }",
            "}",
            "",
        ];
        assert_eq!(write_pretty(&v), lines.join("\n"));
    }

    #[test]
    fn floats_have_exponents_where_go_has_them() {
        for (f, text) in [(0.1, "0.1"), (0.00001, "0.00001"), (1e-7, "1e-7"), (1e20, "100000000000000000000"), (1e21, "1e+21")] {
            assert_eq!(write_compact(&Value::Float(f)), text);
        }
    }

    #[test]
    fn go_quotes_what_cannot_be_seen() {
        assert_eq!(quote_go("a\"b\u{7}\u{1}ü\u{200B}"), "\"a\\\"b\\a\\x01ü\\u200b\"");
    }
}
