//! Objects that were deleted and stay.

use super::{Cause, said};
use crate::api::resource::{EVENTS, PODS};
use crate::api::{Object, Resource, Str};
use crate::diagnosis::sight::{Sight, slashed};
use crate::diagnosis::{Finding, Owes};

pub static CAUSES: &[Cause] = &[Cause {
    code: "finalizer-blocks",
    headline: said("finalizer가 삭제를 막는다", "A finalizer holds the deletion"),
    cause: said(
        "{kind} {name}에 삭제 표시가 되어 있지만 finalizer {finalizer}가 남아 있다. 그것을 뗄 컨트롤러가 이 클러스터에 없다.",
        "{kind} {name} is marked for deletion but still carries the finalizer {finalizer}, and no controller in this cluster takes it off.",
    ),
    fix: said(
        "그 finalizer의 컨트롤러를 살린다. 정리할 것이 없음을 확인했다면 손으로 뗀다.",
        "Bring back the controller that owns it. If you are sure that nothing is left to clean up, take it off by hand.",
    ),
}];

pub static WAITING: &[Cause] = &[
    Cause {
        code: "owner-waits-for-dependents",
        headline: said("딸린 객체가 남아 소유자가 사라지지 않는다", "The owner waits for its dependents to go"),
        cause: said(
            "{kind} {name}은 foreground로 지워지는 중이라 딸린 {dependent}부터 사라져야 한다. 그것이 남아 있다.",
            "{kind} {name} is deleted in the foreground, so {dependent} has to go first, and it is still there.",
        ),
        fix: said("남은 객체가 왜 사라지지 않는지부터 푼다.", "Find out first why the dependent does not go."),
    },
    Cause {
        code: "namespace-waits-for-content",
        headline: said("네임스페이스가 비지 않아 Terminating이다", "The namespace stays Terminating: it is not empty"),
        cause: said("{kind} {name} 안에 {left}이(가) 남아 있다.", "{kind} {name} still holds {left}."),
        fix: said("남은 객체의 finalizer부터 푼다.", "Release what is left inside first."),
    },
];

/// Finalizers that loops of the cluster itself take off.
const OWN: [&str; 3] = ["foregroundDeletion", "orphan", "kubernetes"];
/// The end of a pod shows this long after its grace.
const AFTER_GRACE_MS: u64 = 3_000;

pub fn look(sight: &Sight<'_>, _: &[Finding]) -> Vec<Finding> {
    all(sight).filter_map(|(_, o)| held(sight, o)).collect()
}

fn all<'a>(sight: &Sight<'a>) -> impl Iterator<Item = (&'a Resource, &'a Object)> + use<'a> {
    let etcd = sight.world.etcd();
    etcd.resources().filter(|r| **r != EVENTS).flat_map(|r| etcd.list(r, "").filter(|o| o.is_deleting()).map(move |o| (r, o)))
}

/// A finalizer of somebody else's, once nothing but it holds the object.
fn held(sight: &Sight<'_>, object: &Object) -> Option<Finding> {
    let finalizers = object.meta().get("finalizers").items();
    let foreign = finalizers.iter().map(|f| f.text()).find(|f| !OWN.contains(f))?;
    if object.kind() == "Pod" && !past_grace(sight, object) {
        return None;
    }
    let finding = Finding::about("finalizer-blocks", crate::diagnosis::Subject::of(object), Owes::Outside(foreign.into()));
    let finding = finding.arg("finalizer", foreign).proved(&format!("get {} -o yaml", slashed(object)), &[&format!("- {foreign}")]);
    let patch = format!("patch {} --type=merge -p '{{\"metadata\":{{\"finalizers\":null}}}}'", slashed(object));
    Some(finding.command(&patch))
}

pub fn past_grace(sight: &Sight<'_>, object: &Object) -> bool {
    sight.since_ms(object.meta().get("deletionTimestamp")) > AFTER_GRACE_MS
}

/// Owners and namespaces that cannot go before others do; told when those others do not go.
pub fn look_for_waiting(sight: &Sight<'_>, before: &[Finding]) -> Vec<Finding> {
    let stays = |o: &Object| before.iter().any(|f| f.object.uid == *o.uid());
    let mut found = Vec::new();
    for (_, owner) in all(sight).filter(|(r, _)| **r != PODS) {
        if owner.kind() == "Namespace" {
            let left = all(sight).map(|(_, o)| o).find(|o| o.namespace() == owner.name() && stays(o));
            if let Some(left) = left {
                let finding = Finding::new("namespace-waits-for-content", owner, Owes::Loop("namespace".into()));
                let finding = finding.arg("left", Str::from(slashed(left)));
                found.push(finding.proved(&format!("describe namespace {}", owner.name()), &["NamespaceFinalizersRemaining"]));
            }
            continue;
        }
        let foreground = owner.meta().get("finalizers").items().iter().any(|f| f.text() == "foregroundDeletion");
        if !foreground {
            continue;
        }
        let blocks = |o: &Object| o.owners().iter().any(|r| r.get("uid").text() == owner.uid() && r.get("blockOwnerDeletion").is_true());
        if let Some(dependent) = all(sight).map(|(_, o)| o).find(|o| blocks(o) && (stays(o) || found_before(&found, o))) {
            let finding = Finding::new("owner-waits-for-dependents", owner, Owes::Loop("garbage-collector".into()));
            let finding = finding.arg("dependent", Str::from(slashed(dependent)));
            found.push(finding.proved(&format!("get {} -o yaml", slashed(owner)), &["- foregroundDeletion"]));
        }
    }
    found
}

fn found_before(found: &[Finding], object: &Object) -> bool {
    found.iter().any(|f| f.object.uid == *object.uid())
}
