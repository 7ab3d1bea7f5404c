//! ReplicaSets and ReplicationControllers.

use super::super::fault::Fault;
use super::write::{conditions, controlled_by, marks, put};
use super::{Fixed, age, containers_and_images, labels_text, selector_text, template};
use crate::api::selector::Selector;
use crate::api::{Object, Request, resource};
use crate::client::Transport;
use crate::util::Time;

const COLUMNS: &[(&str, bool)] = &[
    ("Name", false),
    ("Desired", false),
    ("Current", false),
    ("Ready", false),
    ("Age", false),
    ("Containers", true),
    ("Images", true),
    ("Selector", true),
];

pub const TABLE: Fixed = (COLUMNS, |rs, now| row(rs, now, selector_text(rs.spec().get("selector"))));
pub const CONTROLLER_TABLE: Fixed = (COLUMNS, |rc, now| row(rc, now, labels_text(rc.spec().get("selector"))));

fn row(rs: &Object, now: Time, selector: String) -> Vec<String> {
    let count = |field: &str| rs.status().get(field).int().to_string();
    let (names, images) = containers_and_images(rs.spec().at(&["template", "spec"]));
    let wanted = rs.spec().get("replicas").int().to_string();
    vec![rs.name().to_string(), wanted, count("replicas"), count("readyReplicas"), age(rs, now), names, images, selector]
}

pub fn describe(out: &mut String, rs: &Object, api: &mut dyn Transport) -> Result<(), Fault> {
    let spec = rs.spec();
    put(out, 0, format!("Name:\t{}", rs.name()));
    put(out, 0, format!("Namespace:\t{}", rs.namespace()));
    let plain = rs.kind() == "ReplicationController";
    let selector = if plain { labels_text(spec.get("selector")) } else { selector_text(spec.get("selector")) };
    put(out, 0, format!("Selector:\t{selector}"));
    marks(out, rs);
    controlled_by(out, rs);
    put(out, 0, format!("Replicas:\t{} current / {} desired", rs.status().get("replicas").int(), spec.get("replicas").int()));
    let selector = if plain { Selector::from_map(spec.get("selector")) } else { Selector::of_object(spec.get("selector")) };
    put(out, 0, format!("Pods Status:\t{}", pods_text(rs, &selector, api)?));
    template::describe(out, spec.get("template"));
    conditions(out, rs);
    Ok(())
}

/// How many of an object's pods are in which phase.
pub fn pods_text(owner: &Object, selector: &Selector, api: &mut dyn Transport) -> Result<String, Fault> {
    let pods = api.send(Request::list(&resource::PODS, owner.key().namespace))?.items();
    let mut counts = [0; 4];
    for pod in pods.iter().filter(|p| selector.matches(p.labels())) {
        if pod.controller().is_none_or(|c| c.get("uid").text() != owner.uid()) {
            continue;
        }
        match pod.status().get("phase").text() {
            "Running" => counts[0] += 1,
            "Pending" => counts[1] += 1,
            "Succeeded" => counts[2] += 1,
            "Failed" => counts[3] += 1,
            _ => {}
        }
    }
    let [running, waiting, succeeded, failed] = counts;
    Ok(format!("{running} Running / {waiting} Waiting / {succeeded} Succeeded / {failed} Failed"))
}
