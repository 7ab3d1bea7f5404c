//! The inspector: one object's spec beside its status, its conditions, events and revisions.

use super::diff::lines_between;
use super::history::{chain, owners, writer_at};
use super::lens::Lens;
use super::pods::glance;
use super::why::why;
use crate::api::resource::{EVENTS, PODS};
use crate::api::{Object, Resource, Str, Value, yaml};
use crate::apiserver::Commit;
use crate::diagnosis::Diagnosis;
use crate::session::action::{Action, WireId};
use crate::session::view::{Cell, Condition, Diff, DiffLine, EventLine, Health, Inspector, Sign, SplitRow, Text, Writer};
use crate::util::{Order, Time};
use std::rc::Rc;

const EVENTS_SHOWN: usize = 8;
/// Unchanged lines around a change.
const AROUND: usize = 1;

/// The object of a uid, from every side; `revision` 0 is its newest.
pub fn inspector(lens: &Lens, stuck: &[Diagnosis], uid: &str, revision: u64) -> Option<Inspector> {
    if uid.is_empty() {
        return None;
    }
    let (resource, object) = find(lens, uid)?;
    let key = object.key();
    let versions: Vec<&Rc<Commit>> = lens.world.etcd().versions(&resource, &key).filter(|c| c.object.uid() == uid).collect();
    let at = versions.iter().position(|c| c.revision == revision).unwrap_or(versions.len().saturating_sub(1));
    let before = at.checked_sub(1).and_then(|i| versions.get(i)).map(|c| &c.object);
    let here = versions.get(at).map_or(object, |c| &c.object);
    let writer = versions.get(at).and_then(|c| lens.writer_of(c.revision));
    let text = |o: &Object| yaml::write(&plain(&o.0));
    let yaml = lines_between(&before.map(text).unwrap_or_else(|| text(here)), &text(here), writer);
    let newest = versions.len().checked_sub(2).map(|i| lines_between(&text(&versions[i].object), &text(object), lens.last_writer(object)));
    let (spec, status) = (object.spec(), object.status());
    let scaled = matches!(object.kind(), "Deployment" | "ReplicaSet");
    let why = why(lens, object, stuck);
    Some(Inspector {
        uid: uid.into(),
        kind: object.kind().into(),
        namespace: object.namespace().into(),
        name: object.name().into(),
        rev: object.revision(),
        generation: (object.generation() > 0).then(|| (object.generation(), status.get("observedGeneration").int())),
        gap: (scaled && why.is_none()).then(|| {
            let (wanted, ready) = (spec.get("replicas").int().max(0) as u64, status.get("readyReplicas").int().max(0) as u64);
            (wanted, ready, wanted.saturating_sub(ready))
        }),
        why,
        rows: rows(lens, object),
        conditions: status.get("conditions").items().iter().map(|c| condition(object, c)).collect(),
        events: events(lens, uid),
        diff: newest.filter(|l| l.iter().any(|l| l.sign != Sign::Same)).map(|lines| Diff {
            from: versions[versions.len() - 2].revision,
            to: object.revision(),
            lines: near(lines),
        }),
        yaml,
        revisions: versions.iter().map(|c| c.revision).collect(),
        chain: chain(lens, object),
        owners: owners(object),
        deeds: deeds(lens, object),
    })
}

/// What a person can do to an object: kubectl's short ways, and the faults that are about one object.
fn deeds(lens: &Lens, o: &Object) -> Vec<(Text, Action)> {
    let name = o.name();
    let kubectl = |words: &[&str]| Action::Kubectl { line: Str::from([&["kubectl"], words, &["-n", o.namespace()]].concat().join(" ")) };
    match o.kind() {
        "Deployment" => {
            let n = o.spec().get("replicas").int();
            let scale = |to: i64| {
                let line = kubectl(&["scale", "deployment", name, &format!("--replicas={to}")]);
                (Text::with("deed.scale", [("n", Text::from(to.max(0) as u64))]), line)
            };
            let fewer = (n > 0).then(|| scale(n - 1));
            fewer
                .into_iter()
                .chain([scale(n + 1), (Text::word("deed.restart"), kubectl(&["rollout", "restart", "deployment", name]))])
                .collect()
        }
        "Pod" => {
            let mut out = vec![
                (Text::word("deed.delete"), kubectl(&["delete", "pod", name, "--wait=false"])),
                (Text::word("deed.force"), kubectl(&["delete", "pod", name, "--force", "--grace-period=0"])),
            ];
            for c in o.status().get("containerStatuses").items().iter().filter(|c| !c.at(&["state", "running"]).is_null()) {
                let (namespace, pod, container) = (o.namespace().into(), name.into(), c.get("name").to_str());
                out.push((Text::with("deed.kill", [("c", container.clone().into())]), Action::Kill { namespace, pod, container }));
            }
            if o.controller().is_some() {
                let wire = WireId { process: Str::fixed("kube-controller-manager"), resource: PODS.0.clone() };
                let lose = |loop_id| Action::Lose { wire: wire.clone(), namespace: o.namespace().into(), name: name.into(), loop_id };
                out.push((Text::with("deed.wake", [("loop", Writer::Rs.name())]), lose(Str::fixed("replicaset"))));
                out.push((Text::with("deed.wire", [("process", Text::from(wire.process.clone()))]), lose(Str::default())));
            }
            out
        }
        "Node" => {
            let process = lens.world.process_named(&format!("kubelet:{name}"));
            let up = process.is_some_and(|id| lens.world.process(id).running);
            let node = Str::from(name);
            vec![if up { (Text::word("flt.node"), Action::NodeDown { node }) } else { (Text::word("flt.up"), Action::NodeUp { node }) }]
        }
        _ => Vec::new(),
    }
}

/// Where the object of a uid is stored.
fn find<'a>(lens: &'a Lens, uid: &str) -> Option<(Resource, &'a Object)> {
    let etcd = lens.world.etcd();
    let skip = |r: &&Resource| **r != EVENTS && r.plural() != "leases";
    etcd.resources().filter(skip).find_map(|r| etcd.list(r, "").find(|o| o.uid() == uid).map(|o| (r.clone(), o)))
}

/// The object without what only field managers and kubectl apply read.
fn plain(value: &Value) -> Value {
    let mut plain = value.clone();
    plain.remove_at(&["metadata", "managedFields"]);
    plain.remove_at(&["metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"]);
    plain
}

/// Only the changed lines and those next to them.
fn near(lines: Vec<DiffLine>) -> Vec<DiffLine> {
    let changed: Vec<usize> = lines.iter().enumerate().filter(|(_, l)| l.sign != Sign::Same).map(|(i, _)| i).collect();
    let noise = |l: &DiffLine| l.text.trim_start().starts_with("resourceVersion:");
    lines
        .into_iter()
        .enumerate()
        .filter(|(i, l)| changed.iter().any(|c| c.abs_diff(*i) <= AROUND) && !noise(l))
        .map(|(_, l)| l)
        .take(24)
        .collect()
}

fn condition(object: &Object, c: &Value) -> Condition {
    let (kind, yes, reason) = (c.get("type").text(), c.get("status").text() == "True", c.get("reason").text());
    let bad_when_true = matches!(kind, "ReplicaFailure" | "MemoryPressure" | "DiskPressure" | "PIDPressure" | "DisruptionTarget");
    let health = match (yes, bad_when_true) {
        _ if c.get("status").text() == "Unknown" && object.kind() == "Node" => Health::Stuck,
        // A pause is somebody's wish, no failure.
        _ if reason == "DeploymentPaused" => Health::Going,
        (true, true) => Health::Stuck,
        (false, true) => Health::Ok,
        (true, false) if kind == "Progressing" && reason != "NewReplicaSetAvailable" => Health::Going,
        (true, false) => Health::Ok,
        (false, false) if reason == "Unschedulable" || kind == "Progressing" || object.kind() == "Node" => Health::Stuck,
        (false, false) => Health::Going,
    };
    Condition { health, kind: kind.into(), status: c.get("status").to_str(), reason: reason.into(), message: c.get("message").to_str() }
}

fn events(lens: &Lens, uid: &str) -> Vec<EventLine> {
    let about = |e: &&Object| e.at(&["involvedObject", "uid"]).text() == uid;
    let mut all: Vec<&Object> = lens.world.etcd().list(&EVENTS, "").filter(about).collect();
    all.order_by_key(|e| std::cmp::Reverse(e.revision()));
    let line = |e: &&Object| {
        let last = [e.get("lastTimestamp"), e.get("eventTime"), e.get("firstTimestamp"), e.meta().get("creationTimestamp")]
            .into_iter()
            .find(|v| !v.is_empty())
            .cloned()
            .unwrap_or_default();
        EventLine {
            age: age(last.text(), lens.world.now()).into(),
            warning: e.get("type").text() == "Warning",
            reason: e.get("reason").to_str(),
            message: e.get("message").to_str(),
            count: e.get("count").int().max(1) as u64,
        }
    };
    all.iter().take(EVENTS_SHOWN).map(line).collect()
}

/// A short age.
fn age(stamp: &str, now: Time) -> String {
    let Some(then) = Time::parse_rfc3339(stamp) else { return String::new() };
    let s = now.since_ms(then) / 1000;
    match s {
        0..120 => format!("{s}s"),
        120..7200 => format!("{}m", s / 60),
        _ => format!("{}h", s / 3600),
    }
}

fn scalar(v: &Value) -> Str {
    match v {
        Value::Null => Str::fixed("—"),
        Value::Str(s) => s.clone(),
        Value::Int(n) => n.to_string().into(),
        Value::Bool(b) => b.to_string().into(),
        other => yaml::write(other).trim_end().into(),
    }
}

/// A field of one side, with its writer.
fn cell(field: &'static str, value: &Value, writer: Option<Writer>) -> Option<Cell> {
    Some(Cell { field: Str::fixed(field), value: scalar(value), writer: writer.filter(|_| !value.is_null()), gap: None })
}

/// Pairs two columns of unequal length.
fn pair(spec: Vec<Option<Cell>>, status: Vec<Option<Cell>>) -> Vec<SplitRow> {
    let (mut a, mut b) = (spec.into_iter(), status.into_iter());
    let mut out = Vec::new();
    loop {
        match (a.next(), b.next()) {
            (None, None) => return out,
            (spec, status) => out.push(SplitRow { spec: spec.flatten(), status: status.flatten() }),
        }
    }
}

fn rows(lens: &Lens, o: &Object) -> Vec<SplitRow> {
    let (spec, status) = (o.spec(), o.status());
    let me = Some(Writer::Me);
    let by = |path: &[&str]| Some(writer_at(o, path));
    match o.kind() {
        "Deployment" => {
            let rolling = spec.at(&["strategy", "rollingUpdate"]);
            let image = spec.at(&["template", "spec", "containers"]).item(0).get("image");
            let wanted = spec.get("replicas").int();
            let count = |field: &'static str| {
                let n = status.get(field).int();
                let gap = (n < wanted).then(|| Text::from(format!("−{}", wanted - n)));
                Some(Cell {
                    field: Str::fixed(field),
                    value: n.to_string().into(),
                    writer: Some(Writer::De),
                    gap: gap.filter(|_| field == "readyReplicas"),
                })
            };
            let left = vec![
                cell("replicas", spec.get("replicas"), by(&["spec", "replicas"])),
                cell("image", image, by(&["spec", "template", "spec", "containers"])),
                cell("maxSurge", rolling.get("maxSurge"), by(&["spec", "strategy", "rollingUpdate", "maxSurge"])),
                cell("maxUnavailable", rolling.get("maxUnavailable"), by(&["spec", "strategy", "rollingUpdate", "maxUnavailable"])),
                cell("generation", o.meta().get("generation"), None),
            ];
            pair(
                left,
                vec![
                    count("replicas"),
                    count("updatedReplicas"),
                    count("readyReplicas"),
                    count("availableReplicas"),
                    cell("observedGeneration", status.get("observedGeneration"), Some(Writer::De)),
                ],
            )
        }
        "ReplicaSet" => {
            let there =
                super::lens::all_pods(lens.world).filter(|p| p.controller_uid().is_some_and(|u| u == *o.uid()) && super::lens::is_live(p));
            let (mut all, mut ready) = (0, 0);
            for p in there {
                all += 1;
                ready += i64::from(p.condition_is_true("Ready"));
            }
            let count = |field: &'static str, real: i64| {
                let said = status.get(field).int();
                let gap = (said != real).then(|| Text::with("in.really", [("n", Text::from(real.to_string()))]));
                Some(Cell { field: Str::fixed(field), value: said.to_string().into(), writer: Some(Writer::Rs), gap })
            };
            let image = spec.at(&["template", "spec", "containers"]).item(0).get("image");
            pair(
                vec![cell("replicas", spec.get("replicas"), Some(Writer::De)), cell("image", image, Some(Writer::De))],
                vec![count("replicas", all), count("readyReplicas", ready)],
            )
        }
        "Pod" => {
            let container = spec.get("containers").item(0);
            let maker = Some(if o.controller_uid().is_some() { Writer::Rs } else { Writer::Me });
            let restarts: i64 = status.get("containerStatuses").items().iter().map(|c| c.get("restartCount").int()).sum();
            let word = Value::str(glance(o).0);
            let left = vec![
                cell("nodeName", spec.get("nodeName"), Some(Writer::Sc)),
                cell("image", container.get("image"), maker),
                cell("requests.cpu", container.at(&["resources", "requests", "cpu"]), maker),
            ];
            pair(
                left,
                vec![
                    cell("phase", status.get("phase"), Some(Writer::Ku)),
                    cell("STATUS", &word, None),
                    cell("podIP", status.get("podIP"), Some(Writer::Ku)),
                    cell("restarts", &Value::Int(restarts), Some(Writer::Ku)),
                ],
            )
        }
        _ if o.key().namespace.is_empty() && o.kind() == "Node" => {
            let get = |side: &str, what: &str| status.at(&[side, what]).clone();
            pair(
                vec![cell("podCIDR", spec.get("podCIDR"), Some(Writer::Ni)), cell("unschedulable", spec.get("unschedulable"), me)],
                vec![
                    cell("cpu", &get("allocatable", "cpu"), Some(Writer::Ku)),
                    cell("memory", &get("allocatable", "memory"), Some(Writer::Ku)),
                    cell("pods", &get("allocatable", "pods"), Some(Writer::Ku)),
                ],
            )
        }
        _ => {
            let simple = |v: &Value, w| {
                v.entries()
                    .iter()
                    .filter(|(_, v)| !matches!(v, Value::Map(_) | Value::List(_)))
                    .take(5)
                    .map(|(k, v)| Some(Cell { field: k.clone(), value: scalar(v), writer: w, gap: None }))
                    .collect()
            };
            pair(simple(spec, me), simple(status, None))
        }
    }
}
