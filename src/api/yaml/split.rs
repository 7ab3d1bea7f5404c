//! From a text to its documents. Follows apimachinery's `YAMLReader` and `YAMLOrJSONDecoder`
//! (`pkg/util/yaml/decoder.go`).

use super::locate::Position;
use super::{Code, Document, Duplicate, Error, LENGTH_MAX_BYTES, Parsed, compose, tree};
use crate::api::{Value, json};

/// Reads all documents of a text; empty ones are passed over.
pub fn parse(text: &str) -> Parsed {
    if text.len() > LENGTH_MAX_BYTES {
        let problem = format!("the text has {} bytes; no more than {LENGTH_MAX_BYTES} are read", text.len());
        let error = Error { message: problem.clone(), problem, line: None, position: Position { line: 1, column: 1 }, code: Code::TooLong };
        return Parsed { documents: Vec::new(), error: Some(error) };
    }
    if text.trim_start().starts_with('{') {
        return json_stream(text);
    }
    yaml_stream(text, 1)
}

fn yaml_stream(text: &str, first_line: usize) -> Parsed {
    let mut parsed = Parsed::default();
    for chunk in chunks(text, first_line) {
        let document = match chunk {
            Chunk::Text(text, first_line) => document(&text, first_line),
            Chunk::Separator(rest, line) => Err(separator(&rest, line)),
        };
        match document {
            Ok(document) if document.value.is_null() => {}
            Ok(document) => parsed.documents.push(document),
            Err(error) => {
                parsed.error = Some(error);
                break;
            }
        }
    }
    parsed
}

enum Chunk {
    /// Whole lines, and the number of the first.
    Text(String, usize),
    /// A line that begins like a separator and goes on.
    Separator(String, usize),
}

/// Splits at lines that begin with `---`. Such a line belongs to the next document if nothing stands before it.
fn chunks(text: &str, first_line: usize) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut held = String::new();
    let mut held_from = first_line;
    for (i, line) in text.split_inclusive('\n').enumerate() {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(rest) = line.strip_prefix("---") {
            let rest = rest.trim();
            if !rest.is_empty() && !rest.starts_with('#') {
                chunks.push(Chunk::Separator(rest.into(), first_line + i));
                return chunks;
            }
            if !held.is_empty() {
                chunks.push(Chunk::Text(std::mem::take(&mut held), held_from));
                held_from = first_line + i + 1;
                continue;
            }
            held_from = first_line + i;
        }
        held.push_str(line);
        held.push('\n');
    }
    if !held.is_empty() {
        chunks.push(Chunk::Text(held, held_from));
    }
    chunks
}

fn separator(rest: &str, line: usize) -> Error {
    let problem = format!("invalid Yaml document separator: {rest}");
    Error { message: problem.clone(), problem, line: None, position: Position { line, column: 1 }, code: Code::Separator }
}

fn document(text: &str, first_line: usize) -> Result<Document, Error> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    if let Some(error) = control_character(text, first_line) {
        return Err(error);
    }
    let told = |fault: super::Fault| {
        let code = code(text, &fault);
        Error { code, ..fault.error(first_line) }
    };
    let tree = tree::parse(text).map_err(told)?;
    let (value, again) = compose::compose(&tree).map_err(told)?;
    let mut document = Document { value, first_line, duplicates: Vec::new(), tree };
    document.duplicates = document.paths_of(&again).into_iter().map(|(path, key)| Duplicate { path, key }).collect();
    Ok(document)
}

/// What is wrong, from the message and what stands there.
fn code(text: &str, fault: &super::Fault) -> Code {
    let line = text.lines().nth(fault.mark.line).unwrap_or("");
    match Code::of(&fault.problem) {
        Code::MustQuote if line.chars().nth(fault.mark.column) == Some('\t') => Code::Tab,
        Code::Indentation | Code::ColonInValue | Code::NotClosed | Code::MustQuote | Code::NotJson if line.contains("{{") => Code::Template,
        code => code,
    }
}

/// A character that YAML does not allow, which go-yaml finds while it fills its buffer, before all else.
fn control_character(text: &str, first_line: usize) -> Option<Error> {
    let allowed = |c: char| match c {
        '\t' | '\n' | '\r' | '\u{85}' | ' '..='~' => true,
        '\0'..='\u{9F}' | '\u{FFFE}' | '\u{FFFF}' => false,
        _ => true,
    };
    let at = text.char_indices().find(|(_, c)| !allowed(*c))?.0;
    let before = &text[..at];
    let line = first_line + before.matches('\n').count();
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    let problem = String::from("control characters are not allowed");
    let message = format!("error converting YAML to JSON: yaml: {problem}");
    Some(Error { message, problem, line: None, position: Position { line, column }, code: Code::Binary })
}

/// A stream of JSON values. What is no JSON may be YAML all the same, unless two values were read already.
fn json_stream(text: &str) -> Parsed {
    let mut parsed = Parsed::default();
    let mut place = 0;
    let line_at = |place: usize| 1 + text[..place].matches('\n').count();
    while !text[place..].trim_start().is_empty() {
        let (value, length, again) = match json::parse_prefix(&text[place..]) {
            Ok(read) => read,
            Err(fault) => {
                let count = parsed.documents.len();
                let more = if count > 1 { Parsed::default() } else { yaml_stream(&text[place..], line_at(place)) };
                let at = (place + fault.offset.saturating_sub(1)).min(text.len());
                if count > 1 {
                    let message = fault.message.clone();
                    parsed.error = Some(Error { message, ..json_error(text, at, fault, place) });
                } else if more.error.is_none() || !more.documents.is_empty() {
                    parsed.documents.extend(more.documents);
                    parsed.error = more.error;
                } else {
                    parsed.error = Some(json_error(text, at, fault, place));
                }
                break;
            }
        };
        if !value.is_null() {
            parsed.documents.push(json_document(&text[place..place + length], value, line_at(place), &again));
        }
        place += length;
    }
    parsed
}

/// The places of a JSON document's parts come from reading it as YAML, where that can be done.
fn json_document(text: &str, value: Value, first_line: usize, again: &[(usize, crate::api::Str)]) -> Document {
    let tree = tree::parse(text).unwrap_or_default();
    let mut document = Document { value, first_line, duplicates: Vec::new(), tree };
    if !again.is_empty()
        && let Ok((_, keys)) = compose::compose(&document.tree)
    {
        document.duplicates = document.paths_of(&keys).into_iter().map(|(path, key)| Duplicate { path, key }).collect();
    }
    document
}

fn json_error(text: &str, at: usize, fault: json::Fault, place: usize) -> Error {
    let at = (0..=at).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
    let before = &text[..at];
    let line = 1 + before.matches('\n').count();
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    let message = match fault.message.as_str() {
        "unexpected end of JSON input" => "unexpected EOF".into(),
        text => format!("json: offset {}: {text}", place + fault.offset),
    };
    Error { message, problem: fault.message, line: None, position: Position { line, column }, code: Code::Json }
}
