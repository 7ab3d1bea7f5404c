//! DaemonSets.

use super::super::fault::Fault;
use super::replica_set::pods_text;
use super::write::{marks, put};
use super::{Fixed, age, containers_and_images, labels_text, selector_text, template};
use crate::api::Object;
use crate::api::selector::Selector;
use crate::client::Transport;
use crate::util::Time;

pub const TABLE: Fixed = (
    &[
        ("Name", false),
        ("Desired", false),
        ("Current", false),
        ("Ready", false),
        ("Up-to-date", false),
        ("Available", false),
        ("Node Selector", false),
        ("Age", false),
        ("Containers", true),
        ("Images", true),
        ("Selector", true),
    ],
    row,
);

fn row(d: &Object, now: Time) -> Vec<String> {
    let count = |field: &str| d.status().get(field).int().to_string();
    let pod = d.spec().at(&["template", "spec"]);
    let (names, images) = containers_and_images(pod);
    vec![
        d.name().to_string(),
        count("desiredNumberScheduled"),
        count("currentNumberScheduled"),
        count("numberReady"),
        count("updatedNumberScheduled"),
        count("numberAvailable"),
        labels_text(pod.get("nodeSelector")),
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
    put(out, 0, format!("Selector:\t{}", selector_text(spec.get("selector"))));
    put(out, 0, format!("Node-Selector:\t{}", labels_text(spec.at(&["template", "spec", "nodeSelector"]))));
    marks(out, d);
    let count = |field: &str| status.get(field).int();
    put(out, 0, format!("Desired Number of Nodes Scheduled: {}", count("desiredNumberScheduled")));
    put(out, 0, format!("Current Number of Nodes Scheduled: {}", count("currentNumberScheduled")));
    put(out, 0, format!("Number of Nodes Scheduled with Up-to-date Pods: {}", count("updatedNumberScheduled")));
    put(out, 0, format!("Number of Nodes Scheduled with Available Pods: {}", count("numberAvailable")));
    put(out, 0, format!("Number of Nodes Misscheduled: {}", count("numberMisscheduled")));
    let selector = Selector::of_object(spec.get("selector"));
    put(out, 0, format!("Pods Status:\t{}", pods_text(d, &selector, api)?));
    template::describe(out, spec.get("template"));
    Ok(())
}
