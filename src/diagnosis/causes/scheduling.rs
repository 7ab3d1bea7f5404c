//! Pods that have no node, by what the scheduler said of them, or because it says nothing.

use super::{Cause, said};
use crate::api::resource::{NODES, PODS};
use crate::api::selector::Selector;
use crate::api::{Object, Str, Value};
use crate::diagnosis::sight::{Sight, node_of, slashed, source, spec_path};
use crate::diagnosis::{Finding, Fix, Owes};

pub static CAUSES: &[Cause] = &[
    Cause {
        code: "pod-scheduling-gated",
        headline: said("schedulingGates가 남아 스케줄러가 보지 않는다", "A scheduling gate keeps the scheduler away"),
        cause: said(
            "{kind} {name}의 spec.schedulingGates에 {gate}가 있다. 그것이 없어질 때까지 스케줄러는 이 Pod를 큐에 넣지 않는다.",
            "{kind} {name} has {gate} in spec.schedulingGates. Until it is gone the scheduler does not queue this Pod.",
        ),
        fix: said("게이트를 건 쪽이 떼거나, 손으로 뗀다.", "Whoever set the gate removes it, or you do."),
    },
    Cause {
        code: "pod-scheduler-unknown",
        headline: said("{scheduler}라는 스케줄러가 없다", "No scheduler is called {scheduler}"),
        cause: said(
            "{kind} {name}의 schedulerName이 {scheduler}다. 그 이름으로 일하는 스케줄러가 없어 아무도 이 Pod를 집지 않고, 이벤트도 없다.",
            "{kind} {name} has the schedulerName {scheduler}. Nobody works under that name, so nobody takes the Pod, and there are no Events.",
        ),
        fix: said("schedulerName을 지우거나 그 스케줄러를 띄운다.", "Remove schedulerName, or run that scheduler."),
    },
    Cause {
        code: "pod-claim-missing",
        headline: said("Pod가 가리키는 PersistentVolumeClaim이 없다", "The Pod's PersistentVolumeClaim does not exist"),
        cause: said(
            "{kind} {name}의 볼륨이 PersistentVolumeClaim {claim}을 가리키는데 그런 것이 없다. 스케줄러는 노드를 고르기도 전에 물러난다.",
            "A volume of {kind} {name} refers to the PersistentVolumeClaim {claim}, which does not exist. The scheduler gives up before it looks at nodes.",
        ),
        fix: said("그 이름의 PersistentVolumeClaim을 만들거나 claimName을 고친다.", "Create that claim, or correct claimName."),
    },
    Cause {
        code: "pod-claim-unbound",
        headline: said("PersistentVolumeClaim에 묶인 볼륨이 없다", "The PersistentVolumeClaim is not bound to a volume"),
        cause: said(
            "{kind} {name}이 쓰는 PersistentVolumeClaim {claim}이 Pending이다. 맞는 PersistentVolume도, 만들어 줄 StorageClass도 없다.",
            "The PersistentVolumeClaim {claim} of {kind} {name} is Pending: no PersistentVolume fits, and no StorageClass makes one.",
        ),
        fix: said(
            "맞는 PersistentVolume을 만들거나 storageClassName을 고친다.",
            "Create a PersistentVolume that fits, or correct storageClassName.",
        ),
    },
    Cause {
        code: "pod-unschedulable-resources",
        headline: said("어느 노드에도 들어갈 자리가 없다", "No node has room for the Pod"),
        cause: said(
            "{kind} {name}의 요청({requests})이 들어갈 노드가 없다: {reason}. 스케줄러는 실제 사용량이 아니라 요청의 합을 본다.",
            "No node has room for what {kind} {name} requests ({requests}): {reason}. The scheduler adds up requests, not actual use.",
        ),
        fix: said(
            "요청을 줄이거나, 노드를 늘리거나, 다른 Pod를 줄인다. 자리가 생기면 스케줄러가 스스로 다시 시도한다.",
            "Lower the request, add a node, or remove other Pods. The scheduler tries again by itself once there is room.",
        ),
    },
    Cause {
        code: "pod-unschedulable-taint",
        headline: said("노드의 taint를 견디는 toleration이 없다", "The Pod does not tolerate the nodes' taints"),
        cause: said(
            "{kind} {name}을 둘 수 있는 노드가 taint({taints})에 막혀 있다. 그것을 견디는 toleration이 Pod에 없다.",
            "The nodes that could take {kind} {name} are tainted ({taints}), and the Pod has no toleration for that.",
        ),
        fix: said("toleration을 더하거나 taint를 뗀다.", "Add a toleration, or remove the taint."),
    },
    Cause {
        code: "pod-unschedulable-cordoned",
        headline: said("노드가 cordon되어 있다", "The nodes are cordoned"),
        cause: said(
            "{kind} {name}을 둘 수 있는 노드가 unschedulable로 표시되어 있다: {nodes}.",
            "The nodes that could take {kind} {name} are marked unschedulable: {nodes}.",
        ),
        fix: said("작업이 끝났으면 uncordon한다.", "Uncordon them when the work on them is done."),
    },
    Cause {
        code: "pod-unschedulable-selector",
        headline: said("nodeSelector나 nodeAffinity에 맞는 노드가 없다", "No node matches the nodeSelector or affinity"),
        cause: said(
            "{kind} {name}은 {wants}인 노드를 찾는데 그런 label의 노드가 없다.",
            "{kind} {name} asks for a node with {wants}, and no node has such labels.",
        ),
        fix: said("노드에 label을 달거나 nodeSelector, nodeAffinity를 고친다.", "Label a node, or correct nodeSelector or nodeAffinity."),
    },
    Cause {
        code: "pod-unschedulable-spread",
        headline: said("Pod를 흩어 놓는 규칙에 맞는 자리가 없다", "The rules that spread Pods leave no node"),
        cause: said(
            "{kind} {name}을 어느 노드에 두어도 topologySpreadConstraints나 podAffinity, podAntiAffinity에 어긋난다: {reason}.",
            "On every node {kind} {name} would break topologySpreadConstraints, podAffinity or podAntiAffinity: {reason}.",
        ),
        fix: said(
            "노드를 늘리거나 규칙을 ScheduleAnyway, preferred로 누그러뜨린다.",
            "Add nodes, or soften the rule to ScheduleAnyway or preferred.",
        ),
    },
    Cause {
        code: "pod-unschedulable",
        headline: said("스케줄러가 노드를 찾지 못한다", "The scheduler finds no node"),
        cause: said("{kind} {name}에 대해 스케줄러가 남긴 말은 이렇다: {reason}.", "What the scheduler says of {kind} {name}: {reason}."),
        fix: said("메시지가 가리키는 조건을 푼다.", "Mend the condition that the message names."),
    },
];

/// A pod that nobody picks up is told of after this long.
const IGNORED_MS: u64 = 3_000;
/// A shorter wait than this in the scheduler's queue is a back-off, after which it tries again.
const BACK_OFF_MAX_MS: u64 = 60_000;

pub fn look(sight: &Sight<'_>, _: &[Finding]) -> Vec<Finding> {
    let ending = sight.list(&PODS).any(|p| p.is_deleting() && node_of(p).is_some());
    let quiet = !sight.anybody_places();
    let mut found = Vec::new();
    for pod in sight.pods().filter(|p| node_of(p).is_none()) {
        found.extend(ignored(sight, pod).or_else(|| if quiet && !ending { unschedulable(sight, pod) } else { None }));
    }
    found
}

/// The scheduler does not even try.
fn ignored(sight: &Sight<'_>, pod: &Object) -> Option<Finding> {
    let describe = format!("describe pod {}", pod.name());
    if let Some(gate) = pod.spec().get("schedulingGates").items().first() {
        let finding = Finding::new("pod-scheduling-gated", pod, Owes::You).arg("gate", gate.get("name").to_str());
        return Some(
            finding.proved(&format!("get pod {} -o yaml", pod.name()), &["reason: SchedulingGated"]).yaml("spec.schedulingGates", "[]"),
        );
    }
    let name = pod.spec().get("schedulerName").text();
    let foreign = !matches!(name, "" | "default-scheduler") && sight.age_ms(pod) > IGNORED_MS && pod.condition("PodScheduled").is_none();
    foreign.then(|| {
        let of = source(sight, pod);
        let finding = Finding::new("pod-scheduler-unknown", pod, Owes::Outside(name.into())).arg("scheduler", name);
        finding.proved(&describe, &["Events:", "<none>"]).yaml(&format!("{}.schedulerName", spec_path(of)), "default-scheduler")
    })
}

/// The scheduler tried and found none, and nothing is under way that would let it find one.
fn unschedulable(sight: &Sight<'_>, pod: &Object) -> Option<Finding> {
    let condition =
        pod.condition("PodScheduled").filter(|c| c.get("status").text() == "False" && c.get("reason").text() == "Unschedulable")?;
    let nominated = !pod.status().get("nominatedNodeName").text().is_empty();
    if nominated || !sight.runs("scheduler") || tries_again(sight, pod) || a_rollout_makes_room(sight, pod) {
        return None;
    }
    let message = condition.get("message").text();
    let head = message.split(" preemption: ").next().unwrap_or(message);
    let finding = |code| {
        let reason = head.split_once(": ").map_or(head, |(_, r)| r).split(". ").next().unwrap_or("").trim_end_matches('.');
        let shown = message.split(". ").next().unwrap_or(message);
        Finding::new(code, pod, Owes::You)
            .arg("reason", reason)
            .proved(&format!("describe pod {}", pod.name()), &["FailedScheduling", shown])
    };
    Some(by_message(sight, pod, head, &finding))
}

fn by_message(sight: &Sight<'_>, pod: &Object, head: &str, finding: &dyn Fn(&'static str) -> Finding) -> Finding {
    let of = source(sight, pod);
    let spec = spec_path(of);
    if head.contains("persistentvolumeclaim") && head.contains("not found") {
        let claim = head.split('"').nth(1).unwrap_or("");
        return finding("pod-claim-missing").arg("claim", claim).yaml(&format!("{spec}.volumes[].persistentVolumeClaim.claimName"), claim);
    }
    if head.contains("unbound immediate PersistentVolumeClaims") {
        let claims = pod.spec().get("volumes").items().iter().map(|v| v.at(&["persistentVolumeClaim", "claimName"]).to_str());
        let claim = claims.into_iter().find(|c| !c.is_empty()).unwrap_or_default();
        let line = format!("describe pvc {claim}");
        return finding("pod-claim-unbound").arg("claim", claim).command(&line);
    }
    // Each node gives its first reason only: labels that no node has are the cause, whatever else a node says.
    if head.contains("node affinity/selector") && !sight.list(&NODES).any(|n| matches_node(pod, n)) {
        return by_labels(sight, pod, finding("pod-unschedulable-selector"), spec);
    }
    // What lies nearest to a fit comes first: a node that only lacks room would do, one with the wrong labels would not.
    if head.contains("Insufficient ") || head.contains("Too many pods") {
        let line = format!("set resources {} --requests=cpu=100m,memory=64Mi", slashed(of));
        let finding = finding("pod-unschedulable-resources").arg("requests", requests(pod));
        return if of.kind() == "Pod" { finding.yaml("spec.containers[].resources.requests", "…") } else { finding.command(&line) };
    }
    if head.contains("topology spread") || head.contains("affinity rules") {
        return finding("pod-unschedulable-spread")
            .yaml(&format!("{spec}.topologySpreadConstraints[].whenUnsatisfiable"), "ScheduleAnyway");
    }
    if head.contains("were unschedulable") {
        let nodes = named(sight, |n| n.spec().get("unschedulable").is_true());
        return nodes.split(", ").fold(finding("pod-unschedulable-cordoned").arg("nodes", nodes.clone()), |f, node| {
            f.fix(Fix::Kubectl(format!("uncordon {node}").into()))
        });
    }
    if head.contains("untolerated taint") {
        return taint(sight, finding("pod-unschedulable-taint"), spec);
    }
    if head.contains("node affinity/selector") {
        return by_labels(sight, pod, finding("pod-unschedulable-selector"), spec);
    }
    finding("pod-unschedulable")
}

fn by_labels(sight: &Sight<'_>, pod: &Object, finding: Finding, spec: &str) -> Finding {
    let wants = wants(pod);
    let finding = finding.arg("wants", wants.clone());
    let label = Fix::Kubectl(format!("label node {} {wants}", first_node(sight)).into());
    if wants.contains([' ', ',']) { finding.yaml(&format!("{spec}.nodeSelector"), "{}") } else { finding.fix(label) }
}

/// Whether a node has the labels that a pod asks for.
fn matches_node(pod: &Object, node: &Object) -> bool {
    let required = pod.spec().at(&["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"]);
    let terms = required.get("nodeSelectorTerms").items();
    let holds = |e: &Value| {
        let have = node.labels().get(e.get("key").text());
        let listed = e.get("values").items().contains(have);
        let number = |v: &Value| v.text().parse::<i64>().ok();
        let pair = number(have).zip(number(e.get("values").item(0)));
        match e.get("operator").text() {
            "In" => listed,
            "NotIn" => !listed,
            "Exists" => !have.is_null(),
            "DoesNotExist" => have.is_null(),
            "Gt" => pair.is_some_and(|(a, b)| a > b),
            _ => pair.is_some_and(|(a, b)| a < b),
        }
    };
    Selector::from_map(pod.spec().get("nodeSelector")).matches(node.labels())
        && (required.is_null() || terms.iter().any(|t| t.get("matchExpressions").items().iter().all(holds)))
}

fn taint(sight: &Sight<'_>, finding: Finding, spec: &str) -> Finding {
    let tainted = sight.list(&NODES).find(|n| !n.spec().get("taints").is_empty());
    let Some(node) = tainted else { return finding.arg("taints", "") };
    let t = node.spec().get("taints").item(0);
    let (key, value, effect) = (t.get("key").text(), t.get("value").text(), t.get("effect").text());
    let whole = if value.is_empty() { format!("{key}:{effect}") } else { format!("{key}={value}:{effect}") };
    let off = Fix::Kubectl(format!("taint nodes {} {key}:{effect}-", node.name()).into());
    finding
        .arg("taints", whole)
        .yaml(&format!("{spec}.tolerations"), &format!("[{{key: {key}, operator: Exists, effect: {effect}}}]"))
        .fix(off)
}

/// The pod waits for a back-off, no longer.
fn tries_again(sight: &Sight<'_>, pod: &Object) -> bool {
    let key = pod.key().joined();
    sight.world.loops_named("scheduler").any(|of| sight.world.the_loop(of).queue.waits().any(|(k, ms)| *k == key && ms < BACK_OFF_MAX_MS))
}

/// A rollout has old pods left and new ones on their way to Ready: each that gets there lets an old one go.
fn a_rollout_makes_room(sight: &Sight<'_>, pod: &Object) -> bool {
    let of = source(sight, pod);
    if of.kind() != "Deployment" {
        return false;
    }
    let own = || sight.pods().filter(|p| source(sight, p).uid() == of.uid());
    let old = own().any(|p| p.controller_uid() != pod.controller_uid());
    let coming = |p: &Object| node_of(p).is_some() && !p.condition_is_true("Ready") && p.controller_uid() == pod.controller_uid();
    old && own().any(|p| coming(p) && !waits_for_long(p))
}

fn waits_for_long(pod: &Object) -> bool {
    let reasons = pod.status().get("containerStatuses").items().iter().map(|c| c.at(&["state", "waiting", "reason"]).text());
    reasons.into_iter().any(|r| r.ends_with("BackOff") || r.starts_with("Err") || r.ends_with("Error"))
}

fn requests(pod: &Object) -> Str {
    let all = pod.spec().get("containers").items().iter().flat_map(|c| c.at(&["resources", "requests"]).entries());
    let parts: Vec<String> = all.map(|(k, v)| format!("{k} {}", v.text())).collect();
    if parts.is_empty() { Str::fixed("—") } else { parts.join(", ").into() }
}

fn wants(pod: &Object) -> Str {
    let labels: Vec<String> = pod.spec().get("nodeSelector").entries().iter().map(|(k, v)| format!("{k}={}", v.text())).collect();
    let required = pod.spec().at(&["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"]);
    let terms = required.get("nodeSelectorTerms").items().iter().flat_map(|t| t.get("matchExpressions").items());
    let said = terms.map(|e| {
        let values: Vec<&str> = e.get("values").items().iter().map(|v| v.text()).collect();
        format!("{} {} [{}]", e.get("key").text(), e.get("operator").text(), values.join(" "))
    });
    labels.into_iter().chain(said).collect::<Vec<_>>().join(", ").into()
}

fn named(sight: &Sight<'_>, which: impl Fn(&Object) -> bool) -> String {
    let all: Vec<&str> = sight.list(&NODES).filter(|n| which(n)).map(|n| n.name()).collect();
    all.join(", ")
}

fn first_node(sight: &Sight<'_>) -> String {
    sight.list(&NODES).next().map_or_else(String::new, |n| n.name().to_string())
}
