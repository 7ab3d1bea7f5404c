//! Which kinds of objects there are: Kubernetes' own from a generated table, custom ones added as their
//! definitions come. How a name given to kubectl is resolved follows client-go's `restmapper` (`discovery.go`,
//! `shortcut.go`) and apimachinery's `meta/restmapper.go`; left out are aggregated API servers that don't answer.

mod names;

use super::{Resource, Str};
use std::collections::BTreeMap;
use std::rc::Rc;

/// One kind of object, as discovery tells of it. Cloning copies no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindInfo {
    /// `deployments.apps`
    pub resource: Resource,
    /// `Deployment`
    pub kind: Str,
    /// `deployment`
    pub singular: Str,
    pub short_names: Rc<[Str]>,
    /// The preferred version: `v1`.
    pub version: Str,
    /// All served versions, the preferred one first.
    pub versions: Rc<[Str]>,
    pub namespaced: bool,
    /// `status`, `scale`, `log`, …
    pub subresources: Rc<[Str]>,
    /// `all`, `api-extensions`, …
    pub categories: Rc<[Str]>,
    /// `create`, `delete`, …
    pub verbs: Rc<[Str]>,
}

impl KindInfo {
    pub fn plural(&self) -> &str {
        self.resource.plural()
    }

    /// "" for the core group.
    pub fn group(&self) -> &str {
        self.resource.group()
    }

    /// `apps/v1`, `v1`: what `apiVersion` says in the preferred version.
    pub fn api_version(&self) -> Str {
        if self.group().is_empty() { self.version.clone() } else { join(self.group(), &self.version) }
    }

    /// `Deployment.apps`, `Pod`: how messages name the kind with its group.
    pub fn group_kind(&self) -> Str {
        if self.group().is_empty() { self.kind.clone() } else { Str::from(format!("{}.{}", self.kind, self.group())) }
    }

    pub fn has_status(&self) -> bool {
        has(&self.subresources, "status")
    }

    pub fn has_scale(&self) -> bool {
        has(&self.subresources, "scale")
    }

    /// Whether the kind belongs to a category such as `all`.
    pub fn is_in(&self, category: &str) -> bool {
        has(&self.categories, category)
    }

    /// Whether the resource knows a verb: `list`, `delete`, …
    pub fn can(&self, verb: &str) -> bool {
        has(&self.verbs, verb)
    }

    pub fn serves(&self, version: &str) -> bool {
        has(&self.versions, version)
    }
}

fn join(group: &str, version: &str) -> Str {
    Str::from(format!("{group}/{version}"))
}

fn has(list: &[Str], what: &str) -> bool {
    list.iter().any(|s| s == what)
}

/// `apps` and `v1` of `apps/v1`; "" and `v1` of `v1`.
pub fn group_and_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// The eight verbs that nearly every resource knows.
pub const USUAL_VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// Kinds in the order in which kubectl discovers them. Cloning shares them all.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    all: Rc<Vec<KindInfo>>,
    places: Rc<BTreeMap<Resource, usize>>,
}

impl Kinds {
    /// Kubernetes' own kinds.
    pub fn built_in() -> Kinds {
        BUILT_IN.with(|k| (*k).clone())
    }

    pub fn iter(&self) -> std::slice::Iter<'_, KindInfo> {
        self.all.iter()
    }

    pub fn by_resource(&self, resource: &Resource) -> Option<&KindInfo> {
        self.places.get(resource).map(|&i| &self.all[i])
    }

    /// The kind that serves this version.
    pub fn by_kind(&self, group: &str, version: &str, kind: &str) -> Option<&KindInfo> {
        self.iter().find(|k| k.kind == kind && k.group() == group && k.serves(version))
    }

    /// What `apiVersion` and `kind` of an object name.
    pub fn by_type(&self, api_version: &str, kind: &str) -> Option<&KindInfo> {
        let (group, version) = group_and_version(api_version);
        // Discovery knows each kind in lower case, too.
        let lower = |k: &&KindInfo| k.group() == group && k.versions.iter().any(|v| *v == version) && k.kind.to_ascii_lowercase() == kind;
        self.by_kind(group, version, kind).or_else(|| self.iter().find(lower))
    }

    /// What kubectl makes of `deploy`, `deployment`, `Deployment`, `deployments.apps`, `deployments.v1.apps`.
    pub fn by_name(&self, name: &str) -> Option<&KindInfo> {
        self.by_name_and_version(name).map(|(kind, _)| kind)
    }

    /// As `by_name`, with the version that was asked for, or the preferred one.
    pub fn by_name_and_version(&self, name: &str) -> Option<(&KindInfo, Str)> {
        names::resolve(self, name)
    }

    /// The kinds of a category (`kubectl get all`), in order; none if there is no such category.
    pub fn in_category<'a>(&'a self, category: &'a str) -> impl Iterator<Item = &'a KindInfo> {
        self.iter().filter(move |k| k.is_in(category))
    }

    /// Adds a kind at the end, or replaces the one of the same resource.
    pub fn add(&mut self, kind: KindInfo) {
        let all = Rc::make_mut(&mut self.all);
        match self.places.get(&kind.resource) {
            Some(&i) => all[i] = kind,
            None => {
                Rc::make_mut(&mut self.places).insert(kind.resource.clone(), all.len());
                all.push(kind);
            }
        }
    }

    pub fn remove(&mut self, resource: &Resource) -> Option<KindInfo> {
        let i = *self.places.get(resource)?;
        let removed = Rc::make_mut(&mut self.all).remove(i);
        self.places = Rc::new(places(&self.all));
        Some(removed)
    }
}

impl FromIterator<KindInfo> for Kinds {
    fn from_iter<I: IntoIterator<Item = KindInfo>>(kinds: I) -> Kinds {
        let mut all = Kinds::default();
        kinds.into_iter().for_each(|k| all.add(k));
        all
    }
}

fn places(all: &[KindInfo]) -> BTreeMap<Resource, usize> {
    all.iter().enumerate().map(|(i, k)| (k.resource.clone(), i)).collect()
}

thread_local! {
    /// Read once per thread and kept for ever, so that a kind can be lent without a lifetime.
    static BUILT_IN: &'static Kinds = Box::leak(Box::new(include_str!("kinds.tsv").lines().filter_map(row).collect()));
}

/// A line of the generated table (`xtask/src/schema.rs` says what its columns are).
fn row(line: &'static str) -> Option<KindInfo> {
    let columns: Vec<&'static str> = line.split('\t').collect();
    let &[plural, group, versions, kind, singular, short, scope, verbs, subresources, categories] = &columns[..] else {
        return None;
    };
    let resource = if group.is_empty() { Str::fixed(plural) } else { Str::from(format!("{plural}.{group}")) };
    let versions = list(versions);
    Some(KindInfo {
        resource: Resource::named(resource),
        kind: Str::fixed(kind),
        singular: Str::fixed(singular),
        short_names: list(short),
        version: versions.first()?.clone(),
        versions,
        namespaced: scope == "Namespaced",
        subresources: list(subresources),
        categories: list(categories),
        verbs: if verbs == "*" { USUAL_VERBS.map(Str::fixed).into() } else { list(verbs) },
    })
}

fn list(text: &'static str) -> Rc<[Str]> {
    text.split(',').filter(|s| !s.is_empty()).map(Str::fixed).collect()
}

fn built_in() -> &'static Kinds {
    BUILT_IN.with(|k| *k)
}

/// All of Kubernetes' own kinds, in discovery order.
pub fn iter() -> std::slice::Iter<'static, KindInfo> {
    built_in().iter()
}

/// Among Kubernetes' own kinds; see `Kinds::by_resource`.
pub fn by_resource(resource: &Resource) -> Option<&'static KindInfo> {
    built_in().by_resource(resource)
}

/// Among Kubernetes' own kinds; see `Kinds::by_kind`.
pub fn by_kind(group: &str, version: &str, kind: &str) -> Option<&'static KindInfo> {
    built_in().by_kind(group, version, kind)
}

/// Among Kubernetes' own kinds; see `Kinds::by_name`.
pub fn by_name(name: &str) -> Option<&'static KindInfo> {
    built_in().by_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::resource;

    #[test]
    fn the_table_tells_what_discovery_told() {
        let hpa = by_name("hpa").unwrap();
        assert_eq!((hpa.api_version().as_str(), &hpa.versions[..]), ("autoscaling/v2", &["v2".into(), "v1".into()][..]));
        let pods = by_resource(&resource::PODS).unwrap();
        assert!(pods.namespaced && pods.has_status() && !pods.has_scale() && pods.can("watch"));
        let deployments = by_resource(&resource::DEPLOYMENTS).unwrap();
        assert!(deployments.has_scale() && deployments.is_in("all"));
        assert_eq!(deployments.group_kind(), "Deployment.apps");
        let nodes = by_kind("", "v1", "Node").unwrap();
        assert!(!nodes.namespaced);
        assert!(by_kind("apps", "v1beta1", "Deployment").is_none());
        assert_eq!(iter().next().unwrap().plural(), "bindings");
        assert!(iter().count() > 60);
    }

    #[test]
    fn the_category_all_has_the_kinds_that_get_all_shows() {
        let kinds = Kinds::built_in();
        let all: Vec<&str> = kinds.in_category("all").map(KindInfo::plural).collect();
        let expected = "pods replicationcontrollers services daemonsets deployments replicasets statefulsets \
                        horizontalpodautoscalers cronjobs jobs";
        assert_eq!(all.join(" "), expected);
    }

    #[test]
    fn a_custom_kind_is_found_while_it_is_there() {
        let mut kinds = Kinds::built_in();
        let custom = KindInfo {
            resource: Resource::fixed("greenhouses.gardens.example.com"),
            kind: "Greenhouse".into(),
            singular: "greenhouse".into(),
            short_names: Rc::new(["gh".into()]),
            ..by_resource(&resource::PODS).unwrap().clone()
        };
        kinds.add(custom.clone());
        for name in
            ["gh", "greenhouse", "greenhouses", "Greenhouse", "greenhouses.gardens.example.com", "greenhouses.gardens", "gh.gardens"]
        {
            assert_eq!(kinds.by_name(name), Some(&custom), "{name}");
        }
        assert!(by_name("gh").is_none(), "other lists don't change");
        assert_eq!(kinds.remove(&custom.resource), Some(custom));
        assert!(kinds.by_name("gh").is_none());
        assert!(kinds.by_resource(&resource::PODS).is_some());
    }
}
