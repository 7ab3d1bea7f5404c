//! Jobs and CronJobs (`pkg/apis/batch/validation`).

use super::super::Causes;
use super::super::path::Path;
use super::super::rules::{forbidden, immutable, invalid, nonnegative, not_supported, required};
use super::{apps, label_selector, one_of, pod};
use crate::api::Value;
use crate::api::status::Cause;

/// Whether a name may be one of a time zone: its region exists. Which cities a region has is not looked at.
fn may_be_zone(name: &str) -> bool {
    const REGIONS: [&str; 15] = [
        "Africa",
        "America",
        "Antarctica",
        "Arctic",
        "Asia",
        "Atlantic",
        "Australia",
        "Brazil",
        "Canada",
        "Chile",
        "Etc",
        "Europe",
        "Indian",
        "Mexico",
        "Pacific",
    ];
    name.split_once('/').map_or(name != "Local", |(region, _)| REGIONS.contains(&region) || region == "US")
}

/// `ValidateJob`.
pub fn job(object: &Value, causes: &mut Causes) {
    let (spec, at) = (object.get("spec"), Path::root("spec"));
    if spec.get("selector").is_null() {
        causes.push(required(at.child("selector"), ""));
    } else {
        label_selector(spec.get("selector"), &at.child("selector"), causes);
    }
    if !spec.get("manualSelector").is_true() && !is_generated(spec.get("selector")) {
        causes.push(invalid(at.child("selector"), spec.get("selector"), "`selector` not auto-generated"));
    }
    apps::matches_template(spec, &at, causes);
    job_spec(spec, &at, causes);
}

/// Whether a Job's selector is no other than the server's own.
fn is_generated(selector: &Value) -> bool {
    let labels = selector.get("matchLabels").entries();
    let own = |key: &str| matches!(key, "controller-uid" | "batch.kubernetes.io/controller-uid");
    selector.get("matchExpressions").is_empty() && labels.len() == 1 && own(&labels[0].0)
}

fn job_spec(spec: &Value, at: &Path, causes: &mut Causes) {
    for field in [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ] {
        nonnegative(spec.get(field), at.child(field), causes);
    }
    let mode = spec.get("completionMode");
    if !mode.is_null() {
        if !matches!(mode.text(), "NonIndexed" | "Indexed") {
            causes.push(not_supported(at.child("completionMode"), mode, &["NonIndexed", "Indexed"]));
        }
        if mode.text() == "Indexed" && spec.get("completions").is_null() {
            causes.push(required(at.child("completions"), "when completion mode is Indexed"));
        }
    }
    failure_policy(spec, at, causes);
    if !spec.get("backoffLimitPerIndex").is_null() && mode.text() != "Indexed" {
        causes.push(invalid(at.child("backoffLimitPerIndex"), spec.get("backoffLimitPerIndex"), "requires indexed completion mode"));
    }
    let template = at.child("template");
    pod::template(spec.get("template"), &template, causes);
    let policy = spec.at(&["template", "spec", "restartPolicy"]);
    let at_spec = template.child("spec");
    match policy.text() {
        "OnFailure" | "Never" => {}
        // A policy that nobody chose reads as Always.
        "Always" => causes.push(required(at_spec.child("restartPolicy"), "valid values: \"OnFailure\", \"Never\"")),
        _ => causes.push(not_supported(at_spec.child("restartPolicy"), policy, &["OnFailure", "Never"])),
    }
}

/// `validatePodFailurePolicy`, as far as people err.
fn failure_policy(spec: &Value, at: &Path, causes: &mut Causes) {
    let policy = spec.get("podFailurePolicy");
    if policy.is_null() {
        return;
    }
    if spec.at(&["template", "spec", "restartPolicy"]).text() == "OnFailure" {
        let (template, why) = (at.child("template"), "only \"Never\" is supported when podFailurePolicy is specified");
        let at = template.child("spec");
        causes.push(invalid(at.child("restartPolicy"), &Value::from("OnFailure"), why));
    }
    let at = at.child("podFailurePolicy");
    let at = at.child("rules");
    for (i, rule) in policy.get("rules").items().iter().enumerate() {
        let at = at.index(i);
        if rule.get("onExitCodes").is_null() && rule.get("onPodConditions").is_empty() {
            causes.push(Cause::new(
                &at,
                "FieldValueInvalid",
                "Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
            ));
        }
        one_of(rule.get("action"), at.child("action"), &["Count", "FailIndex", "FailJob", "Ignore"], causes);
        let codes = at.child("onExitCodes");
        let values = codes.child("values");
        for (j, code) in rule.at(&["onExitCodes", "values"]).items().iter().enumerate() {
            if code.int() == 0 && rule.at(&["onExitCodes", "operator"]).text() == "In" {
                causes.push(invalid(values.index(j), code, "must not be 0 for the In operator"));
            }
        }
    }
}

/// `ValidateJobUpdate`.
pub fn job_update(object: &Value, old: &Value, causes: &mut Causes) {
    let (new, was) = (object.get("spec"), old.get("spec"));
    if new.same(was) {
        return;
    }
    let indexed = new.get("completionMode").text() == "Indexed";
    let elastic = indexed && new.get("completions") == new.get("parallelism") && was.get("completions") == was.get("parallelism");
    if !elastic {
        immutable(new.get("completions"), was.get("completions"), "spec.completions", causes);
    }
    immutable(new.get("selector"), was.get("selector"), "spec.selector", causes);
    let started = !old.at(&["status", "startTime"]).is_null();
    let suspended = was.get("suspend").is_true() && !started;
    if !suspended {
        immutable(new.get("template"), was.get("template"), "spec.template", causes);
    }
    for (field, path) in [
        ("completionMode", "spec.completionMode"),
        ("podFailurePolicy", "spec.podFailurePolicy"),
        ("backoffLimitPerIndex", "spec.backoffLimitPerIndex"),
        ("managedBy", "spec.managedBy"),
        ("successPolicy", "spec.successPolicy"),
    ] {
        immutable(new.get(field), was.get(field), path, causes);
    }
}

/// Longer names leave no room for the Jobs' own.
const CRON_JOB_NAME_BYTES_MAX: usize = 52;

/// `ValidateCronJob`.
pub fn cron_job(object: &Value, causes: &mut Causes) {
    let (spec, at) = (object.get("spec"), Path::root("spec"));
    let name = object.at(&["metadata", "name"]);
    if name.text().len() > CRON_JOB_NAME_BYTES_MAX {
        causes.push(invalid("metadata.name", name, "must be no more than 52 characters"));
    }
    let schedule = spec.get("schedule");
    if schedule.text().is_empty() {
        causes.push(required(at.child("schedule"), ""));
    } else if schedule.text().contains("TZ=") {
        causes.push(invalid(at.child("schedule"), schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
    } else if let Some(why) = schedule_error(schedule.text()) {
        causes.push(invalid(at.child("schedule"), schedule, &why));
    }
    if spec.get("timeZone").as_str() == Some("") {
        causes.push(invalid(at.child("timeZone"), spec.get("timeZone"), "timeZone must be nil or non-empty string"));
    }
    let zone = spec.get("timeZone");
    if zone.as_str().is_some_and(|z| !z.is_empty() && !may_be_zone(z)) {
        causes.push(invalid(at.child("timeZone"), zone, &format!("unknown time zone {}", zone.text())));
    }
    for field in ["startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"] {
        nonnegative(spec.get(field), at.child(field), causes);
    }
    one_of(spec.get("concurrencyPolicy"), at.child("concurrencyPolicy"), &["Allow", "Forbid", "Replace"], causes);
    let template = at.child("jobTemplate");
    let at = template.child("spec");
    let job = spec.at(&["jobTemplate", "spec"]);
    if job.get("manualSelector").is_true() {
        causes.push(not_supported(at.child("manualSelector"), job.get("manualSelector"), &["nil", "false"]));
    }
    if !job.get("selector").is_null() {
        causes.push(forbidden(at.child("selector"), "`selector` will be auto-generated"));
    }
    job_spec(job, &at, causes);
}

/// Lowest and highest number of each field of a schedule, and the names that stand for numbers.
const FIELDS: [(u32, u32, &[&str]); 5] = [
    (0, 59, &[]),
    (0, 23, &[]),
    (1, 31, &[]),
    (1, 12, &["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]),
    (0, 6, &["sun", "mon", "tue", "wed", "thu", "fri", "sat"]),
];

/// Why a schedule cannot be read, in the words of robfig/cron's `ParseStandard`.
pub fn schedule_error(schedule: &str) -> Option<String> {
    if let Some(descriptor) = schedule.strip_prefix('@') {
        let known = matches!(descriptor, "yearly" | "annually" | "monthly" | "weekly" | "daily" | "midnight" | "hourly");
        let known = known || descriptor.starts_with("every ");
        return (!known).then(|| format!("unrecognized descriptor: {schedule}"));
    }
    let fields: Vec<&str> = schedule.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Some(format!("expected exactly 5 fields, found {}: [{}]", fields.len(), fields.join(" ")));
    }
    fields
        .iter()
        .zip(FIELDS)
        .flat_map(|(field, bounds)| field.split(',').map(move |part| (part, bounds)))
        .find_map(|(p, b)| range_error(p, b))
}

fn range_error(part: &str, (low, high, names): (u32, u32, &[&str])) -> Option<String> {
    let mut range_and_step = part.split('/');
    let range = range_and_step.next().unwrap_or("");
    let step = range_and_step.next();
    if range_and_step.next().is_some() {
        return Some(format!("too many slashes: {part}"));
    }
    let (mut start, mut end) = (low, high);
    if range != "*" && range != "?" {
        let ends: Vec<&str> = range.split('-').collect();
        if ends.len() > 2 {
            return Some(format!("too many hyphens: {part}"));
        }
        match number(ends[0], names) {
            Ok(n) => start = n,
            Err(why) => return Some(why),
        }
        match ends.get(1).map(|e| number(e, names)) {
            Some(Ok(n)) => end = n,
            Some(Err(why)) => return Some(why),
            None if step.is_none() => end = start,
            None => {}
        }
    }
    match step.map(|s| number(s, &[])) {
        Some(Err(why)) => return Some(why),
        Some(Ok(0)) => return Some(format!("step of range should be a positive number: {part}")),
        _ => {}
    }
    if start < low {
        return Some(format!("beginning of range ({start}) below minimum ({low}): {part}"));
    }
    if end > high {
        return Some(format!("end of range ({end}) above maximum ({high}): {part}"));
    }
    (start > end).then(|| format!("beginning of range ({start}) beyond end of range ({end}): {part}"))
}

fn number(text: &str, names: &[&str]) -> Result<u32, String> {
    let lower = text.to_ascii_lowercase();
    if let Some(i) = names.iter().position(|n| !n.is_empty() && *n == lower) {
        return Ok(i as u32);
    }
    text.parse().map_err(|_| format!("failed to parse int from {text}: strconv.Atoi: parsing \"{text}\": invalid syntax"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value;

    #[test]
    fn a_job_selects_by_itself_unless_its_author_says_otherwise() {
        let own = value!({"batch.kubernetes.io/controller-uid": "u"});
        let two = value!({"batch.kubernetes.io/controller-uid": "u", "a": "b"});
        for (name, labels, manual, refused) in
            [("generated", &own, false, false), ("added to", &two, false, true), ("the author's", &two, true, false)]
        {
            let mut causes = Causes::new();
            let spec =
                value!({"manualSelector": manual, "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}}});
            job(&value!({"spec": spec}), &mut causes);
            assert_eq!(causes.iter().any(|c| c.body.ends_with("`selector` not auto-generated")), refused, "{name}");
        }
    }

    #[test]
    fn a_region_that_is_nowhere_is_refused() {
        for (zone, ok) in [("Asia/Seoul", true), ("Etc/UTC", true), ("UTC", true), ("Mars/Olympus", false), ("Local", false)] {
            assert_eq!(may_be_zone(zone), ok, "{zone}");
        }
    }

    #[test]
    fn schedules_are_read_as_cron_reads_them() {
        for (schedule, why) in [
            ("*/5 * * * *", None),
            ("0 9-17 * jan-mar MON", None),
            ("@hourly", None),
            ("@sometimes", Some("unrecognized descriptor: @sometimes")),
            ("* * * *", Some("expected exactly 5 fields, found 4: [* * * *]")),
            ("61 * * * *", Some("end of range (61) above maximum (59): 61")),
            ("*/0 * * * *", Some("step of range should be a positive number: */0")),
            ("x * * * *", Some("failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax")),
        ] {
            assert_eq!(schedule_error(schedule).as_deref(), why, "{schedule}");
        }
    }
}
