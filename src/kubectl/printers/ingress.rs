//! Ingresses.

use super::super::fault::Fault;
use super::write::{annotations, labels, put};
use super::{Fixed, age, endpoint_slice, or};
use crate::api::{Object, Request, Str, Value, resource};
use crate::client::Transport;
use crate::util::Time;

pub const TABLE: Fixed =
    (&[("Name", false), ("Class", false), ("Hosts", false), ("Address", false), ("Ports", false), ("Age", false)], row);

fn address(i: &Object) -> String {
    let each = i.status().at(&["loadBalancer", "ingress"]).items().iter();
    let all: Vec<&str> = each.map(|a| or(a.get("ip").text(), a.get("hostname").text())).filter(|a| !a.is_empty()).collect();
    all.join(",")
}

fn hosts(i: &Object) -> String {
    let all: Vec<&str> = i.spec().get("rules").items().iter().map(|r| r.get("host").text()).filter(|h| !h.is_empty()).collect();
    let shown = all[..all.len().min(3)].join(",");
    match all.len() {
        0 => "*".to_string(),
        n if n > 3 => format!("{shown} + {} more...", n - 3),
        _ => shown,
    }
}

fn row(i: &Object, now: Time) -> Vec<String> {
    let ports = if i.spec().get("tls").items().is_empty() { "80" } else { "80, 443" };
    vec![
        i.name().to_string(),
        or(i.spec().get("ingressClassName").text(), "<none>").to_string(),
        hosts(i),
        address(i),
        ports.to_string(),
        age(i, now),
    ]
}

/// `web:80 (10.244.0.2:8080)`: a backend, and where it leads now.
fn backend(api: &mut dyn Transport, namespace: &Str, backend: &Value) -> String {
    let reference = backend.get("service");
    if reference.is_null() {
        let resource = backend.get("resource");
        let (group, kind, name) = (resource.get("apiGroup").text(), resource.get("kind").text(), resource.get("name").text());
        return format!("APIGroup: {group}, Kind: {kind}, Name: {name}");
    }
    let name = reference.get("name").text();
    let port = match reference.at(&["port", "name"]).text() {
        "" => reference.at(&["port", "number"]).int().to_string(),
        name => name.to_string(),
    };
    let Ok(service) = api.send(Request::get(&resource::SERVICES, namespace.clone(), name)).map(crate::api::Answer::object) else {
        return format!("{name}:{port} (<error: services \"{name}\" not found>)");
    };
    let found =
        service.spec().get("ports").items().iter().find(|p| p.get("name").text() == port || p.get("port").int().to_string() == port);
    let slices = endpoint_slice::of_service(api, &service).unwrap_or_default();
    let addresses = endpoint_slice::addresses(&slices, Some(found.map_or("", |p| p.get("name").text())));
    format!("{name}:{port} ({addresses})")
}

pub fn describe(out: &mut String, i: &Object, api: &mut dyn Transport) -> Result<(), Fault> {
    let (spec, namespace) = (i.spec(), i.key().namespace);
    put(out, 0, format!("Name:\t{}", i.name()));
    labels(out, "Labels", i.labels());
    put(out, 0, format!("Namespace:\t{}", i.namespace()));
    put(out, 0, format!("Address:\t{}", address(i)));
    put(out, 0, format!("Ingress Class:\t{}", or(spec.get("ingressClassName").text(), "<none>")));
    let default = match spec.get("defaultBackend") {
        Value::Null => "<default>".to_string(),
        b => backend(api, &namespace, b),
    };
    put(out, 0, format!("Default backend:\t{default}"));
    let tls = spec.get("tls").items();
    if !tls.is_empty() {
        put(out, 0, "TLS:");
        for t in tls {
            let hosts: Vec<&str> = t.get("hosts").items().iter().map(Value::text).collect();
            let (secret, hosts) = (t.get("secretName").text(), hosts.join(","));
            put(out, 1, if secret.is_empty() { format!("SNI routes {hosts}") } else { format!("{secret} terminates {hosts}") });
        }
    }
    put(out, 0, "Rules:\n  Host\tPath\tBackends");
    put(out, 1, "----\t----\t--------");
    let mut rules = 0;
    for rule in spec.get("rules").items().iter().filter(|r| !r.get("http").is_null()) {
        rules += 1;
        put(out, 1, format!("{}\t", or(rule.get("host").text(), "*")));
        for path in rule.at(&["http", "paths"]).items() {
            put(out, 1, format!("\t{} \t{}", path.get("path").text(), backend(api, &namespace, path.get("backend"))));
        }
    }
    if rules == 0 {
        put(out, 1, format!("*\t*\t{default}"));
    }
    annotations(out, "Annotations", i.meta().get("annotations"));
    Ok(())
}
