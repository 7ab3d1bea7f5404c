//! Containers in descriptions of pods and pod templates.

use super::write::{date, put, truth};
use super::{or, scalar};
use crate::api::{Object, Value};
use crate::util::Order;

/// Describes containers; with the pod and the name of the list of their states, if there are any.
pub fn containers(out: &mut String, title: &str, containers: &Value, states: Option<(&Object, &str)>, space: &str) {
    let none = if containers.items().is_empty() { " <none>" } else { "" };
    put(out, 0, format!("{space}{title}:{none}"));
    let indent = if space.is_empty() { "" } else { " " };
    for container in containers.items() {
        let name = container.get("name").text();
        let state = states.and_then(|(pod, list)| pod.status().get(list).find("name", name));
        put(out, 1, format!("{indent}{name}:"));
        basics(out, container, state);
        words(out, "Command", container.get("command"));
        words(out, "Args", container.get("args"));
        if let Some(state) = state {
            condition(out, state);
        }
        for (title, field) in [("Limits", "limits"), ("Requests", "requests")] {
            let amounts = container.at(&["resources", field]).entries();
            if !amounts.is_empty() {
                put(out, 2, format!("{title}:"));
                amounts.iter().for_each(|(k, v)| put(out, 3, format!("{k}:\t{}", scalar(v))));
            }
        }
        for (title, field) in [("Liveness", "livenessProbe"), ("Readiness", "readinessProbe"), ("Startup", "startupProbe")] {
            if !container.get(field).is_null() {
                put(out, 2, format!("{title}:\t{}", probe(container.get(field))));
            }
        }
        environment(out, container, states.map(|s| s.0));
        mounts(out, container);
    }
}

fn basics(out: &mut String, container: &Value, state: Option<&Value>) {
    if let Some(state) = state {
        put(out, 2, format!("Container ID:\t{}", state.get("containerID").text()));
    }
    put(out, 2, format!("Image:\t{}", container.get("image").text()));
    if let Some(state) = state {
        put(out, 2, format!("Image ID:\t{}", state.get("imageID").text()));
    }
    for (title, field) in [("Port", "containerPort"), ("Host Port", "hostPort")] {
        let ports: Vec<String> = container.get("ports").items().iter().map(|p| port(p, field)).collect();
        let plural = if ports.len() > 1 { "s" } else { "" };
        put(out, 2, format!("{title}{plural}:\t{}", or(&ports.join(", "), "<none>")));
    }
    let profile = container.at(&["securityContext", "seccompProfile"]);
    if !profile.is_null() {
        put(out, 2, format!("SeccompProfile:\t{}", profile.get("type").text()));
    }
}

fn port(port: &Value, field: &str) -> String {
    let text = format!("{}/{}", port.get(field).int(), or(port.get("protocol").text(), "TCP"));
    match port.get("name").text() {
        "" => text,
        name => format!("{text} ({name})"),
    }
}

fn words(out: &mut String, title: &str, words: &Value) {
    if words.items().is_empty() {
        return;
    }
    put(out, 2, format!("{title}:"));
    for word in words.items() {
        word.text().split('\n').for_each(|line| put(out, 3, line));
    }
}

fn condition(out: &mut String, state: &Value) {
    one_state(out, "State", state.get("state"));
    if !state.at(&["lastState", "terminated"]).is_null() {
        one_state(out, "Last State", state.get("lastState"));
    }
    put(out, 2, format!("Ready:\t{}", truth(state.get("ready").is_true())));
    put(out, 2, format!("Restart Count:\t{}", state.get("restartCount").int()));
}

fn one_state(out: &mut String, title: &str, state: &Value) {
    if let running @ Value::Map(_) = state.get("running") {
        put(out, 2, format!("{title}:\tRunning"));
        put(out, 3, format!("Started:\t{}", date(running.get("startedAt"))));
        return;
    }
    let ended = state.get("terminated");
    if ended.is_null() {
        put(out, 2, format!("{title}:\tWaiting"));
        if !state.at(&["waiting", "reason"]).is_empty() {
            put(out, 3, format!("Reason:\t{}", state.at(&["waiting", "reason"]).text()));
        }
        return;
    }
    put(out, 2, format!("{title}:\tTerminated"));
    for (title, field) in [("Reason", "reason"), ("Message", "message")] {
        if !ended.get(field).is_empty() {
            put(out, 3, format!("{title}:\t{}", ended.get(field).text()));
        }
    }
    put(out, 3, format!("Exit Code:\t{}", ended.get("exitCode").int()));
    if ended.get("signal").int() > 0 {
        put(out, 3, format!("Signal:\t{}", ended.get("signal").int()));
    }
    put(out, 3, format!("Started:\t{}", date(ended.get("startedAt"))));
    put(out, 3, format!("Finished:\t{}", date(ended.get("finishedAt"))));
}

fn probe(probe: &Value) -> String {
    let n = |field: &str, default: i64| probe.get(field).as_int().unwrap_or(default);
    let times = format!(
        "delay={}s timeout={}s period={}s #success={} #failure={}",
        n("initialDelaySeconds", 0),
        n("timeoutSeconds", 0),
        n("periodSeconds", 0),
        n("successThreshold", 0),
        n("failureThreshold", 0)
    );
    if let exec @ Value::Map(_) = probe.get("exec") {
        let words: Vec<&str> = exec.get("command").items().iter().map(Value::text).collect();
        return format!("exec [{}] {times}", words.join(" "));
    }
    if let get @ Value::Map(_) = probe.get("httpGet") {
        let scheme = or(get.get("scheme").text(), "HTTP").to_ascii_lowercase();
        let path = get.get("path").text();
        let slash = if path.is_empty() || path.starts_with('/') { "" } else { "/" };
        return format!("http-get {scheme}://{}:{}{slash}{path} {times}", get.get("host").text(), scalar(get.get("port")));
    }
    if let socket @ Value::Map(_) = probe.get("tcpSocket") {
        return format!("tcp-socket {}:{} {times}", socket.get("host").text(), scalar(socket.get("port")));
    }
    if let grpc @ Value::Map(_) = probe.get("grpc") {
        return format!("grpc <pod>:{} {} {times}", grpc.get("port").int(), grpc.get("service").text());
    }
    format!("unknown {times}")
}

fn environment(out: &mut String, container: &Value, pod: Option<&Object>) {
    let from = container.get("envFrom").items();
    if !from.is_empty() {
        put(out, 2, "Environment Variables from:");
    }
    for source in from {
        let (kind, reference) = match source.get("configMapRef") {
            Value::Null => ("Secret", source.get("secretRef")),
            reference => ("ConfigMap", reference),
        };
        let optional = reference.get("optional").is_true();
        let prefix = match source.get("prefix").text() {
            "" => String::new(),
            prefix => format!(" with prefix '{prefix}'"),
        };
        put(out, 3, format!("{}\t{kind}{prefix}\tOptional: {optional}", reference.get("name").text()));
    }
    let env = container.get("env").items();
    put(out, 2, if env.is_empty() { "Environment:\t<none>" } else { "Environment:" });
    for variable in env {
        let name = variable.get("name").text();
        let value_from = variable.get("valueFrom");
        if value_from.is_null() {
            for (i, line) in variable.get("value").text().split('\n').enumerate() {
                put(out, 3, if i == 0 { format!("{name}:\t{line}") } else { format!("\t{line}") });
            }
            continue;
        }
        put(out, 3, format!("{name}:\t{}", from_elsewhere(value_from, pod)));
    }
}

fn from_elsewhere(source: &Value, pod: Option<&Object>) -> String {
    for (field, of, what) in [("secretKeyRef", "in", "secret"), ("configMapKeyRef", "of", "config map")] {
        let reference = source.get(field);
        if !reference.is_null() {
            let (key, name) = (reference.get("key").text(), reference.get("name").text());
            return format!("<set to the key '{key}' {of} {what} '{name}'>\tOptional: {}", reference.get("optional").is_true());
        }
    }
    let field = source.get("fieldRef");
    if !field.is_null() {
        let path = field.get("fieldPath").text();
        let value = pod.map_or(String::new(), |p| field_of(p, path));
        return format!("{value} ({}:{path})", or(field.get("apiVersion").text(), "v1"));
    }
    let resource = source.at(&["resourceFieldRef", "resource"]).text();
    format!(" ({resource})")
}

/// A field of the pod as the downward API shows it.
fn field_of(pod: &Object, path: &str) -> String {
    let steps: Vec<&str> = path.split('.').collect();
    pod.at(&steps).text().to_string()
}

fn mounts(out: &mut String, container: &Value) {
    let mut mounts: Vec<&Value> = container.get("volumeMounts").items().iter().collect();
    put(out, 2, if mounts.is_empty() { "Mounts:\t<none>" } else { "Mounts:" });
    mounts.order_by_key(|m| m.get("mountPath").text());
    for mount in mounts {
        let mut flags = if mount.get("readOnly").is_true() { "ro" } else { "rw" }.to_string();
        if !mount.get("subPath").is_empty() {
            flags.push_str(&format!(",path=\"{}\"", mount.get("subPath").text()));
        }
        put(out, 3, format!("{} from {} ({flags})", mount.get("mountPath").text(), mount.get("name").text()));
    }
    let devices = container.get("volumeDevices").items();
    if !devices.is_empty() {
        put(out, 2, "Devices:");
        devices.iter().for_each(|d| put(out, 3, format!("{} from {}", d.get("devicePath").text(), d.get("name").text())));
    }
}
