//! Pods.

use super::super::fault::Fault;
use super::write::{annotations, controlled_by, date, labels, put};
use super::{Fixed, age, or, pod_parts, since, template, volumes};
use crate::api::{Object, Value};
use crate::client::Transport;
use crate::util::Time;

pub const TABLE: Fixed = (
    &[
        ("Name", false),
        ("Ready", false),
        ("Status", false),
        ("Restarts", false),
        ("Age", false),
        ("IP", true),
        ("Node", true),
        ("Nominated Node", true),
        ("Readiness Gates", true),
    ],
    row,
);

/// What the columns READY, STATUS and RESTARTS are made of.
struct Summary {
    reason: String,
    ready: usize,
    total: usize,
    restarts: i64,
    last_restart: Value,
}

impl Summary {
    fn restarted(&mut self, status: &Value) {
        self.restarts += status.get("restartCount").int();
        let finished = status.at(&["lastState", "terminated", "finishedAt"]);
        if finished.text() > self.last_restart.text() {
            self.last_restart = finished.clone();
        }
    }
}

fn ended(terminated: &Value) -> String {
    let reason = terminated.get("reason").text();
    if !reason.is_empty() {
        return reason.to_string();
    }
    match terminated.get("signal").int() {
        0 => format!("ExitCode:{}", terminated.get("exitCode").int()),
        signal => format!("Signal:{signal}"),
    }
}

fn is_sidecar(pod: &Object, name: &str) -> bool {
    pod.spec().get("initContainers").find("name", name).is_some_and(|c| c.get("restartPolicy").text() == "Always")
}

/// The init containers' part; hands back whether the pod still initialises, and the restarts of sidecars.
fn initialising(pod: &Object, summary: &mut Summary) -> (bool, i64, Value) {
    let statuses = pod.status().get("initContainerStatuses").items();
    let (mut sidecar_restarts, mut sidecar_date) = (0, Value::Null);
    for (i, status) in statuses.iter().enumerate() {
        summary.restarted(status);
        let name = status.get("name").text();
        let state = status.get("state");
        let terminated = state.get("terminated");
        if is_sidecar(pod, name) {
            sidecar_restarts += status.get("restartCount").int();
            let finished = status.at(&["lastState", "terminated", "finishedAt"]);
            if finished.text() > sidecar_date.text() {
                sidecar_date = finished.clone();
            }
        }
        if !terminated.is_null() && terminated.get("exitCode").int() == 0 {
            continue;
        }
        if is_sidecar(pod, name) && status.get("started").is_true() {
            summary.ready += usize::from(status.get("ready").is_true());
            continue;
        }
        let waiting = state.at(&["waiting", "reason"]).text();
        summary.reason = if !terminated.is_null() {
            format!("Init:{}", ended(terminated))
        } else if !waiting.is_empty() && waiting != "PodInitializing" {
            format!("Init:{waiting}")
        } else {
            format!("Init:{i}/{}", pod.spec().get("initContainers").items().len())
        };
        return (true, sidecar_restarts, sidecar_date);
    }
    (false, sidecar_restarts, sidecar_date)
}

fn running(pod: &Object, summary: &mut Summary) {
    let mut has_running = false;
    for status in pod.status().get("containerStatuses").items().iter().rev() {
        summary.restarted(status);
        let state = status.get("state");
        let waiting = state.at(&["waiting", "reason"]).text();
        if !waiting.is_empty() {
            summary.reason = waiting.to_string();
        } else if !state.get("terminated").is_null() {
            summary.reason = ended(state.get("terminated"));
        } else if status.get("ready").is_true() && !state.get("running").is_null() {
            has_running = true;
            summary.ready += 1;
        }
    }
    if summary.reason == "Completed" && has_running {
        summary.reason = if pod.condition_is_true("Ready") { "Running" } else { "NotReady" }.to_string();
    }
}

fn summarise(pod: &Object) -> Summary {
    let status = pod.status();
    let phase = status.get("phase").text();
    let mut reason = or(status.get("reason").text(), phase).to_string();
    if pod.condition("PodScheduled").is_some_and(|c| c.get("reason").text() == "SchedulingGated") {
        reason = "SchedulingGated".to_string();
    }
    let sidecars = pod.spec().get("initContainers").items().iter().filter(|c| c.get("restartPolicy").text() == "Always").count();
    let total = pod.spec().get("containers").items().len() + sidecars;
    let mut summary = Summary { reason, ready: 0, total, restarts: 0, last_restart: Value::Null };
    let (initialises, restarts, date) = initialising(pod, &mut summary);
    if !initialises || pod.condition_is_true("Initialized") {
        summary.restarts = restarts;
        summary.last_restart = date;
        running(pod, &mut summary);
    }
    if pod.is_deleting() {
        if status.get("reason").text() == "NodeLost" {
            summary.reason = "Unknown".to_string();
        } else if !matches!(phase, "Succeeded" | "Failed") {
            summary.reason = "Terminating".to_string();
        }
    }
    summary
}

fn row(pod: &Object, now: Time) -> Vec<String> {
    let summary = summarise(pod);
    let restarts = if summary.restarts != 0 && !summary.last_restart.is_empty() {
        format!("{} ({} ago)", summary.restarts, since(&summary.last_restart, now))
    } else {
        summary.restarts.to_string()
    };
    let ip = pod.status().get("podIPs").item(0).get("ip").text();
    let gates = pod.spec().get("readinessGates").items();
    let gates_text = if gates.is_empty() {
        "<none>".to_string()
    } else {
        let true_ones = gates.iter().filter(|g| pod.condition_is_true(g.get("conditionType").text())).count();
        format!("{true_ones}/{}", gates.len())
    };
    vec![
        pod.name().to_string(),
        format!("{}/{}", summary.ready, summary.total),
        summary.reason,
        restarts,
        age(pod, now),
        or(ip, "<none>").to_string(),
        or(pod.spec().get("nodeName").text(), "<none>").to_string(),
        or(pod.status().get("nominatedNodeName").text(), "<none>").to_string(),
        gates_text,
    ]
}

pub fn describe(out: &mut String, pod: &Object, api: &mut dyn Transport) -> Result<(), Fault> {
    head(out, pod, api.now());
    let (spec, status) = (pod.spec(), pod.status());
    if !spec.get("initContainers").items().is_empty() {
        pod_parts::containers(out, "Init Containers", spec.get("initContainers"), Some((pod, "initContainerStatuses")), "");
    }
    pod_parts::containers(out, "Containers", spec.get("containers"), Some((pod, "containerStatuses")), "");
    let gates = spec.get("readinessGates").items();
    if !gates.is_empty() {
        put(out, 0, "Readiness Gates:\n  Type\tStatus");
        for gate in gates {
            let kind = gate.get("conditionType").text();
            let status = pod.condition(kind).map_or("<none>", |c| c.get("status").text());
            put(out, 1, format!("{kind} \t{status} "));
        }
    }
    let conditions = status.get("conditions").items();
    if !conditions.is_empty() {
        put(out, 0, "Conditions:\n  Type\tStatus");
        conditions.iter().for_each(|c| put(out, 1, format!("{} \t{} ", c.get("type").text(), c.get("status").text())));
    }
    volumes::describe(out, spec.get("volumes"), "");
    put(out, 0, format!("QoS Class:\t{}", status.get("qosClass").text()));
    labels(out, "Node-Selectors", spec.get("nodeSelector"));
    template::tolerations(out, "Tolerations", spec.get("tolerations"));
    template::spread(out, spec.get("topologySpreadConstraints"), "");
    Ok(())
}

fn head(out: &mut String, pod: &Object, now: Time) {
    let (spec, status) = (pod.spec(), pod.status());
    put(out, 0, format!("Name:\t{}", pod.name()));
    put(out, 0, format!("Namespace:\t{}", pod.namespace()));
    if let Some(priority) = spec.get("priority").as_int() {
        put(out, 0, format!("Priority:\t{priority}"));
    }
    for (title, field) in [
        ("Priority Class Name", "priorityClassName"),
        ("Runtime Class Name", "runtimeClassName"),
        ("Service Account", "serviceAccountName"),
    ] {
        if !spec.get(field).is_empty() {
            put(out, 0, format!("{title}:\t{}", spec.get(field).text()));
        }
    }
    let node = spec.get("nodeName").text();
    let place = if node.is_empty() { "<none>".to_string() } else { format!("{node}/{}", status.get("hostIP").text()) };
    put(out, 0, format!("Node:\t{place}"));
    if !status.get("startTime").is_empty() {
        put(out, 0, format!("Start Time:\t{}", date(status.get("startTime"))));
    }
    labels(out, "Labels", pod.labels());
    annotations(out, "Annotations", pod.meta().get("annotations"));
    let phase = status.get("phase").text();
    if pod.is_deleting() && !matches!(phase, "Failed" | "Succeeded") {
        put(out, 0, format!("Status:\tTerminating (lasts {})", since(pod.meta().get("deletionTimestamp"), now)));
        put(out, 0, format!("Termination Grace Period:\t{}s", pod.meta().get("deletionGracePeriodSeconds").int()));
    } else {
        put(out, 0, format!("Status:\t{phase}"));
    }
    for (title, field) in [("Reason", "reason"), ("Message", "message")] {
        if !status.get(field).is_empty() {
            put(out, 0, format!("{title}:\t{}", status.get(field).text()));
        }
    }
    let profile = spec.at(&["securityContext", "seccompProfile"]);
    if !profile.is_null() {
        put(out, 0, format!("SeccompProfile:\t{}", profile.get("type").text()));
    }
    put(out, 0, format!("IP:\t{}", status.get("podIP").text()));
    let ips = status.get("podIPs").items();
    if ips.is_empty() {
        put(out, 0, "IPs:\t<none>");
    } else {
        put(out, 0, "IPs:");
        ips.iter().for_each(|ip| put(out, 1, format!("IP:\t{}", ip.get("ip").text())));
    }
    controlled_by(out, pod);
    if !status.get("nominatedNodeName").is_empty() {
        put(out, 0, format!("NominatedNodeName:\t{}", status.get("nominatedNodeName").text()));
    }
}
