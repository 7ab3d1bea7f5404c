//! HorizontalPodAutoscalers.

use super::super::fault::Fault;
use super::write::{date, head, put};
use super::{Fixed, age, scalar};
use crate::api::{Object, Value};
use crate::client::Transport;
use crate::util::Time;

pub const TABLE: Fixed = (
    &[
        ("Name", false),
        ("Reference", false),
        ("Targets", false),
        ("MinPods", false),
        ("MaxPods", false),
        ("Replicas", false),
        ("Age", false),
    ],
    row,
);

fn reference(h: &Object) -> String {
    let target = h.spec().get("scaleTargetRef");
    format!("{}/{}", target.get("kind").text(), target.get("name").text())
}

/// The part of a metric that its type names: `Resource` is under `resource`.
fn part(metric: &Value) -> &Value {
    metric.get(match metric.get("type").text() {
        "Resource" => "resource",
        "ContainerResource" => "containerResource",
        "Pods" => "pods",
        "Object" => "object",
        _ => "external",
    })
}

fn target_text(spec: &Value, current: Option<&Value>) -> String {
    let (kind, part_of) = (spec.get("type").text(), part(spec));
    let now = current.map_or(&Value::Null, |c| part(c).get("current"));
    let target = part_of.get("target");
    let known = |v: &Value, suffix: &str| if v.is_null() { "<unknown>".to_string() } else { format!("{}{suffix}", scalar(v)) };
    let name = part_of.get("name").text();
    let value = if !target.get("averageUtilization").is_null() {
        format!("{}/{}%", known(now.get("averageUtilization"), "%"), target.get("averageUtilization").int())
    } else if !target.get("averageValue").is_null() {
        let suffix = if matches!(kind, "Object" | "External") { " (avg)" } else { "" };
        format!("{}/{}{suffix}", known(now.get("averageValue"), ""), scalar(target.get("averageValue")))
    } else {
        format!("{}/{}", known(now.get("value"), ""), scalar(target.get("value")))
    };
    if matches!(kind, "Resource" | "ContainerResource") { format!("{name}: {value}") } else { value }
}

fn targets(h: &Object) -> String {
    let specs = h.spec().get("metrics").items();
    if specs.is_empty() {
        return "<none>".to_string();
    }
    let current = h.status().get("currentMetrics").items();
    let of = |i: usize| current.get(i).filter(|c| c.get("type") == specs[i].get("type"));
    let shown: Vec<String> = specs.iter().enumerate().take(2).map(|(i, s)| target_text(s, of(i))).collect();
    let text = shown.join(", ");
    if specs.len() > 2 { format!("{text} + {} more...", specs.len() - 2) } else { text }
}

fn row(h: &Object, now: Time) -> Vec<String> {
    let spec = h.spec();
    vec![
        h.name().to_string(),
        reference(h),
        targets(h),
        spec.get("minReplicas").as_int().map_or("<unset>".to_string(), |n| n.to_string()),
        spec.get("maxReplicas").int().to_string(),
        h.status().get("currentReplicas").int().to_string(),
        age(h, now),
    ]
}

fn metric_line(spec: &Value, current: Option<&Value>) -> String {
    let (kind, own) = (spec.get("type").text(), part(spec));
    let now = current.map_or(&Value::Null, |c| part(c).get("current"));
    let target = own.get("target");
    let known = |v: &Value| if v.is_null() { "<unknown>".to_string() } else { scalar(v) };
    match kind {
        "Resource" | "ContainerResource" => {
            let place = match own.get("container").text() {
                "" => "on pods".to_string(),
                container => format!("of container \"{container}\" on pods"),
            };
            let name = own.get("name").text();
            if target.get("averageUtilization").is_null() {
                return format!("resource {name} {place}:\t{} / {}", known(now.get("averageValue")), scalar(target.get("averageValue")));
            }
            let value = match now.get("averageUtilization").as_int() {
                Some(percent) => format!("{percent}% ({})", scalar(now.get("averageValue"))),
                None => "<unknown>".to_string(),
            };
            let wanted = target.get("averageUtilization").int();
            format!("resource {name} {place}  (as a percentage of request):\t{value} / {wanted}%")
        }
        "Pods" => {
            let name = own.at(&["metric", "name"]).text();
            format!("\"{name}\" on pods:\t{} / {}", known(now.get("averageValue")), scalar(target.get("averageValue")))
        }
        "External" => {
            let name = own.at(&["metric", "name"]).text();
            let field = if target.get("averageValue").is_null() { "value" } else { "averageValue" };
            let what = if field == "value" { "target value" } else { "target average value" };
            format!("\"{name}\" ({what}):\t{} / {}", known(now.get(field)), scalar(target.get(field)))
        }
        _ => {
            let name = own.at(&["metric", "name"]).text();
            let object = own.get("describedObject");
            let field = if target.get("averageValue").is_null() { "value" } else { "averageValue" };
            let what = if field == "value" { "target value" } else { "target average value" };
            let on = format!("{}/{}", object.get("kind").text(), object.get("name").text());
            format!("\"{name}\" on {on} ({what}):\t{} / {}", known(now.get(field)), scalar(target.get(field)))
        }
    }
}

pub fn describe(out: &mut String, h: &Object, _: &mut dyn Transport) -> Result<(), Fault> {
    let (spec, status) = (h.spec(), h.status());
    head(out, h);
    put(out, 0, format!("CreationTimestamp:\t{}", date(h.meta().get("creationTimestamp"))));
    put(out, 0, format!("Reference:\t{}", reference(h)));
    put(out, 0, "Metrics:\t( current / target )");
    let current = status.get("currentMetrics").items();
    for (i, metric) in spec.get("metrics").items().iter().enumerate() {
        let now = current.get(i).filter(|c| c.get("type") == metric.get("type"));
        put(out, 1, metric_line(metric, now));
    }
    let min = spec.get("minReplicas").as_int().map_or("<unset>".to_string(), |n| n.to_string());
    put(out, 0, format!("Min replicas:\t{min}"));
    put(out, 0, format!("Max replicas:\t{}", spec.get("maxReplicas").int()));
    behavior(out, spec.get("behavior"));
    let kind = spec.at(&["scaleTargetRef", "kind"]).text();
    let (now, wanted) = (status.get("currentReplicas").int(), status.get("desiredReplicas").int());
    put(out, 0, format!("{kind} pods:\t{now} current / {wanted} desired"));
    let conditions = status.get("conditions").items();
    if !conditions.is_empty() {
        put(out, 0, "Conditions:");
        put(out, 1, "Type\tStatus\tReason\tMessage");
        put(out, 1, "----\t------\t------\t-------");
        for c in conditions {
            let text = |field: &str| c.get(field).text().to_string();
            put(out, 1, format!("{}\t{}\t{}\t{}", text("type"), text("status"), text("reason"), text("message")));
        }
    }
    Ok(())
}

fn behavior(out: &mut String, behavior: &Value) {
    if behavior.is_null() {
        return;
    }
    put(out, 0, "Behavior:");
    for (title, field) in [("Scale Up", "scaleUp"), ("Scale Down", "scaleDown")] {
        let rules = behavior.get(field);
        if rules.is_null() {
            continue;
        }
        put(out, 1, format!("{title}:"));
        if let Some(seconds) = rules.get("stabilizationWindowSeconds").as_int() {
            put(out, 2, format!("Stabilization Window: {seconds} seconds"));
        }
        let policies = rules.get("policies").items();
        if !policies.is_empty() {
            let select = super::or(rules.get("selectPolicy").text(), "Max");
            put(out, 2, format!("Select Policy: {select}"));
            put(out, 2, "Policies:");
            for p in policies {
                let (kind, value, period) = (p.get("type").text(), p.get("value").int(), p.get("periodSeconds").int());
                put(out, 3, format!("- Type: {kind}\tValue: {value}\tPeriod: {period} seconds"));
            }
        }
    }
}
