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
    if pod.is_deleting() {
        return ("Terminating".to_string(), Health::Gone);
    }
    let word = word(pod);
    let health = if is_unschedulable(pod)
        || STUCK.contains(&word.trim_start_matches("Init:"))
        || matches!(word.as_str(), "Error" | "OOMKilled" | "Failed" | "Evicted")
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

fn word(pod: &Object) -> String {
    let status = pod.status();
    for (field, prefix) in [("initContainerStatuses", "Init:"), ("containerStatuses", "")] {
        for c in status.get(field).items() {
            if let Some(reason) = reason(c.get("state"), !prefix.is_empty()) {
                return [prefix, reason].concat();
            }
        }
    }
    let reason = status.get("reason").text();
    if !reason.is_empty() {
        return reason.to_string();
    }
    let phase = status.get("phase").text();
    if phase == "Succeeded" { "Completed".to_string() } else { phase.to_string() }
}

fn reason(state: &Value, init: bool) -> Option<&str> {
    let waiting = state.at(&["waiting", "reason"]).text();
    if !waiting.is_empty() && waiting != "PodInitializing" {
        return Some(waiting);
    }
    let ended = state.get("terminated");
    if ended.is_null() || init && ended.get("exitCode").int() == 0 {
        return None;
    }
    Some(ended.get("reason").text()).filter(|r| !r.is_empty())
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
