//! Kinds by the words of the command line and of manifests: Kubernetes' own, then those that
//! CustomResourceDefinitions add (asked for only when a word is none of the built-in ones).

use super::fault::Fault;
use crate::api::scheme::{USUAL_VERBS, group_and_version};
use crate::api::{KindInfo, Kinds, Object, Request, Resource, Str, Value, resource};
use crate::client::Transport;
use std::rc::Rc;

/// The kind that `word` names: `po`, `deployment`, `deployments.apps`, a custom kind.
///
/// # Errors
/// There is no such kind, or the server refuses to say which there are.
pub fn by_word(api: &mut dyn Transport, word: &str) -> Result<KindInfo, Fault> {
    if let Some((kind, version)) = Kinds::built_in().by_name_and_version(word) {
        return Ok(KindInfo { version, ..kind.clone() });
    }
    let (kinds, _) = with_custom(api)?;
    let found = kinds.by_name_and_version(word).map(|(kind, version)| KindInfo { version, ..kind.clone() });
    found.ok_or_else(|| Fault::text(format!("the server doesn't have a resource type \"{word}\"")))
}

/// The kind of a manifest, with the version it names; `None` if the server does not know it.
///
/// # Errors
/// The server refuses to say which custom kinds there are.
pub fn of_object(api: &mut dyn Transport, api_version: &str, kind: &str) -> Result<Option<KindInfo>, Fault> {
    let version = Str::from(group_and_version(api_version).1);
    if let Some(found) = Kinds::built_in().by_type(api_version, kind) {
        return Ok(Some(KindInfo { version, ..found.clone() }));
    }
    let (kinds, _) = with_custom(api)?;
    Ok(kinds.by_type(api_version, kind).map(|k| KindInfo { version, ..k.clone() }))
}

/// All kinds, and the definitions of the custom ones.
///
/// # Errors
/// The server refuses to list the definitions.
pub fn with_custom(api: &mut dyn Transport) -> Result<(Kinds, Vec<Object>), Fault> {
    let definitions = api.send(Request::list(&resource::CUSTOM_RESOURCE_DEFINITIONS, ""))?.items();
    let mut kinds = Kinds::built_in();
    definitions.iter().filter(|d| d.condition_is_true("Established")).filter_map(custom).for_each(|k| kinds.add(k));
    Ok((kinds, definitions))
}

/// Whether Kubernetes itself defines the kind.
pub fn is_built_in(kind: &KindInfo) -> bool {
    Kinds::built_in().by_resource(&kind.resource).is_some()
}

/// The kind that a definition adds; `None` if it serves no version.
fn custom(definition: &Object) -> Option<KindInfo> {
    let spec = definition.spec();
    let names = spec.get("names");
    let served: Vec<&Value> = spec.get("versions").items().iter().filter(|v| v.get("served").is_true()).collect();
    let versions: Rc<[Str]> = served.iter().map(|v| v.get("name").to_str()).collect();
    let words = |key: &str| -> Rc<[Str]> { names.get(key).items().iter().map(Value::to_str).collect() };
    let first = served.first()?;
    let mut subresources = Vec::new();
    for name in ["status", "scale"] {
        if !first.at(&["subresources", name]).is_null() {
            subresources.push(Str::fixed(name));
        }
    }
    let kind = names.get("kind").to_str();
    let singular = names.get("singular").to_str();
    Some(KindInfo {
        resource: Resource::named(format!("{}.{}", names.get("plural").text(), spec.get("group").text())),
        singular: if singular.is_empty() { Str::from(kind.to_ascii_lowercase()) } else { singular },
        kind,
        short_names: words("shortNames"),
        version: versions[0].clone(),
        versions,
        namespaced: spec.get("scope").text() == "Namespaced",
        subresources: subresources.into(),
        categories: words("categories"),
        verbs: USUAL_VERBS.map(Str::fixed).into(),
    })
}

/// `apps/v1, Resource=deployments`: a resource as Go writes it.
pub fn long_resource(kind: &KindInfo) -> String {
    format!("{}/{}, Resource={}", kind.group(), kind.version, kind.plural())
}

/// `apps/v1, Kind=Deployment`
pub fn long_kind(kind: &KindInfo) -> String {
    format!("{}/{}, Kind={}", kind.group(), kind.version, kind.kind)
}

/// `deployment.apps/web`: how kubectl names an object that it changed.
pub fn named(kind: &KindInfo, name: &str) -> String {
    format!("{}/{name}", kind.group_kind().to_ascii_lowercase())
}
