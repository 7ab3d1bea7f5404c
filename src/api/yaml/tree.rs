//! From tokens to a tree of nodes that know where they stand. Follows libyaml's parser as go-yaml v2 has it
//! (`parserc.go`), as recursive descent instead of a state machine: its depth is bounded.

use super::scan::{Scanner, Token};
use super::text::Mark;
use super::{Fault, Kind};
use std::collections::BTreeMap;

/// How deep a document may nest. Real ones stay under 40; what walks objects walks them recursively.
pub const DEPTH_MAX: usize = 256;

#[derive(Debug)]
pub struct Node {
    pub content: Content,
    pub start: Mark,
    pub end: Mark,
    pub tag: String,
}

#[derive(Debug)]
pub enum Content {
    /// Text, and whether it is plain or has the tag `!`.
    Scalar(String, bool),
    Sequence(Vec<usize>),
    Mapping(Vec<(usize, usize)>),
    /// The name and the node it stands for.
    Alias(String, usize),
}

/// The nodes of one document; the root is the last, unless the document is empty.
#[derive(Debug, Default)]
pub struct Tree {
    pub nodes: Vec<Node>,
    pub root: Option<usize>,
}

type Result<T> = std::result::Result<T, Fault>;

/// Parses the first document of a text.
pub fn parse(text: &str) -> Result<Tree> {
    let mut p = Parser { scanner: Scanner::new(text), tree: Tree::default(), anchors: BTreeMap::new(), handles: Vec::new(), depth: 0 };
    p.document()?;
    Ok(p.tree)
}

struct Parser<'a> {
    scanner: Scanner<'a>,
    tree: Tree,
    anchors: BTreeMap<String, usize>,
    /// `%TAG` directives
    handles: Vec<(String, String)>,
    depth: usize,
}

fn fault<T>(context: Mark, problem: impl Into<String>, mark: Mark) -> Result<T> {
    Err(Fault { kind: Kind::Parser, problem: problem.into(), mark, context })
}

impl Parser<'_> {
    /// Whether the next token is one of these; with where it begins.
    fn next_is(&mut self, test: impl Fn(&Token) -> bool) -> Result<(bool, Mark)> {
        let next = self.scanner.peek()?;
        Ok((test(&next.token), next.start))
    }

    /// Takes the next token if it is this one.
    fn take_if(&mut self, token: &Token) -> Result<bool> {
        let (yes, _) = self.next_is(|t| t == token)?;
        if yes {
            self.scanner.take();
        }
        Ok(yes)
    }

    fn document(&mut self) -> Result<()> {
        let (ended, _) = self.next_is(|t| *t == Token::StreamEnd)?;
        if ended {
            return Ok(());
        }
        let (explicit, _) = self.next_is(|t| matches!(t, Token::VersionDirective(..) | Token::TagDirective(..) | Token::DocumentStart))?;
        self.directives()?;
        let root = if explicit {
            let (begins, mark) = self.next_is(|t| *t == Token::DocumentStart)?;
            if !begins {
                return fault(Mark::default(), "did not find expected <document start>", mark);
            }
            self.scanner.take();
            let nothing = |t: &Token| {
                use Token::{DocumentEnd, DocumentStart, StreamEnd, TagDirective, VersionDirective};
                matches!(t, VersionDirective(..) | TagDirective(..) | DocumentStart | DocumentEnd | StreamEnd)
            };
            match self.next_is(nothing)? {
                (true, mark) => self.empty(mark),
                _ => self.node(true, false)?,
            }
        } else {
            self.node(true, false)?
        };
        self.tree.root = Some(root);
        self.scanner.peek().map(|_| ())
    }

    fn directives(&mut self) -> Result<()> {
        let mut version = false;
        loop {
            let next = self.scanner.peek()?;
            let mark = next.start;
            match &next.token {
                Token::VersionDirective(..) if version => return fault(Mark::default(), "found duplicate %YAML directive", mark),
                Token::VersionDirective(major, minor) if *major != 1 || *minor != 1 => {
                    return fault(Mark::default(), "found incompatible YAML document", mark);
                }
                Token::VersionDirective(..) => version = true,
                Token::TagDirective(handle, _) if self.handles.iter().any(|(h, _)| h == handle) => {
                    return fault(Mark::default(), "found duplicate %TAG directive", mark);
                }
                Token::TagDirective(handle, prefix) => self.handles.push((handle.clone(), prefix.clone())),
                _ => return Ok(()),
            }
            self.scanner.take();
        }
    }

    fn add(&mut self, content: Content, tag: String, start: Mark, end: Mark) -> usize {
        self.tree.nodes.push(Node { content, start, end, tag });
        self.tree.nodes.len() - 1
    }

    fn empty(&mut self, mark: Mark) -> usize {
        self.add(Content::Scalar(String::new(), true), String::new(), mark, mark)
    }

    /// A node, or the empty one if one of these tokens follows.
    fn node_unless(&mut self, test: impl Fn(&Token) -> bool, empty_at: Option<Mark>, block: bool, indentless: bool) -> Result<usize> {
        match self.next_is(test)? {
            (true, here) => Ok(self.empty(empty_at.unwrap_or(here))),
            _ => self.node(block, indentless),
        }
    }

    fn node(&mut self, block: bool, indentless: bool) -> Result<usize> {
        let next = self.scanner.peek()?;
        let start = next.start;
        if let Token::Alias(_) = next.token {
            let taken = self.scanner.take();
            let Token::Alias(name) = taken.token else { return Ok(self.empty(start)) };
            let Some(&target) = self.anchors.get(&name) else {
                let problem = format!("unknown anchor '{name}' referenced");
                return Err(Fault { kind: Kind::Composer, problem, mark: start, context: start });
            };
            return Ok(self.add(Content::Alias(name, target), String::new(), taken.start, taken.end));
        }
        if self.depth >= DEPTH_MAX {
            let problem = format!("exceeded max depth of {DEPTH_MAX}");
            return Err(Fault { kind: Kind::Scanner, problem, mark: start, context: start });
        }
        self.depth += 1;
        let node = self.content(block, indentless);
        self.depth -= 1;
        node
    }

    /// Anchor and tag in either order, each once.
    fn properties(&mut self, start: Mark) -> Result<(Option<String>, Option<String>, Mark)> {
        let (mut anchor, mut tag, mut end) = (None, None, start);
        loop {
            let next = self.scanner.peek()?;
            match next.token {
                Token::Anchor(_) if anchor.is_none() => {}
                Token::Tag(..) if tag.is_none() => {}
                _ => break,
            }
            let taken = self.scanner.take();
            end = taken.end;
            match taken.token {
                Token::Anchor(name) => anchor = Some(name),
                Token::Tag(handle, suffix) => tag = Some(self.resolve_tag(&handle, suffix, start, taken.start)?),
                _ => {}
            }
        }
        Ok((anchor, tag, end))
    }

    fn resolve_tag(&self, handle: &str, suffix: String, start: Mark, mark: Mark) -> Result<String> {
        if handle.is_empty() {
            return Ok(suffix);
        }
        let own = self.handles.iter().find(|(h, _)| h == handle).map(|(_, prefix)| prefix.as_str());
        match (own, handle) {
            (Some(prefix), _) => Ok(format!("{prefix}{suffix}")),
            (None, "!") => Ok(format!("!{suffix}")),
            (None, "!!") => Ok(format!("tag:yaml.org,2002:{suffix}")),
            _ => fault(start, "found undefined tag handle", mark),
        }
    }

    fn content(&mut self, block: bool, indentless: bool) -> Result<usize> {
        let start = self.scanner.peek()?.start;
        let (anchor, tag, properties_end) = self.properties(start)?;
        let bare = anchor.is_none() && tag.is_none();
        let tag = tag.unwrap_or_default();
        let next = self.scanner.peek()?;
        let (here, sequence) = (next.start, matches!(next.token, Token::BlockEntry));
        let place = self.tree.nodes.len();
        let content = match &next.token {
            Token::BlockEntry if indentless => Content::Sequence(Vec::new()),
            Token::FlowSequenceStart => Content::Sequence(Vec::new()),
            Token::BlockSequenceStart if block => Content::Sequence(Vec::new()),
            Token::FlowMappingStart => Content::Mapping(Vec::new()),
            Token::BlockMappingStart if block => Content::Mapping(Vec::new()),
            Token::Scalar(..) => {
                let taken = self.scanner.take();
                let Token::Scalar(text, plain) = taken.token else { return Ok(self.empty(here)) };
                let implicit = plain && tag.is_empty() || tag == "!";
                self.add(Content::Scalar(text, implicit), tag, start, taken.end);
                self.anchor(anchor, place);
                return Ok(place);
            }
            _ if !bare => {
                let implicit = tag.is_empty();
                self.add(Content::Scalar(String::new(), implicit), tag, start, properties_end);
                self.anchor(anchor, place);
                return Ok(place);
            }
            _ => return fault(start, "did not find expected node content", here),
        };
        // The place is taken before the children, so that an anchor may be referred to inside.
        self.add(content, tag, start, here);
        self.anchor(anchor, place);
        let (content, end) = if indentless && sequence { self.indentless()? } else { self.collection()? };
        self.tree.nodes[place].content = content;
        self.tree.nodes[place].end = end;
        Ok(place)
    }

    fn anchor(&mut self, name: Option<String>, place: usize) {
        if let Some(name) = name {
            self.anchors.insert(name, place);
        }
    }

    fn collection(&mut self) -> Result<(Content, Mark)> {
        let taken = self.scanner.take();
        match taken.token {
            Token::BlockSequenceStart => self.block_sequence(taken.start),
            Token::BlockMappingStart => self.block_mapping(taken.start),
            Token::FlowSequenceStart => self.flow_sequence(taken.start),
            _ => self.flow_mapping(taken.start),
        }
    }

    fn block_sequence(&mut self, mark: Mark) -> Result<(Content, Mark)> {
        let mut items = Vec::new();
        loop {
            let next = self.scanner.peek()?;
            let (start, end) = (next.start, next.end);
            match next.token {
                Token::BlockEntry => {
                    self.scanner.take();
                    items.push(self.node_unless(|t| matches!(t, Token::BlockEntry | Token::BlockEnd), Some(end), true, false)?);
                }
                Token::BlockEnd => {
                    self.scanner.take();
                    return Ok((Content::Sequence(items), start));
                }
                _ => return fault(mark, "did not find expected '-' indicator", start),
            }
        }
    }

    /// A sequence whose dashes stand under their key.
    fn indentless(&mut self) -> Result<(Content, Mark)> {
        let mut items = Vec::new();
        let nothing = |t: &Token| matches!(t, Token::BlockEntry | Token::Key | Token::Value | Token::BlockEnd);
        loop {
            let next = self.scanner.peek()?;
            let (start, end) = (next.start, next.end);
            if next.token != Token::BlockEntry {
                return Ok((Content::Sequence(items), start));
            }
            self.scanner.take();
            items.push(self.node_unless(nothing, Some(end), true, false)?);
        }
    }

    fn block_mapping(&mut self, mark: Mark) -> Result<(Content, Mark)> {
        let mut entries = Vec::new();
        let nothing = |t: &Token| matches!(t, Token::Key | Token::Value | Token::BlockEnd);
        loop {
            let next = self.scanner.peek()?;
            let (start, end) = (next.start, next.end);
            match next.token {
                Token::Key => {
                    self.scanner.take();
                    let key = self.node_unless(nothing, Some(end), true, true)?;
                    let next = self.scanner.peek()?;
                    let (here, end, has_value) = (next.start, next.end, next.token == Token::Value);
                    let value = if has_value {
                        self.scanner.take();
                        self.node_unless(nothing, Some(end), true, true)?
                    } else {
                        self.empty(here)
                    };
                    entries.push((key, value));
                }
                Token::BlockEnd => {
                    self.scanner.take();
                    return Ok((Content::Mapping(entries), start));
                }
                _ => return fault(mark, "did not find expected key", start),
            }
        }
    }

    /// What follows an entry of a flow collection: its end, or a comma that must be there unless it is the first.
    fn flow_ends(&mut self, end: &Token, first: bool, mark: Mark, problem: &'static str) -> Result<Option<Mark>> {
        let (ends, _) = self.next_is(|t| t == end)?;
        if !ends && !first && !self.take_if(&Token::FlowEntry)? {
            let here = self.scanner.peek()?.start;
            return fault(mark, problem, here);
        }
        let (ends, _) = self.next_is(|t| t == end)?;
        Ok(if ends { Some(self.scanner.take().end) } else { None })
    }

    fn flow_sequence(&mut self, mark: Mark) -> Result<(Content, Mark)> {
        let mut items = Vec::new();
        loop {
            if let Some(end) = self.flow_ends(&Token::FlowSequenceEnd, items.is_empty(), mark, "did not find expected ',' or ']'")? {
                return Ok((Content::Sequence(items), end));
            }
            let (pair, start) = self.next_is(|t| *t == Token::Key)?;
            items.push(if pair { self.pair(start)? } else { self.node(false, false)? });
        }
    }

    /// A mapping of one entry without braces, in a flow sequence.
    fn pair(&mut self, start: Mark) -> Result<usize> {
        self.scanner.take();
        let nothing = |t: &Token| matches!(t, Token::FlowEntry | Token::FlowSequenceEnd);
        let next = self.scanner.peek()?;
        let (end, no_key) = (next.end, next.token == Token::Value || nothing(&next.token));
        let key = if no_key {
            // libyaml loses the token here; so `[? : x]` is refused there, too.
            self.scanner.take();
            self.empty(end)
        } else {
            self.node(false, false)?
        };
        let value = match self.take_if(&Token::Value)? {
            true => self.node_unless(nothing, None, false, false)?,
            false => {
                let here = self.scanner.peek()?.start;
                self.empty(here)
            }
        };
        let end = self.scanner.peek()?.start;
        Ok(self.add(Content::Mapping(vec![(key, value)]), String::new(), start, end))
    }

    fn flow_mapping(&mut self, mark: Mark) -> Result<(Content, Mark)> {
        let mut entries = Vec::new();
        let nothing = |t: &Token| matches!(t, Token::FlowEntry | Token::FlowMappingEnd);
        loop {
            if let Some(end) = self.flow_ends(&Token::FlowMappingEnd, entries.is_empty(), mark, "did not find expected ',' or '}'")? {
                return Ok((Content::Mapping(entries), end));
            }
            let (with_value, key) = if self.take_if(&Token::Key)? {
                (true, self.node_unless(|t| *t == Token::Value || nothing(t), None, false, false)?)
            } else {
                (false, self.node(false, false)?)
            };
            let value = if with_value && self.take_if(&Token::Value)? {
                self.node_unless(nothing, None, false, false)?
            } else {
                let here = self.scanner.peek()?.start;
                self.empty(here)
            };
            entries.push((key, value));
        }
    }
}
