//! Ingresses and NetworkPolicies (`pkg/apis/networking/validation`).

use super::super::Causes;
use super::super::path::Path;
use super::super::rules::{invalid, not_supported, required, subdomain};
use super::{all_invalid, label_selector, one_of, port_name, port_number};
use crate::api::Value;

/// `ValidateIngressSpec`.
pub fn ingress(object: &Value, causes: &mut Causes) {
    let (spec, at) = (object.get("spec"), Path::root("spec"));
    let rules = spec.get("rules").items();
    if rules.is_empty() && spec.get("defaultBackend").is_null() {
        causes.push(invalid(&at, spec, "either `defaultBackend` or `rules` must be specified"));
    }
    let tls_at = at.child("tls");
    for (i, tls) in spec.get("tls").items().iter().enumerate() {
        let at = tls_at.index(i);
        let hosts = at.child("hosts");
        for (j, name) in tls.get("hosts").items().iter().enumerate() {
            host_name(name, &hosts.index(j), causes);
        }
    }
    if !spec.get("defaultBackend").is_null() {
        backend(spec.get("defaultBackend"), &at.child("defaultBackend"), causes);
    }
    let rules_at = at.child("rules");
    for (i, rule) in rules.iter().enumerate() {
        let at = rules_at.index(i);
        host(rule.get("host"), &at, causes);
        let http = at.child("http");
        let paths_at = http.child("paths");
        let paths = rule.at(&["http", "paths"]);
        if !rule.get("http").is_null() && paths.items().is_empty() {
            causes.push(required(&paths_at, ""));
        }
        for (j, path) in paths.items().iter().enumerate() {
            ingress_path(path, &paths_at.index(j), causes);
        }
    }
    let class = spec.get("ingressClassName");
    if !class.is_null() {
        all_invalid(subdomain(class.text()), class, &at.child("ingressClassName"), causes);
    }
}

fn host(host: &Value, at: &Path, causes: &mut Causes) {
    let name = host.text();
    if name.is_empty() {
        return;
    }
    let at = at.child("host");
    if super::table::is_address(name) {
        causes.push(invalid(&at, host, "must be a DNS name, not an IP address"));
    }
    host_name(host, &at, causes);
}

fn host_name(host: &Value, at: &Path, causes: &mut Causes) {
    let name = host.text();
    if name.contains('*') {
        let rest = name.strip_prefix("*.");
        if rest.is_none_or(|r| !subdomain(r).is_empty()) {
            let why = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
            causes.push(invalid(at, host, why));
        }
        return;
    }
    all_invalid(subdomain(name), host, at, causes);
}

fn ingress_path(path: &Value, at: &Path, causes: &mut Causes) {
    let kind = path.get("pathType");
    let text = path.get("path");
    match kind.text() {
        "" => causes.push(required(at.child("pathType"), "pathType must be specified")),
        "Exact" | "Prefix" => {
            if !text.text().starts_with('/') {
                causes.push(invalid(at.child("path"), &Value::from(text.to_str()), "must be an absolute path"));
            }
            for bad in ["//", "/./", "/../", "%2f", "%2F"] {
                if text.text().contains(bad) {
                    causes.push(invalid(at.child("path"), text, &format!("must not contain '{bad}'")));
                }
            }
        }
        "ImplementationSpecific" => {
            if !text.text().is_empty() && !text.text().starts_with('/') {
                causes.push(invalid(at.child("path"), text, "must be an absolute path"));
            }
        }
        _ => causes.push(not_supported(at.child("pathType"), kind, &["Exact", "ImplementationSpecific", "Prefix"])),
    }
    backend(path.get("backend"), &at.child("backend"), causes);
}

fn backend(backend: &Value, at: &Path, causes: &mut Causes) {
    let (service, resource) = (backend.get("service"), backend.get("resource"));
    match (service.is_null(), resource.is_null()) {
        (true, true) => {
            causes.push(invalid(at, &Value::from(""), "resource or service backend is required"));
            return;
        }
        (false, false) => {
            causes.push(invalid(at, &Value::from(""), "cannot set both resource and service backends"));
            return;
        }
        (true, false) => return,
        (false, true) => {}
    }
    let at_service = at.child("service");
    let name = service.get("name");
    if name.text().is_empty() {
        causes.push(required(at_service.child("name"), ""));
    } else {
        all_invalid(super::super::rules::label(name.text()), name, &at_service.child("name"), causes);
    }
    let (number, by_name) = (service.at(&["port", "number"]), service.at(&["port", "name"]));
    let has_name = !by_name.text().is_empty();
    let at_port = at_service.child("port");
    match (has_name, number.int() != 0) {
        (true, true) => causes.push(invalid(at, &Value::from(""), "cannot set both port name & port number")),
        (true, false) => all_invalid(port_name(by_name.text()), by_name, &at_port.child("name"), causes),
        (false, true) => port_number(number, at_port.child("number"), causes),
        (false, false) => causes.push(required(at, "port name or number is required")),
    }
}

/// `ValidateNetworkPolicySpec`.
pub fn network_policy(object: &Value, causes: &mut Causes) {
    let (spec, at) = (object.get("spec"), Path::root("spec"));
    label_selector(spec.get("podSelector"), &at.child("podSelector"), causes);
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        let rules = at.child(direction);
        for (i, rule) in spec.get(direction).items().iter().enumerate() {
            let at = rules.index(i);
            let ports = at.child("ports");
            for (j, port) in rule.get("ports").items().iter().enumerate() {
                let at = ports.index(j);
                one_of(port.get("protocol"), at.child("protocol"), &["SCTP", "TCP", "UDP"], causes);
                if !port.get("port").is_null() {
                    super::port_reference(port.get("port"), at.child("port"), causes);
                }
            }
            let peers_at = at.child(peers);
            for (j, peer) in rule.get(peers).items().iter().enumerate() {
                if peer.entries().iter().all(|(_, v)| v.is_null()) {
                    causes.push(required(peers_at.index(j), "must specify a peer"));
                }
            }
        }
    }
}
