//! `kubectl annotate`. Follows kubectl `pkg/cmd/annotate/annotate.go`.

use super::super::Outcome;
use super::super::builder::{self, Info};
use super::super::context::Context;
use super::super::fault::Fault;
use super::label::{self, Changes};
use super::{Verb, print};
use crate::api::Value;

pub const VERBS: &[Verb] = &[Verb { words: "annotate", flags: || label::FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    let args = context.args();
    let (objects, changes) = label::read(&args, "annotation")?;
    if objects.is_empty() && !context.flags.given("filename") {
        return Err(Fault::text("one or more resources must be specified as <resource> <name> or <resource>/<name>"));
    }
    if changes.set.is_empty() && changes.remove.is_empty() && !context.flags.is_set("list") {
        return Err(Fault::text("at least one annotation update is required"));
    }
    let found = builder::find_among(context, &objects)?;
    let mut faults = found.faults;
    for info in &found.infos {
        faults.extend(annotate(context, info, &changes).err());
    }
    builder::finish(faults)
}

fn annotate(context: &mut Context<'_>, info: &Info, changes: &Changes) -> Result<(), Fault> {
    let annotations = info.object.meta().get("annotations").clone();
    if context.flags.is_set("list") {
        for (key, value) in annotations.entries() {
            context.say(format!("{key}={}", value.text()));
        }
        return Ok(());
    }
    if !context.flags.is_set("overwrite") {
        let taken: Vec<String> = changes
            .set
            .iter()
            .filter_map(|(key, value)| Some((key, annotations.get(key).as_str().filter(|old| old != value)?)))
            .map(|(key, old)| format!("'{key}' already has a value ({old})"))
            .collect();
        if !taken.is_empty() {
            let text = taken.join("; ");
            return Err(Fault::text(format!("--overwrite is false but found the following declared annotation(s): {text}")));
        }
    }
    let mut patch = Value::map();
    for (key, value) in &changes.set {
        patch.entry_at(&["metadata", "annotations"]).set(key.as_str(), Value::str(value.as_str()));
    }
    for key in &changes.remove {
        patch.entry_at(&["metadata", "annotations"]).set(key.as_str(), Value::Null);
    }
    let changed = label::send(context, info, patch, "kubectl-annotate")?;
    print::done(context, info, &changed, "annotated")
}
