//! `kubectl rollout history`, and the revisions that `undo` goes back to.
//! Follows kubectl `pkg/polymorphichelpers/history.go`.

use super::super::Outcome;
use super::super::builder;
use super::super::context::Context;
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::kinds;
use super::super::printers::template;
use super::super::tabs;
use super::{FILENAME, OUTPUT, RECURSIVE, SELECTOR, SHOW_MANAGED, Verb};
use crate::api::{Object, Request, Resource, Value, resource};
use crate::util::Order;

pub const REVISION: &str = "deployment.kubernetes.io/revision";
const CHANGE_CAUSE: &str = "kubernetes.io/change-cause";
const CONTROLLER_REVISIONS: Resource = Resource::fixed("controllerrevisions.apps");

const FLAGS: &[Flag] = &[FILENAME, RECURSIVE, SELECTOR, OUTPUT, SHOW_MANAGED, ("revision", ' ', Takes::Int)];

pub const VERBS: &[Verb] = &[Verb { words: "rollout history", flags: || FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    let revision = context.flags.int("revision").unwrap_or(0);
    if revision < 0 {
        return Err(Fault::text(format!("revision must be a positive integer: {revision}")));
    }
    let found = builder::find(context)?;
    let mut faults = found.faults;
    for info in &found.infos {
        let revisions = match info.object.kind() {
            "Deployment" => of_deployment(context, &info.object)?,
            "DaemonSet" | "StatefulSet" => of_controller_revisions(context, &info.object)?,
            _ => {
                faults.push(Fault::text(format!("no history viewer has been implemented for \"{}\"", kinds::long_kind(&info.kind))));
                continue;
            }
        };
        match text(&revisions, revision) {
            Ok(text) => {
                let with = if revision > 0 { format!("with revision #{revision}") } else { String::new() };
                context.say(format!("{} {with}\n{text}", info.named()));
            }
            Err(fault) => faults.push(fault),
        }
    }
    builder::finish(faults)
}

/// A revision: its number, its cause, its pod template.
struct Revision {
    number: i64,
    cause: String,
    template: Value,
}

fn text(revisions: &[Revision], wanted: i64) -> Result<String, Fault> {
    if wanted > 0 {
        let found = revisions.iter().find(|r| r.number == wanted);
        let found = found.ok_or_else(|| Fault::text("unable to find the specified revision"))?;
        let mut template = found.template.clone();
        if !found.cause.is_empty() {
            template.entry_at(&["metadata", "annotations"]).set(CHANGE_CAUSE, found.cause.clone());
        }
        return Ok(template_text(&template));
    }
    if revisions.is_empty() {
        return Ok("No rollout history found.".to_string());
    }
    let mut table = String::from("REVISION\tCHANGE-CAUSE\n");
    for r in revisions {
        let cause = if r.cause.is_empty() { "<none>" } else { &r.cause };
        table.push_str(&format!("{}\t{cause}\n", r.number));
    }
    Ok(tabs::align(&table, 0, 2))
}

/// The pod template as `describe` shows it, with its tabs.
pub fn template_text(template: &Value) -> String {
    let mut text = String::new();
    template::describe(&mut text, template);
    text
}

fn of_deployment(context: &mut Context<'_>, deployment: &Object) -> Result<Vec<Revision>, Fault> {
    let sets = replica_sets(context, deployment)?;
    let mut all: Vec<Revision> = sets
        .iter()
        .map(|s| Revision {
            number: revision_of(s),
            cause: s.annotation(CHANGE_CAUSE).unwrap_or("").to_string(),
            template: s.spec().get("template").clone(),
        })
        .filter(|r| r.number > 0)
        .collect();
    all.order_by_key(|r| r.number);
    Ok(all)
}

fn of_controller_revisions(context: &mut Context<'_>, owner: &Object) -> Result<Vec<Revision>, Fault> {
    let mut all: Vec<Revision> = controller_revisions(context, owner)?
        .iter()
        .map(|r| Revision {
            number: r.get("revision").int(),
            cause: r.annotation(CHANGE_CAUSE).unwrap_or("").to_string(),
            template: r.at(&["data", "spec", "template"]).clone(),
        })
        .collect();
    all.order_by_key(|r| r.number);
    Ok(all)
}

/// The revision of a Deployment or ReplicaSet, 0 if it has none.
pub fn revision_of(object: &Object) -> i64 {
    object.annotation(REVISION).and_then(|r| r.parse().ok()).unwrap_or(0)
}

fn owned(context: &mut Context<'_>, owner: &Object, resource: &Resource) -> Result<Vec<Object>, Fault> {
    let uid = owner.uid();
    let all = context.send(Request::list(resource, owner.key().namespace))?.items();
    Ok(all.into_iter().filter(|o| o.controller().is_some_and(|c| c.get("uid").text() == uid)).collect())
}

/// The ReplicaSets that the Deployment controls.
///
/// # Errors
/// The server's refusal.
pub fn replica_sets(context: &mut Context<'_>, deployment: &Object) -> Result<Vec<Object>, Fault> {
    owned(context, deployment, &resource::REPLICA_SETS)
}

/// The ControllerRevisions of a DaemonSet or StatefulSet.
///
/// # Errors
/// The server's refusal.
pub fn controller_revisions(context: &mut Context<'_>, owner: &Object) -> Result<Vec<Object>, Fault> {
    owned(context, owner, &CONTROLLER_REVISIONS)
}
