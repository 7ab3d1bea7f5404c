//! How kubectl finds the kind that a word on its command line means.

use super::{KindInfo, Kinds};
use crate::api::Str;

/// A word is tried as plural, singular or short name with an optional group or a group's beginning
/// (`deploy`, `deployments.apps`, `events.ev`), as one with version and group (`deployments.v1.apps`), then as a kind.
pub fn resolve<'a>(kinds: &'a Kinds, word: &str) -> Option<(&'a KindInfo, Str)> {
    let parts: Vec<&str> = word.splitn(3, '.').collect();
    if let [name, version, group] = parts[..]
        && let Some(found) = versioned(resource_matches(kinds, name, group), version)
    {
        return Some(found);
    }
    let (name, group) = word.split_once('.').unwrap_or((word, ""));
    if let Some(kind) = resource_matches(kinds, name, group).next() {
        return Some((kind, kind.version.clone()));
    }
    if let [name, version, group] = parts[..]
        && let Some(found) = versioned(kinds.iter().filter(|k| k.kind == name && k.group() == group), version)
    {
        return Some(found);
    }
    let kind = kinds.iter().find(|k| k.kind == name && (group.is_empty() || k.group() == group))?;
    Some((kind, kind.version.clone()))
}

fn versioned<'a>(mut matches: impl Iterator<Item = &'a KindInfo>, version: &str) -> Option<(&'a KindInfo, Str)> {
    matches.find(|k| k.serves(version)).map(|k| (k, Str::from(version)))
}

/// The resources of this name in the group, or else in groups that begin so. A short name counts where no
/// plural or singular is the same word.
fn resource_matches<'a>(kinds: &'a Kinds, name: &str, group: &str) -> impl Iterator<Item = &'a KindInfo> {
    let lower = name.to_ascii_lowercase();
    let exact_group = |k: &KindInfo| group.is_empty() || k.group() == group;
    let full = |k: &KindInfo| k.plural() == lower || k.singular == *lower;
    let short = |k: &KindInfo| k.short_names.iter().any(|s| *s == *name);
    let prefix = |k: &KindInfo| k.group().starts_with(group);
    let tries: [&dyn Fn(&KindInfo) -> bool; 4] =
        [&|k| full(k) && exact_group(k), &|k| short(k) && exact_group(k), &|k| full(k) && prefix(k), &|k| short(k) && prefix(k)];
    let found = tries.iter().map(|test| kinds.iter().filter(|k| test(k)).collect::<Vec<_>>()).find(|f| !f.is_empty());
    found.unwrap_or_default().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_what_they_mean_to_kubectl() {
        let kinds = Kinds::built_in();
        for (word, resource, version) in [
            ("deploy", "deployments.apps", "v1"),
            ("deployment", "deployments.apps", "v1"),
            ("deployments", "deployments.apps", "v1"),
            ("Deployment", "deployments.apps", "v1"),
            ("DEPLOYMENTS", "deployments.apps", "v1"),
            ("deployments.apps", "deployments.apps", "v1"),
            ("deployments.ap", "deployments.apps", "v1"),
            ("deployment.v1.apps", "deployments.apps", "v1"),
            ("Deployment.v1.apps", "deployments.apps", "v1"),
            ("deploy.apps", "deployments.apps", "v1"),
            ("po", "pods", "v1"),
            ("ev", "events", "v1"),
            ("events.events.k8s.io", "events.events.k8s.io", "v1"),
            ("events.v1.", "events", "v1"),
            ("hpa", "horizontalpodautoscalers.autoscaling", "v2"),
            ("horizontalpodautoscalers.v1.autoscaling", "horizontalpodautoscalers.autoscaling", "v1"),
            ("netpol", "networkpolicies.networking.k8s.io", "v1"),
            ("crds", "customresourcedefinitions.apiextensions.k8s.io", "v1"),
            ("endpoints", "endpoints", "v1"),
        ] {
            let found = resolve(&kinds, word).map(|(k, v)| (k.resource.0.to_string(), v.to_string()));
            assert_eq!(found, Some((resource.to_string(), version.to_string())), "{word}");
        }
        for word in ["deployments.v2.apps", "PO", "pod.apps", "", "deployementss", "all", "."] {
            assert!(resolve(&kinds, word).is_none(), "{word}");
        }
    }
}
