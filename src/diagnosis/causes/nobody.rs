//! Objects whose loop upstream has and this program lacks.

use super::{Cause, said};
use crate::diagnosis::sight::{Sight, slashed};
use crate::diagnosis::{Finding, Owes};

pub static CAUSES: &[Cause] = &[Cause {
    code: "no-controller",
    headline: said("{kind}를 맡은 루프가 여기에는 없다", "No {kind} loop is modelled here"),
    cause: said(
        "{kind} {name}은 저장되었지만 그 목표를 맞출 루프가 이 시뮬레이터에 없다. 진짜 클러스터에서는 kube-controller-manager의 {loop}가 한다.",
        "{kind} {name} is stored, but this simulator has no loop that would work towards its goal. In a real cluster, {loop} in kube-controller-manager does.",
    ),
    fix: said(
        "여기서는 Deployment처럼 루프가 있는 kind로 해 보거나, 진짜 클러스터에서 해 본다.",
        "Try it here with a kind that has its loop, such as a Deployment, or in a real cluster.",
    ),
}];

pub fn look(sight: &Sight<'_>, _: &[Finding]) -> Vec<Finding> {
    let tell = |u: crate::cluster::Unserved<'_>| {
        let finding = Finding::new("no-controller", u.object, Owes::Outside(u.upstream.into())).arg("loop", u.upstream);
        finding.proved(&format!("get {}", slashed(u.object)), &[u.object.name()])
    };
    sight.world.unserved().map(tell).collect()
}
