//! What a namespace says while it goes.

use super::content::Left;
use crate::api::{Object, Value};
use crate::util::Time;
use crate::value;

/// The namespace's status with the conditions of its deletion.
pub(super) fn update(namespace: &Object, left: &Left, now: Time) -> Value {
    let mut status = namespace.status().clone();
    status.set("phase", "Terminating");
    let content = match &left.failed {
        Some(e) => ("True", "ContentDeletionFailed", format!("Failed to delete all resource types, 1 remaining: {}", e.message)),
        None => ("False", "ContentDeleted", "All content successfully deleted, may be waiting on finalization".to_string()),
    };
    let remaining = if left.kinds.is_empty() {
        ("False", "ContentRemoved", "All content successfully removed".to_string())
    } else {
        let each = left.kinds.iter().map(|(r, n)| format!("{}.{} has {n} resource instances", r.plural(), r.group()));
        ("True", "SomeResourcesRemain", format!("Some resources are remaining: {}", each.collect::<Vec<_>>().join(", ")))
    };
    let finalizers = if left.finalizers.is_empty() {
        ("False", "ContentHasNoFinalizers", "All content-preserving finalizers finished".to_string())
    } else {
        let each = left.finalizers.iter().map(|(f, n)| format!("{f} in {n} resource instances"));
        let text = format!("Some content in the namespace has finalizers remaining: {}", each.collect::<Vec<_>>().join(", "));
        ("True", "SomeFinalizersRemain", text)
    };
    let all = [
        ("NamespaceDeletionDiscoveryFailure", ("False", "ResourcesDiscovered", "All resources successfully discovered".to_string())),
        (
            "NamespaceDeletionGroupVersionParsingFailure",
            ("False", "ParsedGroupVersions", "All legacy kube types successfully parsed".to_string()),
        ),
        ("NamespaceDeletionContentFailure", content),
        ("NamespaceContentRemaining", remaining),
        ("NamespaceFinalizersRemaining", finalizers),
    ];
    for (kind, (state, reason, message)) in all {
        let new = value!({"type": kind, "status": state, "reason": reason, "message": message, "lastTransitionTime": (now.rfc3339())});
        put(status.entry_at(&["conditions"]).list_mut(), new);
    }
    status
}

fn put(list: &mut Vec<Value>, new: Value) {
    let same = |a: &Value, field: &str| a.get(field) == new.get(field);
    match list.iter_mut().find(|c| same(c, "type")) {
        None => list.push(new),
        Some(old) if ["status", "reason", "message"].iter().all(|f| same(old, f)) => {}
        Some(old) => *old = new,
    }
}
