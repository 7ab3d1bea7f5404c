//! Pod templates in descriptions, tolerations and spread constraints.

use super::write::{annotations, labels, put};
use super::{pod_parts, selector_text, volumes};
use crate::api::Value;
use crate::util::Order;

/// The part `Pod Template:` of a description.
pub fn describe(out: &mut String, template: &Value) {
    put(out, 0, "Pod Template:");
    let (meta, spec) = (template.get("metadata"), template.get("spec"));
    labels(out, "  Labels", meta.get("labels"));
    if !meta.get("annotations").entries().is_empty() {
        annotations(out, "  Annotations", meta.get("annotations"));
    }
    if !spec.get("serviceAccountName").is_empty() {
        put(out, 0, format!("  Service Account:\t{}", spec.get("serviceAccountName").text()));
    }
    if !spec.get("initContainers").items().is_empty() {
        pod_parts::containers(out, "Init Containers", spec.get("initContainers"), None, "  ");
    }
    pod_parts::containers(out, "Containers", spec.get("containers"), None, "  ");
    volumes::describe(out, spec.get("volumes"), "  ");
    spread(out, spec.get("topologySpreadConstraints"), "  ");
    if !spec.get("priorityClassName").is_empty() {
        put(out, 0, format!("  Priority Class Name:\t{}", spec.get("priorityClassName").text()));
    }
    labels(out, "  Node-Selectors", spec.get("nodeSelector"));
    tolerations(out, "  Tolerations", spec.get("tolerations"));
}

pub fn tolerations(out: &mut String, title: &str, tolerations: &Value) {
    out.push_str(&format!("{title}:\t"));
    let mut all: Vec<&Value> = tolerations.items().iter().collect();
    if all.is_empty() {
        out.push_str("<none>\n");
    }
    all.order_by_key(|t| t.get("key").text());
    for (i, t) in all.into_iter().enumerate() {
        if i > 0 {
            out.push('\t');
        }
        out.push_str(t.get("key").text());
        if !t.get("value").is_empty() {
            out.push_str(&format!("={}", t.get("value").text()));
        }
        if !t.get("effect").is_empty() {
            out.push_str(&format!(":{}", t.get("effect").text()));
        }
        if t.get("operator").text() == "Exists" && t.get("value").is_empty() {
            let alone = t.get("key").is_empty() && t.get("effect").is_empty();
            out.push_str(if alone { "op=Exists" } else { " op=Exists" });
        }
        if let Some(seconds) = t.get("tolerationSeconds").as_int() {
            out.push_str(&format!(" for {seconds}s"));
        }
        out.push('\n');
    }
}

pub fn spread(out: &mut String, constraints: &Value, space: &str) {
    let mut all: Vec<&Value> = constraints.items().iter().collect();
    if all.is_empty() {
        return;
    }
    all.order_by_key(|c| c.get("topologyKey").text());
    out.push_str(&format!("{space}Topology Spread Constraints:\t"));
    for (i, c) in all.into_iter().enumerate() {
        if i > 0 {
            out.push_str(&format!("{space}\t"));
        }
        let (key, action, skew) = (c.get("topologyKey").text(), c.get("whenUnsatisfiable").text(), c.get("maxSkew").int());
        out.push_str(&format!("{key}:{action} when max skew {skew} is exceeded"));
        if !c.get("labelSelector").is_null() {
            out.push_str(&format!(" for selector {}", selector_text(c.get("labelSelector"))));
        }
        out.push('\n');
    }
}
