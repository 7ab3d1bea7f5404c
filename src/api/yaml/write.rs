//! Values as `kubectl get -o yaml` prints them. Follows go-yaml v2's encoder and emitter (`encode.go`,
//! `emitterc.go`, `sorter.go`) as far as JSON's values need them: block style, no tags.

use super::gosyntax;
use super::natural::natural;
use super::resolve::{Scalar, resolve};
use crate::api::Value;
use crate::util::Order;

/// Lines are wrapped at the next space from here on.
const WIDTH: i32 = 80;

/// The value as one YAML document, with a newline at the end.
pub fn write(value: &Value) -> String {
    let mut e = Emitter { out: String::new(), column: 0, indent: -1, whitespace: true, indention: true };
    e.node(value, false);
    e.new_line();
    e.out
}

struct Emitter {
    out: String,
    column: i32,
    indent: i32,
    /// The last character was a blank that may stand before something.
    whitespace: bool,
    /// Nothing but indentation and indicators is on this line.
    indention: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

impl Emitter {
    fn put(&mut self, c: char) {
        self.out.push(c);
        self.column = if is_break(c) { 0 } else { self.column + 1 };
    }

    /// Goes to where the next key or dash belongs, unless one is there.
    fn new_line(&mut self) {
        let indent = self.indent.max(0);
        if !self.indention || self.column > indent || self.column == indent && !self.whitespace {
            self.put('\n');
        }
        while self.column < indent {
            self.put(' ');
        }
        self.whitespace = true;
        self.indention = true;
    }

    fn indicator(&mut self, c: char, spaced: bool, keeps_indention: bool) {
        if spaced && !self.whitespace {
            self.put(' ');
        }
        self.put(c);
        self.whitespace = false;
        self.indention &= keeps_indention;
    }

    fn node(&mut self, value: &Value, in_mapping: bool) {
        match value {
            Value::Null => self.scalar("null", Style::Plain, false),
            Value::Bool(b) => self.scalar(if *b { "true" } else { "false" }, Style::Plain, false),
            Value::Int(n) => self.scalar(&n.to_string(), Style::Plain, false),
            Value::Float(f) => self.scalar(&gosyntax::shortest(*f), Style::Plain, false),
            Value::Str(s) => self.scalar(s, wanted(s), false),
            Value::List(list) if list.is_empty() => self.empty("[]"),
            Value::Map(map) if map.is_empty() => self.empty("{}"),
            Value::List(list) => {
                let before = self.indent;
                self.indent = match before {
                    ..0 => 0,
                    _ if in_mapping && !self.indention => before,
                    _ => before + 2,
                };
                for item in list.iter() {
                    self.new_line();
                    self.indicator('-', true, true);
                    self.node(item, false);
                }
                self.indent = before;
            }
            Value::Map(map) => {
                let before = self.indent;
                self.indent = if before < 0 { 0 } else { before + 2 };
                let mut entries: Vec<(&str, &Value)> = map.iter().map(|(k, v)| (k.as_str(), v)).collect();
                entries.order_by(|a, b| natural(a.0, b.0));
                for (key, value) in entries {
                    self.entry(key, value);
                }
                self.indent = before;
            }
        }
    }

    fn empty(&mut self, brackets: &str) {
        if !self.whitespace {
            self.put(' ');
        }
        brackets.chars().for_each(|c| self.put(c));
        self.whitespace = false;
        self.indention = false;
    }

    fn entry(&mut self, key: &str, value: &Value) {
        self.new_line();
        if key.len() <= 128 && !key.contains(is_break) {
            self.scalar(key, wanted(key), true);
            self.indicator(':', false, false);
        } else {
            self.indicator('?', true, true);
            self.scalar(key, wanted(key), false);
            self.new_line();
            self.indicator(':', true, true);
        }
        self.node(value, true);
    }

    fn scalar(&mut self, text: &str, wanted: Style, is_key: bool) {
        let before = self.indent;
        self.indent = before.max(0) + 2;
        match possible(text, wanted, is_key) {
            Style::Plain => self.plain(text, !is_key),
            Style::Single => self.single(text, !is_key),
            Style::Double => self.double(text, !is_key),
            Style::Literal => self.literal(text),
        }
        if !text.ends_with(is_break) || possible(text, wanted, is_key) != Style::Literal {
            self.whitespace = false;
            self.indention = false;
        }
        self.indent = before;
    }

    /// Writes a space, or a line break instead if the line is full.
    fn space(&mut self, wraps: bool) {
        if wraps && self.column > WIDTH { self.new_line() } else { self.put(' ') }
    }

    fn plain(&mut self, text: &str, wraps: bool) {
        if !self.whitespace {
            self.put(' ');
        }
        let mut rest = text.chars().peekable();
        let mut before = 'x';
        while let Some(c) = rest.next() {
            if c == ' ' {
                self.space(wraps && before != ' ' && rest.peek() != Some(&' '));
            } else {
                self.put(c);
                self.indention = false;
            }
            before = c;
        }
    }

    fn single(&mut self, text: &str, wraps: bool) {
        self.indicator('\'', true, false);
        let mut breaks = false;
        let mut rest = text.chars().peekable();
        let mut before = None;
        while let Some(c) = rest.next() {
            let inside = before.is_some_and(|b| b != ' ') && rest.peek().is_some_and(|n| *n != ' ');
            before = Some(c);
            if c == ' ' {
                self.space(wraps && inside);
                continue;
            }
            if is_break(c) {
                if !breaks && c == '\n' {
                    self.put('\n');
                }
                self.put(c);
                self.indention = true;
            } else {
                if breaks {
                    self.new_line();
                }
                if c == '\'' {
                    self.put(c);
                }
                self.put(c);
                self.indention = false;
            }
            breaks = is_break(c);
        }
        self.indicator('\'', false, false);
    }

    fn double(&mut self, text: &str, wraps: bool) {
        self.indicator('"', true, false);
        // go-yaml looks for a byte order mark always at the beginning, and escapes all if there is one.
        let all = text.starts_with('\u{FEFF}');
        let mut rest = text.chars().peekable();
        let mut before = None;
        while let Some(c) = rest.next() {
            let inside = before.is_some_and(|b| b != ' ') && rest.peek().is_some();
            before = Some(c);
            if c == ' ' && !all {
                let wrap = wraps && inside && self.column > WIDTH;
                self.space(wrap);
                if wrap && rest.peek() == Some(&' ') {
                    self.put('\\');
                }
                continue;
            }
            if is_printable(c) && !is_break(c) && c != '"' && c != '\\' && !all {
                self.put(c);
                continue;
            }
            let short = match c {
                '\0' => '0',
                '\x07' => 'a',
                '\x08' => 'b',
                '\t' => 't',
                '\n' => 'n',
                '\x0B' => 'v',
                '\x0C' => 'f',
                '\r' => 'r',
                '\x1B' => 'e',
                '"' | '\\' => c,
                '\u{85}' => 'N',
                '\u{A0}' => '_',
                '\u{2028}' => 'L',
                '\u{2029}' => 'P',
                _ => {
                    let code = u32::from(c);
                    let escape = match code {
                        0..=0xFF => format!("\\x{code:02X}"),
                        0x100..=0xFFFF => format!("\\u{code:04X}"),
                        _ => format!("\\U{code:08X}"),
                    };
                    escape.chars().for_each(|c| self.put(c));
                    continue;
                }
            };
            self.put('\\');
            self.put(short);
        }
        self.indicator('"', false, false);
    }

    fn literal(&mut self, text: &str) {
        self.indicator('|', true, false);
        if text.starts_with(' ') || text.starts_with(is_break) {
            self.put('2');
        }
        let mut from_end = text.chars().rev();
        match (from_end.next().is_some_and(is_break), from_end.next().is_none_or(is_break)) {
            (false, _) => self.put('-'),
            (true, true) => self.put('+'),
            (true, false) => {}
        }
        self.put('\n');
        self.indention = true;
        self.whitespace = true;
        let mut breaks = true;
        for c in text.chars() {
            if is_break(c) {
                self.put(c);
                self.indention = true;
            } else {
                if breaks {
                    self.new_line();
                }
                self.put(c);
                self.indention = false;
            }
            breaks = is_break(c);
        }
    }
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}

/// As go-yaml sees it: nothing beyond the basic plane.
fn is_printable(c: char) -> bool {
    match c {
        '\n' | ' '..='~' => true,
        '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => false,
        _ => ('\u{A0}'..='\u{FFFD}').contains(&c),
    }
}

/// The style that the encoder asks for.
fn wanted(text: &str) -> Style {
    if text.contains('\n') {
        return Style::Literal;
    }
    let is_text = matches!(resolve("", text, true), Ok(Scalar::Text(_))) && !is_timestamp(text) && !is_base_60(text);
    if is_text { Style::Plain } else { Style::Double }
}

/// The style that the emitter finds possible.
fn possible(text: &str, wanted: Style, is_key: bool) -> Style {
    let found = Analysis::of(text);
    let mut style = if is_key && found.multiline { Style::Double } else { wanted };
    if style == Style::Plain && (!found.plain || text.is_empty() && is_key) {
        style = Style::Single;
    }
    if style == Style::Single && !found.single {
        style = Style::Double;
    }
    if style == Style::Literal && (!found.literal || is_key) {
        style = Style::Double;
    }
    style
}

/// Which styles a scalar may have outside of flow collections.
struct Analysis {
    multiline: bool,
    plain: bool,
    single: bool,
    literal: bool,
}

impl Analysis {
    fn of(text: &str) -> Analysis {
        if text.is_empty() {
            return Analysis { multiline: false, plain: true, single: true, literal: false };
        }
        let mut indicators = text.starts_with("---") || text.starts_with("...");
        let (mut special, mut breaks, mut break_space, mut space_break) = (false, false, false, false);
        let (mut before, mut after_blank) = ('x', true);
        let mut rest = text.chars().peekable();
        let mut first = true;
        while let Some(c) = rest.next() {
            let then_blank = rest.peek().is_none_or(|n| is_blank(*n));
            indicators |= match c {
                ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => first,
                '?' | '-' => first && then_blank,
                ':' => then_blank,
                '#' => first || after_blank,
                _ => false,
            };
            special |= !is_printable(c);
            breaks |= is_break(c);
            break_space |= c == ' ' && is_break(before);
            space_break |= is_break(c) && before == ' ';
            after_blank = is_blank(c) || is_break(c);
            before = c;
            first = false;
        }
        let edge = |c: char| c == ' ' || is_break(c);
        let edges = text.starts_with(edge) || text.ends_with(edge);
        let quoted = space_break || special;
        Analysis {
            multiline: breaks,
            plain: !(indicators || edges || break_space || quoted || breaks),
            single: !(break_space || quoted),
            literal: !(text.ends_with(' ') || quoted),
        }
    }
}

/// `^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$`: a number to the base 60 in YAML 1.1.
fn is_base_60(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let mut parts = whole.split(':');
    let digit_or_line = |c: u8| c.is_ascii_digit() || c == b'_';
    let head = parts.next().unwrap_or("");
    let head_fits = head.starts_with(|c: char| c.is_ascii_digit()) && head.bytes().all(digit_or_line);
    let mut more = parts.peekable();
    let sixty = |p: &str| matches!(p.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
    head_fits && more.peek().is_some() && more.all(sixty) && fraction.bytes().all(digit_or_line)
}

/// The dates and times that go-yaml takes for such: `2006-1-2`, `2006-1-2T15:4:5.999Z07:00`, `2006-1-2 15:4:5.999`.
fn is_timestamp(text: &str) -> bool {
    let Some((date, time)) = text.split_at_checked(text.find(['T', 't', ' ']).unwrap_or(text.len())) else { return false };
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let (Some(month), Some(day)) = (short(month), short(day)) else { return false };
    let year_fits = year.len() == 4 && year.bytes().all(|c| c.is_ascii_digit());
    let leap = year.parse::<u32>().is_ok_and(|y| y % 4 == 0 && (y % 100 != 0 || y % 400 == 0));
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if !year_fits || !(1..=12).contains(&month) || !(1..=days).contains(&day) {
        return false;
    }
    match time.chars().next() {
        None => true,
        Some(' ') => is_clock(&time[1..]),
        Some(_) => {
            let zone = time.find(['Z', '+', '-']).filter(|at| *at > 0);
            zone.is_some_and(|at| is_clock(&time[1..at]) && is_zone(&time[at..]))
        }
    }
}

/// One or two digits.
fn short(text: &str) -> Option<u32> {
    let fits = (1..=2).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_digit());
    text.parse().ok().filter(|_| fits)
}

fn is_clock(text: &str) -> bool {
    let (clock, fraction) = match text.split_once('.') {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (text, None),
    };
    let parts: Vec<Option<u32>> = clock.split(':').map(short).collect();
    let in_range = matches!(parts[..], [Some(0..=23), Some(0..=59), Some(0..=59)]);
    in_range && fraction.is_none_or(|f| !f.is_empty() && f.bytes().all(|c| c.is_ascii_digit()))
}

fn is_zone(text: &str) -> bool {
    let two = |s: &str, max: u32| s.len() == 2 && short(s).is_some_and(|n| n <= max);
    text == "Z" || text[1..].split_once(':').is_some_and(|(hours, minutes)| two(hours, 24) && two(minutes, 60))
}

#[cfg(test)]
mod tests;
