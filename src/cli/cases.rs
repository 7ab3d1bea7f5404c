//! `loopscope cases`: applies manifests, or gives wrong inputs, each to a fresh cluster, and writes what came of it in the
//! format of recordings of a real cluster.

use super::files;
use crate::api::Value;
use crate::cluster::Cluster;
use crate::scenario::cases::{self, Case};
use crate::scenario::format::config_of;
use crate::session::catalog;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where definitions that manifests need lie, beside the index.
const DEFINITIONS: &str = "support/argocd-application-crd.yaml";

/// Plays the cases that INDEX lists.
///
/// # Errors
/// What is wrong with the words or the files.
pub fn run(words: &[&str]) -> Result<(), String> {
    let (mut places, mut out, mut only) = (Vec::new(), None, None);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--out" => out = Some(PathBuf::from(rest.next().ok_or("--out wants a file")?)),
            "--only" => only = Some(*rest.next().ok_or("--only wants a part of a case's name")?),
            other => places.push(other),
        }
    }
    let [kind @ ("manifests" | "bad"), source, index] = places[..] else { return Err("(manifests|bad) SRC INDEX is wanted".to_string()) };
    let out = out.ok_or("--out is wanted")?;
    let index = Path::new(index);
    let table = files::read(index)?;
    let mut file = std::fs::File::create(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    for row in rows(&table).iter().filter(|row| only.is_none_or(|part| row.key().contains(part))) {
        let steps = play(kind, row, Path::new(source), index)?;
        let line = crate::value!({"case": (Value::str(row.key())), "steps": steps});
        let text = serde_json::to_string(&line).map_err(|e| e.to_string())?;
        writeln!(file, "{text}").map_err(|e| format!("{}: {e}", out.display()))?;
    }
    Ok(())
}

/// One line of an index, by the names of its columns.
struct Row<'a>(BTreeMap<&'a str, &'a str>);

impl Row<'_> {
    fn key(&self) -> &str {
        self.0.get("case").or_else(|| self.0.get("file")).copied().unwrap_or("")
    }
}

fn rows(table: &str) -> Vec<Row<'_>> {
    let mut lines = table.lines();
    let head: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    lines.map(|line| Row(head.iter().copied().zip(line.split('\t')).collect())).collect()
}

fn play(kind: &str, row: &Row, source: &Path, index: &Path) -> Result<Vec<Value>, String> {
    let key = Path::new(row.key());
    let beside = source.join(key.parent().unwrap_or(Path::new("")));
    let folder = if beside.is_dir() { beside } else { source.to_path_buf() };
    let name = key.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut known = files::beside(&folder.join(&name))?;
    let definitions = format!("../{DEFINITIONS}");
    if let Ok(text) = files::read(&index.with_file_name("").join(DEFINITIONS)) {
        known.insert(definitions.clone(), text);
    }
    let world = Cluster::boot(&config_of(&cases::cluster(), catalog::SEED, false)?);
    let has = |suffix: &str| known.contains_key(&format!("{name}{suffix}"));
    if kind == "manifests" {
        let needs = row.0.get("needs").copied().unwrap_or("");
        return Ok(Case::new(world, known).manifest(&name, needs, &definitions));
    }
    if has(".cmd") {
        let lines = known[&format!("{name}.cmd")].clone();
        return Case::new(world, known).commands(&lines).map_err(|e| format!("{name}.cmd: {e}"));
    }
    let setup = has(".setup.yaml").then(|| format!("{name}.setup.yaml"));
    Ok(Case::new(world, known).apply(setup.as_deref(), &format!("{name}.yaml")))
}
