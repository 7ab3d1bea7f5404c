//! `kubectl events`. Follows kubectl `pkg/cmd/events`; left out is watching.

use super::super::Outcome;
use super::super::context::Context;
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::printers::since;
use super::super::{kinds, tabs};
use super::{ALL_NAMESPACES, OUTPUT, Verb};
use crate::api::{Object, Request, Str, resource};
use crate::util::Order;

const FLAGS: &[Flag] = &[
    ALL_NAMESPACES,
    OUTPUT,
    ("for", ' ', Takes::Text),
    ("types", ' ', Takes::Text),
    ("no-headers", ' ', Takes::Bool),
    ("watch", 'w', Takes::Bool),
];

pub const VERBS: &[Verb] = &[Verb { words: "events", flags: || FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    let everywhere = context.flags.is_set("all-namespaces");
    let namespace = if everywhere { Str::default() } else { Str::from(context.namespace()) };
    let mut events = context.send(Request::list(&resource::EVENTS, namespace))?.items();
    let types = context.flags.list("types");
    if !types.is_empty() {
        events.retain(|e| types.iter().any(|t| t.eq_ignore_ascii_case(e.get("type").text())));
    }
    let about = context.flags.text("for").to_string();
    if !about.is_empty() {
        let Some((word, name)) = about.split_once('/') else {
            return Err(Fault::text("--for must be in resource/name form"));
        };
        let kind = kinds::by_word(context.api, word)?.kind;
        events.retain(|e| e.at(&["involvedObject", "kind"]).text() == kind.as_str() && e.at(&["involvedObject", "name"]).text() == name);
    }
    if events.is_empty() {
        let line =
            if everywhere { "No events found.".to_string() } else { format!("No events found in {} namespace.", context.namespace()) };
        context.warn(line);
        return Ok(None);
    }
    events.order_by_key(|e| e.get("lastTimestamp").to_str());
    let mut lines = String::new();
    let lead = |text: &str| if everywhere { format!("{text}\t") } else { String::new() };
    if !context.flags.is_set("no-headers") {
        lines.push_str(&format!("{}LAST SEEN\tTYPE\tREASON\tOBJECT\tMESSAGE\n", lead("NAMESPACE")));
    }
    for e in &events {
        lines.push_str(&lead(e.namespace()));
        lines.push_str(&line(e, context));
    }
    let text = tabs::align(&lines, 6, 3);
    context.print(&text);
    Ok(None)
}

fn line(e: &Object, context: &Context<'_>) -> String {
    let now = context.now();
    let first = since(if e.get("eventTime").is_empty() { e.get("firstTimestamp") } else { e.get("eventTime") }, now);
    let interval = if e.get("count").int() > 1 {
        format!("{} (x{} over {first})", since(e.get("lastTimestamp"), now), e.get("count").int())
    } else {
        first
    };
    let object = e.get("involvedObject");
    let (kind, name) = (object.get("kind").text(), object.get("name").text());
    let message = e.get("message").text().trim();
    format!("{interval}\t{}\t{}\t{kind}/{name}\t{message}\n", e.get("type").text(), e.get("reason").text())
}
