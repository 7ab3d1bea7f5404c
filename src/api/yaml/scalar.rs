//! The scanner's tokens that hold text: scalars of all styles, anchors, tags and directives.

use super::Fault;
use super::scan::{Scanner, Spanned, Token};
use super::text::{Mark, string};

type Result<T> = std::result::Result<T, Fault>;

impl Scanner<'_> {
    fn spanned(&self, token: Token, start: Mark) -> Spanned {
        Spanned { token, start, end: self.text.mark }
    }

    fn word(&mut self) -> String {
        let mut word = Vec::new();
        while self.text.is_word() {
            self.text.read(&mut word);
        }
        string(word)
    }

    pub(super) fn scan_directive(&mut self) -> Result<Spanned> {
        let start = self.text.mark;
        self.text.skip();
        let name = self.word();
        if name.is_empty() {
            return self.fault(start, "could not find expected directive name");
        }
        if !self.text.is_blankz(0) {
            return self.fault(start, "found unexpected non-alphabetical character");
        }
        let token = match name.as_str() {
            "YAML" => {
                self.text.skip_blanks();
                let major = self.version_number(start)?;
                if self.text.at(0) != b'.' {
                    return self.fault(start, "did not find expected digit or '.' character");
                }
                self.text.skip();
                Token::VersionDirective(major, self.version_number(start)?)
            }
            "TAG" => self.tag_directive(start)?,
            _ => return self.fault(start, "found unknown directive name"),
        };
        let token = self.spanned(token, start);
        self.rest_of_line(start)?;
        Ok(token)
    }

    /// Only blanks and a comment may follow.
    fn rest_of_line(&mut self, start: Mark) -> Result<()> {
        self.text.skip_blanks();
        self.text.skip_comment();
        if !self.text.is_breakz(0) {
            return self.fault(start, "did not find expected comment or line break");
        }
        self.text.skip_line();
        Ok(())
    }

    fn version_number(&mut self, start: Mark) -> Result<u8> {
        let (mut value, mut length) = (0, 0);
        while self.text.at(0).is_ascii_digit() {
            length += 1;
            if length > 2 {
                return self.fault(start, "found extremely long version number");
            }
            value = value * 10 + (self.text.at(0) - b'0');
            self.text.skip();
        }
        if length == 0 {
            return self.fault(start, "did not find expected version number");
        }
        Ok(value)
    }

    fn tag_directive(&mut self, start: Mark) -> Result<Token> {
        self.text.skip_blanks();
        let handle = self.tag_handle(true, start)?;
        if !self.text.is_blank(0) {
            return self.fault(start, "did not find expected whitespace");
        }
        self.text.skip_blanks();
        let prefix = self.tag_uri("", start)?;
        if !self.text.is_blankz(0) {
            return self.fault(start, "did not find expected whitespace or line break");
        }
        Ok(Token::TagDirective(handle, prefix))
    }

    pub(super) fn scan_anchor(&mut self, alias: bool) -> Result<Spanned> {
        let start = self.text.mark;
        self.text.skip();
        let name = self.word();
        let ends = self.text.is_blankz(0) || matches!(self.text.at(0), b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`');
        if name.is_empty() || !ends {
            return self.fault(start, "did not find expected alphabetic or numeric character");
        }
        Ok(self.spanned(if alias { Token::Alias(name) } else { Token::Anchor(name) }, start))
    }

    pub(super) fn scan_tag(&mut self) -> Result<Spanned> {
        let start = self.text.mark;
        let (handle, suffix);
        if self.text.at(1) == b'<' {
            self.text.skip();
            self.text.skip();
            (handle, suffix) = (String::new(), self.tag_uri("", start)?);
            if self.text.at(0) != b'>' {
                return self.fault(start, "did not find the expected '>'");
            }
            self.text.skip();
        } else {
            let found = self.tag_handle(false, start)?;
            if found.len() > 1 && found.ends_with('!') {
                (handle, suffix) = (found, self.tag_uri("", start)?);
            } else {
                let uri = self.tag_uri(&found, start)?;
                (handle, suffix) = if uri.is_empty() { (uri, "!".into()) } else { ("!".into(), uri) };
            }
        }
        if !self.text.is_blankz(0) {
            return self.fault(start, "did not find expected whitespace or line break");
        }
        Ok(self.spanned(Token::Tag(handle, suffix), start))
    }

    fn tag_handle(&mut self, directive: bool, start: Mark) -> Result<String> {
        if self.text.at(0) != b'!' {
            return self.fault(start, "did not find expected '!'");
        }
        self.text.skip();
        let mut handle = format!("!{}", self.word());
        if self.text.at(0) == b'!' {
            self.text.skip();
            handle.push('!');
        } else if directive && handle != "!" {
            return self.fault(start, "did not find expected '!'");
        }
        Ok(handle)
    }

    /// `head` is a handle that turned out to be the beginning of the tag.
    fn tag_uri(&mut self, head: &str, start: Mark) -> Result<String> {
        let mut uri: Vec<u8> = head.bytes().skip(1).collect();
        let mut found = !head.is_empty();
        while self.text.is_word() || b";/?:@&=+$,.!~*'()[]%".contains(&self.text.at(0)) {
            if self.text.at(0) == b'%' {
                let digits = [self.text.at(1), self.text.at(2)].map(|c| (c as char).to_digit(16));
                let [Some(high), Some(low)] = digits else { return self.fault(start, "did not find URI escaped octet") };
                uri.push((high * 16 + low) as u8);
                (0..3).for_each(|_| self.text.skip());
            } else {
                self.text.read(&mut uri);
            }
            found = true;
        }
        if !found {
            return self.fault(start, "did not find expected tag URI");
        }
        match String::from_utf8(uri) {
            Ok(uri) => Ok(uri),
            Err(_) => self.fault(start, "found an incorrect trailing UTF-8 octet"),
        }
    }

    pub(super) fn scan_block_scalar(&mut self, literal: bool) -> Result<Spanned> {
        let start = self.text.mark;
        self.text.skip();
        let (mut keep, mut strip, mut increment) = (false, false, 0);
        for _ in 0..2 {
            match self.text.at(0) {
                b'+' if !keep && !strip => keep = true,
                b'-' if !keep && !strip => strip = true,
                b'0' if increment == 0 => return self.fault(start, "found an indentation indicator equal to 0"),
                c @ b'1'..=b'9' if increment == 0 => increment = usize::from(c - b'0'),
                _ => break,
            }
            self.text.skip();
        }
        self.rest_of_line(start)?;
        let mut end = self.text.mark;
        let mut indent = if increment > 0 { self.indent.max(0) as usize + increment } else { 0 };
        let (mut value, mut break_before, mut breaks) = (Vec::new(), Vec::new(), Vec::new());
        self.block_breaks(&mut indent, &mut breaks, start, &mut end)?;
        let mut after_blank = false;
        while self.text.mark.column == indent && !self.text.is_end() {
            let blank = self.text.is_blank(0);
            if !literal && !after_blank && !blank && break_before.first() == Some(&b'\n') {
                if breaks.is_empty() {
                    value.push(b' ');
                }
                break_before.clear();
            } else {
                value.append(&mut break_before);
            }
            value.append(&mut breaks);
            after_blank = blank;
            while !self.text.is_breakz(0) {
                self.text.read(&mut value);
            }
            self.text.read_line(&mut break_before);
            self.block_breaks(&mut indent, &mut breaks, start, &mut end)?;
        }
        if !strip {
            value.append(&mut break_before);
        }
        if keep {
            value.append(&mut breaks);
        }
        Ok(Spanned { token: Token::Scalar(string(value), false), start, end })
    }

    /// Indentation and empty lines inside a block scalar; finds the indentation if it is not known.
    fn block_breaks(&mut self, indent: &mut usize, breaks: &mut Vec<u8>, start: Mark, end: &mut Mark) -> Result<()> {
        *end = self.text.mark;
        let mut deepest = 0;
        loop {
            let short = |s: &Self| *indent == 0 || s.text.mark.column < *indent;
            while short(self) && self.text.at(0) == b' ' {
                self.text.skip();
            }
            deepest = deepest.max(self.text.mark.column);
            if short(self) && self.text.at(0) == b'\t' {
                return self.fault(start, "found a tab character where an indentation space is expected");
            }
            if !self.text.is_break(0) {
                break;
            }
            self.text.read_line(breaks);
            *end = self.text.mark;
        }
        if *indent == 0 {
            *indent = deepest.max((self.indent + 1).max(1) as usize);
        }
        Ok(())
    }

    pub(super) fn scan_flow_scalar(&mut self, quote: u8) -> Result<Spanned> {
        let start = self.text.mark;
        self.text.skip();
        let mut value = Vec::new();
        let mut gap = Gap::default();
        loop {
            if self.text.is_any_document_mark() {
                return self.fault(start, "found unexpected document indicator");
            }
            if self.text.is_end() {
                return self.fault(start, "found unexpected end of stream");
            }
            while !self.text.is_blankz(0) {
                let c = self.text.at(0);
                if c == b'\'' && quote == c && self.text.at(1) == c {
                    value.push(c);
                    self.text.skip();
                    self.text.skip();
                } else if c == quote {
                    break;
                } else if quote == b'"' && c == b'\\' && self.text.is_break(1) {
                    self.text.skip();
                    self.text.skip_line();
                    gap.lines = true;
                    break;
                } else if quote == b'"' && c == b'\\' {
                    self.escape(&mut value, start)?;
                } else {
                    self.text.read(&mut value);
                }
            }
            if self.text.at(0) == quote {
                break;
            }
            while self.text.is_blank(0) || self.text.is_break(0) {
                self.gap(&mut gap);
            }
            gap.fold_into(&mut value);
        }
        self.text.skip();
        Ok(self.spanned(Token::Scalar(string(value), false), start))
    }

    fn escape(&mut self, value: &mut Vec<u8>, start: Mark) -> Result<()> {
        let length = match self.text.at(1) {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => 0,
        };
        let text: &str = match self.text.at(1) {
            b'0' => "\0",
            b'a' => "\x07",
            b'b' => "\x08",
            b't' | b'\t' => "\t",
            b'n' => "\n",
            b'v' => "\x0B",
            b'f' => "\x0C",
            b'r' => "\r",
            b'e' => "\x1B",
            b' ' => " ",
            b'"' => "\"",
            b'\'' => "'",
            b'\\' => "\\",
            b'N' => "\u{85}",
            b'_' => "\u{A0}",
            b'L' => "\u{2028}",
            b'P' => "\u{2029}",
            _ if length > 0 => "",
            _ => return self.fault(start, "found unknown escape character"),
        };
        value.extend_from_slice(text.as_bytes());
        self.text.skip();
        self.text.skip();
        let mut code: u64 = 0;
        for ahead in 0..length {
            let Some(digit) = (self.text.at(ahead) as char).to_digit(16) else {
                return self.fault(start, "did not find expected hexdecimal number");
            };
            code = code << 4 | u64::from(digit);
        }
        if length > 0 {
            let Some(c) = u32::try_from(code).ok().and_then(char::from_u32) else {
                return self.fault(start, "found invalid Unicode character escape code");
            };
            value.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            (0..length).for_each(|_| self.text.skip());
        }
        Ok(())
    }

    /// One blank or line break between words.
    fn gap(&mut self, gap: &mut Gap) {
        if self.text.is_blank(0) {
            if gap.lines { self.text.skip() } else { self.text.read(&mut gap.blanks) }
        } else if gap.lines {
            self.text.read_line(&mut gap.more_breaks);
        } else {
            gap.blanks.clear();
            self.text.read_line(&mut gap.first_break);
            gap.lines = true;
        }
    }

    pub(super) fn scan_plain(&mut self) -> Result<Spanned> {
        let start = self.text.mark;
        let mut end = start;
        let mut value = Vec::new();
        let mut gap = Gap::default();
        let indent = self.indent + 1;
        let flow = self.flow_level > 0;
        while !self.text.is_any_document_mark() && self.text.at(0) != b'#' {
            while !self.text.is_blankz(0) {
                let c = self.text.at(0);
                if c == b':' && self.text.is_blankz(1) || flow && matches!(c, b',' | b'?' | b'[' | b']' | b'{' | b'}') {
                    break;
                }
                if gap.lines || !gap.blanks.is_empty() {
                    gap.fold_into(&mut value);
                }
                self.text.read(&mut value);
                end = self.text.mark;
            }
            if !(self.text.is_blank(0) || self.text.is_break(0)) {
                break;
            }
            while self.text.is_blank(0) || self.text.is_break(0) {
                if gap.lines && (self.text.mark.column as i64) < indent && self.text.at(0) == b'\t' {
                    return self.fault(start, "found a tab character that violates indentation");
                }
                self.gap(&mut gap);
            }
            if !flow && (self.text.mark.column as i64) < indent {
                break;
            }
        }
        if gap.lines {
            self.simple_key_allowed = true;
        }
        Ok(Spanned { token: Token::Scalar(string(value), true), start, end })
    }
}

/// What stands between two words of a scalar that may go over lines.
#[derive(Default)]
struct Gap {
    /// There was a line break.
    lines: bool,
    blanks: Vec<u8>,
    first_break: Vec<u8>,
    more_breaks: Vec<u8>,
}

impl Gap {
    /// One line break is a space, more are one fewer, blanks at a line's end are nothing.
    fn fold_into(&mut self, value: &mut Vec<u8>) {
        if !self.lines {
            value.append(&mut self.blanks);
        } else if self.first_break.first().is_none_or(|b| *b == b'\n') {
            // An escaped line break has no first break, and is nothing at all.
            if self.more_breaks.is_empty() && !self.first_break.is_empty() {
                value.push(b' ');
            }
            value.append(&mut self.more_breaks);
        } else {
            value.append(&mut self.first_break);
            value.append(&mut self.more_breaks);
        }
        *self = Gap::default();
    }
}
