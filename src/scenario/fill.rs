//! Placeholders of scenarios: `@pod(SEL#N)`, `@rs(DEPLOY@REV)`, `@uid(NS/KIND/NAME)`, `@rv(NS/KIND/NAME)`, `@read(KIND/NAME)`.

use crate::api::resource::{PODS, REPLICA_SETS};
use crate::api::selector::Selector;
use crate::api::{Object, ObjectKey};
use crate::cluster::{Cluster, Detail};
use crate::util::Order;

/// The text with its placeholders filled in from the world as it is now.
pub fn fill(world: &Cluster, text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        let (before, here) = rest.split_at(at);
        out.push_str(before);
        let filled = ["pod", "rs", "uid", "rv", "read"].into_iter().find_map(|name| {
            let inner = here[1..].strip_prefix(name)?.strip_prefix('(')?;
            let (argument, after) = inner.split_once(')')?;
            Some((value(world, name, argument), after))
        });
        match filled {
            Some((value, after)) => {
                out.push_str(&value);
                rest = after;
            }
            None => {
                out.push('@');
                rest = &here[1..];
            }
        }
    }
    out + rest
}

fn value(world: &Cluster, name: &str, argument: &str) -> String {
    match name {
        "pod" => nth_pod(world, argument).unwrap_or_else(|| "no-such-pod".to_string()),
        "rs" => replica_set(world, argument).unwrap_or_else(|| "no-such-replicaset".to_string()),
        "read" => last_read(world, argument).map_or_else(|| "none".to_string(), |version| version.to_string()),
        _ => object(world, argument)
            .map_or_else(|| "none".to_string(), |o| o.meta().get(if name == "uid" { "uid" } else { "resourceVersion" }).text().to_string()),
    }
}

/// Pods by creation time (whole seconds, as the API has it), then name.
fn nth_pod(world: &Cluster, argument: &str) -> Option<String> {
    let (selector, n) = argument.rsplit_once('#').unwrap_or((argument, "0"));
    let selector = Selector::parse(selector).ok()?;
    let mut pods: Vec<&Object> = world.etcd().list(&PODS, "default").filter(|p| selector.matches(p.labels())).collect();
    pods.order_by_key(|p| (p.meta().get("creationTimestamp").to_str(), p.meta().get("name").to_str()));
    Some(pods.get(n.parse::<usize>().ok()?)?.name().to_string())
}

fn replica_set(world: &Cluster, argument: &str) -> Option<String> {
    let (deployment, revision) = argument.split_once('@')?;
    let is = |r: &&Object| {
        r.annotation("deployment.kubernetes.io/revision") == Some(revision) && r.owners().iter().any(|o| o.get("name").text() == deployment)
    };
    world.etcd().list(&REPLICA_SETS, "default").find(is).map(|r| r.name().to_string())
}

fn object(world: &Cluster, argument: &str) -> Option<Object> {
    let mut parts = argument.split('/');
    let (namespace, kind, name) = (parts.next()?, parts.next()?, parts.next()?);
    let info = world.server().kinds().by_name(kind)?;
    let key = ObjectKey::new(if info.namespaced { namespace } else { "" }, name);
    world.etcd().get(&info.resource, &key).cloned()
}

/// The resourceVersion that `kubectl get KIND NAME -o yaml` printed last, however old it is by now.
fn last_read(world: &Cluster, argument: &str) -> Option<u64> {
    let line = format!("get {} -o yaml", argument.replace('/', " "));
    let printed = |record: &std::rc::Rc<crate::cluster::StepRecord>| match &record.detail {
        Detail::Command { line: l, stdout, .. } if *l == *line => printed_version(stdout),
        _ => None,
    };
    (0..world.records().len() as u64).rev().find_map(|n| printed(world.record(n)?))
}

/// The resourceVersion of the object that was printed as YAML.
pub fn printed_version(yaml: &str) -> Option<u64> {
    yaml.lines().find_map(|l| l.strip_prefix("  resourceVersion: ")?.trim_matches('"').parse().ok())
}
