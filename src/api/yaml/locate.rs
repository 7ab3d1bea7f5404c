//! Where the fields of a document stand in its text.

use super::Document;
use super::text::Mark;
use super::tree::{Content, Node};
use crate::util::Order;

/// A place in the whole text; both count from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl Position {
    pub(super) fn of(mark: Mark, first_line: usize) -> Position {
        Position { line: first_line + mark.line, column: mark.column + 1 }
    }
}

/// From the first character to behind the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: Position,
    pub end: Position,
}

/// Where a field, an item or the whole document stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The key, if it has one.
    pub key: Option<Span>,
    pub value: Span,
    /// Whether this is the very field that was asked for, or what is around it because there is no such field.
    pub exact: bool,
}

impl Document {
    fn node(&self, id: usize) -> &Node {
        &self.tree.nodes[id]
    }

    fn span(&self, id: usize) -> Span {
        let node = self.node(id);
        Span { start: Position::of(node.start, self.first_line), end: Position::of(node.end, self.first_line) }
    }

    /// The node that an alias stands for, or itself.
    fn target(&self, id: usize) -> usize {
        match self.node(id).content {
            Content::Alias(_, target) => target,
            _ => id,
        }
    }

    fn key_text(&self, id: usize) -> &str {
        match &self.node(self.target(id)).content {
            Content::Scalar(text, _) => text,
            _ => "",
        }
    }

    /// Where the field with a path as the server's messages name it stands: `spec.containers[0].image`,
    /// `metadata.labels[app.kubernetes.io/name]`. If there is no such field, the nearest one around it.
    /// Nothing if nothing is known of this document's places.
    pub fn locate(&self, path: &str) -> Option<Place> {
        let mut here = self.tree.root?;
        let mut place = Place { key: None, value: self.span(here), exact: true };
        let mut rest = path;
        while !rest.is_empty() {
            let Some((key, value, after)) = self.step(self.target(here), rest) else {
                place.exact = false;
                return Some(place);
            };
            place = Place { key: key.map(|k| self.span(k)), value: self.span(value), exact: true };
            here = value;
            rest = after;
        }
        Some(place)
    }

    /// One step along a path: the key node, the value node, and what is left of the path.
    fn step<'p>(&self, here: usize, path: &'p str) -> Option<(Option<usize>, usize, &'p str)> {
        match &self.node(here).content {
            // Go names fields through lists without their indices.
            Content::Sequence(items) if !path.starts_with('[') => items.iter().find_map(|item| self.step(self.target(*item), path)),
            Content::Sequence(items) => {
                let (index, after) = path.strip_prefix('[')?.split_once(']')?;
                let item = *items.get(index.parse::<usize>().ok()?)?;
                Some((None, item, after.strip_prefix('.').unwrap_or(after)))
            }
            Content::Mapping(pairs) => {
                // The last of equal keys counts; of keys with dots the longest that fits.
                let fitting = pairs.iter().rev().filter_map(|(k, v)| Some((*k, *v, after_key(path, self.key_text(*k))?)));
                let found = fitting.min_by_key(|(_, _, after)| after.len());
                found.map(|(k, v, after)| (Some(k), v, after)).or_else(|| {
                    let merged = pairs.iter().filter(|(k, _)| self.key_text(*k) == "<<").map(|(_, v)| self.target(*v));
                    merged.filter(|id| *id != here).find_map(|id| match &self.node(id).content {
                        Content::Mapping(pairs) => {
                            pairs.iter().find_map(|(k, v)| Some((Some(*k), *v, after_key(path, self.key_text(*k))?)))
                        }
                        _ => None,
                    })
                })
            }
            _ => None,
        }
    }

    /// Paths and places of key nodes, in the order of the text.
    pub(super) fn paths_of(&self, keys: &[usize]) -> Vec<(String, Span)> {
        let mut found = Vec::new();
        if let (Some(root), false) = (self.tree.root, keys.is_empty()) {
            let mut sorted = keys.to_vec();
            sorted.order();
            self.search(root, &sorted, &mut String::new(), &mut found);
        }
        found
    }

    fn search(&self, here: usize, keys: &[usize], path: &mut String, found: &mut Vec<(String, Span)>) {
        let length = path.len();
        match &self.node(here).content {
            Content::Sequence(items) => {
                for (i, item) in items.iter().enumerate() {
                    path.push_str(&format!("[{i}]"));
                    self.search(*item, keys, path, found);
                    path.truncate(length);
                }
            }
            Content::Mapping(pairs) => {
                for (key, value) in pairs {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(self.key_text(*key));
                    if keys.binary_search(key).is_ok() {
                        found.push((path.clone(), self.span(*key)));
                    }
                    self.search(*value, keys, path, found);
                    path.truncate(length);
                }
            }
            _ => {}
        }
    }

    /// The path of the innermost field or item at a position of the text.
    pub fn path_at(&self, position: Position) -> String {
        let mut path = String::new();
        let mut next = self.tree.root;
        while let Some(here) = next {
            next = None;
            match &self.node(here).content {
                Content::Sequence(items) => {
                    let at = items.iter().rposition(|i| self.span(*i).start <= position);
                    if let Some(i) = at {
                        path.push_str(&format!("[{i}]"));
                        next = Some(items[i]);
                    }
                }
                Content::Mapping(pairs) => {
                    if let Some((key, value)) = pairs.iter().rev().find(|(k, _)| self.span(*k).start <= position) {
                        if !path.is_empty() {
                            path.push('.');
                        }
                        path.push_str(self.key_text(*key));
                        next = Some(*value).filter(|v| self.span(*v).start <= position);
                    }
                }
                _ => {}
            }
        }
        path
    }
}

/// What is left of a path behind a key: `.`, `[…]` or nothing must follow; the key may stand in brackets.
fn after_key<'p>(path: &'p str, key: &str) -> Option<&'p str> {
    if key.is_empty() {
        return None;
    }
    let bracketed = path.strip_prefix('[').and_then(|p| p.strip_prefix(key)).and_then(|p| p.strip_prefix(']'));
    let after = match bracketed {
        Some(after) => after,
        None => path.strip_prefix(key).filter(|after| after.is_empty() || after.starts_with(['.', '[']))?,
    };
    Some(after.strip_prefix('.').unwrap_or(after))
}
