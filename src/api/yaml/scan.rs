//! From YAML text to tokens. Follows libyaml's scanner as go-yaml v2 has it (`scannerc.go`), since its
//! messages and its leniences are what kubectl's users meet. The text is one document, UTF-8, each line ended.

use super::text::{self, Mark, Text};
use super::{Fault, Kind};
use std::collections::{BTreeMap, VecDeque};

#[derive(Debug, PartialEq)]
pub enum Token {
    StreamEnd,
    DocumentStart,
    DocumentEnd,
    VersionDirective(u8, u8),
    TagDirective(String, String),
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(String),
    Anchor(String),
    Tag(String, String),
    /// With whether it is plain (neither quoted nor a block).
    Scalar(String, bool),
}

#[derive(Debug)]
pub struct Spanned {
    pub token: Token,
    pub start: Mark,
    pub end: Mark,
}

/// A place where a key without `?` may have begun.
#[derive(Clone, Copy, Default)]
struct SimpleKey {
    possible: bool,
    required: bool,
    number: usize,
    mark: Mark,
}

pub struct Scanner<'a> {
    pub(super) text: Text<'a>,
    tokens: VecDeque<Spanned>,
    /// How many tokens were taken.
    parsed: usize,
    available: bool,
    ended: bool,
    pub(super) flow_level: usize,
    pub(super) indent: i64,
    indents: Vec<i64>,
    pub(super) simple_key_allowed: bool,
    simple_keys: Vec<SimpleKey>,
    /// Token number to place in `simple_keys`.
    keys_by_token: BTreeMap<usize, usize>,
}

type Result<T> = std::result::Result<T, Fault>;

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Scanner<'a> {
        Scanner {
            text: Text::new(text),
            tokens: VecDeque::new(),
            parsed: 0,
            available: false,
            ended: false,
            flow_level: 0,
            indent: -1,
            indents: Vec::new(),
            simple_key_allowed: true,
            simple_keys: vec![SimpleKey::default()],
            keys_by_token: BTreeMap::new(),
        }
    }

    /// The next token, which stays.
    pub fn peek(&mut self) -> Result<&Spanned> {
        if !self.available {
            self.fetch_more()?;
        }
        Ok(&self.tokens[0])
    }

    /// Takes the token that was peeked at. The end of the stream stays for ever.
    pub fn take(&mut self) -> Spanned {
        let mark = self.text.mark;
        if self.tokens.len() == 1 && self.tokens[0].token == Token::StreamEnd {
            return Spanned { token: Token::StreamEnd, start: mark, end: mark };
        }
        self.available = false;
        self.parsed += 1;
        self.tokens.pop_front().unwrap_or(Spanned { token: Token::StreamEnd, start: mark, end: mark })
    }

    pub(super) fn fault<T>(&self, context: Mark, problem: &'static str) -> Result<T> {
        Err(Fault { kind: Kind::Scanner, problem: problem.into(), mark: self.text.mark, context })
    }

    #[inline(never)]
    fn fetch_more(&mut self) -> Result<()> {
        loop {
            if !self.tokens.is_empty() {
                let Some(&place) = self.keys_by_token.get(&self.parsed) else { break };
                if !self.key_is_valid(place)? || self.ended {
                    break;
                }
            }
            self.fetch_next()?;
        }
        self.available = true;
        Ok(())
    }

    fn fetch_next(&mut self) -> Result<()> {
        self.skip_to_token();
        self.unroll_indent(self.text.mark.column as i64);
        let t = &self.text;
        let (c, next, first) = (t.at(0), t.at(1), t.mark.column == 0);
        let flow = self.flow_level > 0;
        let then_blank = t.is_blankz(1);
        match c {
            0 => self.stream_end(),
            b'%' if first => self.directive(),
            b'-' if t.is_document_mark(b'-') => self.document_indicator(Token::DocumentStart),
            b'.' if t.is_document_mark(b'.') => self.document_indicator(Token::DocumentEnd),
            b'[' => self.flow_start(Token::FlowSequenceStart),
            b'{' => self.flow_start(Token::FlowMappingStart),
            b']' => self.flow_end(Token::FlowSequenceEnd),
            b'}' => self.flow_end(Token::FlowMappingEnd),
            b',' => {
                self.remove_simple_key()?;
                self.simple_key_allowed = true;
                self.indicator(Token::FlowEntry)
            }
            b'-' if then_blank => self.block_entry(),
            b'?' if flow || then_blank => self.key(),
            b':' if flow || then_blank => self.value(),
            b'*' => self.node_part(|s| s.scan_anchor(true)),
            b'&' => self.node_part(|s| s.scan_anchor(false)),
            b'!' => self.node_part(Scanner::scan_tag),
            b'|' | b'>' if !flow => {
                self.remove_simple_key()?;
                self.simple_key_allowed = true;
                let token = self.scan_block_scalar(c == b'|')?;
                self.push(token)
            }
            b'\'' | b'"' => self.node_part(|s| s.scan_flow_scalar(c)),
            _ if text::starts_plain(c) && !t.is_blankz(0) => self.node_part(Scanner::scan_plain),
            b'-' if !matches!(next, b' ' | b'\t') => self.node_part(Scanner::scan_plain),
            b'?' | b':' if !flow && !then_blank => self.node_part(Scanner::scan_plain),
            _ => self.fault(t.mark, "found character that cannot start any token"),
        }
    }

    fn push(&mut self, token: Spanned) -> Result<()> {
        self.tokens.push_back(token);
        Ok(())
    }

    /// Puts a token of no length before others; at the end if its place is gone.
    fn insert(&mut self, number: Option<usize>, token: Token, mark: Mark) {
        let token = Spanned { token, start: mark, end: mark };
        match number.and_then(|n| n.checked_sub(self.parsed)) {
            Some(place) if place <= self.tokens.len() => self.tokens.insert(place, token),
            _ => self.tokens.push_back(token),
        }
    }

    /// A token of one character.
    fn indicator(&mut self, token: Token) -> Result<()> {
        let start = self.text.mark;
        self.text.skip();
        self.push(Spanned { token, start, end: self.text.mark })
    }

    /// An anchor, alias, tag or scalar, any of which may begin a key.
    fn node_part(&mut self, scan: impl Fn(&mut Scanner<'a>) -> Result<Spanned>) -> Result<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let token = scan(self)?;
        self.push(token)
    }

    fn key_is_valid(&mut self, place: usize) -> Result<bool> {
        let key = self.simple_keys[place];
        if !key.possible {
            return Ok(false);
        }
        let here = self.text.mark;
        if key.mark.line < here.line || key.mark.index + 1024 < here.index {
            if key.required {
                return self.fault(key.mark, "could not find expected ':'");
            }
            self.simple_keys[place].possible = false;
            return Ok(false);
        }
        Ok(true)
    }

    fn save_simple_key(&mut self) -> Result<()> {
        if self.simple_key_allowed {
            let mark = self.text.mark;
            let required = self.flow_level == 0 && self.indent == mark.column as i64;
            let number = self.parsed + self.tokens.len();
            self.remove_simple_key()?;
            let place = self.simple_keys.len() - 1;
            self.simple_keys[place] = SimpleKey { possible: true, required, number, mark };
            self.keys_by_token.insert(number, place);
        }
        Ok(())
    }

    fn remove_simple_key(&mut self) -> Result<()> {
        let place = self.simple_keys.len() - 1;
        let key = self.simple_keys[place];
        if key.possible {
            if key.required {
                return self.fault(key.mark, "could not find expected ':'");
            }
            self.simple_keys[place].possible = false;
            self.keys_by_token.remove(&key.number);
        }
        Ok(())
    }

    fn roll_indent(&mut self, column: usize, number: Option<usize>, token: Token, mark: Mark) {
        if self.flow_level == 0 && self.indent < column as i64 {
            self.indents.push(self.indent);
            self.indent = column as i64;
            self.insert(number, token, mark);
        }
    }

    fn unroll_indent(&mut self, column: i64) {
        while self.flow_level == 0 && self.indent > column {
            let mark = self.text.mark;
            self.insert(None, Token::BlockEnd, mark);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    fn stream_end(&mut self) -> Result<()> {
        if self.text.mark.column != 0 {
            self.text.mark.column = 0;
            self.text.mark.line += 1;
        }
        self.reset()?;
        self.ended = true;
        let mark = self.text.mark;
        self.insert(None, Token::StreamEnd, mark);
        Ok(())
    }

    /// What the end of a document's text and a directive undo.
    fn reset(&mut self) -> Result<()> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        Ok(())
    }

    fn directive(&mut self) -> Result<()> {
        self.reset()?;
        let token = self.scan_directive()?;
        self.push(token)
    }

    fn document_indicator(&mut self, token: Token) -> Result<()> {
        self.reset()?;
        let start = self.text.mark;
        (0..3).for_each(|_| self.text.skip());
        self.push(Spanned { token, start, end: self.text.mark })
    }

    fn flow_start(&mut self, token: Token) -> Result<()> {
        self.save_simple_key()?;
        let number = self.parsed + self.tokens.len();
        self.simple_keys.push(SimpleKey { number, mark: self.text.mark, ..SimpleKey::default() });
        self.flow_level += 1;
        self.simple_key_allowed = true;
        self.indicator(token)
    }

    fn flow_end(&mut self, token: Token) -> Result<()> {
        self.remove_simple_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            if let Some(key) = self.simple_keys.pop() {
                self.keys_by_token.remove(&key.number);
            }
        }
        self.simple_key_allowed = false;
        self.indicator(token)
    }

    fn block_entry(&mut self) -> Result<()> {
        let mark = self.text.mark;
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return self.fault(mark, "block sequence entries are not allowed in this context");
            }
            self.roll_indent(mark.column, None, Token::BlockSequenceStart, mark);
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.indicator(Token::BlockEntry)
    }

    fn key(&mut self) -> Result<()> {
        let mark = self.text.mark;
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return self.fault(mark, "mapping keys are not allowed in this context");
            }
            self.roll_indent(mark.column, None, Token::BlockMappingStart, mark);
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = self.flow_level == 0;
        self.indicator(Token::Key)
    }

    fn value(&mut self) -> Result<()> {
        let place = self.simple_keys.len() - 1;
        if self.key_is_valid(place)? {
            let key = self.simple_keys[place];
            self.insert(Some(key.number), Token::Key, key.mark);
            self.roll_indent(key.mark.column, Some(key.number), Token::BlockMappingStart, key.mark);
            self.simple_keys[place].possible = false;
            self.keys_by_token.remove(&key.number);
            self.simple_key_allowed = false;
        } else {
            let mark = self.text.mark;
            if self.flow_level == 0 {
                if !self.simple_key_allowed {
                    return self.fault(mark, "mapping values are not allowed in this context");
                }
                self.roll_indent(mark.column, None, Token::BlockMappingStart, mark);
            }
            self.simple_key_allowed = self.flow_level == 0;
        }
        self.indicator(Token::Value)
    }

    /// Spaces, comments, line breaks; tabs where no key may begin.
    fn skip_to_token(&mut self) {
        loop {
            while self.text.at(0) == b' ' || (self.flow_level > 0 || !self.simple_key_allowed) && self.text.at(0) == b'\t' {
                self.text.skip();
            }
            self.text.skip_comment();
            if !self.text.is_break(0) {
                return;
            }
            self.text.skip_line();
            if self.flow_level == 0 {
                self.simple_key_allowed = true;
            }
        }
    }
}
