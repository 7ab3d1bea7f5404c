//! `kubectl describe`. Follows kubectl `pkg/cmd/describe/describe.go`.

use super::super::Outcome;
use super::super::builder::{self, Words};
use super::super::context::Context;
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::printers::describe;
use super::{ALL_NAMESPACES, FILENAME, KUSTOMIZE, RECURSIVE, SELECTOR, Verb};

const FLAGS: &[Flag] =
    &[ALL_NAMESPACES, FILENAME, KUSTOMIZE, RECURSIVE, SELECTOR, ("show-events", ' ', Takes::Bool), ("chunk-size", ' ', Takes::Int)];

pub const VERBS: &[Verb] = &[Verb { words: "describe", flags: || FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    if context.flags.args.is_empty() && !context.flags.given("filename") {
        return Err(Fault::Plain(
            "You must specify the type of resource to describe. Use \"kubectl api-resources\" for a complete list of supported resources.\n".to_string(),
        ));
    }
    let found = builder::find(context)?;
    let mut faults = found.faults;
    if faults.iter().all(Fault::is_not_found)
        && faults.len() == 1
        && context.flags.args.len() == 2
        && let Some(text) = by_prefix(context)?
    {
        context.print(&text);
        return Ok(None);
    }
    // Several objects are shown without events, unless they are asked for.
    let events = context.flags.or("show-events", found.infos.len() <= 1 && faults.is_empty());
    let mut texts = Vec::new();
    for info in &found.infos {
        match describe::text(&info.kind.resource, &info.object, context.api, events) {
            Ok(text) => texts.push(text),
            Err(fault) => faults.push(fault),
        }
    }
    context.print(&texts.join("\n\n"));
    if found.infos.is_empty() && faults.is_empty() {
        let namespace = context.namespace().to_string();
        let everywhere = context.flags.is_set("all-namespaces");
        context.warn(if everywhere { "No resources found".to_string() } else { format!("No resources found in {namespace} namespace.") });
    }
    if faults.is_empty() { Ok(None) } else { Err(Fault::Many(faults)) }
}

/// Objects whose names begin with the one given; `None` if there are none.
fn by_prefix(context: &mut Context<'_>) -> Result<Option<String>, Fault> {
    let args = context.args();
    let Words::Named(named) = builder::words(context, &args)? else {
        return Ok(None);
    };
    let Some((kind, prefix)) = named.first() else {
        return Ok(None);
    };
    let events = context.flags.is_set("show-events");
    let mut found = None;
    for object in builder::list(context, kind)?.iter().filter(|o| o.name().starts_with(prefix.as_str())) {
        let text = describe::text(&kind.resource, object, context.api, events)?;
        let all: &mut String = found.get_or_insert_default();
        all.push_str(&text);
        all.push('\n');
    }
    Ok(found)
}
