//! Which fields a way of writing cannot change, so that it owns none of them (the `GetResetFields` of
//! `pkg/registry/*/*/strategy.go` and of custom resources).

/// Paths of fields, each with all below it.
pub type Paths = &'static [&'static [&'static str]];

/// The fields that a write to `kind` by `subresource` ("" for the object itself) leaves as they are.
pub fn fields(kind: &str, is_custom: bool, subresource: &str) -> Paths {
    match (subresource, kind) {
        ("", _) => &[&["status"]],
        ("status", _) if is_custom => &[&["apiVersion"], &["kind"], &["metadata"], &["spec"]],
        ("status", "Pod") => &[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]],
        ("status", "Deployment") => &[&["spec"], &["metadata", "labels"]],
        ("status", "CustomResourceDefinition") => &[&["spec"], &["metadata"]],
        ("status", _) => &[&["spec"]],
        _ => &[],
    }
}
