//! What `get` and `describe` show of each kind: one file a kind (small kinds share one).
//! Rows follow `pkg/printers/internalversion/printers.go`, descriptions kubectl `pkg/describe/describe.go`.

pub mod columns;
mod cron_job;
mod custom;
mod daemon_set;
mod deployment;
pub mod describe;
mod duration;
mod endpoint_slice;
pub mod event;
mod generic;
mod hpa;
mod ingress;
mod job;
pub mod jsonpath;
mod namespace;
mod node;
pub mod output;
mod pod;
mod pod_disruption_budget;
mod pod_parts;
mod quota;
mod replica_set;
mod service;
mod small;
pub mod sort;
mod stateful_set;
mod storage;
pub mod template;
mod volumes;
mod write;

pub use custom::Custom;
pub use duration::{human, since};

use super::fault::Fault;
use super::kinds;
use crate::api::{KindInfo, Object, Value};
use crate::client::Transport;
use crate::util::{Order, Time};
use std::borrow::Cow;

/// A column: its header, and whether only `-o wide` shows it.
pub type Column = (Cow<'static, str>, bool);

/// The columns of a kind as its printer states them.
pub type Fixed = (&'static [(&'static str, bool)], fn(&Object, Time) -> Vec<String>);

#[derive(Clone, Debug)]
enum Cells {
    Fixed(fn(&Object, Time) -> Vec<String>),
    Custom(Custom),
}

/// How a kind is shown in a table.
#[derive(Clone, Debug)]
pub struct Table {
    pub columns: Vec<Column>,
    cells: Cells,
}

impl Table {
    /// One cell for each column.
    pub fn row(&self, object: &Object, now: Time) -> Vec<String> {
        match &self.cells {
            Cells::Fixed(row) => row(object, now),
            Cells::Custom(custom) => custom.row(object, now),
        }
    }
}

/// The table of a kind; that of a custom kind is in its definition.
///
/// # Errors
/// The server refuses to show the definition.
pub fn table(api: &mut dyn Transport, kind: &KindInfo) -> Result<Table, Fault> {
    if let Some((columns, row)) = fixed(&kind.resource.0) {
        let columns = columns.iter().map(|(name, wide)| (Cow::Borrowed(*name), *wide)).collect();
        return Ok(Table { columns, cells: Cells::Fixed(row) });
    }
    let custom = if kinds::is_built_in(kind) { Custom::plain() } else { Custom::of(api, kind)? };
    Ok(Table { columns: custom.columns(), cells: Cells::Custom(custom) })
}

fn fixed(resource: &str) -> Option<Fixed> {
    Some(match resource {
        "pods" => pod::TABLE,
        "deployments.apps" => deployment::TABLE,
        "replicasets.apps" => replica_set::TABLE,
        "replicationcontrollers" => replica_set::CONTROLLER_TABLE,
        "statefulsets.apps" => stateful_set::TABLE,
        "daemonsets.apps" => daemon_set::TABLE,
        "jobs.batch" => job::TABLE,
        "cronjobs.batch" => cron_job::TABLE,
        "services" => service::TABLE,
        "endpoints" => endpoint_slice::ENDPOINTS_TABLE,
        "endpointslices.discovery.k8s.io" => endpoint_slice::TABLE,
        "ingresses.networking.k8s.io" => ingress::TABLE,
        "nodes" => node::TABLE,
        "namespaces" => namespace::TABLE,
        "events" => event::TABLE,
        "events.events.k8s.io" => event::TABLE,
        "horizontalpodautoscalers.autoscaling" => hpa::TABLE,
        "poddisruptionbudgets.policy" => pod_disruption_budget::TABLE,
        "resourcequotas" => quota::TABLE,
        "persistentvolumes" => storage::VOLUMES,
        "persistentvolumeclaims" => storage::CLAIMS,
        "storageclasses.storage.k8s.io" => storage::CLASSES,
        other => return small::table(other),
    })
}

/// `a=1,b=2`, or `<none>`.
pub fn labels_text(labels: &Value) -> String {
    let pairs: Vec<String> = labels.entries().iter().map(|(k, v)| format!("{k}={}", v.text())).collect();
    if pairs.is_empty() { "<none>".to_string() } else { pairs.join(",") }
}

/// The text, or what stands for nothing.
pub fn or<'a>(text: &'a str, nothing: &'a str) -> &'a str {
    if text.is_empty() { nothing } else { text }
}

/// How long ago an object was made.
pub fn age(object: &Object, now: Time) -> String {
    since(object.meta().get("creationTimestamp"), now)
}

/// Names and images of containers, as `-o wide` shows them.
pub fn containers_and_images(pod_spec: &Value) -> (String, String) {
    let each = |key: &str| pod_spec.get("containers").items().iter().map(|c| c.get(key).text().to_string()).collect::<Vec<_>>().join(",");
    (each("name"), each("image"))
}

/// A label selector as apimachinery's `FormatLabelSelector` writes it.
pub fn selector_text(selector: &Value) -> String {
    if selector.is_null() {
        return "<none>".to_string();
    }
    let mut parts: Vec<(String, String)> = Vec::new();
    for (key, value) in selector.get("matchLabels").entries() {
        parts.push((key.to_string(), format!("{key}={}", value.text())));
    }
    for e in selector.get("matchExpressions").items() {
        let key = e.get("key").text();
        let mut values: Vec<&str> = e.get("values").items().iter().map(Value::text).collect();
        values.order();
        let values = values.join(",");
        let text = match e.get("operator").text() {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "Exists" => key.to_string(),
            _ => format!("!{key}"),
        };
        parts.push((key.to_string(), text));
    }
    parts.order();
    let text: Vec<String> = parts.into_iter().map(|(_, text)| text).collect();
    or(&text.join(","), "<none>").to_string()
}

/// A number or text as it is written: int-or-string fields.
pub fn scalar(v: &Value) -> String {
    jsonpath::text(v)
}
