//! `kubectl rollout status`: says how far a rollout is whenever the object changes.
//! Follows kubectl `pkg/cmd/rollout/rollout_status.go` and `pkg/polymorphichelpers/rollout_status.go`.

use super::super::Outcome;
use super::super::builder;
use super::super::context::{Context, Output};
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::process::{Wait, timed_out};
use super::{FILENAME, RECURSIVE, SELECTOR, TIMEOUT, Verb};
use crate::api::{Object, Request};
use crate::client::Transport;
use crate::util::Time;

const FLAGS: &[Flag] = &[FILENAME, RECURSIVE, SELECTOR, TIMEOUT, ("watch", 'w', Takes::Bool), ("revision", ' ', Takes::Int)];

pub const VERBS: &[Verb] = &[Verb { words: "rollout status", flags: || FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    let found = builder::find(context)?;
    Fault::all(found.faults)?;
    let deadline = context.flags.duration_ms("timeout").filter(|ms| *ms > 0).map(|ms| context.now().after_ms(ms));
    let mut left = Vec::new();
    for info in found.infos {
        if !matches!(info.kind.resource.to_string().as_str(), "deployments.apps" | "daemonsets.apps" | "statefulsets.apps") {
            return Err(Fault::text(format!("no status viewer has been implemented for {}", super::super::kinds::long_kind(&info.kind))));
        }
        left.push(info.get());
    }
    let revision = context.flags.int("revision").unwrap_or(0);
    Ok(Some(Wait::Rollouts(Rollouts { left, seen: 0, deadline, watch: context.flags.or("watch", true), revision })))
}

/// Rollouts that are waited for, one after the other.
#[derive(Clone, Debug)]
pub struct Rollouts {
    left: Vec<Request>,
    /// The version of the first of them that was looked at last.
    seen: u64,
    pub deadline: Option<Time>,
    watch: bool,
    revision: i64,
}

impl Rollouts {
    pub fn poll(&mut self, api: &mut dyn Transport, out: &mut Output) -> Result<bool, Fault> {
        while let Some(request) = self.left.first() {
            let object = match api.send(request.clone()) {
                Ok(answer) => answer.object(),
                Err(status) if status.is_not_found() && self.seen > 0 => return Err(Fault::text("object has been deleted")),
                Err(status) => return Err(status.into()),
            };
            if object.revision() != self.seen {
                self.seen = object.revision();
                let (says, done) = status(&object, self.revision)?;
                out.stdout.push_str(&says);
                if done || !self.watch {
                    self.left.remove(0);
                    self.seen = 0;
                    continue;
                }
            }
            if self.deadline.is_some_and(|at| api.now() >= at) {
                return Err(timed_out(""));
            }
            return Ok(false);
        }
        Ok(true)
    }
}

fn status(object: &Object, revision: i64) -> Result<(String, bool), Fault> {
    match object.kind() {
        "Deployment" => deployment(object, revision),
        "DaemonSet" => daemon_set(object),
        _ => stateful_set(object),
    }
}

fn deployment(object: &Object, revision: i64) -> Result<(String, bool), Fault> {
    let name = object.name();
    if revision > 0 {
        let now: i64 = object.annotation("deployment.kubernetes.io/revision").and_then(|r| r.parse().ok()).unwrap_or(0);
        if now != revision {
            return Err(Fault::text(format!("desired revision ({revision}) is different from the running revision ({now})")));
        }
    }
    let (spec, status) = (object.spec(), object.status());
    if object.generation() > status.get("observedGeneration").int() {
        return Ok(("Waiting for deployment spec update to be observed...\n".to_string(), false));
    }
    if object.condition("Progressing").is_some_and(|c| c.get("reason").text() == "ProgressDeadlineExceeded") {
        return Err(Fault::text(format!("deployment \"{name}\" exceeded its progress deadline")));
    }
    let count = |key: &str| status.get(key).int();
    let (replicas, updated, available) = (count("replicas"), count("updatedReplicas"), count("availableReplicas"));
    let wanted = spec.get("replicas").int();
    let waiting = |what: String| Ok((format!("Waiting for deployment \"{name}\" rollout to finish: {what}...\n"), false));
    if updated < wanted {
        return waiting(format!("{updated} out of {wanted} new replicas have been updated"));
    }
    if replicas > updated {
        return waiting(format!("{} old replicas are pending termination", replicas - updated));
    }
    if available < updated {
        return waiting(format!("{available} of {updated} updated replicas are available"));
    }
    Ok((format!("deployment \"{name}\" successfully rolled out\n"), true))
}

fn only_rolling_updates(object: &Object) -> Result<(), Fault> {
    if object.spec().at(&["updateStrategy", "type"]).text() == "RollingUpdate" {
        return Ok(());
    }
    Err(Fault::text("rollout status is only available for RollingUpdate strategy type"))
}

fn daemon_set(object: &Object) -> Result<(String, bool), Fault> {
    only_rolling_updates(object)?;
    let (name, status) = (object.name(), object.status());
    if object.generation() > status.get("observedGeneration").int() {
        return Ok(("Waiting for daemon set spec update to be observed...\n".to_string(), false));
    }
    let count = |key: &str| status.get(key).int();
    let (wanted, updated, available) = (count("desiredNumberScheduled"), count("updatedNumberScheduled"), count("numberAvailable"));
    let waiting = |what: String| Ok((format!("Waiting for daemon set \"{name}\" rollout to finish: {what}...\n"), false));
    if updated < wanted {
        return waiting(format!("{updated} out of {wanted} new pods have been updated"));
    }
    if available < wanted {
        return waiting(format!("{available} of {wanted} updated pods are available"));
    }
    Ok((format!("daemon set \"{name}\" successfully rolled out\n"), true))
}

fn stateful_set(object: &Object) -> Result<(String, bool), Fault> {
    only_rolling_updates(object)?;
    let (spec, status) = (object.spec(), object.status());
    let observed = status.get("observedGeneration").int();
    if observed == 0 || object.generation() > observed {
        return Ok(("Waiting for statefulset spec update to be observed...\n".to_string(), false));
    }
    let count = |key: &str| status.get(key).int();
    let (wanted, ready, updated) = (spec.get("replicas").int(), count("readyReplicas"), count("updatedReplicas"));
    if ready < wanted {
        return Ok((format!("Waiting for {} pods to be ready...\n", wanted - ready), false));
    }
    let rolling = spec.at(&["updateStrategy", "rollingUpdate"]);
    if !rolling.is_null() {
        let due = wanted - rolling.get("partition").int();
        if !rolling.get("partition").is_null() && updated < due {
            let text = format!("Waiting for partitioned roll out to finish: {updated} out of {due} new pods have been updated...\n");
            return Ok((text, false));
        }
        return Ok((format!("partitioned roll out complete: {updated} new pods have been updated...\n"), true));
    }
    let (new, current) = (status.get("updateRevision").text(), status.get("currentRevision").text());
    if new != current {
        return Ok((format!("waiting for statefulset rolling update to complete {updated} pods at revision {new}...\n"), false));
    }
    Ok((format!("statefulset rolling update complete {} pods at revision {current}...\n", count("currentReplicas")), true))
}
