//! Events: the table of `get events`, and the list under a description.

use super::write::put;
use super::{Fixed, or, since};
use crate::api::{ListOptions, Object, Request, resource};
use crate::client::Transport;
use crate::util::{Order, Time};

pub const TABLE: Fixed = (
    &[
        ("Last Seen", false),
        ("Type", false),
        ("Reason", false),
        ("Object", false),
        ("Subobject", true),
        ("Source", true),
        ("Message", false),
        ("First Seen", true),
        ("Count", true),
        ("Name", true),
    ],
    row,
);

/// How long ago an event happened first and last.
fn seen(event: &Object, now: Time) -> (String, String) {
    let event_time = event.get("eventTime");
    let first = if event.get("firstTimestamp").is_empty() { since(event_time, now) } else { since(event.get("firstTimestamp"), now) };
    let series = event.get("series");
    let last = if !series.is_null() {
        since(series.get("lastObservedTime"), now)
    } else if event.get("lastTimestamp").is_empty() {
        first.clone()
    } else {
        since(event.get("lastTimestamp"), now)
    };
    (first, last)
}

fn count(event: &Object) -> i64 {
    match event.get("series") {
        series if !series.is_null() => series.get("count").int(),
        _ if event.get("count").int() == 0 => 1,
        _ => event.get("count").int(),
    }
}

fn source(event: &Object) -> String {
    let component = or(event.at(&["source", "component"]).text(), event.get("reportingComponent").text()).to_string();
    let host = or(event.at(&["source", "host"]).text(), event.get("reportingInstance").text());
    if host.is_empty() || event.at(&["source", "component"]).is_empty() { component } else { format!("{component}, {host}") }
}

fn row(event: &Object, now: Time) -> Vec<String> {
    let (first, last) = seen(event, now);
    let object = event.get("involvedObject");
    let kind = object.get("kind").text().to_ascii_lowercase();
    let target = if object.get("name").is_empty() { kind } else { format!("{kind}/{}", object.get("name").text()) };
    vec![
        last,
        event.get("type").text().to_string(),
        event.get("reason").text().to_string(),
        target,
        object.get("fieldPath").text().to_string(),
        source(event),
        event.get("message").text().trim().to_string(),
        first,
        count(event).to_string(),
        event.name().to_string(),
    ]
}

/// The events about an object, oldest first.
pub fn about(api: &mut dyn Transport, object: &Object) -> Vec<Object> {
    let fields = format!(
        "involvedObject.kind={},involvedObject.name={},involvedObject.namespace={},involvedObject.uid={}",
        object.kind(),
        object.name(),
        object.namespace(),
        object.uid()
    );
    let list = ListOptions { field_selector: fields.into(), ..ListOptions::default() };
    let request = Request { list, ..Request::list(&resource::EVENTS, object.key().namespace) };
    let mut events = api.send(request).map(crate::api::Answer::items).unwrap_or_default();
    events.order_by_key(|e| e.get("lastTimestamp").to_str());
    events
}

/// The list under a description.
pub fn describe(out: &mut String, events: &[Object], now: Time) {
    if events.is_empty() {
        put(out, 0, "Events:\t<none>");
        return;
    }
    put(out, 0, "Events:\n  Type\tReason\tAge\tFrom\tMessage");
    put(out, 1, "----\t------\t----\t----\t-------");
    for event in events {
        let event_time = event.get("eventTime");
        let first = if event_time.is_empty() { since(event.get("firstTimestamp"), now) } else { since(event_time, now) };
        let series = event.get("series");
        let interval = if !series.is_null() {
            format!("{} (x{} over {first})", since(series.get("lastObservedTime"), now), series.get("count").int())
        } else if event.get("count").int() > 1 {
            format!("{} (x{} over {first})", since(event.get("lastTimestamp"), now), event.get("count").int())
        } else {
            first
        };
        let from = or(event.at(&["source", "component"]).text(), event.get("reportingComponent").text());
        let field = event.at(&["involvedObject", "fieldPath"]).text();
        let message = event.get("message").text().trim();
        let message = if field.is_empty() { message.to_string() } else { format!("{field}: {message}") };
        put(out, 1, format!("{}\t{}\t{interval}\t{from}\t{message}", event.get("type").text(), event.get("reason").text()));
    }
}
