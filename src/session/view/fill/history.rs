//! How an object came to be as it is: the chain of causes, and who owns its fields.

use super::lens::Lens;
use super::spoken::{act_of, said};
use crate::api::{Object, Str, Value, json};
use crate::apiserver::{Change, Commit};
use crate::cluster::StepRecord;
use crate::session::view::{Cause, Owner, Text, Writer};
use std::rc::Rc;

const LINKS_MAX: usize = 6;
/// Records that only carry an event are passed over, at most so many.
const HOPS_MAX: usize = 24;

/// Who wrote what the next one saw, oldest first; last the turn that is about to run, if it is about this object.
pub fn chain(lens: &Lens, object: &Object) -> Vec<Cause> {
    let mut out = Vec::new();
    let mut at = lens.world.writer(object.revision());
    for _ in 0..HOPS_MAX {
        let Some(record) = at.and_then(|n| lens.world.record(n)) else { break };
        if let Some(cause) = link(lens, record) {
            out.push(cause);
        }
        if out.len() >= LINKS_MAX {
            break;
        }
        at = record.causes.records.first().copied().filter(|n| *n < record.number);
    }
    out.reverse();
    let coming = lens.upcoming().filter(|s| s.key == object.key().joined()).and_then(|s| Some((s, lens.writer(lens.preview.as_ref()?)?)));
    if let Some((sync, writer)) = coming {
        let count = lens.preview.as_ref().map_or(1, |r| r.causes.count.max(1));
        out.push(Cause {
            writer,
            verb: Str::fixed("sync"),
            object: sync.key.clone(),
            detail: Text::with("why.queued", [("n", count.into())]),
            rev: 0,
            next: true,
        });
    }
    out
}

fn link(lens: &Lens, record: &Rc<StepRecord>) -> Option<Cause> {
    let writer = lens.writer(record)?;
    let commit = lens.world.etcd().commit(record.revisions.0 + 1).filter(|c| c.revision <= record.revisions.1);
    match (commit, record.sync()) {
        (Some(c), sync) => Some(Cause {
            writer,
            verb: verb(writer, c),
            object: Str::from(format!("{}/{}", c.resource.plural(), c.key.name)),
            detail: sync
                .and_then(|s| s.differs.first())
                .map(said)
                .or_else(|| sync.and_then(act_of).map(|a| Text::from(a.line())))
                .unwrap_or_default(),
            rev: c.revision,
            next: false,
        }),
        (None, Some(s)) if !s.key.starts_with('~') => {
            Some(Cause { writer, verb: Str::fixed("sync"), object: s.key.clone(), detail: Text::word("loop.noact"), rev: 0, next: false })
        }
        _ => None,
    }
}

fn verb(writer: Writer, c: &Commit) -> Str {
    Str::fixed(match c.change {
        Change::Deleted => "delete",
        _ if writer == Writer::Me => "apply",
        Change::Added => "create",
        Change::Modified => "update",
    })
}

/// The fields of managedFields, each with its manager.
pub fn owners(object: &Object) -> Vec<Owner> {
    let mut out = Vec::new();
    for entry in object.meta().get("managedFields").items() {
        let manager = entry.get("manager").to_str();
        let sub = entry.get("subresource").text();
        let operation =
            if sub.is_empty() { entry.get("operation").to_str() } else { Str::from([entry.get("operation").text(), " · ", sub].concat()) };
        for field in fields(entry.get("fieldsV1")) {
            let writer = manager_writer(object, &manager, &field, sub);
            out.push(Owner { field: field.into(), writer, manager: manager.clone(), operation: operation.clone() });
        }
    }
    out
}

/// The first two levels of a field set, `status` as a whole.
fn fields(set: &Value) -> Vec<String> {
    let name = |k: &str| k.strip_prefix("f:").map(str::to_string);
    let mut out = Vec::new();
    for (key, inner) in set.entries() {
        let Some(top) = name(key) else { continue };
        let deeper: Vec<String> = inner.entries().iter().filter_map(|(k, _)| name(k)).collect();
        if top == "status" || deeper.is_empty() {
            out.push(top);
        } else {
            out.extend(deeper.into_iter().map(|d| [&top, ".", &d].concat()));
        }
    }
    out
}

/// Who wrote a field: a loop by managedFields; a person if it stands in what they applied; else the API server's default.
/// managedFields alone cannot tell, as kubectl's update owns the defaults, too.
pub fn writer_at(object: &Object, path: &[&str]) -> Writer {
    let entries = object.meta().get("managedFields").items();
    let owns = |e: &Value| !path.iter().fold(e.get("fieldsV1"), |set, p| set.get(&["f:", p].concat())).is_null();
    let by = entries.iter().rfind(|e| owns(e));
    let writer = by.map_or(Writer::Me, |e| manager_writer(object, &e.get("manager").to_str(), path[0], e.get("subresource").text()));
    let applied = object.annotation("kubectl.kubernetes.io/last-applied-configuration");
    let Some(applied) = applied.filter(|_| writer == Writer::Me && by.is_none_or(|e| e.get("manager").text().contains("apply"))) else {
        return writer;
    };
    match json::parse(applied) {
        Ok(said) if said.at(path).is_null() => Writer::Ap,
        _ => Writer::Me,
    }
}

/// What the loop of node addresses writes to a node.
fn is_of_addresses(field: &str) -> bool {
    field.starts_with("podCIDR") || field.contains("node.alpha.kubernetes.io/ttl")
}

/// Every built-in loop signs as `kube-controller-manager`; which one it was follows from the object and the field.
fn manager_writer(object: &Object, manager: &str, field: &str, sub: &str) -> Writer {
    let by_status = field == "status" || sub == "status";
    match (manager, object.kind(), by_status) {
        ("kube-scheduler", ..) => Writer::Sc,
        ("kubelet", ..) => Writer::Ku,
        ("kube-controller-manager", "Deployment", _) => Writer::De,
        ("kube-controller-manager", "ReplicaSet", false) => Writer::De,
        ("kube-controller-manager", "ReplicaSet" | "Pod", _) => Writer::Rs,
        ("kube-controller-manager", "EndpointSlice", _) => Writer::Es,
        ("kube-controller-manager", "Node", _) if is_of_addresses(field) => Writer::Ni,
        ("kube-controller-manager", "Node", _) => Writer::Nl,
        ("kube-controller-manager", "ResourceQuota", _) => Writer::Rq,
        ("kube-controller-manager", "PodDisruptionBudget", _) => Writer::Db,
        ("kube-apiserver", ..) => Writer::Ap,
        ("kube-controller-manager", ..) => Writer::Gc,
        _ => Writer::Me,
    }
}
