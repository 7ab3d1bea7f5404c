//! Deployments.

use super::super::fault::Fault;
use super::write::{annotations, conditions, date, labels, put};
use super::{Fixed, age, containers_and_images, scalar, selector_text, template};
use crate::api::{Object, Request, Value, resource};
use crate::client::Transport;
use crate::util::{Order, Time};

pub const TABLE: Fixed = (
    &[
        ("Name", false),
        ("Ready", false),
        ("Up-to-date", false),
        ("Available", false),
        ("Age", false),
        ("Containers", true),
        ("Images", true),
        ("Selector", true),
    ],
    row,
);

fn row(d: &Object, now: Time) -> Vec<String> {
    let count = |field: &str| d.status().get(field).int();
    let (names, images) = containers_and_images(d.spec().at(&["template", "spec"]));
    vec![
        d.name().to_string(),
        format!("{}/{}", count("readyReplicas"), d.spec().get("replicas").int()),
        count("updatedReplicas").to_string(),
        count("availableReplicas").to_string(),
        age(d, now),
        names,
        images,
        selector_text(d.spec().get("selector")),
    ]
}

pub fn describe(out: &mut String, d: &Object, api: &mut dyn Transport) -> Result<(), Fault> {
    let (spec, status) = (d.spec(), d.status());
    put(out, 0, format!("Name:\t{}", d.name()));
    put(out, 0, format!("Namespace:\t{}", d.namespace()));
    put(out, 0, format!("CreationTimestamp:\t{}", date(d.meta().get("creationTimestamp"))));
    labels(out, "Labels", d.labels());
    annotations(out, "Annotations", d.meta().get("annotations"));
    put(out, 0, format!("Selector:\t{}", selector_text(spec.get("selector"))));
    let count = |field: &str| status.get(field).int();
    put(
        out,
        0,
        format!(
            "Replicas:\t{} desired | {} updated | {} total | {} available | {} unavailable",
            spec.get("replicas").int(),
            count("updatedReplicas"),
            count("replicas"),
            count("availableReplicas"),
            count("unavailableReplicas")
        ),
    );
    put(out, 0, format!("StrategyType:\t{}", spec.at(&["strategy", "type"]).text()));
    put(out, 0, format!("MinReadySeconds:\t{}", spec.get("minReadySeconds").int()));
    let rolling = spec.at(&["strategy", "rollingUpdate"]);
    if !rolling.is_null() {
        let (unavailable, surge) = (scalar(rolling.get("maxUnavailable")), scalar(rolling.get("maxSurge")));
        put(out, 0, format!("RollingUpdateStrategy:\t{unavailable} max unavailable, {surge} max surge"));
    }
    template::describe(out, spec.get("template"));
    conditions(out, d);
    let sets = api.send(Request::list(&resource::REPLICA_SETS, d.key().namespace))?.items();
    let mut owned: Vec<Object> = sets.into_iter().filter(|s| s.controller().is_some_and(|c| c.get("uid").text() == d.uid())).collect();
    owned.order_by_key(|s| (s.meta().get("creationTimestamp").to_str(), s.key().name));
    let new = newest(&owned, spec.get("template"));
    owned.retain(|s| new.as_ref().is_none_or(|n| n.uid() != s.uid()));
    if !owned.is_empty() || new.is_some() {
        put(out, 0, format!("OldReplicaSets:\t{}", sets_text(owned.iter())));
        put(out, 0, format!("NewReplicaSet:\t{}", sets_text(new.iter())));
    }
    Ok(())
}

/// The first ReplicaSet, oldest first, whose template is the Deployment's.
fn newest(sets: &[Object], template: &Value) -> Option<Object> {
    let same = |s: &&Object| {
        let mut own = s.spec().get("template").clone();
        own.remove_at(&["metadata", "labels", "pod-template-hash"]);
        own == *template
    };
    sets.iter().find(same).cloned()
}

fn sets_text<'a>(sets: impl Iterator<Item = &'a Object>) -> String {
    let each = sets.map(|s| {
        let (is, wanted) = (s.status().get("replicas").int(), s.spec().get("replicas").int());
        format!("{} ({is}/{wanted} replicas created)", s.name())
    });
    let all: Vec<String> = each.collect();
    super::or(&all.join(", "), "<none>").to_string()
}
