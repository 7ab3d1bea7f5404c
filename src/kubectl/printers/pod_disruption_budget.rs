//! PodDisruptionBudgets.

use super::super::fault::Fault;
use super::write::put;
use super::{Fixed, age, scalar, selector_text};
use crate::api::{Object, Value};
use crate::client::Transport;
use crate::util::Time;

pub const TABLE: Fixed =
    (&[("Name", false), ("Min Available", false), ("Max Unavailable", false), ("Allowed Disruptions", false), ("Age", false)], row);

fn row(b: &Object, now: Time) -> Vec<String> {
    let bound = |field: &str| match b.spec().get(field) {
        Value::Null => "N/A".to_string(),
        v => scalar(v),
    };
    let allowed = b.status().get("disruptionsAllowed").int().to_string();
    vec![b.name().to_string(), bound("minAvailable"), bound("maxUnavailable"), allowed, age(b, now)]
}

pub fn describe(out: &mut String, b: &Object, _: &mut dyn Transport) -> Result<(), Fault> {
    let (spec, status) = (b.spec(), b.status());
    put(out, 0, format!("Name:\t{}", b.name()));
    put(out, 0, format!("Namespace:\t{}", b.namespace()));
    if !spec.get("minAvailable").is_null() {
        put(out, 0, format!("Min available:\t{}", scalar(spec.get("minAvailable"))));
    } else if !spec.get("maxUnavailable").is_null() {
        put(out, 0, format!("Max unavailable:\t{}", scalar(spec.get("maxUnavailable"))));
    }
    if spec.get("selector").is_null() {
        put(out, 0, "Selector:\t<unset>");
    } else {
        put(out, 0, format!("Selector:\t{}", selector_text(spec.get("selector"))));
    }
    put(out, 0, "Status:");
    for (title, field) in [
        ("Allowed disruptions", "disruptionsAllowed"),
        ("Current", "currentHealthy"),
        ("Desired", "desiredHealthy"),
        ("Total", "expectedPods"),
    ] {
        put(out, 2, format!("{title}:\t{}", status.get(field).int()));
    }
    Ok(())
}
