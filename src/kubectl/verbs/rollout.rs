//! `kubectl rollout pause`, `resume`, `restart` and `undo`. Follows kubectl `pkg/cmd/rollout` and
//! `pkg/polymorphichelpers/{objectpauser,objectresumer,objectrestarter,rollback}.go`.

use super::super::builder::{self, Info};
use super::super::context::{Context, DryRun};
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::{Outcome, kinds};
use super::rollout_history::{self as history, REVISION};
use super::{DRY_RUN, FIELD_MANAGER, FILENAME, OUTPUT, RECURSIVE, SELECTOR, SHOW_MANAGED, Verb, apply, print};
use crate::api::{Object, PatchType, Request, Value};
use crate::util::Order;
use crate::value;

const MANAGER: &str = "kubectl-rollout";

const FLAGS: &[Flag] = &[
    FILENAME,
    RECURSIVE,
    SELECTOR,
    OUTPUT,
    DRY_RUN,
    FIELD_MANAGER,
    SHOW_MANAGED,
    ("to-revision", ' ', Takes::Int),
    ("kustomize", 'k', Takes::Text),
];

pub const VERBS: &[Verb] = &[
    Verb { words: "rollout pause", flags: || FLAGS, run: pause },
    Verb { words: "rollout resume", flags: || FLAGS, run: resume },
    Verb { words: "rollout restart", flags: || FLAGS, run: restart },
    Verb { words: "rollout undo", flags: || FLAGS, run: undo },
];

/// Does `change` to each object that the command names, and sends what it hands back.
fn each(context: &mut Context<'_>, says: &str, change: fn(&Context<'_>, &Info) -> Result<Value, Fault>) -> Outcome {
    let found = builder::find(context)?;
    let mut faults = found.faults;
    for info in &found.infos {
        let sent = change(context, info).and_then(|patch| {
            if context.dry_run()? == DryRun::Client {
                return Ok(info.object.clone());
            }
            let request = Request::patch(PatchType::Strategic, &info.kind.resource, info.namespace.clone(), info.name.clone(), patch);
            let request = Request { strict: false, ..context.write(request, MANAGER) };
            context.object(request)
        });
        match sent {
            Ok(object) => print::done(context, info, &object, says)?,
            Err(fault) => faults.push(fault),
        }
    }
    builder::finish(faults)
}

fn named(info: &Info) -> String {
    format!("{} \"{}\"", info.kind.resource, info.name)
}

fn pause(context: &mut Context<'_>) -> Outcome {
    each(context, "paused", |_, info| {
        if info.object.kind() != "Deployment" {
            return Err(Fault::text(format!("{} pausing is not supported", named(info))));
        }
        if info.object.spec().get("paused").is_true() {
            return Err(Fault::text(format!("{} is already paused", named(info))));
        }
        Ok(value!({"spec": {"paused": true}}))
    })
}

fn resume(context: &mut Context<'_>) -> Outcome {
    each(context, "resumed", |_, info| {
        if info.object.kind() != "Deployment" {
            return Err(Fault::text(format!("{} resuming is not supported", named(info))));
        }
        if !info.object.spec().get("paused").is_true() {
            return Err(Fault::text(format!("{} is not paused", named(info))));
        }
        Ok(value!({"spec": {"paused": null}}))
    })
}

const RESTARTED_AT: &str = "kubectl.kubernetes.io/restartedAt";

fn restart(context: &mut Context<'_>) -> Outcome {
    each(context, "restarted", |context, info| {
        if !matches!(info.object.kind(), "Deployment" | "DaemonSet" | "StatefulSet") {
            return Err(Fault::text(format!("{} restarting is not supported", named(info))));
        }
        if info.object.spec().get("paused").is_true() {
            return Err(Fault::text(format!("{} can't restart paused deployment (run rollout resume first)", named(info))));
        }
        let now = context.now().rfc3339();
        if info.object.spec().at(&["template", "metadata", "annotations", RESTARTED_AT]).as_str() == Some(&now) {
            return Err(Fault::text(format!(
                "{} if restart has already been triggered within the past second, please wait before attempting to trigger another",
                named(info)
            )));
        }
        let mut annotations = Value::map();
        annotations.set(RESTARTED_AT, now);
        Ok(value!({"spec": {"template": {"metadata": {"annotations": (annotations)}}}}))
    })
}

const UNDO_WARNING: &str = "was previously managed with 'kubectl apply'. Rolling back will not update the kubectl.kubernetes.io/last-applied-configuration annotation, which may cause unexpected behavior on future 'kubectl apply' operations. Consider using 'kubectl apply' with your previous configuration file instead.";

fn undo(context: &mut Context<'_>) -> Outcome {
    let revision = context.flags.int("to-revision").unwrap_or(0);
    if revision < 0 {
        return Err(Fault::text("invalid revision: revision must be a positive integer"));
    }
    let found = builder::find(context)?;
    let mut faults = found.faults;
    for info in &found.infos {
        if info.object.annotation(apply::LAST_APPLIED).is_some() {
            context.warn(format!("Warning: resource {}/{} {UNDO_WARNING}", info.kind.plural(), info.name));
        }
        let result = match info.object.kind() {
            "Deployment" => undo_deployment(context, info, revision),
            "DaemonSet" | "StatefulSet" => undo_by_controller_revision(context, info, revision),
            _ => Err(Fault::text(format!("no rollbacker has been implemented for \"{}\"", kinds::long_kind(&info.kind)))),
        };
        match result {
            Ok(text) if context.dry_run()? == DryRun::Client => context.print(&text),
            Ok(text) => print::done(context, info, &info.object, &text)?,
            Err(fault) => faults.push(fault),
        }
    }
    builder::finish(faults)
}

/// Annotations that a rollback leaves as they are on the Deployment (`annotationsToSkip`).
const KEPT: &[&str] = &[
    apply::LAST_APPLIED,
    REVISION,
    "deployment.kubernetes.io/revision-history",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
    "deprecated.deployment.rollback.to",
];

fn undo_deployment(context: &mut Context<'_>, info: &Info, revision: i64) -> Result<String, Fault> {
    let sets = history::replica_sets(context, &info.object)?;
    let target = deployment_target(&info.object, &sets, revision)?;
    if context.dry_run()? == DryRun::Client {
        return Ok(history::template_text(target.spec().get("template")));
    }
    if info.object.spec().get("paused").is_true() {
        let name = &info.name;
        return Err(Fault::text(format!(
            "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume deployment/{name}' and try again"
        )));
    }
    let mut template = target.spec().get("template").clone();
    template.remove_at(&["metadata", "labels", "pod-template-hash"]);
    if without_hash(info.object.spec().get("template")) == without_hash(&template) {
        let current = history::revision_of(target);
        return Ok(format!("skipped rollback (current template already matches revision {current})"));
    }
    let mut annotations = Value::map();
    for key in KEPT {
        if let Some(text) = info.object.annotation(key) {
            annotations.set(*key, Value::str(text));
        }
    }
    for (key, text) in target.meta().get("annotations").entries() {
        if !KEPT.contains(&key.as_str()) {
            annotations.set(key.clone(), text);
        }
    }
    let patch = value!([
        {"op": "replace", "path": "/spec/template", "value": (template)},
        {"op": "replace", "path": "/metadata/annotations", "value": (annotations)}
    ]);
    let request = Request::patch(PatchType::Json, &info.kind.resource, info.namespace.clone(), info.name.clone(), patch);
    let dry_run = context.dry_run()? == DryRun::Server;
    context.object(Request { dry_run, ..request.by("kubectl") })?;
    Ok("rolled back".to_string())
}

fn without_hash(template: &Value) -> Value {
    let mut plain = template.clone();
    plain.remove_at(&["metadata", "labels", "pod-template-hash"]);
    plain.remove_at(&["metadata", "creationTimestamp"]);
    plain
}

/// The ReplicaSet of the revision; of the last but one if it is 0.
fn deployment_target<'a>(deployment: &Object, sets: &'a [Object], revision: i64) -> Result<&'a Object, Fault> {
    let mut all: Vec<(i64, &Object)> = sets.iter().map(|s| (history::revision_of(s), s)).collect();
    all.order_by_key(|(n, _)| std::cmp::Reverse(*n));
    if revision > 0 {
        let found = all.iter().find(|(n, _)| *n == revision).map(|(_, s)| *s);
        return found.ok_or_else(|| not_in_history(revision));
    }
    all.get(1).map(|(_, s)| *s).ok_or_else(|| Fault::text(format!("no rollout history found for deployment \"{}\"", deployment.name())))
}

fn not_in_history(revision: i64) -> Fault {
    Fault::text(format!("unable to find specified revision {revision} in history"))
}

fn undo_by_controller_revision(context: &mut Context<'_>, info: &Info, revision: i64) -> Result<String, Fault> {
    let mut all = history::controller_revisions(context, &info.object)?;
    all.order_by_key(|r| r.get("revision").int());
    let target = if revision > 0 {
        all.iter().find(|r| r.get("revision").int() == revision).ok_or_else(|| not_in_history(revision))?
    } else if all.len() < 2 {
        return Err(Fault::text("no last revision to roll back to"));
    } else {
        &all[all.len() - 2]
    };
    let template = target.at(&["data", "spec", "template"]);
    if context.dry_run()? == DryRun::Client {
        return Ok(history::template_text(template));
    }
    let mut wanted = template.clone();
    wanted.remove("$patch");
    if wanted == *info.object.spec().get("template") {
        return Ok(format!("skipped rollback (current template already matches revision {})", target.get("revision").int()));
    }
    let data = target.get("data").clone();
    let request = Request::patch(PatchType::Strategic, &info.kind.resource, info.namespace.clone(), info.name.clone(), data);
    let dry_run = context.dry_run()? == DryRun::Server;
    context.object(Request { dry_run, ..request.by("kubectl") })?;
    Ok("rolled back".to_string())
}
