//! What makes objects invalid, with upstream's words: `pkg/apis/*/validation/validation.go`.

pub mod apps;
pub mod batch;
pub mod container;
pub mod core;
pub mod networking;
pub mod placement;
pub mod pod;
pub mod policy;
pub mod probe;
pub mod service;
pub mod table;
pub mod volume;

use super::Causes;
use super::path::Path;
use super::rules::{invalid, label_value, not_supported, qualified_name, required};
use crate::api::Value;

/// `ValidateLabelSelector`.
pub fn label_selector(selector: &Value, at: &Path, causes: &mut Causes) {
    let labels = at.child("matchLabels");
    for (key, value) in selector.get("matchLabels").entries() {
        for why in qualified_name(key) {
            causes.push(invalid(&labels, &Value::from(key), &why));
        }
        for why in label_value(value.text()) {
            causes.push(invalid(labels.key(key), value, &why));
        }
    }
    let terms = at.child("matchExpressions");
    for (i, term) in selector.get("matchExpressions").items().iter().enumerate() {
        let at = terms.index(i);
        let values = term.get("values").items();
        match term.get("operator").text() {
            "In" | "NotIn" if values.is_empty() => {
                causes.push(required(at.child("values"), "must be specified when `operator` is 'In' or 'NotIn'"));
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                causes.push(super::rules::forbidden(
                    at.child("values"),
                    "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
                ));
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            _ => causes.push(invalid(at.child("operator"), term.get("operator"), "not a valid selector operator")),
        }
        for why in qualified_name(term.get("key").text()) {
            causes.push(invalid(at.child("key"), term.get("key"), &why));
        }
        let places = at.child("values");
        for (j, value) in values.iter().enumerate() {
            for why in label_value(value.text()) {
                causes.push(invalid(places.index(j), value, &why));
            }
        }
    }
}

/// `field must be one of …`; "" is required.
pub fn one_of(value: &Value, at: Path, allowed: &[&str], causes: &mut Causes) {
    if value.text().is_empty() {
        causes.push(required(at, ""));
    } else if !allowed.contains(&value.text()) {
        causes.push(not_supported(at, value, allowed));
    }
}

/// A port number.
pub fn port_number(value: &Value, at: Path, causes: &mut Causes) {
    if !(1..=65535).contains(&value.int()) {
        causes.push(invalid(at, value, "must be between 1 and 65535, inclusive"));
    }
}

/// A port by number or name (`IsValidPortNum`, `IsValidPortName`).
pub fn port_reference(value: &Value, at: Path, causes: &mut Causes) {
    match value {
        Value::Str(name) => {
            for why in port_name(name) {
                causes.push(invalid(&at, value, &why));
            }
        }
        number => port_number(number, at, causes),
    }
}

/// What is wrong with a port's name.
pub fn port_name(name: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if name.len() > 15 {
        wrong.push("must be no more than 15 characters".to_string());
    }
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') {
        wrong.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".to_string());
    }
    if !name.bytes().any(|b| b.is_ascii_lowercase()) {
        wrong.push("must contain at least one letter (a-z)".to_string());
    }
    if name.contains("--") {
        wrong.push("must not contain consecutive hyphens".to_string());
    }
    if name.starts_with('-') || name.ends_with('-') {
        wrong.push("must not begin or end with a hyphen".to_string());
    }
    wrong
}

/// `ValidatePositiveIntOrPercent`.
pub fn int_or_percent(value: &Value, at: Path, causes: &mut Causes) {
    match value {
        Value::Str(text) => {
            let digits = text.strip_suffix('%');
            if !digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit())) {
                let why = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
                causes.push(invalid(at, value, why));
            }
        }
        number => super::rules::nonnegative(number, at, causes),
    }
}

/// `IsNotMoreThan100Percent`.
pub fn at_most_all(value: &Value, at: Path, causes: &mut Causes) {
    if percent(value).is_some_and(|p| p > 100) {
        causes.push(invalid(at, value, "must not be greater than 100%"));
    }
}

/// The number of a percentage.
pub fn percent(value: &Value) -> Option<i64> {
    value.as_str()?.strip_suffix('%')?.parse().ok()
}

/// The number that an int-or-percent field means, percentages by themselves.
pub fn int_or_percent_value(value: &Value) -> i64 {
    percent(value).unwrap_or_else(|| value.int())
}

/// Pushes each of the texts as a reason why `value` is invalid.
pub fn all_invalid(why: Vec<String>, value: &Value, at: &Path, causes: &mut Causes) {
    for text in why {
        causes.push(invalid(at, value, &text));
    }
}
