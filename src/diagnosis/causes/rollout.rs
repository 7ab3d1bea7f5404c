//! Rollouts that were paused, are past their deadline, or wait for pods that do not get ready.

use super::{Cause, said};
use crate::api::resource::{DEPLOYMENTS, REPLICA_SETS};
use crate::api::{Object, Str};
use crate::diagnosis::sight::{Sight, source};
use crate::diagnosis::{Finding, Owes};

pub static PAUSED: &[Cause] = &[Cause {
    code: "rollout-paused",
    headline: said("배포가 멈춤(paused)으로 되어 있다", "The rollout is paused"),
    cause: said(
        "{kind} {name}은 spec.paused가 true다. Deployment 루프는 replicas는 맞추지만 새 template으로 넘어가지 않는다: 새것 {updated} / {want}.",
        "{kind} {name} has spec.paused set. The Deployment loop scales, but does not move to the new template: {updated} of {want} updated.",
    ),
    fix: said("배포를 이어 간다.", "Resume the rollout."),
}];

pub static CAUSES: &[Cause] = &[
    Cause {
        code: "rollout-past-deadline",
        headline: said("배포가 기한을 넘겼다 (ProgressDeadlineExceeded)", "The rollout is past its deadline (ProgressDeadlineExceeded)"),
        cause: said(
            "{kind} {name}에서 {seconds}초 동안 새로 준비된 Pod가 없었다. 이 condition은 알림일 뿐, 아무것도 되돌리지 않는다.",
            "No new Pod of {kind} {name} became ready for {seconds} s. The condition only reports; nothing is rolled back.",
        ),
        fix: said("Pod가 왜 준비되지 않는지 풀거나 이전 revision으로 되돌린다.", "Find out why the Pods do not get ready, or roll back."),
    },
    Cause {
        code: "rollout-waits-for-ready",
        headline: said("새 Pod가 준비되지 않아 배포가 나아가지 못한다", "The rollout waits for new Pods to be Ready"),
        cause: said(
            "{kind} {name}은 maxUnavailable {unavailable}, maxSurge {surge} 안에서만 움직인다. 새 Pod가 준비되지 않아 옛 Pod {old}개를 줄일 수도, 새 Pod를 더 만들 수도 없다.",
            "{kind} {name} moves within maxUnavailable {unavailable} and maxSurge {surge}. As its new Pods are not Ready, it can neither remove the {old} old ones nor add more.",
        ),
        fix: said(
            "새 Pod를 막은 원인을 풀거나 이전 revision으로 되돌린다. 옛 Pod는 그동안 계속 일한다.",
            "Mend what blocks the new Pods, or roll back. The old ones go on serving meanwhile.",
        ),
    },
];

pub fn look_for_paused(sight: &Sight<'_>, _: &[Finding]) -> Vec<Finding> {
    if sight.moves("deployment") {
        return Vec::new();
    }
    sight.list(&DEPLOYMENTS).filter(|d| d.spec().get("paused").is_true() && !d.is_deleting()).filter_map(paused).collect()
}

fn paused(d: &Object) -> Option<Finding> {
    let (want, updated) = (d.spec().get("replicas").int(), d.status().get("updatedReplicas").int());
    if updated >= want || d.status().get("observedGeneration").int() != d.generation() {
        return None;
    }
    let finding = Finding::new("rollout-paused", d, Owes::You).arg("updated", updated.to_string()).arg("want", want.to_string());
    let finding = finding.proved(&format!("describe deployment {}", d.name()), &["Progressing", "DeploymentPaused"]);
    Some(finding.command(&format!("rollout resume deployment/{}", d.name())))
}

pub fn look(sight: &Sight<'_>, before: &[Finding]) -> Vec<Finding> {
    sight.list(&DEPLOYMENTS).filter(|d| !d.is_deleting()).filter_map(|d| late(d).or_else(|| waits(sight, d, before))).collect()
}

fn undo(d: &Object, finding: Finding) -> Finding {
    let earlier = d.annotation("deployment.kubernetes.io/revision").is_some_and(|r| r != "1");
    if earlier { finding.command(&format!("rollout undo deployment/{}", d.name())) } else { finding }
}

fn late(d: &Object) -> Option<Finding> {
    d.condition("Progressing").filter(|c| c.get("status").text() == "False" && c.get("reason").text() == "ProgressDeadlineExceeded")?;
    let seconds = d.spec().get("progressDeadlineSeconds").int().to_string();
    let finding = Finding::new("rollout-past-deadline", d, Owes::You).arg("seconds", seconds);
    Some(undo(d, finding.proved(&format!("describe deployment {}", d.name()), &["Progressing", "ProgressDeadlineExceeded"])))
}

/// Something is wrong with its newest pods, and old ones are still there.
fn waits(sight: &Sight<'_>, d: &Object, before: &[Finding]) -> Option<Finding> {
    let sets = || sight.list(&REPLICA_SETS).filter(|r| r.controller_uid().is_some_and(|u| u == *d.uid()));
    let number = |r: &Object| r.annotation("deployment.kubernetes.io/revision").and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
    let newest = sets().max_by_key(|r| number(r))?;
    let old: i64 = sets().filter(|r| r.uid() != newest.uid()).map(|r| r.status().get("replicas").int()).sum();
    let stuck = |f: &Finding| {
        let pod = sight.pods().find(|p| f.object.uid == *p.uid());
        pod.is_some_and(|p| p.controller_uid().is_some_and(|u| u == *newest.uid()) && source(sight, p).uid() == d.uid())
    };
    if old == 0 || d.spec().get("paused").is_true() || !before.iter().any(stuck) {
        return None;
    }
    let rolling = |field: &str| {
        let v = d.spec().at(&["strategy", "rollingUpdate"]).get(field);
        v.as_int().map_or_else(|| v.to_str(), |n| Str::from(n.to_string()))
    };
    let finding = Finding::new("rollout-waits-for-ready", d, Owes::Loop("deployment".into()));
    let finding = finding.arg("unavailable", rolling("maxUnavailable")).arg("surge", rolling("maxSurge")).arg("old", old.to_string());
    Some(undo(d, finding.proved(&format!("describe deployment {}", d.name()), &["Replicas:", "unavailable"])))
}
