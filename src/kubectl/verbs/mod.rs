//! The verbs: one file each, and the table that finds them.

mod annotate;
mod api_resources;
mod apply;
mod autoscale;
mod config;
mod create;
mod create_kinds;
mod create_more;
pub mod delete;
mod describe;
pub mod drain;
mod drain_pods;
mod events;
mod exec;
mod expose;
pub mod get;
mod help;
mod label;
mod logs;
mod patch;
mod print;
mod replace;
mod rollout;
mod rollout_history;
pub mod rollout_status;
mod run;
mod scale;
mod set;
mod taint;
mod three_way;
pub mod wait;

use super::Outcome;
use super::context::Context;
use super::fault::Fault;
use super::flags::{Flag, Takes};

/// A verb: its words, the flags it knows, what it does.
pub struct Verb {
    pub words: &'static str,
    /// Asked for by need: a page has only the flags of the verbs that it has used.
    pub flags: fn() -> &'static [Flag],
    pub run: fn(&mut Context<'_>) -> Outcome,
}

const SETS: &[&[Verb]] = &[
    apply::VERBS,
    annotate::VERBS,
    api_resources::VERBS,
    autoscale::VERBS,
    config::VERBS,
    create::VERBS,
    create_kinds::VERBS,
    delete::VERBS,
    describe::VERBS,
    drain::VERBS,
    events::VERBS,
    exec::VERBS,
    expose::VERBS,
    get::VERBS,
    label::VERBS,
    logs::VERBS,
    patch::VERBS,
    replace::VERBS,
    rollout::VERBS,
    rollout_history::VERBS,
    rollout_status::VERBS,
    run::VERBS,
    scale::VERBS,
    set::VERBS,
    taint::VERBS,
    wait::VERBS,
];

/// Verbs of kubectl that make no sense on a simulated cluster, or are not there yet.
const REFUSED: &[(&str, &str)] = &[
    ("edit", "kubectl edit needs an editor; change the manifest and apply it, or use patch"),
    ("attach", "containers are simulated: there is nothing to attach to"),
    ("port-forward", "containers are simulated: there is no port to forward"),
    ("proxy", "this simulation has no network"),
    ("cp", "containers are simulated: there are no files to copy"),
    ("debug", "containers are simulated: there is nothing to debug"),
    ("auth", "this simulation has no authorization"),
    ("certificate", "this simulation has no certificates"),
    ("kustomize", "kustomize is not available in this simulation"),
    ("plugin", "plugins are not available in this simulation"),
    ("completion", "completion is not available in this simulation"),
    ("top", "Metrics API not available"),
    ("explain", "explain is not available in this simulation yet"),
    ("diff", "diff is not available in this simulation yet"),
];

pub use help::help;

/// The verb that `args` begin with (flags may stand before it), and the words after it.
///
/// # Errors
/// There is no such verb, or it cannot be had here.
pub fn find(args: &[String]) -> Result<(&'static Verb, Vec<String>), Fault> {
    let at = first_word(args);
    let Some(first) = args.get(at) else {
        return Err(Fault::text("kubectl needs a verb: get, describe, apply, delete, scale, rollout, set, logs, …"));
    };
    let known = || SETS.iter().flat_map(|set| set.iter());
    let second = args.get(at + 1).map_or("", String::as_str);
    let two = format!("{first} {second}");
    let found = known().find(|v| v.words == two).map(|v| (v, 2)).or_else(|| known().find(|v| v.words == *first).map(|v| (v, 1)));
    if let Some((verb, words)) = found {
        let rest = args[..at].iter().chain(&args[at + words..]).cloned().collect();
        return Ok((verb, rest));
    }
    if let Some((_, why)) = REFUSED.iter().find(|(verb, _)| verb == first) {
        return Err(Fault::text(*why));
    }
    let group: Vec<&str> = known().filter_map(|v| v.words.strip_prefix(first.as_str())?.strip_prefix(' ')).collect();
    if group.is_empty() {
        let mut near: Vec<&str> = Vec::new();
        for word in known().filter_map(|v| v.words.split(' ').next()).chain(REFUSED.iter().map(|(verb, _)| *verb)) {
            if !near.contains(&word) && (distance(first, word) <= 2 || word.starts_with(first.as_str())) {
                near.push(word);
            }
        }
        let hint: String = near.iter().map(|word| format!("\n\t{word}")).collect();
        let hint = if hint.is_empty() { hint } else { format!("\n\nDid you mean this?{hint}") };
        return Err(Fault::text(format!("unknown command \"{first}\" for \"kubectl\"{hint}")));
    }
    Err(Fault::usage(first, format!("must specify one of: {}", group.join(", "))))
}

/// Letters to add, drop or change to get from one word to the other (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let next = (corner + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            corner = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}

/// The place of the first word that is no flag nor a flag's value.
fn first_word(args: &[String]) -> usize {
    let mut at = 0;
    while let Some(word) = args.get(at) {
        if !word.starts_with('-') {
            break;
        }
        let takes_next = !word.contains('=') && (word.starts_with("--") || word.len() == 2);
        at += if takes_next { 2 } else { 1 };
    }
    at
}

/// Flags that several verbs share.
pub const FILENAME: Flag = ("filename", 'f', Takes::Text);
pub const KUSTOMIZE: Flag = ("kustomize", 'k', Takes::Text);
pub const RECURSIVE: Flag = ("recursive", 'R', Takes::Bool);
pub const SELECTOR: Flag = ("selector", 'l', Takes::Text);
pub const FIELD_SELECTOR: Flag = ("field-selector", ' ', Takes::Text);
pub const ALL: Flag = ("all", ' ', Takes::Bool);
pub const ALL_NAMESPACES: Flag = ("all-namespaces", 'A', Takes::Bool);
pub const OUTPUT: Flag = ("output", 'o', Takes::Text);
pub const TEMPLATE: Flag = ("template", ' ', Takes::Text);
pub const DRY_RUN: Flag = ("dry-run", ' ', Takes::Optional("unchanged"));
pub const FIELD_MANAGER: Flag = ("field-manager", ' ', Takes::Text);
pub const SHOW_MANAGED: Flag = ("show-managed-fields", ' ', Takes::Bool);
pub const VALIDATE: Flag = ("validate", ' ', Takes::Optional("strict"));
pub const OVERWRITE: Flag = ("overwrite", ' ', Takes::Bool);
pub const LOCAL: Flag = ("local", ' ', Takes::Bool);
pub const RECORD: Flag = ("record", ' ', Takes::Bool);
pub const RESOURCE_VERSION: Flag = ("resource-version", ' ', Takes::Text);
pub const TIMEOUT: Flag = ("timeout", ' ', Takes::Duration);
pub const SAVE_CONFIG: Flag = ("save-config", ' ', Takes::Bool);
pub const IGNORE_NOT_FOUND: Flag = ("ignore-not-found", ' ', Takes::Bool);
