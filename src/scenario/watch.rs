//! The watch stream of a run in the format of recordings: one line a watch event.

use crate::api::resource::NODES;
use crate::api::{Object, Resource, Value};
use crate::apiserver::Change;
use crate::cluster::Cluster;
use crate::util::Tree;
use crate::value;

/// What is watched, as paths of the API.
const WATCHED: [&str; 27] = [
    "api/v1/pods",
    "api/v1/nodes",
    "api/v1/namespaces",
    "api/v1/services",
    "api/v1/configmaps",
    "api/v1/secrets",
    "api/v1/events",
    "api/v1/persistentvolumeclaims",
    "api/v1/persistentvolumes",
    "api/v1/resourcequotas",
    "api/v1/limitranges",
    "api/v1/serviceaccounts",
    "apis/apps/v1/deployments",
    "apis/apps/v1/replicasets",
    "apis/apps/v1/statefulsets",
    "apis/apps/v1/daemonsets",
    "apis/apps/v1/controllerrevisions",
    "apis/batch/v1/jobs",
    "apis/batch/v1/cronjobs",
    "apis/autoscaling/v2/horizontalpodautoscalers",
    "apis/discovery.k8s.io/v1/endpointslices",
    "apis/policy/v1/poddisruptionbudgets",
    "apis/scheduling.k8s.io/v1/priorityclasses",
    "apis/networking.k8s.io/v1/ingresses",
    "apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    "apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
];

/// `apis/apps/v1/deployments` → `deployments.apps`
fn resource_of(path: &str) -> Resource {
    let parts: Vec<&str> = path.split('/').collect();
    match parts[..] {
        ["api", _, plural] => Resource::named(plural),
        ["apis", group, _, plural] => Resource::named(format!("{plural}.{group}")),
        _ => unreachable!("the paths above have these forms"),
    }
}

/// The lines of `watch.jsonl`, from the world's epoch on.
pub fn lines(world: &Cluster) -> Vec<Value> {
    let mut paths: Tree<Resource, &str> = Tree::new();
    for path in WATCHED {
        paths.insert_mut(resource_of(path), path);
    }
    let epoch = world.epoch();
    let mut out = Vec::new();
    for path in WATCHED {
        for object in initial(world, &resource_of(path)) {
            out.push(line(0, path, "INITIAL", &object));
        }
    }
    let later =
        world.etcd().since(world.etcd().compacted()).into_iter().flatten().filter(|c| c.at >= epoch && c.revision > first_revision(world));
    for commit in later {
        let Some(path) = paths.get(&commit.resource) else { continue };
        if commit.resource == NODES && commit.change == Change::Modified && only_heartbeat(commit.previous.as_ref(), &commit.object) {
            continue;
        }
        let kind = match commit.change {
            Change::Added => "ADDED",
            Change::Modified => "MODIFIED",
            Change::Deleted => "DELETED",
        };
        out.push(line(commit.at.since_ms(epoch) as i64, path, kind, &commit.object));
    }
    out
}

/// The newest revision written before the epoch.
fn first_revision(world: &Cluster) -> u64 {
    let before = |c: &&std::rc::Rc<crate::apiserver::Commit>| c.at < world.epoch();
    world.etcd().since(world.etcd().compacted()).into_iter().flatten().take_while(before).map(|c| c.revision).last().unwrap_or(0)
}

/// The objects of a kind as they were at the epoch, in the namespace `default` or in none.
fn initial(world: &Cluster, resource: &Resource) -> Vec<Object> {
    let upto = first_revision(world);
    let mut there: Tree<crate::api::ObjectKey, Object> = Tree::new();
    for commit in world.etcd().since(world.etcd().compacted()).into_iter().flatten().take_while(|c| c.revision <= upto) {
        if commit.resource != *resource {
            continue;
        }
        match commit.change {
            Change::Deleted => {
                there.remove_mut(&commit.key);
            }
            _ => drop(there.insert_mut(commit.key.clone(), commit.object.clone())),
        }
    }
    there.values().filter(|o| o.namespace() == "default" || o.namespace().is_empty()).cloned().collect()
}

fn line(t: i64, path: &'static str, kind: &'static str, object: &Object) -> Value {
    value!({"t": t, "resource": path, "type": kind, "object": (object.0.clone())})
}

fn only_heartbeat(old: Option<&Object>, new: &Object) -> bool {
    let still = |o: &Object| {
        let mut o = o.0.clone();
        let meta = o.entry_at(&["metadata"]);
        meta.remove("resourceVersion");
        meta.remove("managedFields");
        for c in o.entry_at(&["status", "conditions"]).list_mut() {
            c.remove("lastHeartbeatTime");
        }
        o
    };
    old.is_some_and(|old| still(old) == still(new))
}
