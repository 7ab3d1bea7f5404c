//! ResourceQuotas and LimitRanges.

use super::super::fault::Fault;
use super::write::put;
use super::{Fixed, age, scalar};
use crate::api::{Object, Value};
use crate::client::Transport;
use crate::util::{Order, Time};

pub const TABLE: Fixed = (&[("Name", false), ("Request", false), ("Limit", false), ("Age", false)], row);

fn row(q: &Object, now: Time) -> Vec<String> {
    let (mut requests, mut limits) = (Vec::new(), Vec::new());
    for (name, hard) in q.status().get("hard").entries() {
        let used = q.status().at(&["used", name]);
        let text = format!("{name}: {}/{}", if used.is_null() { "0".to_string() } else { scalar(used) }, scalar(hard));
        if name.starts_with("limits") { limits.push(text) } else { requests.push(text) }
    }
    vec![q.name().to_string(), requests.join(", "), limits.join(", "), age(q, now)]
}

fn amounts(out: &mut String, level: usize, q: &Object) {
    for (name, hard) in q.status().get("hard").entries() {
        let used = q.status().at(&["used", name]);
        put(out, level, format!("{name}\t{}\t{}", if used.is_null() { "0".to_string() } else { scalar(used) }, scalar(hard)));
    }
}

fn scopes(out: &mut String, lead: &str, q: &Object) {
    let scopes: Vec<&str> = q.spec().get("scopes").items().iter().map(Value::text).collect();
    if scopes.is_empty() {
        return;
    }
    put(out, 0, format!("{lead}Scopes:\t{}", scopes.join(", ")));
    for scope in scopes {
        let help = match scope {
            "Terminating" => {
                "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system."
            }
            "NotTerminating" => {
                "Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate."
            }
            "BestEffort" => {
                "Matches all pods that do not have resource requirements set. These pods have a best effort quality of service."
            }
            "NotBestEffort" => {
                "Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service."
            }
            _ => continue,
        };
        put(out, 0, format!("{lead} * {help}"));
    }
}

pub fn describe(out: &mut String, q: &Object, _: &mut dyn Transport) -> Result<(), Fault> {
    put(out, 0, format!("Name:\t{}", q.name()));
    put(out, 0, format!("Namespace:\t{}", q.namespace()));
    scopes(out, "", q);
    put(out, 0, "Resource\tUsed\tHard");
    put(out, 0, "--------\t----\t----");
    amounts(out, 0, q);
    Ok(())
}

/// The quotas of a namespace, as its description shows them.
pub fn all(out: &mut String, quotas: &[Object]) {
    if quotas.is_empty() {
        put(out, 0, "No resource quota.");
        return;
    }
    put(out, 0, "Resource Quotas");
    for q in quotas {
        put(out, 0, format!("  Name:\t{}", q.name()));
        scopes(out, "  ", q);
        put(out, 0, "  Resource\tUsed\tHard");
        put(out, 0, "  --------\t---\t---");
        amounts(out, 1, q);
    }
}

/// The limits of a range, a line a type and resource.
fn limits(out: &mut String, lead: &str, range: &Object) {
    for limit in range.spec().get("limits").items() {
        let mut names: Vec<&str> = Vec::new();
        for field in ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] {
            for (name, _) in limit.get(field).entries() {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
        }
        names.order();
        for name in names {
            let text = |field: &str| match limit.at(&[field, name]) {
                Value::Null => "-".to_string(),
                v => scalar(v),
            };
            put(
                out,
                0,
                format!(
                    "{lead}{}\t{name}\t{}\t{}\t{}\t{}\t{}",
                    limit.get("type").text(),
                    text("min"),
                    text("max"),
                    text("defaultRequest"),
                    text("default"),
                    text("maxLimitRequestRatio")
                ),
            );
        }
    }
}

const HEADER: &str = "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio";
const UNDER: &str = "----\t--------\t---\t---\t---------------\t-------------\t-----------------------";

pub fn describe_limits(out: &mut String, range: &Object, _: &mut dyn Transport) -> Result<(), Fault> {
    put(out, 0, format!("Name:\t{}", range.name()));
    put(out, 0, format!("Namespace:\t{}", range.namespace()));
    put(out, 0, HEADER);
    put(out, 0, UNDER);
    limits(out, "", range);
    Ok(())
}

/// The limit ranges of a namespace, as its description shows them.
pub fn all_limits(out: &mut String, ranges: &[Object]) {
    if ranges.is_empty() {
        put(out, 0, "No LimitRange resource.");
        return;
    }
    put(out, 0, "Resource Limits");
    put(out, 0, format!(" {HEADER}"));
    put(out, 0, format!(" {UNDER}"));
    ranges.iter().for_each(|r| limits(out, " ", r));
}
