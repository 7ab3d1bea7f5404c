//! Lines of a description: titles, a tab, values; indented by level. `tabs::align` makes columns of them.

use crate::api::{Object, Value};
use crate::util::Time;

/// Annotations longer than this are put on lines of their own, and cut.
const LONGEST: usize = 140;
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// A line, two spaces deeper for each level.
pub fn put(out: &mut String, level: usize, line: impl AsRef<str>) {
    (0..level).for_each(|_| out.push_str("  "));
    out.push_str(line.as_ref());
    out.push('\n');
}

/// `True` or `False`.
pub fn truth(b: bool) -> &'static str {
    if b { "True" } else { "False" }
}

/// `Mon, 02 Jan 2006 15:04:05 +0000`; the text as it is if it is no time.
pub fn date(timestamp: &Value) -> String {
    let text = timestamp.text();
    let Some(time) = Time::parse_rfc3339(text) else {
        return "Mon, 01 Jan 0001 00:00:00 +0000".to_string();
    };
    // 1970-01-01 was a Thursday.
    let days = time.unix_ns() / 1_000_000_000 / 86_400;
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][(days % 7) as usize];
    let month = text.get(5..7).and_then(|m| m.parse::<usize>().ok()).unwrap_or(1);
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or("");
    format!("{weekday}, {} {} {} {} +0000", part(8..10), names[(month + 11) % 12], part(0..4), part(11..19))
}

/// `TITLE:`, then each label on a line of its own.
pub fn labels(out: &mut String, title: &str, labels: &Value) {
    out.push_str(&format!("{title}:\t"));
    if labels.entries().is_empty() {
        out.push_str("<none>\n");
    }
    for (i, (key, value)) in labels.entries().iter().enumerate() {
        let indent = if i == 0 { "" } else { "\t" };
        out.push_str(&format!("{indent}{key}={}\n", value.text()));
    }
}

pub fn annotations(out: &mut String, title: &str, annotations: &Value) {
    out.push_str(&format!("{title}:\t"));
    let shown: Vec<_> = annotations.entries().iter().filter(|(k, _)| k != LAST_APPLIED).collect();
    if shown.is_empty() {
        out.push_str("<none>\n");
    }
    for (i, (key, value)) in shown.into_iter().enumerate() {
        if i > 0 {
            out.push('\t');
        }
        let value = value.text().strip_suffix('\n').unwrap_or(value.text());
        if value.len() + key.len() + 2 > LONGEST || value.contains('\n') {
            out.push_str(&format!("{key}:\n"));
            value.split('\n').for_each(|line| out.push_str(&format!("\t  {}\n", shorten(line))));
        } else {
            out.push_str(&format!("{key}: {value}\n"));
        }
    }
}

fn shorten(line: &str) -> String {
    match line.char_indices().nth(LONGEST - 2) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line.to_string(),
    }
}

/// Name, namespace, labels and annotations, as most descriptions begin.
pub fn head(out: &mut String, object: &Object) {
    put(out, 0, format!("Name:\t{}", object.name()));
    if !object.namespace().is_empty() {
        put(out, 0, format!("Namespace:\t{}", object.namespace()));
    }
    marks(out, object);
}

pub fn marks(out: &mut String, object: &Object) {
    labels(out, "Labels", object.labels());
    annotations(out, "Annotations", object.meta().get("annotations"));
}

/// `ReplicaSet/web-1`, if an object has a controller.
pub fn controlled_by(out: &mut String, object: &Object) {
    if let Some(owner) = object.controller() {
        put(out, 0, format!("Controlled By:\t{}/{}", owner.get("kind").text(), owner.get("name").text()));
    }
}

/// Type, status and reason of each condition of a workload.
pub fn conditions(out: &mut String, object: &Object) {
    let conditions = object.status().get("conditions").items();
    if conditions.is_empty() {
        return;
    }
    put(out, 0, "Conditions:\n  Type\tStatus\tReason");
    put(out, 1, "----\t------\t------");
    for c in conditions {
        put(out, 1, format!("{} \t{}\t{}", c.get("type").text(), c.get("status").text(), c.get("reason").text()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_rfc_1123() {
        assert_eq!(date(&Value::str("2026-11-30T17:46:43Z")), "Mon, 30 Nov 2026 17:46:43 +0000");
        assert_eq!(date(&Value::str("2026-01-01T00:00:00Z")), "Thu, 01 Jan 2026 00:00:00 +0000");
    }
}
