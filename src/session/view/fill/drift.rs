//! Whether the board still says what the stored manifest says: somebody may have scaled or patched since.

use crate::api::quantity::Quantity;
use crate::api::{Object, ObjectKey, Str, Value, yaml};
use crate::cluster::Cluster;

/// The first field of the manifest that the board has otherwise, and what the board says.
pub fn drift(world: &Cluster, stored: &str) -> Option<(Str, Str)> {
    if stored.is_empty() {
        return None;
    }
    let parsed = yaml::parse(stored);
    parsed.documents.iter().find_map(|d| of_document(world, &d.value))
}

fn of_document(world: &Cluster, written: &Value) -> Option<(Str, Str)> {
    let kind = world.server().kinds().by_type(written.get("apiVersion").text(), written.get("kind").text())?;
    let name = written.at(&["metadata", "name"]).to_str();
    let namespace = match written.at(&["metadata", "namespace"]) {
        _ if !kind.namespaced => Str::default(),
        Value::Str(s) => s.clone(),
        _ => Str::fixed("default"),
    };
    let live: &Object = world.etcd().get(&kind.resource, &ObjectKey::new(namespace, name.clone()))?;
    differs(written.get("spec"), live.spec(), "spec")
}

/// Of maps every key that is written, of lists every item, by name where items have one.
fn differs(written: &Value, live: &Value, key: &str) -> Option<(Str, Str)> {
    match written {
        Value::Map(_) => written.entries().iter().find_map(|(k, v)| differs(v, live.get(k), k)),
        Value::List(_) => written.items().iter().enumerate().find_map(|(n, item)| {
            let named = item.get("name");
            let there =
                if named.is_null() { live.item(n) } else { live.items().iter().find(|i| i.get("name") == named).unwrap_or(live.item(n)) };
            differs(item, there, key)
        }),
        _ if same(written, live) => None,
        _ => Some((Str::from(key), Str::from(plain(live)))),
    }
}

/// Equal as the server means it: 1000m is 1, a number may be written as text.
fn same(written: &Value, live: &Value) -> bool {
    if written == live || written.is_null() {
        return true;
    }
    let (a, b) = (plain(written), plain(live));
    a == b || matches!((Quantity::parse(&a), Quantity::parse(&b)), (Ok(a), Ok(b)) if a == b)
}

fn plain(v: &Value) -> String {
    match v {
        Value::Str(s) => s.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Bool(b) => b.to_string(),
        Value::Null => "null".to_string(),
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}
