//! Pods that run and are not Ready.

use super::{Cause, said};
use crate::api::{Object, Value};
use crate::diagnosis::sight::{Sight, node_of, source, spec_path};
use crate::diagnosis::{Finding, Owes};

pub static CAUSES: &[Cause] = &[
    Cause {
        code: "readiness-probe-fails",
        headline: said("readiness probe가 실패한다", "The readiness probe fails"),
        cause: said(
            "{kind} {name}의 컨테이너 {container}는 돌고 있지만 readiness probe에 답하지 못한다. Ready가 아니므로 Service에도 들어가지 않는다.",
            "Container {container} of {kind} {name} runs but does not pass its readiness probe. It is not Ready, so no Service sends to it.",
        ),
        fix: said(
            "프로그램이 왜 준비되지 않는지 로그에서 보거나, probe의 경로와 포트를 고친다.",
            "Look in the log why the program is not ready, or correct the probe's path and port.",
        ),
    },
    Cause {
        code: "readiness-gate-unset",
        headline: said("readinessGates의 condition을 아무도 쓰지 않는다", "Nobody sets the condition of a readiness gate"),
        cause: said(
            "{kind} {name}의 컨테이너는 모두 준비됐지만 readinessGates의 {gate}가 True가 아니다. 그것은 다른 컨트롤러가 쓴다.",
            "All containers of {kind} {name} are ready, but the readiness gate {gate} is not True. Another controller has to set it.",
        ),
        fix: said("그 condition을 쓰는 컨트롤러를 살린다.", "Bring back the controller that sets this condition."),
    },
];

/// A container may take this long to get ready, whatever its probe says.
const START_MS: u64 = 60_000;
/// One that was ready before is told of this long after.
const LOST_MS: u64 = 10_000;
const GATE_MS: u64 = 30_000;

pub fn look(sight: &Sight<'_>, _: &[Finding]) -> Vec<Finding> {
    let waiting = sight.pods().filter(|p| node_of(p).is_some() && !p.condition_is_true("Ready"));
    waiting
        .filter_map(|p| p.status().get("containerStatuses").items().iter().find_map(|c| probe(sight, p, c)).or_else(|| gate(sight, p)))
        .collect()
}

fn probe(sight: &Sight<'_>, pod: &Object, status: &Value) -> Option<Finding> {
    let started = status.at(&["state", "running", "startedAt"]);
    if started.is_null() || status.get("ready").is_true() {
        return None;
    }
    let spec = pod.spec().get("containers").items().iter().find(|c| c.get("name") == status.get("name"))?;
    let probe = spec.get("readinessProbe");
    sight.event(pod, "Unhealthy", "Readiness probe failed")?;
    let up_ms = sight.since_ms(started);
    let unready_ms = sight.condition_ms(pod, "Ready");
    let was_ready = unready_ms + 1_000 < up_ms;
    let allowed_ms = probe.get("initialDelaySeconds").int().saturating_mul(1000).max(0) as u64;
    let rounds_ms = {
        let rounds = probe.get("periodSeconds").int().max(1).saturating_mul(probe.get("failureThreshold").int().max(1));
        rounds.saturating_mul(1000) as u64
    };
    if was_ready && unready_ms < LOST_MS || !was_ready && up_ms < allowed_ms + rounds_ms.max(START_MS) {
        return None;
    }
    let of = source(sight, pod);
    let finding = Finding::new("readiness-probe-fails", pod, Owes::You).arg("container", status.get("name").to_str());
    let finding = finding.proved(&format!("describe pod {}", pod.name()), &["Unhealthy", "Readiness probe failed"]);
    let finding = finding.command(&format!("logs {} -c {}", pod.name(), status.get("name").text()));
    Some(finding.yaml(&format!("{}.containers[{}].readinessProbe", spec_path(of), status.get("name").text()), "…"))
}

fn gate(sight: &Sight<'_>, pod: &Object) -> Option<Finding> {
    let set = |kind: &str| pod.condition_is_true(kind);
    let gate = pod.spec().get("readinessGates").items().iter().map(|g| g.get("conditionType").text()).find(|kind| !set(kind))?;
    if !set("ContainersReady") || sight.condition_ms(pod, "ContainersReady") < GATE_MS {
        return None;
    }
    let finding = Finding::new("readiness-gate-unset", pod, Owes::Outside(gate.into())).arg("gate", gate);
    Some(finding.proved(&format!("describe pod {}", pod.name()), &[gate]))
}
