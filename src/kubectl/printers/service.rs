//! Services.

use super::super::fault::Fault;
use super::write::{head, put};
use super::{Fixed, age, endpoint_slice, labels_text, or};
use crate::api::{Object, Value};
use crate::client::Transport;
use crate::util::Time;

pub const TABLE: Fixed = (
    &[
        ("Name", false),
        ("Type", false),
        ("Cluster-IP", false),
        ("External-IP", false),
        ("Port(s)", false),
        ("Age", false),
        ("Selector", true),
    ],
    row,
);

fn ingress_addresses(s: &Object) -> Vec<String> {
    let each = s.status().at(&["loadBalancer", "ingress"]).items().iter();
    each.map(|i| or(i.get("ip").text(), i.get("hostname").text()).to_string()).filter(|a| !a.is_empty()).collect()
}

fn external(s: &Object) -> String {
    let spec = s.spec();
    let mut all: Vec<String> = spec.get("externalIPs").items().iter().map(|v| v.text().to_string()).collect();
    match spec.get("type").text() {
        "LoadBalancer" => {
            let mut found = ingress_addresses(s);
            found.append(&mut all);
            or(&found.join(","), "<pending>").to_string()
        }
        "ExternalName" => spec.get("externalName").text().to_string(),
        _ => or(&all.join(","), "<none>").to_string(),
    }
}

fn ports(s: &Object) -> String {
    let each = s.spec().get("ports").items().iter().map(|p| {
        let (port, protocol) = (p.get("port").int(), p.get("protocol").text());
        match p.get("nodePort").int() {
            0 => format!("{port}/{protocol}"),
            node => format!("{port}:{node}/{protocol}"),
        }
    });
    or(&each.collect::<Vec<_>>().join(","), "<none>").to_string()
}

fn row(s: &Object, now: Time) -> Vec<String> {
    let spec = s.spec();
    vec![
        s.name().to_string(),
        spec.get("type").text().to_string(),
        or(spec.get("clusterIP").text(), "<none>").to_string(),
        external(s),
        ports(s),
        age(s, now),
        labels_text(spec.get("selector")),
    ]
}

fn joined(list: &Value, nothing: &str) -> String {
    let texts: Vec<&str> = list.items().iter().map(Value::text).collect();
    or(&texts.join(","), nothing).to_string()
}

pub fn describe(out: &mut String, s: &Object, api: &mut dyn Transport) -> Result<(), Fault> {
    let spec = s.spec();
    head(out, s);
    put(out, 0, format!("Selector:\t{}", labels_text(spec.get("selector"))));
    put(out, 0, format!("Type:\t{}", spec.get("type").text()));
    if !spec.get("ipFamilyPolicy").is_empty() {
        put(out, 0, format!("IP Family Policy:\t{}", spec.get("ipFamilyPolicy").text()));
    }
    put(out, 0, format!("IP Families:\t{}", joined(spec.get("ipFamilies"), "<none>")));
    put(out, 0, format!("IP:\t{}", spec.get("clusterIP").text()));
    put(out, 0, format!("IPs:\t{}", joined(spec.get("clusterIPs"), "<none>")));
    if !spec.get("externalIPs").items().is_empty() {
        put(out, 0, format!("External IPs:\t{}", joined(spec.get("externalIPs"), "")));
    }
    if !spec.get("loadBalancerIP").is_empty() {
        put(out, 0, format!("Desired LoadBalancer IP:\t{}", spec.get("loadBalancerIP").text()));
    }
    if !spec.get("externalName").is_empty() {
        put(out, 0, format!("External Name:\t{}", spec.get("externalName").text()));
    }
    let addresses = ingress_addresses(s);
    if !addresses.is_empty() {
        put(out, 0, format!("LoadBalancer Ingress:\t{}", addresses.join(", ")));
    }
    let slices = endpoint_slice::of_service(api, s)?;
    for port in spec.get("ports").items() {
        describe_port(out, port, &slices);
    }
    put(out, 0, format!("Session Affinity:\t{}", spec.get("sessionAffinity").text()));
    for (title, field) in [("External Traffic Policy", "externalTrafficPolicy"), ("Internal Traffic Policy", "internalTrafficPolicy")] {
        if !spec.get(field).is_empty() {
            put(out, 0, format!("{title}:\t{}", spec.get(field).text()));
        }
    }
    if spec.get("healthCheckNodePort").int() != 0 {
        put(out, 0, format!("HealthCheck NodePort:\t{}", spec.get("healthCheckNodePort").int()));
    }
    if !spec.get("loadBalancerSourceRanges").items().is_empty() {
        put(out, 0, format!("LoadBalancer Source Ranges:\t{}", joined(spec.get("loadBalancerSourceRanges"), "")));
    }
    if !spec.get("trafficDistribution").is_empty() {
        put(out, 0, format!("Traffic Distribution:\t{}", spec.get("trafficDistribution").text()));
    }
    Ok(())
}

fn describe_port(out: &mut String, port: &Value, slices: &[Object]) {
    let name = or(port.get("name").text(), "<unset>");
    let protocol = port.get("protocol").text();
    put(out, 0, format!("Port:\t{name}\t{}/{protocol}", port.get("port").int()));
    put(out, 0, format!("TargetPort:\t{}/{protocol}", super::scalar(port.get("targetPort"))));
    if port.get("nodePort").int() != 0 {
        put(out, 0, format!("NodePort:\t{name}\t{}/{protocol}", port.get("nodePort").int()));
    }
    put(out, 0, format!("Endpoints:\t{}", endpoint_slice::addresses(slices, Some(port.get("name").text()))));
}
