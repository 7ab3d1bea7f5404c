//! Jobs.

use super::super::fault::Fault;
use super::write::{controlled_by, date, marks, put};
use super::{Fixed, age, containers_and_images, human, selector_text, since, template};
use crate::api::{Object, Value};
use crate::client::Transport;
use crate::util::Time;

pub const TABLE: Fixed = (
    &[
        ("Name", false),
        ("Status", false),
        ("Completions", false),
        ("Duration", false),
        ("Age", false),
        ("Containers", true),
        ("Images", true),
        ("Selector", true),
    ],
    row,
);

fn state(job: &Object) -> &'static str {
    let is = |kind: &str| job.condition_is_true(kind);
    if is("Complete") {
        "Complete"
    } else if is("Failed") {
        "Failed"
    } else if job.is_deleting() {
        "Terminating"
    } else if is("Suspended") {
        "Suspended"
    } else if is("FailureTarget") {
        "FailureTarget"
    } else if is("SuccessCriteriaMet") {
        "SuccessCriteriaMet"
    } else {
        "Running"
    }
}

/// Milliseconds between two instants; 0 if one is not known.
fn between(from: &Value, to: &Value) -> Option<i64> {
    let (from, to) = (Time::parse_rfc3339(from.text())?, Time::parse_rfc3339(to.text())?);
    Some(to.0 as i64 - from.0 as i64)
}

fn row(job: &Object, now: Time) -> Vec<String> {
    let (spec, status) = (job.spec(), job.status());
    let succeeded = status.get("succeeded").int();
    let completions = match (spec.get("completions").as_int(), spec.get("parallelism").int()) {
        (Some(wanted), _) => format!("{succeeded}/{wanted}"),
        (None, parallel) if parallel > 1 => format!("{succeeded}/1 of {parallel}"),
        _ => format!("{succeeded}/1"),
    };
    let (start, end) = (status.get("startTime"), status.get("completionTime"));
    let duration = match (start.is_empty(), between(start, end)) {
        (true, _) => String::new(),
        (false, Some(ms)) => human(ms),
        (false, None) => since(start, now),
    };
    let (names, images) = containers_and_images(spec.at(&["template", "spec"]));
    vec![
        job.name().to_string(),
        state(job).to_string(),
        completions,
        duration,
        age(job, now),
        names,
        images,
        selector_text(spec.get("selector")),
    ]
}

pub fn describe(out: &mut String, job: &Object, _: &mut dyn Transport) -> Result<(), Fault> {
    let (spec, status) = (job.spec(), job.status());
    put(out, 0, format!("Name:\t{}", job.name()));
    put(out, 0, format!("Namespace:\t{}", job.namespace()));
    put(out, 0, format!("Selector:\t{}", selector_text(spec.get("selector"))));
    marks(out, job);
    controlled_by(out, job);
    put(out, 0, format!("Parallelism:\t{}", spec.get("parallelism").int()));
    let completions = spec.get("completions").as_int().map_or("<unset>".to_string(), |n| n.to_string());
    put(out, 0, format!("Completions:\t{completions}"));
    if !spec.get("completionMode").is_empty() {
        put(out, 0, format!("Completion Mode:\t{}", spec.get("completionMode").text()));
    }
    if let Some(suspend) = spec.get("suspend").as_bool() {
        put(out, 0, format!("Suspend:\t{suspend}"));
    }
    if let Some(limit) = spec.get("backoffLimit").as_int() {
        put(out, 0, format!("Backoff Limit:\t{limit}"));
    }
    if let Some(seconds) = spec.get("ttlSecondsAfterFinished").as_int() {
        put(out, 0, format!("TTL Seconds After Finished:\t{seconds}"));
    }
    let (start, end) = (status.get("startTime"), status.get("completionTime"));
    if !start.is_empty() {
        put(out, 0, format!("Start Time:\t{}", date(start)));
    }
    if !end.is_empty() {
        put(out, 0, format!("Completed At:\t{}", date(end)));
    }
    if let Some(ms) = between(start, end) {
        put(out, 0, format!("Duration:\t{}", human(ms)));
    }
    if let Some(seconds) = spec.get("activeDeadlineSeconds").as_int() {
        put(out, 0, format!("Active Deadline Seconds:\t{seconds}s"));
    }
    let count = |field: &str| status.get(field).int();
    let ready = status.get("ready").as_int().map_or(String::new(), |n| format!(" ({n} Ready)"));
    let pods = format!("{} Active{ready} / {} Succeeded / {} Failed", count("active"), count("succeeded"), count("failed"));
    put(out, 0, format!("Pods Statuses:\t{pods}"));
    if spec.get("completionMode").text() == "Indexed" {
        put(out, 0, format!("Completed Indexes:\t{}", super::or(status.get("completedIndexes").text(), "<none>")));
    }
    template::describe(out, spec.get("template"));
    Ok(())
}
