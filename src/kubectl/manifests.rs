//! Reads manifests: the files of `-f`, standard input, several documents in one, lists.

use super::Files;
use super::fault::Fault;
use super::flags::Flags;
use crate::api::{Value, yaml};

/// A document of a manifest, and where it was read.
#[derive(Clone, Debug)]
pub struct Document {
    pub source: String,
    pub value: Value,
}

/// What was read, and what could not be.
#[derive(Default)]
pub struct Documents {
    pub read: Vec<Document>,
    pub faults: Vec<Fault>,
}

/// Every document that `-f` names. A file that cannot be read does not keep the others from being read.
///
/// # Errors
/// A path leads nowhere.
pub fn read_all(flags: &Flags, files: &Files, stdin: Option<&str>) -> Result<Documents, Fault> {
    let mut all = Documents::default();
    if flags.given("kustomize") {
        return Err(Fault::text("kustomize is not available in this simulation; render it elsewhere and use -f"));
    }
    for path in flags.list("filename") {
        if path == "-" {
            let text = stdin.ok_or_else(|| Fault::text("there is no standard input here; name a file with -f"))?;
            read(&mut all, "STDIN", text);
        } else if path.starts_with("http://") || path.starts_with("https://") {
            return Err(Fault::text(format!("unable to read URL \"{path}\": this simulation has no network")));
        } else {
            for (name, text) in at_path(files, &path, flags.is_set("recursive"))? {
                read(&mut all, &name, text);
            }
        }
    }
    Ok(all)
}

/// The file at `path`, or the manifests in the folder of that name.
fn at_path<'a>(files: &'a Files, path: &str, recursive: bool) -> Result<Vec<(String, &'a str)>, Fault> {
    let plain = path.strip_prefix("./").unwrap_or(path);
    if let Some(text) = files.0.get(plain) {
        return Ok(vec![(path.to_string(), text)]);
    }
    let folder = match plain.trim_end_matches('/') {
        "" | "." => String::new(),
        name => format!("{name}/"),
    };
    let is_manifest = |n: &str| [".yaml", ".yml", ".json"].iter().any(|e| n.ends_with(e));
    let inside: Vec<(String, &str)> = files
        .0
        .iter()
        .filter_map(|(name, text)| Some((name.strip_prefix(&folder)?, name, text)))
        .filter(|(rest, ..)| is_manifest(rest) && (recursive || !rest.contains('/')))
        .map(|(_, name, text)| (name.clone(), text.as_str()))
        .collect();
    let exists = files.0.keys().any(|name| name.starts_with(&folder));
    if !exists {
        return Err(Fault::text(format!("the path \"{path}\" does not exist")));
    }
    Ok(inside)
}

fn read(all: &mut Documents, source: &str, text: &str) {
    let parsed = yaml::parse(text);
    for document in parsed.documents {
        let value = document.value;
        let is_list = value.get("kind").text().ends_with("List") && value.as_map().is_some_and(|m| m.contains("items"));
        if is_list {
            let items = value.get("items").items().iter();
            all.read.extend(items.map(|v| Document { source: source.to_string(), value: v.clone() }));
        } else if !value.is_null() {
            all.read.push(Document { source: source.to_string(), value });
        }
    }
    if let Some(error) = parsed.error {
        all.faults.push(Fault::text(format!("error parsing {source}: {error}")));
    }
}

/// One document as a value: a patch, given as YAML or JSON.
///
/// # Errors
/// What kubectl says is wrong with it.
pub fn parse(text: &str) -> Result<Value, String> {
    let parsed = yaml::parse(text);
    match parsed.error {
        Some(error) => Err(error.message),
        None => Ok(parsed.documents.into_iter().next().map(|d| d.value).unwrap_or_default()),
    }
}
