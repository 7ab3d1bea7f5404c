//! A pod at a glance: the word kubectl prints as STATUS, and its shape.

use crate::api::{Object, Value};
use crate::session::view::Health;

/// Waiting reasons that do not pass by themselves.
const STUCK: [&str; 8] = [
    "CrashLoopBackOff",
    "ImagePullBackOff",
    "ErrImagePull",
    "CreateContainerConfigError",
    "CreateContainerError",
    "InvalidImageName",
    "RunContainerError",
    "ErrImageNeverPull",
];

/// The word and the shape.
pub fn glance(pod: &Object) -> (String, Health) {
    let word = crate::kubectl::pod_status(pod);
    let health = if pod.is_deleting() {
        Health::Gone
    } else if is_unschedulable(pod)
        || STUCK.contains(&word.trim_start_matches("Init:"))
        || matches!(word.trim_start_matches("Init:"), "Error" | "OOMKilled" | "Failed" | "Evicted")
    {
        Health::Stuck
    } else if pod.condition_is_true("Ready") || pod.status().get("phase").text() == "Succeeded" {
        Health::Ok
    } else {
        Health::Going
    };
    (word, health)
}

/// Whether the scheduler has tried and found no node.
pub fn is_unschedulable(pod: &Object) -> bool {
    pod.condition("PodScheduled").is_some_and(|c| c.get("status").text() == "False" && c.get("reason").text() == "Unschedulable")
}

/// What the scheduler said, without the count: `Insufficient cpu`.
pub fn unschedulable_reason(pod: &Object) -> String {
    let message = pod.condition("PodScheduled").map_or("", |c| c.get("message").text());
    let text = message.split_once(": ").map_or(message, |m| m.1);
    let clause = text.split(['.', ',']).next().unwrap_or("");
    clause.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ').to_string()
}

/// The image's tag of the first container: `v2` of `my-app:v2`.
pub fn image_tag(pod_spec: &Value) -> &str {
    let image = pod_spec.get("containers").item(0).get("image").text();
    image.rsplit_once(':').map_or(image, |i| i.1)
}
