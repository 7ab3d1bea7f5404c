//! Services (`ValidateService`).

use super::super::Causes;
use super::super::path::Path;
use super::super::rules::{duplicate, forbidden, invalid, label, labels, not_supported, required, subdomain};
use super::{all_invalid, one_of, port_number, port_reference};
use crate::api::Value;
use crate::value;
use std::collections::BTreeSet;

const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

pub fn service(object: &Value, causes: &mut Causes) {
    let (spec, at) = (object.get("spec"), Path::root("spec"));
    let kind = spec.get("type").text();
    let headless = spec.get("clusterIP").text() == "None";
    if spec.get("ports").items().is_empty() && !headless && kind != "ExternalName" {
        causes.push(required(at.child("ports"), ""));
    }
    match kind {
        "LoadBalancer" if headless => {
            causes.push(invalid("spec.clusterIPs[0]", &Value::from("None"), "may not be set to 'None' for LoadBalancer services"));
        }
        "NodePort" if headless => {
            causes.push(invalid("spec.clusterIPs[0]", &Value::from("None"), "may not be set to 'None' for NodePort services"));
        }
        "ExternalName" => external_name(spec, &at, causes),
        _ => {}
    }
    ports(spec, &at.child("ports"), causes);
    let outside = at.child("externalIPs");
    for (i, address) in spec.get("externalIPs").items().iter().enumerate() {
        super::table::address(address, &outside.index(i), causes);
    }
    labels(spec.get("selector"), "spec.selector", causes);
    one_of(spec.get("sessionAffinity"), at.child("sessionAffinity"), &["ClientIP", "None"], causes);
    if !TYPES.contains(&kind) {
        causes.push(not_supported(at.child("type"), spec.get("type"), &TYPES));
    }
    if !matches!(kind, "NodePort" | "LoadBalancer") && !spec.get("externalTrafficPolicy").text().is_empty() {
        let why = "may only be set for externally-accessible services";
        causes.push(invalid(at.child("externalTrafficPolicy"), spec.get("externalTrafficPolicy"), why));
    }
}

fn external_name(spec: &Value, at: &Path, causes: &mut Causes) {
    let name = spec.get("externalName");
    if name.text().is_empty() {
        causes.push(required(at.child("externalName"), ""));
    } else {
        all_invalid(subdomain(name.text().trim_end_matches('.')), name, &at.child("externalName"), causes);
    }
    if !spec.get("clusterIP").is_empty() {
        causes.push(forbidden(at.child("clusterIPs"), "may not be set when `type` is 'ExternalName'"));
    }
}

fn ports(spec: &Value, at: &Path, causes: &mut Causes) {
    let list = spec.get("ports").items();
    let needs_name = list.len() > 1;
    let mut names = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for (i, port) in list.iter().enumerate() {
        let at = at.index(i);
        let name = port.get("name");
        if name.text().is_empty() {
            if needs_name {
                causes.push(required(at.child("name"), ""));
            }
        } else {
            all_invalid(label(name.text()), name, &at.child("name"), causes);
            if !names.insert(name.text()) {
                causes.push(duplicate(at.child("name"), name));
            }
        }
        port_number(&Value::Int(port.get("port").int()), at.child("port"), causes);
        one_of(port.get("protocol"), at.child("protocol"), &["SCTP", "TCP", "UDP"], causes);
        port_reference(port.get("targetPort"), at.child("targetPort"), causes);
        if spec.get("type").text() == "ClusterIP" && port.get("nodePort").int() != 0 {
            causes.push(forbidden(at.child("nodePort"), "may not be used when `type` is 'ClusterIP'"));
        }
        if !seen.insert((port.get("protocol").text(), port.get("port").int())) {
            let shown = value!({"Name": "", "Protocol": (port.get("protocol")), "AppProtocol": null, "Port": (port.get("port")), "TargetPort": 0_i64, "NodePort": 0_i64});
            causes.push(duplicate(&at, &shown));
        }
    }
}

/// A Service keeps its address while it has one.
pub fn service_update(object: &Value, old: &Value, causes: &mut Causes) {
    let kind = |o: &Value| o.at(&["spec", "type"]).to_str();
    if kind(object) == "ExternalName" || kind(old) == "ExternalName" {
        return;
    }
    let (new, was) = (object.at(&["spec", "clusterIP"]), old.at(&["spec", "clusterIP"]));
    if !was.text().is_empty() && new != was {
        causes.push(invalid("spec.clusterIPs[0]", object.at(&["spec", "clusterIPs"]), "may not change once set"));
    }
}
