//! `kubectl label`. Follows kubectl `pkg/cmd/label/label.go`.

use super::super::Outcome;
use super::super::builder::{self, Info};
use super::super::context::{Context, DryRun};
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::{
    ALL, ALL_NAMESPACES, DRY_RUN, FIELD_MANAGER, FIELD_SELECTOR, FILENAME, LOCAL, OUTPUT, OVERWRITE, RECORD, RECURSIVE, RESOURCE_VERSION,
    SELECTOR, SHOW_MANAGED, Verb, print,
};
use crate::api::{Object, PatchType, Request, Str, Value};

pub const FLAGS: &[Flag] = &[
    FILENAME,
    RECURSIVE,
    SELECTOR,
    FIELD_SELECTOR,
    ALL,
    ALL_NAMESPACES,
    OUTPUT,
    DRY_RUN,
    FIELD_MANAGER,
    LOCAL,
    OVERWRITE,
    RECORD,
    RESOURCE_VERSION,
    SHOW_MANAGED,
    ("list", ' ', Takes::Bool),
];

pub const VERBS: &[Verb] = &[Verb { words: "label", flags: || FLAGS, run }];

/// What is to be set and taken away.
pub struct Changes {
    pub set: Vec<(String, String)>,
    pub remove: Vec<String>,
}

/// Splits the words of a command into those that name objects and those that change something.
///
/// # Errors
/// One of the changes is neither `KEY=VALUE` nor `KEY-`, or names a key twice.
pub fn read(args: &[String], what: &str) -> Result<(Vec<String>, Changes), Fault> {
    let is_change = |a: &&String| a.contains('=') || (a.ends_with('-') && a.len() > 1);
    let objects: Vec<String> = args.iter().take_while(|a| !is_change(a)).cloned().collect();
    let mut changes = Changes { set: Vec::new(), remove: Vec::new() };
    for word in &args[objects.len()..] {
        if let Some((key, value)) = word.split_once('=') {
            if key.is_empty() {
                return Err(Fault::text(format!("invalid {what} format: {word}")));
            }
            changes.set.push((key.to_string(), value.to_string()));
        } else if let Some(key) = word.strip_suffix('-') {
            changes.remove.push(key.to_string());
        } else {
            return Err(Fault::text("all resources must be specified before label changes: ".replace("label", what) + word));
        }
    }
    if changes.remove.iter().any(|k| changes.set.iter().any(|(s, _)| s == k)) {
        let article = if what == "label" { "a" } else { "an" };
        return Err(Fault::text(format!("can not both modify and remove {article} {what} in the same command")));
    }
    Ok((objects, changes))
}

fn run(context: &mut Context<'_>) -> Outcome {
    let args = context.args();
    let (objects, changes) = read(&args, "label")?;
    if objects.is_empty() && !context.flags.given("filename") {
        return Err(Fault::text("one or more resources must be specified as <resource> <name> or <resource>/<name>"));
    }
    if changes.set.is_empty() && changes.remove.is_empty() && !context.flags.is_set("list") {
        return Err(Fault::text("at least one label update is required"));
    }
    for (key, value) in &changes.set {
        if let Some(why) = wrong_value(value) {
            return Err(Fault::text(format!("invalid label value: \"{key}={value}\": {why}")));
        }
    }
    let found = builder::find_among(context, &objects)?;
    let mut faults = found.faults;
    for info in &found.infos {
        faults.extend(label(context, info, &changes).err());
    }
    builder::finish(faults)
}

fn label(context: &mut Context<'_>, info: &Info, changes: &Changes) -> Result<(), Fault> {
    let labels = info.object.labels().clone();
    if context.flags.is_set("list") && changes.set.is_empty() && changes.remove.is_empty() {
        for (key, value) in labels.entries() {
            context.say(format!("{key}={}", value.text()));
        }
        return Ok(());
    }
    if !context.flags.is_set("overwrite") {
        for (key, value) in &changes.set {
            if let Some(old) = labels.get(key).as_str().filter(|old| old != value) {
                return Err(Fault::text(format!("'{key}' already has a value ({old}), and --overwrite is false")));
            }
        }
    }
    for key in changes.remove.iter().filter(|k| labels.get(k).is_null()) {
        context.say(format!("label \"{key}\" not found."));
    }
    let mut patch = Value::map();
    let mut modified = false;
    for (key, value) in &changes.set {
        modified |= labels.get(key).as_str() != Some(value);
        patch.entry_at(&["metadata", "labels"]).set(key.as_str(), Value::str(value.as_str()));
    }
    let gone = changes.remove.iter().filter(|k| !labels.get(k).is_null());
    let mut removed = false;
    for key in gone {
        removed = true;
        patch.entry_at(&["metadata", "labels"]).set(key.as_str(), Value::Null);
    }
    let says = match (modified, removed) {
        (true, _) => "labeled",
        (false, true) => "unlabeled",
        (false, false) => "not labeled",
    };
    let changed = if modified || removed || context.flags.given("resource-version") {
        send(context, info, patch, "kubectl-label")?
    } else {
        info.object.clone()
    };
    print::done(context, info, &changed, says)
}

/// Sends a change of metadata, with the resource version that was asked for.
///
/// # Errors
/// The server's refusal.
pub fn send(context: &mut Context<'_>, info: &Info, mut patch: Value, manager: &'static str) -> Result<Object, Fault> {
    if context.dry_run()? == DryRun::Client {
        return Ok(info.object.clone());
    }
    let version = context.flags.text("resource-version");
    if !version.is_empty() {
        patch.set_at(&["metadata", "resourceVersion"], Str::from(version));
    }
    let request = Request::patch(PatchType::Merge, &info.kind.resource, info.namespace.clone(), info.name.clone(), patch);
    let request = context.write(request, manager);
    context.object(request)
}

/// Why a text cannot be a label's value (apimachinery's `IsValidLabelValue`).
fn wrong_value(value: &str) -> Option<String> {
    if value.len() > 63 {
        return Some("must be no more than 63 bytes".to_string());
    }
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let edge = |c: Option<char>| c.is_none_or(|c| c.is_ascii_alphanumeric());
    let fits = value.chars().all(inner) && edge(value.chars().next()) && edge(value.chars().last());
    (!fits).then(|| {
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')".to_string()
    })
}
