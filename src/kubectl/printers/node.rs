//! Nodes.

use super::super::fault::Fault;
use super::write::{date, marks, put};
use super::{Fixed, age, event, or, scalar};
use crate::api::quantity::Quantity;
use crate::api::{ListOptions, Object, Request, Value, resource};
use crate::client::Transport;
use crate::util::{Order, Time};

pub const TABLE: Fixed = (
    &[
        ("Name", false),
        ("Status", false),
        ("Roles", false),
        ("Age", false),
        ("Version", false),
        ("Internal-IP", true),
        ("External-IP", true),
        ("OS-Image", true),
        ("Kernel-Version", true),
        ("Container-Runtime", true),
    ],
    row,
);

fn roles(node: &Object) -> String {
    let mut roles: Vec<&str> = Vec::new();
    for (key, value) in node.labels().entries() {
        if let Some(role) = key.strip_prefix("node-role.kubernetes.io/").filter(|r| !r.is_empty()) {
            roles.push(role);
        } else if key == "kubernetes.io/role" && !value.is_empty() {
            roles.push(value.text());
        }
    }
    roles.order();
    or(&roles.join(","), "<none>").to_string()
}

fn row(node: &Object, now: Time) -> Vec<String> {
    let mut status = match node.condition("Ready") {
        Some(c) if c.get("status").text() == "True" => "Ready".to_string(),
        Some(_) => "NotReady".to_string(),
        None => "Unknown".to_string(),
    };
    if node.spec().get("unschedulable").is_true() {
        status.push_str(",SchedulingDisabled");
    }
    let address = |kind: &str| {
        let found = node.status().get("addresses").find("type", kind).map_or("", |a| a.get("address").text());
        or(found, "<none>").to_string()
    };
    let info = node.status().get("nodeInfo");
    let about = |field: &str| or(info.get(field).text(), "<unknown>").to_string();
    vec![
        node.name().to_string(),
        status,
        roles(node),
        age(node, now),
        info.get("kubeletVersion").text().to_string(),
        address("InternalIP"),
        address("ExternalIP"),
        about("osImage"),
        about("kernelVersion"),
        about("containerRuntimeVersion"),
    ]
}

/// Events about a node name it by its name instead of its uid.
pub fn events(api: &mut dyn Transport, node: &Object) -> Vec<Object> {
    let mut by_name = node.clone();
    by_name.0.set_at(&["metadata", "uid"], node.key().name);
    let mut all = event::about(api, node);
    if all.is_empty() {
        all = event::about(api, &by_name);
    }
    all
}

pub fn describe(out: &mut String, node: &Object, api: &mut dyn Transport) -> Result<(), Fault> {
    let (spec, status) = (node.spec(), node.status());
    put(out, 0, format!("Name:\t{}", node.name()));
    put(out, 0, format!("Roles:\t{}", roles(node)));
    marks(out, node);
    put(out, 0, format!("CreationTimestamp:\t{}", date(node.meta().get("creationTimestamp"))));
    taints(out, spec.get("taints"));
    put(out, 0, format!("Unschedulable:\t{}", spec.get("unschedulable").is_true()));
    lease(out, node, api);
    conditions(out, status);
    put(out, 0, "Addresses:");
    for address in status.get("addresses").items() {
        put(out, 1, format!("{}:\t{}", address.get("type").text(), address.get("address").text()));
    }
    for (title, field) in [("Capacity", "capacity"), ("Allocatable", "allocatable")] {
        let amounts = status.get(field).entries();
        if !amounts.is_empty() {
            put(out, 0, format!("{title}:"));
            amounts.iter().for_each(|(k, v)| put(out, 1, format!("{k}:\t{}", scalar(v))));
        }
    }
    system(out, status.get("nodeInfo"));
    if !spec.get("podCIDR").is_empty() {
        put(out, 0, format!("PodCIDR:\t{}", spec.get("podCIDR").text()));
    }
    let ranges: Vec<&str> = spec.get("podCIDRs").items().iter().map(Value::text).collect();
    if !ranges.is_empty() {
        put(out, 0, format!("PodCIDRs:\t{}", ranges.join(",")));
    }
    if !spec.get("providerID").is_empty() {
        put(out, 0, format!("ProviderID:\t{}", spec.get("providerID").text()));
    }
    let fields = format!("spec.nodeName={},status.phase!=Failed,status.phase!=Succeeded", node.name());
    let list = ListOptions { field_selector: fields.into(), ..ListOptions::default() };
    let pods = api.send(Request { list, ..Request::list(&resource::PODS, "") })?.items();
    resources(out, node, &pods, api.now());
    Ok(())
}

fn taints(out: &mut String, taints: &Value) {
    let text = |t: &Value| {
        let (key, value, effect) = (t.get("key").text(), t.get("value").text(), t.get("effect").text());
        if value.is_empty() { format!("{key}:{effect}") } else { format!("{key}={value}:{effect}") }
    };
    let mut all: Vec<&Value> = taints.items().iter().collect();
    all.order_by_key(|t| (t.get("effect").text(), t.get("key").text()));
    if all.is_empty() {
        put(out, 0, "Taints:\t<none>");
    }
    for (i, t) in all.into_iter().enumerate() {
        put(out, 0, format!("{}\t{}", if i == 0 { "Taints:" } else { "" }, text(t)));
    }
}

fn lease(out: &mut String, node: &Object, api: &mut dyn Transport) {
    put(out, 0, "Lease:");
    let found = api.send(Request::get(&resource::LEASES, "kube-node-lease", node.key().name)).map(crate::api::Answer::object);
    match found {
        Ok(lease) => {
            let spec = lease.spec();
            let when = |field: &str| if spec.get(field).is_empty() { "<unset>".to_string() } else { date(spec.get(field)) };
            put(out, 1, format!("HolderIdentity:\t{}", or(spec.get("holderIdentity").text(), "<unset>")));
            put(out, 1, format!("AcquireTime:\t{}", when("acquireTime")));
            put(out, 1, format!("RenewTime:\t{}", when("renewTime")));
        }
        Err(status) => put(out, 1, format!("Failed to get lease: {}", status.message)),
    }
}

fn conditions(out: &mut String, status: &Value) {
    let conditions = status.get("conditions").items();
    if conditions.is_empty() {
        return;
    }
    put(out, 0, "Conditions:\n  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage");
    put(out, 1, "----\t------\t-----------------\t------------------\t------\t-------");
    for c in conditions {
        let (beat, moved) = (date(c.get("lastHeartbeatTime")), date(c.get("lastTransitionTime")));
        let text = |field: &str| c.get(field).text().to_string();
        put(out, 1, format!("{} \t{} \t{beat} \t{moved} \t{} \t{}", text("type"), text("status"), text("reason"), text("message")));
    }
}

fn system(out: &mut String, info: &Value) {
    put(out, 0, "System Info:");
    for (title, field) in [
        ("Machine ID", "machineID"),
        ("System UUID", "systemUUID"),
        ("Boot ID", "bootID"),
        ("Kernel Version", "kernelVersion"),
        ("OS Image", "osImage"),
        ("Operating System", "operatingSystem"),
        ("Architecture", "architecture"),
        ("Container Runtime Version", "containerRuntimeVersion"),
        ("Kubelet Version", "kubeletVersion"),
    ] {
        put(out, 1, format!("{title}:\t{}", info.get(field).text()));
    }
}

/// What a pod's containers ask for, or are limited to, of a resource: the sum, or the largest init container's if that is more.
fn sum(pod: &Object, what: &str, name: &str) -> Quantity {
    let amount = |c: &Value| Quantity::of_or_zero(c.at(&["resources", what, name]));
    let mut total = Quantity::ZERO;
    pod.spec().get("containers").items().iter().for_each(|c| total += amount(c));
    let mut sidecars = Quantity::ZERO;
    let mut most = Quantity::ZERO;
    for c in pod.spec().get("initContainers").items() {
        if c.get("restartPolicy").text() == "Always" {
            sidecars += amount(c);
            most = most.max(sidecars);
        } else {
            most = most.max(sidecars + amount(c));
        }
    }
    total += sidecars;
    let total = total.max(most);
    total + Quantity::of_or_zero(pod.spec().at(&["overhead", name]))
}

/// `250m (12%)`
fn share(amount: Quantity, of: Quantity) -> String {
    let percent = if of.milli() == 0 { 0 } else { i128::from(amount.milli()) * 100 / i128::from(of.milli()) };
    format!("{amount} ({percent}%)")
}

fn resources(out: &mut String, node: &Object, pods: &[Object], now: Time) {
    let allocatable = match node.status().get("allocatable") {
        Value::Null => node.status().get("capacity"),
        amounts => amounts,
    };
    let room = |name: &str| Quantity::of_or_zero(allocatable.get(name));
    put(out, 0, format!("Non-terminated Pods:\t({} in total)", pods.len()));
    put(out, 1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge");
    put(out, 1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---");
    for pod in pods {
        let cell = |what: &str, name: &str| share(sum(pod, what, name), room(name));
        let (cpu, cpu_limit) = (cell("requests", "cpu"), cell("limits", "cpu"));
        let (memory, memory_limit) = (cell("requests", "memory"), cell("limits", "memory"));
        let (namespace, name) = (pod.namespace(), pod.name());
        put(out, 1, format!("{namespace}\t{name}\t\t{cpu}\t{cpu_limit}\t{memory}\t{memory_limit}\t{}", age(pod, now)));
    }
    put(out, 0, "Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)");
    put(out, 1, "Resource\tRequests\tLimits");
    put(out, 1, "--------\t--------\t------");
    let total = |what: &str, name: &str| pods.iter().fold(Quantity::ZERO, |t, p| t + sum(p, what, name));
    for name in ["cpu", "memory", "ephemeral-storage"] {
        put(out, 1, format!("{name}\t{}\t{}", share(total("requests", name), room(name)), share(total("limits", name), room(name))));
    }
    for (name, _) in allocatable.entries() {
        let extra = (name.contains('/') && !name.contains("kubernetes.io/")) || name.starts_with("hugepages-");
        if extra {
            put(out, 1, format!("{name}\t{}\t{}", total("requests", name), total("limits", name)));
        }
    }
}
