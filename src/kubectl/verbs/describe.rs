//! `kubectl describe`. Follows kubectl `pkg/cmd/describe/describe.go`.

use super::super::Outcome;
use super::super::builder::{self, Found, Info, Words};
use super::super::context::Context;
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::printers::describe;
use super::{ALL_NAMESPACES, FILENAME, KUSTOMIZE, RECURSIVE, SELECTOR, Verb, get};

const FLAGS: &[Flag] =
    &[ALL_NAMESPACES, FILENAME, KUSTOMIZE, RECURSIVE, SELECTOR, ("show-events", ' ', Takes::Bool), ("chunk-size", ' ', Takes::Int)];

pub const VERBS: &[Verb] = &[Verb { words: "describe", flags: FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    if context.flags.args.is_empty() && !context.flags.given("filename") {
        return Err(Fault::Plain(
            "You must specify the type of resource to describe. Use \"kubectl api-resources\" for a complete list of supported resources.\n".to_string(),
        ));
    }
    let found = find(context)?;
    let mut faults = found.faults;
    let mut texts = Vec::new();
    // Several objects are shown without events, unless they are asked for.
    let events = context.flags.or("show-events", found.infos.len() <= 1);
    for info in &found.infos {
        match describe::text(&info.kind.resource, &info.object, context.api, events) {
            Ok(text) => texts.push(text),
            Err(fault) => faults.push(fault),
        }
    }
    context.print(&texts.join("\n\n"));
    if found.infos.is_empty() && faults.is_empty() {
        get::nothing_found(context);
    }
    builder::finish(faults)
}

/// As `builder::find`; a name that is not there is taken for the beginning of names.
fn find(context: &mut Context<'_>) -> Result<Found, Fault> {
    let args = context.args();
    let named = match builder::words(context, &args)? {
        Words::Named(named) if !context.flags.given("filename") && args.iter().all(|a| !a.contains('/')) && named.len() == 1 => named,
        _ => return builder::find(context),
    };
    let found = builder::find(context)?;
    if !found.infos.is_empty() || !found.faults.iter().all(Fault::is_not_found) {
        return Ok(found);
    }
    let (kind, prefix) = &named[0];
    let all = builder::list(context, kind)?;
    let infos: Vec<Info> = all.into_iter().filter(|o| o.name().starts_with(prefix.as_str())).map(|o| builder::info_of(kind, o)).collect();
    if infos.is_empty() { Ok(found) } else { Ok(Found { infos, ..Found::default() }) }
}
