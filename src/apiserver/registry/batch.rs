//! Jobs and CronJobs, after upstream's `pkg/apis/batch` and `pkg/registry/batch`.

use super::check;
use super::edit::{edit, edit_each, ensure, put};
use super::podspec::default_template;
use super::{Facts, Generation, PLAIN, StatusAtCreate, Strategy, spec_changed};
use crate::api::{Str, Value};

pub const JOBS: Strategy = Strategy {
    resource: "jobs.batch",
    default: default_job,
    has_status: true,
    status: StatusAtCreate::Set(Value::map),
    generation: Generation::Counts(spec_changed),
    prepare_create: select_by_uid,
    validate: check::batch::job,
    validate_update: check::batch::job_update,
    ..PLAIN
};

pub const CRON_JOBS: Strategy = Strategy {
    resource: "cronjobs.batch",
    default: default_cron_job,
    has_status: true,
    status: StatusAtCreate::Set(Value::map),
    generation: Generation::Counts(spec_changed),
    validate: check::batch::cron_job,
    ..PLAIN
};

fn default_job(object: &mut Value) {
    ensure(object, "spec", |spec| {
        if spec.get("completions").is_null() && spec.get("parallelism").is_null() {
            spec.set("completions", 1_i64);
        }
        put(spec, "parallelism", 1_i64);
        let limit = if spec.get("backoffLimitPerIndex").is_null() { 6 } else { i64::from(i32::MAX) };
        put(spec, "backoffLimit", limit);
        put(spec, "completionMode", "NonIndexed");
        put(spec, "suspend", false);
        put(spec, "manualSelector", false);
        let replacement = if spec.get("podFailurePolicy").is_null() { "TerminatingOrFailed" } else { "Failed" };
        put(spec, "podReplacementPolicy", replacement);
        edit(spec, "podFailurePolicy", |policy| {
            edit_each(policy, "rules", |rule| edit_each(rule, "onPodConditions", |c| put(c, "status", "True")));
        });
        ensure(spec, "template", default_template);
    });
    labels_from_template(object);
}

fn labels_from_template(object: &mut Value) {
    if object.at(&["metadata", "labels"]).is_empty() {
        let labels = object.at(&["spec", "template", "metadata", "labels"]).clone();
        if !labels.is_empty() {
            object.set_at(&["metadata", "labels"], labels);
        }
    }
}

fn default_cron_job(object: &mut Value) {
    ensure(object, "spec", |spec| {
        put(spec, "concurrencyPolicy", "Allow");
        put(spec, "suspend", false);
        put(spec, "successfulJobsHistoryLimit", 3_i64);
        put(spec, "failedJobsHistoryLimit", 1_i64);
        ensure(spec, "jobTemplate", |template| {
            put(template, "metadata", Value::map());
            ensure(template, "spec", |job| ensure(job, "template", default_template));
        });
    });
}

/// `generateSelector`: a Job selects its pods by its own uid, unless its author chose a selector.
fn select_by_uid(object: &mut Value, _: &Facts) {
    if object.at(&["spec", "manualSelector"]).is_true() {
        return;
    }
    let uid = object.at(&["metadata", "uid"]).to_str();
    let name = object.at(&["metadata", "name"]).to_str();
    let own = object.at(&["metadata", "labels"]);
    let unlabelled = own.is_empty() || own.same(object.at(&["spec", "template", "metadata", "labels"]));
    let labels = object.entry_at(&["spec", "template", "metadata", "labels"]);
    for (key, text) in [
        ("controller-uid", &uid),
        ("job-name", &name),
        ("batch.kubernetes.io/controller-uid", &uid),
        ("batch.kubernetes.io/job-name", &name),
    ] {
        labels.set(Str::fixed(key), text);
    }
    let labels = labels.clone();
    // Labels that defaulting took from the template follow it.
    if unlabelled {
        object.set_at(&["metadata", "labels"], labels);
    }
    object.entry_at(&["spec", "selector", "matchLabels"]).set("batch.kubernetes.io/controller-uid", uid);
}
