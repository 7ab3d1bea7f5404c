//! Containers that start and do not stay, and init containers that never let the others begin.

use super::images::statuses;
use super::{Cause, said};
use crate::api::{Object, Str, Value};
use crate::diagnosis::sight::{Sight, node_of, slashed, source, spec_path};
use crate::diagnosis::{Finding, Owes};

pub static CAUSES: &[Cause] = &[
    Cause {
        code: "init-container-fails",
        headline: said("init 컨테이너가 실패를 되풀이한다", "An init container keeps failing"),
        cause: said(
            "{kind} {name}의 init 컨테이너 {container}가 exit code {exit}로 끝난다. 이것이 0으로 끝나야 다음 컨테이너가 시작된다.",
            "Init container {container} of {kind} {name} exits with {exit}. Until it exits with 0 no other container begins.",
        ),
        fix: said("로그를 보고 init 컨테이너를 고친다.", "Read its log and mend the init container."),
    },
    Cause {
        code: "init-container-runs",
        headline: said("init 컨테이너가 끝나지 않는다", "An init container does not finish"),
        cause: said(
            "{kind} {name}의 init 컨테이너 {container}가 {seconds}초째 돌고 있다. 이것이 끝나야 다음 컨테이너가 시작된다.",
            "Init container {container} of {kind} {name} has run for {seconds} s. Until it ends no other container begins.",
        ),
        fix: said("무엇을 기다리는지 로그에서 확인한다.", "Look in its log for what it waits for."),
    },
    Cause {
        code: "container-oom-killed",
        headline: said("메모리 한도를 넘어 죽는다 (OOMKilled)", "The container runs out of memory (OOMKilled)"),
        cause: said(
            "{kind} {name}의 컨테이너 {container}가 메모리 한도({limit})를 넘어 커널에 죽는다. 다시 띄워도 같은 곳에서 또 넘는다.",
            "Container {container} of {kind} {name} exceeds its memory limit ({limit}), and the kernel kills it. Started again, it exceeds it again.",
        ),
        fix: said("한도를 올리거나 프로그램의 메모리를 줄인다.", "Raise the limit, or make the program use less."),
    },
    Cause {
        code: "container-liveness-killed",
        headline: said("liveness probe가 컨테이너를 죽인다", "The liveness probe kills the container"),
        cause: said(
            "{kind} {name}의 컨테이너 {container}는 스스로 죽은 것이 아니다. liveness probe가 {threshold}번 이어 실패해 kubelet이 다시 띄운다.",
            "Container {container} of {kind} {name} does not die by itself. Its liveness probe fails {threshold} times in a row, and the kubelet restarts it.",
        ),
        fix: said(
            "늦게 뜨는 프로그램이면 startupProbe를 두고, 아니면 probe가 보는 것을 고친다.",
            "Give a slow starter a startupProbe, or mend what the probe looks at.",
        ),
    },
    Cause {
        code: "container-startup-killed",
        headline: said("startup probe가 컨테이너를 죽인다", "The startup probe kills the container"),
        cause: said(
            "{kind} {name}의 컨테이너 {container}가 정해진 시간 안에 뜨지 못해 kubelet이 다시 띄운다.",
            "Container {container} of {kind} {name} is not up within the time that its startup probe allows, so the kubelet restarts it.",
        ),
        fix: said("failureThreshold나 periodSeconds를 늘린다.", "Raise failureThreshold or periodSeconds."),
    },
    Cause {
        code: "container-crashes",
        headline: said("컨테이너가 뜨자마자 죽는다 (exit code {exit})", "The container dies again and again (exit code {exit})"),
        cause: said(
            "{kind} {name}의 컨테이너 {container}가 exit code {exit}로 {restarts}번 다시 떴다. 배포가 아니라 프로그램의 문제다.",
            "Container {container} of {kind} {name} has exited with {exit} and was restarted {restarts} times. The program is at fault, not the rollout.",
        ),
        fix: said("죽기 전의 로그(--previous)를 본다.", "Read the log from before it died (--previous)."),
    },
    Cause {
        code: "container-ends",
        headline: said("컨테이너가 할 일을 마치고 끝난다 (exit code 0)", "The container ends by itself (exit code 0)"),
        cause: said(
            "{kind} {name}의 컨테이너 {container}가 0으로 끝난다. restartPolicy가 Always라 kubelet이 계속 다시 띄운다.",
            "Container {container} of {kind} {name} exits with 0. As restartPolicy is Always, the kubelet restarts it for ever.",
        ),
        fix: said("계속 도는 프로그램으로 바꾸거나 Job으로 돌린다.", "Run a program that stays, or make it a Job."),
    },
    Cause {
        code: "pod-failed",
        headline: said("Pod가 실패로 끝났다", "The Pod has failed"),
        cause: said(
            "{kind} {name}의 컨테이너 {container}가 exit code {exit}로 끝났고 restartPolicy가 {policy}다. 주인이 없는 Pod라 아무도 다시 만들지 않는다.",
            "Container {container} of {kind} {name} exited with {exit}, and restartPolicy is {policy}. Nobody owns the Pod, so nobody makes another.",
        ),
        fix: said(
            "원인을 고쳐 다시 만들거나 Deployment, Job에 맡긴다.",
            "Mend it and create it again, or leave it to a Deployment or a Job.",
        ),
    },
];

/// An init container that runs longer is worth a word.
const LONG_MS: u64 = 120_000;
/// A container may take this long to end when it is asked to.
const KILLED_MS: u64 = 60_000;
/// A container that has died before and lives this long may stay.
const PROVEN_MS: u64 = 10_000;
/// One that its liveness probe killed is not trusted for so much longer than the probe takes.
const PROBED_MS: u64 = 60_000;

pub fn look(sight: &Sight<'_>, _: &[Finding]) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for pod in sight.pods().filter(|p| node_of(p).is_some()) {
        found.extend(init(sight, pod).or_else(|| own(pod).find_map(|c| dying(sight, pod, c))));
    }
    let over = sight.list(&crate::api::resource::PODS).filter(|p| p.status().get("phase").text() == "Failed" && p.controller().is_none());
    found.extend(over.filter(|p| !p.is_deleting()).filter_map(|p| failed(sight, p)));
    found
}

fn own(pod: &Object) -> impl Iterator<Item = &Value> {
    pod.status().get("containerStatuses").items().iter()
}

fn init(sight: &Sight<'_>, pod: &Object) -> Option<Finding> {
    let name = |c: &Value| c.get("name").to_str();
    let all = pod.status().get("initContainerStatuses").items();
    let stays = |c: &Value| {
        let spec = pod.spec().get("initContainers").items().iter().find(|s| s.get("name") == c.get("name"));
        spec.is_some_and(|s| s.get("restartPolicy").text() == "Always")
    };
    let describe = format!("describe pod {}", pod.name());
    for c in all.iter().filter(|c| !stays(c)) {
        let failed = c.at(&["state", "terminated", "exitCode"]).int() != 0 && c.get("restartCount").int() > 0;
        if failed || c.at(&["state", "waiting", "reason"]).text() == "CrashLoopBackOff" {
            let last = c.at(&[if failed { "state" } else { "lastState" }, "terminated"]);
            let exit = last.get("exitCode").int().to_string();
            let finding = Finding::new("init-container-fails", pod, Owes::You).arg("container", name(c)).arg("exit", exit);
            return Some(finding.proved(&describe, &["BackOff", "Back-off restarting failed container"]).command(&logs(pod, c, true)));
        }
        let ms = sight.since_ms(c.at(&["state", "running", "startedAt"]));
        if ms > LONG_MS {
            let finding =
                Finding::new("init-container-runs", pod, Owes::You).arg("container", name(c)).arg("seconds", (ms / 1000).to_string());
            return Some(finding.proved(&format!("get pod {}", pod.name()), &[pod.name(), "Init:"]).command(&logs(pod, c, false)));
        }
    }
    None
}

fn logs(pod: &Object, container: &Value, previous: bool) -> String {
    format!("logs {} -c {}{}", pod.name(), container.get("name").text(), if previous { " --previous" } else { "" })
}

/// A container between two lives, or one that has died too often to be trusted and is not ready.
fn dying(sight: &Sight<'_>, pod: &Object, status: &Value) -> Option<Finding> {
    let restarts = status.get("restartCount").int();
    let ended = status.at(&["state", "terminated"]);
    let last = if ended.is_null() { status.at(&["lastState", "terminated"]) } else { ended };
    let backs_off = status.at(&["state", "waiting", "reason"]).text() == "CrashLoopBackOff";
    let dead = !ended.is_null() && (restarts > 0 || ended.get("reason").text() == "OOMKilled");
    let up_ms = sight.since_ms(status.at(&["state", "running", "startedAt"]));
    let running = !status.at(&["state", "running"]).is_null();
    let relapses = running && restarts > 1 && (up_ms < PROVEN_MS || !status.get("ready").is_true());
    let probed = running && restarts > 1 && up_ms < PROVEN_MS + doomed_ms(pod, status);
    if !(backs_off || dead || relapses || probed) {
        return None;
    }
    let exit = last.get("exitCode").int();
    let container = status.get("name").text();
    let newest = sight.event(pod, "Killing", "");
    let lately = newest.is_some_and(|e| sight.since_ms(e.get("lastTimestamp")) < sight.since_ms(last.get("finishedAt")) + KILLED_MS);
    let text = newest.filter(|_| lately).map_or("", |e| e.get("message").text());
    let killed = |what: &str| text.contains(&format!("Container {container} failed {what} probe"));
    let (code, what) = if last.get("reason").text() == "OOMKilled" {
        ("container-oom-killed", "OOMKilled")
    } else if killed("liveness") {
        ("container-liveness-killed", "failed liveness probe")
    } else if killed("startup") {
        ("container-startup-killed", "failed startup probe")
    } else if probed && !(backs_off || dead || relapses) {
        return None;
    } else if exit == 0 {
        ("container-ends", "Completed")
    } else {
        ("container-crashes", "Exit Code:")
    };
    let finding = Finding::new(code, pod, Owes::You).arg("container", container).arg("exit", exit.to_string());
    let finding = finding.arg("restarts", restarts.to_string());
    let shown = exit.to_string();
    let needles: Vec<&str> = if what == "Exit Code:" { vec![what, &shown] } else { vec![what] };
    let finding = finding.proved(&format!("describe pod {}", pod.name()), &needles);
    Some(advice(sight, pod, status, finding, code))
}

/// How long a container lives whose liveness probe fails from its start.
fn doomed_ms(pod: &Object, status: &Value) -> u64 {
    let spec = pod.spec().get("containers").items().iter().find(|c| c.get("name") == status.get("name"));
    let probe = spec.map_or(&Value::Null, |s| s.get("livenessProbe"));
    let seconds = probe.get("initialDelaySeconds").int() + probe.get("periodSeconds").int() * probe.get("failureThreshold").int();
    if probe.is_null() { 0 } else { seconds.max(0) as u64 * 1000 + PROBED_MS }
}

fn advice(sight: &Sight<'_>, pod: &Object, status: &Value, finding: Finding, code: &str) -> Finding {
    let of = source(sight, pod);
    let spec = pod.spec().get("containers").items().iter().find(|c| c.get("name") == status.get("name")).cloned().unwrap_or_default();
    let at = format!("{}.containers[{}]", spec_path(of), status.get("name").text());
    match code {
        "container-oom-killed" => {
            let limit = spec.at(&["resources", "limits", "memory"]).to_str();
            let finding = finding.arg("limit", if limit.is_empty() { Str::fixed("—") } else { limit });
            if of.kind() == "Pod" {
                finding.yaml(&format!("{at}.resources.limits.memory"), "512Mi")
            } else {
                finding.command(&format!("set resources {} --limits=memory=512Mi", slashed(of)))
            }
        }
        "container-liveness-killed" | "container-startup-killed" => {
            let probe = if code.contains("liveness") { "livenessProbe" } else { "startupProbe" };
            let threshold = spec.at(&[probe, "failureThreshold"]).int().max(1).to_string();
            finding.arg("threshold", threshold).yaml(&format!("{at}.startupProbe.failureThreshold"), "30")
        }
        _ => finding.command(&logs(pod, status, true)),
    }
}

/// A pod without an owner that has ended badly.
fn failed(sight: &Sight<'_>, pod: &Object) -> Option<Finding> {
    let ended = statuses(pod).find(|c| c.at(&["state", "terminated", "exitCode"]).int() != 0)?;
    let exit = ended.at(&["state", "terminated", "exitCode"]).int().to_string();
    let oom = ended.at(&["state", "terminated", "reason"]).text() == "OOMKilled";
    let code = if oom { "container-oom-killed" } else { "pod-failed" };
    let finding = Finding::new(code, pod, Owes::You).arg("container", ended.get("name").to_str());
    let finding = finding.arg("exit", exit).arg("policy", pod.spec().get("restartPolicy").to_str());
    let describe = format!("describe pod {}", pod.name());
    if oom {
        return Some(advice(sight, pod, ended, finding.proved(&describe, &["OOMKilled"]), code));
    }
    Some(finding.proved(&describe, &["Exit Code:"]).command(&logs(pod, ended, false)))
}
