//! CronJobs.

use super::super::fault::Fault;
use super::write::{date, marks, put, truth};
use super::{Fixed, age, containers_and_images, or, selector_text, since, template};
use crate::api::{Object, Value};
use crate::client::Transport;
use crate::util::Time;

pub const TABLE: Fixed = (
    &[
        ("Name", false),
        ("Schedule", false),
        ("Timezone", false),
        ("Suspend", false),
        ("Active", false),
        ("Last Schedule", false),
        ("Age", false),
        ("Containers", true),
        ("Images", true),
        ("Selector", true),
    ],
    row,
);

fn row(c: &Object, now: Time) -> Vec<String> {
    let spec = c.spec();
    let last = c.status().get("lastScheduleTime");
    let job = spec.at(&["jobTemplate", "spec"]);
    let (names, images) = containers_and_images(job.at(&["template", "spec"]));
    vec![
        c.name().to_string(),
        spec.get("schedule").text().to_string(),
        or(spec.get("timeZone").text(), "<none>").to_string(),
        truth(spec.get("suspend").is_true()).to_string(),
        c.status().get("active").items().len().to_string(),
        if last.is_empty() { "<none>".to_string() } else { since(last, now) },
        age(c, now),
        names,
        images,
        selector_text(job.get("selector")),
    ]
}

pub fn describe(out: &mut String, c: &Object, _: &mut dyn Transport) -> Result<(), Fault> {
    let spec = c.spec();
    put(out, 0, format!("Name:\t{}", c.name()));
    put(out, 0, format!("Namespace:\t{}", c.namespace()));
    marks(out, c);
    put(out, 0, format!("Schedule:\t{}", spec.get("schedule").text()));
    put(out, 0, format!("Concurrency Policy:\t{}", spec.get("concurrencyPolicy").text()));
    put(out, 0, format!("Suspend:\t{}", truth(spec.get("suspend").is_true())));
    put(out, 0, format!("Time Zone:\t{}", or(spec.get("timeZone").text(), "<unset>")));
    let number = |v: &Value| v.as_int().map_or("<unset>".to_string(), |n| n.to_string());
    put(out, 0, format!("Successful Job History Limit:\t{}", number(spec.get("successfulJobsHistoryLimit"))));
    put(out, 0, format!("Failed Job History Limit:\t{}", number(spec.get("failedJobsHistoryLimit"))));
    let deadline = spec.get("startingDeadlineSeconds").as_int().map_or("<unset>".to_string(), |n| format!("{n}s"));
    put(out, 0, format!("Starting Deadline Seconds:\t{deadline}"));
    let job = spec.at(&["jobTemplate", "spec"]);
    let selector = job.get("selector");
    put(out, 0, format!("Selector:\t{}", if selector.is_null() { "<unset>".to_string() } else { selector_text(selector) }));
    put(out, 0, format!("Parallelism:\t{}", number(job.get("parallelism"))));
    put(out, 0, format!("Completions:\t{}", number(job.get("completions"))));
    if let Some(seconds) = job.get("activeDeadlineSeconds").as_int() {
        put(out, 0, format!("Active Deadline Seconds:\t{seconds}s"));
    }
    template::describe(out, job.get("template"));
    let last = c.status().get("lastScheduleTime");
    put(out, 0, format!("Last Schedule Time:\t{}", if last.is_empty() { "<unset>".to_string() } else { date(last) }));
    let active: Vec<&str> = c.status().get("active").items().iter().map(|a| a.get("name").text()).collect();
    put(out, 0, format!("Active Jobs:\t{}", or(&active.join(", "), "<none>")));
    Ok(())
}
