//! Manifests as kubectl v1.36 reads and prints them. A text is split into documents as apimachinery's
//! `util/yaml` does it, then read by a YAML 1.1 parser that follows go-yaml v2; documents that begin with `{`
//! are JSON. Every node knows where it stands, for the editor's sake.

mod compose;
mod gosyntax;
mod locate;
mod natural;
mod resolve;
mod scalar;
mod scan;
mod split;
mod text;
mod tree;
mod write;

pub use locate::{Place, Position, Span};
pub use split::parse;
pub use write::write;

use super::Value;
use text::Mark;
use tree::Tree;

/// Longer texts are refused; a hundred times the longest manifest that is not all one CRD.
pub const LENGTH_MAX_BYTES: usize = 4 << 20;

/// What was read of a text: the documents up to the first error, and that error.
#[derive(Debug, Default)]
pub struct Parsed {
    pub documents: Vec<Document>,
    pub error: Option<Error>,
}

/// One document that is not empty.
#[derive(Debug)]
pub struct Document {
    pub value: Value,
    /// The line of the text that line 1 of kubectl's messages means.
    pub first_line: usize,
    /// Keys that came again in their mapping; the last one counts.
    pub duplicates: Vec<Duplicate>,
    tree: Tree,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Duplicate {
    /// As the server names it: `spec.containers[0].image`.
    pub path: String,
    pub key: Span,
}

/// Why a text could not be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What kubectl prints after `error parsing FILE: `.
    pub message: String,
    /// The last part of the message, without line and prefixes.
    pub problem: String,
    /// The line that kubectl's message names, counted in its document.
    pub line: Option<usize>,
    /// Where it is in the whole text.
    pub position: Position,
    pub code: Code,
}

/// What is wrong in words that a page can have texts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// A tab where spaces must be.
    Tab,
    /// A line is indented other than its neighbours, or lacks its colon or dash.
    Indentation,
    /// `key: value: more`, or a value that needs quotes.
    ColonInValue,
    /// A quote, bracket or brace is not closed.
    NotClosed,
    /// The text begins with a character that must be quoted (`*`, `&`, `%`, `@`, …).
    MustQuote,
    /// `{{ … }}` of a template, which has to be rendered first.
    Template,
    /// `*name` without `&name`.
    UnknownAnchor,
    /// Aliases that grow beyond measure or contain themselves.
    AliasBomb,
    /// A wrong escape in double quotes.
    Escape,
    /// A character that text does not have: a binary file.
    Binary,
    TooDeep,
    TooLong,
    /// `--- something`
    Separator,
    /// A faulty JSON document.
    Json,
    /// A value or key that JSON cannot have.
    NotJson,
    Other,
}

impl Code {
    /// A stable word for texts and tests.
    pub fn name(self) -> &'static str {
        match self {
            Code::Tab => "tab",
            Code::Indentation => "indentation",
            Code::ColonInValue => "colon-in-value",
            Code::NotClosed => "not-closed",
            Code::MustQuote => "must-quote",
            Code::Template => "template",
            Code::UnknownAnchor => "unknown-anchor",
            Code::AliasBomb => "alias-bomb",
            Code::Escape => "escape",
            Code::Binary => "binary",
            Code::TooDeep => "too-deep",
            Code::TooLong => "too-long",
            Code::Separator => "separator",
            Code::Json => "json",
            Code::NotJson => "not-json",
            Code::Other => "other",
        }
    }

    fn of(problem: &str) -> Code {
        const BY_WORDS: [(&str, Code); 20] = [
            ("json: unsupported value", Code::NotJson),
            ("tab character", Code::Tab),
            ("invalid map key: map[", Code::Template),
            ("mapping values are not allowed", Code::ColonInValue),
            ("could not find expected ':'", Code::Indentation),
            ("did not find expected key", Code::Indentation),
            ("did not find expected '-' indicator", Code::Indentation),
            ("not allowed in this context", Code::Indentation),
            ("unexpected end of stream", Code::NotClosed),
            ("unexpected document indicator", Code::NotClosed),
            ("did not find expected ','", Code::NotClosed),
            ("did not find expected node content", Code::NotClosed),
            ("cannot start any token", Code::MustQuote),
            ("alphabetic or numeric character", Code::MustQuote),
            ("unknown anchor", Code::UnknownAnchor),
            ("excessive aliasing", Code::AliasBomb),
            ("contains itself", Code::AliasBomb),
            ("escape", Code::Escape),
            ("exceeded max depth", Code::TooDeep),
            ("map key", Code::NotJson),
        ];
        BY_WORDS.iter().find(|(words, _)| problem.contains(words)).map_or(Code::Other, |(_, code)| *code)
    }
}

/// Which part of go-yaml found a fault: they count lines differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Scanner,
    Parser,
    Composer,
}

/// A fault inside a document.
#[derive(Debug)]
struct Fault {
    kind: Kind,
    problem: String,
    mark: Mark,
    /// Where what could not be read began.
    context: Mark,
}

impl Fault {
    /// The line that go-yaml's message names.
    fn line(&self) -> Option<usize> {
        let line = match (self.kind, self.mark.line, self.context.line) {
            (Kind::Composer, ..) => 0,
            (_, 0, context) => context,
            (Kind::Scanner, line, _) => line + 1,
            (_, line, _) => line,
        };
        Some(line).filter(|l| *l > 0)
    }

    fn error(self, first_line: usize) -> Error {
        let line = self.line();
        let in_json =
            self.kind == Kind::Composer && (self.problem.starts_with("json: ") || self.problem.starts_with("unsupported map key"));
        let from = if in_json { "" } else { "yaml: " };
        let at = line.map(|l| format!("line {l}: ")).unwrap_or_default();
        Error {
            message: format!("error converting YAML to JSON: {from}{at}{}", self.problem),
            line,
            position: Position::of(self.mark, first_line),
            code: Code::of(&self.problem),
            problem: self.problem,
        }
    }
}

#[cfg(test)]
mod tests;
