//! Tables of objects: which columns are shown, and a row's cells.

use super::super::fault::Fault;
use super::super::tabs;
use super::Table;
use super::jsonpath;
use crate::api::Object;
use crate::util::Time;

/// A table with what the flags add to it.
#[derive(Clone, Debug)]
pub struct Layout {
    pub table: Table,
    pub wide: bool,
    pub namespace: bool,
    /// `deployment.apps/` if several kinds are shown
    pub prefix: String,
    pub labels: Vec<String>,
    pub show_labels: bool,
}

impl Layout {
    pub fn header(&self) -> String {
        let mut cells: Vec<String> = Vec::new();
        if self.namespace {
            cells.push("NAMESPACE".to_string());
        }
        cells.extend(self.table.columns.iter().filter(|c| self.wide || !c.1).map(|c| c.0.to_ascii_uppercase()));
        cells.extend(self.labels.iter().map(|l| l.rsplit('/').next().unwrap_or(l).to_ascii_uppercase()));
        if self.show_labels {
            cells.push("LABELS".to_string());
        }
        cells.join("\t") + "\n"
    }

    pub fn row(&self, object: &Object, now: Time) -> String {
        let mut cells: Vec<String> = Vec::new();
        if self.namespace {
            cells.push(object.namespace().to_string());
        }
        let all = self.table.row(object, now);
        for (i, (cell, (_, wide))) in all.into_iter().zip(self.table.columns.iter()).enumerate() {
            if *wide && !self.wide {
                continue;
            }
            let cell = if i == 0 { format!("{}{cell}", self.prefix) } else { cell };
            cells.push(one_line(cell));
        }
        for label in &self.labels {
            cells.push(object.label(label).filter(|l| !l.is_empty()).unwrap_or("").to_string());
        }
        if self.show_labels {
            cells.push(super::labels_text(object.labels()));
        }
        cells.join("\t") + "\n"
    }
}

/// A cell ends at the first line break.
fn one_line(mut cell: String) -> String {
    if let Some(at) = cell.find(['\n', '\r', '\u{c}']) {
        cell.truncate(at);
        cell.push_str("...");
    }
    cell.replace('\t', "\\t")
}

/// Aligns lines of a table that goes on: columns never become narrower than they were.
pub fn align_remembering(lines: &str, widths: &mut Vec<usize>) -> String {
    for line in lines.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        widths.resize(widths.len().max(cells.len()), 6);
        for (width, cell) in widths.iter_mut().zip(&cells[..cells.len().saturating_sub(1)]) {
            *width = (*width).max(cell.chars().count() + 3);
        }
    }
    let mut text = String::new();
    for line in lines.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        for (i, cell) in cells.iter().enumerate() {
            text.push_str(cell);
            if i + 1 < cells.len() {
                text.extend(std::iter::repeat_n(' ', widths[i].saturating_sub(cell.chars().count())));
            }
        }
        text.push('\n');
    }
    text
}

/// `-o custom-columns=HEADER:PATH,…`
///
/// # Errors
/// The specification or a path is wrong.
pub fn custom<'a>(spec: &str, objects: impl Iterator<Item = &'a Object>, headers: bool) -> Result<String, Fault> {
    let mut columns = Vec::new();
    for part in spec.split(',') {
        let Some((header, path)) = part.split_once(':').filter(|(_, p)| !p.is_empty()) else {
            return Err(Fault::text(format!("unexpected custom-columns spec: {part}, expected <header>:<json-path-expr>")));
        };
        columns.push((header, jsonpath::relaxed(path)));
    }
    let mut lines = String::new();
    if headers {
        lines.push_str(&(columns.iter().map(|c| c.0).collect::<Vec<_>>().join("\t") + "\n"));
    }
    for object in objects {
        let mut cells = Vec::new();
        for (_, path) in &columns {
            let found = jsonpath::find(path, &object.0)?;
            let texts: Vec<String> = found.iter().map(jsonpath::text).collect();
            cells.push(if texts.is_empty() { "<none>".to_string() } else { texts.join(",") });
        }
        lines.push_str(&(cells.join("\t") + "\n"));
    }
    Ok(tabs::align(&lines, 6, 3))
}
