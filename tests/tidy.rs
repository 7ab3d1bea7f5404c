//! Keeps the house in order: who may use whom, a header in every file, no dead files, no long ones, no recording's name in the core.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const LINES_MAX: usize = 450;

/// Files that may be longer, each with its reason. Keep it empty if you can.
const LONG: &[(&str, &str)] = &[];

/// Each room and the rooms that it may use, from the bottom up. A test module (`tests.rs`, `mod tests`) may use what its room may.
const ROOMS: &[(&str, &[&str])] = &[
    ("util", &[]),
    ("api", &["util"]),
    ("apiserver", &["api", "util"]),
    ("client", &["api", "util"]),
    ("runtime", &["api", "util"]),
    ("controllers", &["client", "api", "util"]),
    ("kubectl", &["client", "api", "util"]),
    ("cluster", &["kubectl", "controllers", "runtime", "client", "apiserver", "api", "util"]),
    ("scenario", &["cluster", "kubectl", "controllers", "runtime", "client", "apiserver", "api", "util"]),
    ("diagnosis", &["cluster", "api", "util"]),
    ("lessons", &["scenario", "diagnosis", "cluster", "api", "util"]),
    ("scenes", &["scenario", "cluster", "api", "util"]),
    (
        "session",
        &["lessons", "diagnosis", "scenario", "cluster", "kubectl", "controllers", "runtime", "client", "apiserver", "api", "util"],
    ),
    ("app", &["session", "scenes", "lessons", "diagnosis", "scenario", "cluster", "kubectl", "api", "util"]),
    ("measure", &["session", "scenario", "cluster", "api", "util"]),
    (
        "cli",
        &[
            "measure",
            "session",
            "lessons",
            "diagnosis",
            "scenario",
            "cluster",
            "kubectl",
            "controllers",
            "runtime",
            "client",
            "apiserver",
            "api",
            "util",
        ],
    ),
];

/// What one loop may use beyond its room: the kubelet runs containers.
const MORE: &[(&str, &str)] = &[("controllers/kubelet", "runtime")];

/// Names of recorded scenarios that are words of the field, too.
const WORDS: &[&str] = &["server-side-apply"];

/// Files and folders of `controllers` that hold no loop and that every loop may use.
const COMMON: &[&str] = &["mod", "registry", "loops", "common", "controller", "process"];

#[test]
fn rooms_use_only_what_lies_below_them() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let Some(room) = room_of(&file) else { continue };
        for used in rooms_used(&text) {
            if used != room && !may_use(&file, &room, &used) {
                wrong.push(format!("{file}: {room} uses {used}"));
            }
        }
    }
    assert!(wrong.is_empty(), "see the table in tests/tidy.rs:\n{}", wrong.join("\n"));
}

#[test]
fn every_room_is_in_the_table() {
    let known: Vec<&str> = ROOMS.iter().map(|(name, _)| *name).collect();
    let unknown: Vec<String> = sources().keys().filter_map(|f| room_of(f)).filter(|room| !known.contains(&room.as_str())).collect();
    assert!(unknown.is_empty(), "rooms that tests/tidy.rs does not know: {unknown:?}");
}

#[test]
fn no_loop_knows_another() {
    let loops: Vec<String> = sources().keys().filter_map(|f| loop_of(f)).collect();
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let Some(own) = loop_of(&file) else { continue };
        for path in paths_used(&text) {
            if let ["controllers", other, ..] = path.split("::").collect::<Vec<_>>()[..]
                && other != own
                && loops.iter().any(|l| l == other)
            {
                wrong.push(format!("{file}: the {own} loop uses {other}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn below_the_page_nothing_is_random_or_knows_the_browser() {
    let banned = [
        "js_sys",
        "web_sys",
        "wasm_bindgen",
        "gloo",
        "yew",
        "DefaultHasher",
        "RandomState",
        "Instant::now",
        "SystemTime::now",
        "thread_rng",
    ];
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        if matches!(room_of(&file).as_deref(), None | Some("app" | "cli")) {
            continue;
        }
        for word in banned.iter().filter(|w| code(&text).contains(**w)) {
            wrong.push(format!("{file}: {word}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_begins_with_its_header() {
    let all = sources().into_iter().chain(read_all("tests")).chain(read_all("xtask/src"));
    let bare: Vec<String> = all.filter(|(_, text)| !text.starts_with("//! ")).map(|(file, _)| file).collect();
    assert!(bare.is_empty(), "without a `//!` header: {bare:?}");
}

#[test]
fn no_file_is_too_long() {
    let all = sources().into_iter().chain(read_all("tests")).chain(read_all("xtask/src"));
    let long: Vec<String> = all
        .filter(|(file, text)| text.lines().count() > LINES_MAX && !LONG.iter().any(|(name, _)| name == file))
        .map(|(file, text)| format!("{file}: {} lines", text.lines().count()))
        .collect();
    assert!(long.is_empty(), "longer than {LINES_MAX} lines:\n{}", long.join("\n"));
}

#[test]
fn no_file_is_dead() {
    let files = sources();
    let dead: Vec<&String> = files.keys().filter(|file| !declared(file, &files)).collect();
    assert!(dead.is_empty(), "no `mod` line leads to: {dead:?}");
}

#[test]
fn the_core_names_no_recording() {
    let names: Vec<String> = fs::read_dir(root().join("tests/scenarios"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    // One-word names (`drain`, `conflict`) are words of the field, too.
    let names: Vec<&String> =
        names.iter().filter(|name| name.contains('-') && !name.contains('.') && !WORDS.contains(&name.as_str())).collect();
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        // The page's own scenarios have names, too; the rooms below must know none.
        if matches!(room_of(&file).as_deref(), Some("app" | "cli" | "lessons" | "session" | "scenario") | None) {
            continue;
        }
        for name in names.iter().filter(|name| words_of(&text).any(|word| word == name.as_str())) {
            wrong.push(format!("{file}: {name}"));
        }
    }
    assert!(wrong.is_empty(), "a kind of behaviour is modelled, never a recording:\n{}", wrong.join("\n"));
}

fn may_use(file: &str, room: &str, used: &str) -> bool {
    let table = ROOMS.iter().any(|(name, may)| *name == room && may.contains(&used));
    table || MORE.iter().any(|(place, more)| file.starts_with(&format!("src/{place}")) && *more == used)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// Every file of src/, by its path from the project's folder.
fn sources() -> BTreeMap<String, String> {
    read_all("src")
}

fn read_all(folder: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut left = vec![root().join(folder)];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                left.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// `src/client/queue.rs` lies in `client`, as does `src/client.rs`; lib.rs, main.rs and what only they hold lie in none.
fn room_of(file: &str) -> Option<String> {
    let first = file.strip_prefix("src/")?.split('/').next()?.trim_end_matches(".rs");
    (!matches!(first, "lib" | "main" | "exports")).then(|| first.to_string())
}

fn loop_of(file: &str) -> Option<String> {
    let first = file.strip_prefix("src/controllers/")?.split('/').next()?.trim_end_matches(".rs");
    (!COMMON.contains(&first)).then(|| first.to_string())
}

/// The text without comments and without test modules' own strings; good enough to look for words in.
fn code(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
}

fn rooms_used(text: &str) -> Vec<String> {
    let mut rooms: Vec<String> = paths_used(text).iter().map(|p| p.split("::").next().unwrap_or("").to_string()).collect();
    rooms.sort();
    rooms.dedup();
    rooms.retain(|r| ROOMS.iter().any(|(name, _)| name == r));
    rooms
}

/// Every `crate::…` path, those in nested `use crate::{a::{b, c}, d}` lists written out.
fn paths_used(text: &str) -> Vec<String> {
    let text = code(text);
    let mut paths = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        // `$crate::` in a macro and `loopscope::` mean the same rooms; `subcrate::` does not occur.
        written_out(&text[at + "crate::".len()..], "", &mut paths);
    }
    paths
}

/// Reads one path or list at the start of `rest`, adds what it names, returns what follows it.
fn written_out<'a>(rest: &'a str, before: &str, paths: &mut Vec<String>) -> &'a str {
    if let Some(mut rest) = rest.trim_start().strip_prefix('{') {
        loop {
            rest = rest.trim_start_matches([' ', '\n', '\t', ',']);
            if rest.is_empty() {
                return rest;
            }
            if let Some(after) = rest.strip_prefix('}') {
                return after;
            }
            let left = rest.len();
            rest = written_out(rest, before, paths);
            if rest.len() == left {
                return "";
            }
        }
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '*')).unwrap_or(rest.len());
    let path = if before.is_empty() { rest[..end].to_string() } else { format!("{before}::{}", &rest[..end]) };
    let after = &rest[end..];
    if let Some(deeper) = after.strip_prefix("::") {
        return written_out(deeper, &path, paths);
    }
    paths.push(path);
    match after.trim_start().strip_prefix("as ") {
        Some(alias) => alias.trim_start().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'),
        None => after,
    }
}

/// Whether some `mod NAME;` in the right place leads to this file.
fn declared(file: &str, files: &BTreeMap<String, String>) -> bool {
    if matches!(file, "src/lib.rs" | "src/main.rs") {
        return true;
    }
    let path = Path::new(file);
    let stem = path.file_stem().unwrap().to_string_lossy();
    let folder = path.parent().unwrap().to_string_lossy();
    let (name, folder) = if stem == "mod" {
        let parent = Path::new(folder.as_ref());
        (parent.file_name().unwrap().to_string_lossy().into_owned(), parent.parent().unwrap().to_string_lossy().into_owned())
    } else {
        (stem.into_owned(), folder.into_owned())
    };
    let parents = match folder.as_str() {
        "src" => vec!["src/lib.rs".to_string(), "src/main.rs".to_string()],
        folder => vec![format!("{folder}/mod.rs"), format!("{folder}.rs")],
    };
    let line = format!("mod {name};");
    parents.iter().filter_map(|p| files.get(p)).any(|text| {
        text.lines()
            .any(|l| l.trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ").trim_start_matches("pub ").trim() == line)
    })
}

#[test]
fn paths_are_read_out_of_nested_lists() {
    let rows: &[(&str, &[&str])] = &[
        ("use crate::api::Value;", &["api::Value"]),
        (
            "use crate::{api::{Value, object::{Object, Meta}}, util::Time as T, client};",
            &["api::Value", "api::object::Object", "api::object::Meta", "util::Time", "client"],
        ),
        ("fn f(x: crate::cluster::Cluster) {}", &["cluster::Cluster"]),
        ("// use crate::app::Page;", &[]),
        ("use crate::api::*;", &["api::*"]),
    ];
    for (text, want) in rows {
        assert_eq!(paths_used(text), *want, "{text}");
    }
}
