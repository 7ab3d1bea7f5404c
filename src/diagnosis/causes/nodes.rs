//! Nodes that are silent or not ready, and pods that cannot end there.

use super::deletion::past_grace;
use super::{Cause, said};
use crate::api::Object;
use crate::api::resource::{NODES, PODS};
use crate::diagnosis::sight::{Sight, is_over, node_of};
use crate::diagnosis::{Finding, Fix, Owes};

pub static CAUSES: &[Cause] = &[
    Cause {
        code: "node-unreachable",
        headline: said("노드 {node}의 소식이 끊겼다", "Node {node} is silent"),
        cause: said(
            "kubelet이 status를 보내지 않아 노드 {node}가 Unknown이다. 그 위의 Pod {pods}개가 살아 있는지 아무도 모른다.",
            "The kubelet has stopped posting, so node {node} is Unknown. Nobody knows whether its {pods} Pods are alive.",
        ),
        fix: said(
            "노드나 kubelet을 살린다. 그러지 않으면 taint의 tolerationSeconds가 지난 뒤에야 Pod가 다른 노드에 다시 만들어진다.",
            "Bring the node or its kubelet back. Otherwise its Pods are replaced elsewhere only after the taint's tolerationSeconds.",
        ),
    },
    Cause {
        code: "node-not-ready",
        headline: said("노드 {node}가 NotReady다", "Node {node} is NotReady"),
        cause: said(
            "kubelet은 살아 있지만 노드 {node}가 준비되지 않았다고 스스로 말한다.",
            "The kubelet is alive and says itself that node {node} is not ready.",
        ),
        fix: said("노드의 conditions가 말하는 원인을 푼다.", "Mend what the node's conditions name."),
    },
    Cause {
        code: "pod-held-by-lost-node",
        headline: said("죽은 노드의 Pod가 Terminating에 머문다", "A Pod stays Terminating on a lost node"),
        cause: said(
            "{kind} {name}에 삭제 표시가 되어 있지만 끝났다고 말해 줄 노드 {node}의 kubelet이 없다.",
            "{kind} {name} is marked for deletion, but the kubelet of node {node}, which would say that it ended, is gone.",
        ),
        fix: said(
            "노드를 살린다. 정말 죽은 것이 확실하면 Node를 지우거나 Pod를 강제로 지운다.",
            "Bring the node back. If it is surely dead, delete the Node, or force the Pod's deletion.",
        ),
    },
];

/// A node that has just joined is not ready for a while.
const JOINING_MS: u64 = 60_000;

pub fn look(sight: &Sight<'_>, _: &[Finding]) -> Vec<Finding> {
    let mut found = Vec::new();
    for node in sight.list(&NODES).filter(|n| !n.is_deleting()) {
        let here = || sight.list(&PODS).filter(|p| node_of(p) == Some(node.name()) && !is_over(p));
        match node.condition("Ready").map_or("", |c| c.get("status").text()) {
            "Unknown" => {
                let held = here().filter(|p| p.is_deleting() && past_grace(sight, p));
                found.push(silent(node, here().count()));
                found.extend(held.map(|p| held_by(p, node.name())));
            }
            "False" if sight.condition_ms(node, "Ready") > JOINING_MS => {
                let finding = Finding::new("node-not-ready", node, Owes::Loop("kubelet".into())).arg("node", node.name());
                found.push(finding.proved(&format!("describe node {}", node.name()), &["Ready", "False"]));
            }
            _ => {}
        }
    }
    found
}

fn silent(node: &Object, pods: usize) -> Finding {
    let finding = Finding::new("node-unreachable", node, Owes::Loop("kubelet".into()));
    let finding = finding.arg("node", node.name()).arg("pods", pods.to_string());
    let finding = finding.proved(&format!("describe node {}", node.name()), &["Ready", "Unknown", "Kubelet stopped posting node status."]);
    finding.fix(Fix::StartProcess(["kubelet:", node.name()].concat().into()))
}

fn held_by(pod: &Object, node: &str) -> Finding {
    let finding = Finding::new("pod-held-by-lost-node", pod, Owes::Loop("kubelet".into())).arg("node", node);
    let finding = finding.proved(&format!("get pod {}", pod.name()), &[pod.name(), "Terminating"]);
    finding.command(&format!("delete pod {} --grace-period=0 --force", pod.name()))
}
