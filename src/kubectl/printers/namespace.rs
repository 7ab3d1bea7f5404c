//! Namespaces.

use super::super::fault::Fault;
use super::write::{marks, put};
use super::{Fixed, age, quota};
use crate::api::{Object, Request, resource};
use crate::client::Transport;

pub const TABLE: Fixed = (&[("Name", false), ("Status", false), ("Age", false)], |n, now| {
    vec![n.name().to_string(), n.status().get("phase").text().to_string(), age(n, now)]
});

pub fn describe(out: &mut String, n: &Object, api: &mut dyn Transport) -> Result<(), Fault> {
    put(out, 0, format!("Name:\t{}", n.name()));
    marks(out, n);
    put(out, 0, format!("Status:\t{}", n.status().get("phase").text()));
    let conditions = n.status().get("conditions").items();
    if !conditions.is_empty() {
        put(out, 0, "Conditions:\n  Type\tStatus\tLastTransitionTime\tReason\tMessage");
        put(out, 1, "----\t------\t------------------\t------\t-------");
        for c in conditions {
            let text = |field: &str| c.get(field).text().to_string();
            let when = super::write::date(c.get("lastTransitionTime"));
            put(out, 1, format!("{}\t{}\t{when}\t{}\t{}", text("type"), text("status"), text("reason"), text("message")));
        }
    }
    let quotas = api.send(Request::list(&resource::RESOURCE_QUOTAS, n.key().name))?.items();
    out.push('\n');
    quota::all(out, &quotas);
    let ranges = api.send(Request::list(&resource::LIMIT_RANGES, n.key().name))?.items();
    out.push('\n');
    quota::all_limits(out, &ranges);
    Ok(())
}
