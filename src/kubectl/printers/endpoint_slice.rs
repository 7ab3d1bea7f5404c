//! EndpointSlices and Endpoints.

use super::super::fault::Fault;
use super::write::{head, put};
use super::{Fixed, age, or};
use crate::api::{ListOptions, Object, Request, Value, resource};
use crate::client::Transport;
use crate::util::Time;

pub const TABLE: Fixed = (&[("Name", false), ("AddressType", false), ("Ports", false), ("Endpoints", false), ("Age", false)], row);
pub const ENDPOINTS_TABLE: Fixed = (&[("Name", false), ("Endpoints", false), ("Age", false)], endpoints_row);

/// At most three items, and how many more there are.
fn few(items: &[String]) -> String {
    if items.is_empty() {
        return "<unset>".to_string();
    }
    let shown = items[..items.len().min(3)].join(",");
    if items.len() > 3 { format!("{shown} + {} more...", items.len() - 3) } else { shown }
}

fn row(slice: &Object, now: Time) -> Vec<String> {
    let ports: Vec<String> = slice.get("ports").items().iter().map(port_text).collect();
    let addresses: Vec<String> =
        slice.get("endpoints").items().iter().flat_map(|e| e.get("addresses").items()).map(|a| a.text().to_string()).collect();
    vec![slice.name().to_string(), slice.get("addressType").text().to_string(), few(&ports), few(&addresses), age(slice, now)]
}

fn port_text(port: &Value) -> String {
    match port.get("port").as_int() {
        Some(n) => n.to_string(),
        None => or(port.get("name").text(), "*").to_string(),
    }
}

fn endpoints_row(e: &Object, now: Time) -> Vec<String> {
    let mut all = Vec::new();
    for subset in e.get("subsets").items() {
        for address in subset.get("addresses").items() {
            let ip = address.get("ip").text();
            let ports = subset.get("ports").items();
            if ports.is_empty() {
                all.push(ip.to_string());
            }
            all.extend(ports.iter().map(|p| format!("{ip}:{}", p.get("port").int())));
        }
    }
    let text = if all.is_empty() { "<none>".to_string() } else { few(&all) };
    vec![e.name().to_string(), text, age(e, now)]
}

/// The slices of a Service.
///
/// # Errors
/// The server's refusal.
pub fn of_service(api: &mut dyn Transport, service: &Object) -> Result<Vec<Object>, Fault> {
    let labels = format!("kubernetes.io/service-name={}", service.name());
    let list = ListOptions { label_selector: labels.into(), ..ListOptions::default() };
    let request = Request { list, ..Request::list(&resource::ENDPOINT_SLICES, service.key().namespace) };
    Ok(api.send(request)?.items())
}

/// Addresses with ports of the endpoints that are ready; of the port with this name only, if one is given.
pub fn addresses(slices: &[Object], port_name: Option<&str>) -> String {
    if slices.is_empty() {
        return "<none>".to_string();
    }
    let mut all = Vec::new();
    for slice in slices {
        let ready = || slice.get("endpoints").items().iter().filter(|e| e.at(&["conditions", "ready"]).as_bool() != Some(false));
        if slice.get("ports").items().is_empty() {
            all.extend(ready().flat_map(|e| e.get("addresses").items()).map(|a| a.text().to_string()));
        }
        let ports = slice.get("ports").items().iter().filter(|p| port_name.is_none_or(|name| p.get("name").text() == name));
        for port in ports {
            for endpoint in ready() {
                all.extend(endpoint.get("addresses").items().iter().map(|a| format!("{}:{}", a.text(), port.get("port").int())));
            }
        }
    }
    let shown = all[..all.len().min(3)].join(",");
    if all.len() > 3 { format!("{shown} + {} more...", all.len() - 3) } else { shown }
}

pub fn describe(out: &mut String, slice: &Object, _: &mut dyn Transport) -> Result<(), Fault> {
    head(out, slice);
    put(out, 0, format!("AddressType:\t{}", slice.get("addressType").text()));
    let ports = slice.get("ports").items();
    if ports.is_empty() {
        put(out, 0, "Ports: <unset>");
    } else {
        put(out, 0, "Ports:");
        put(out, 1, "Name\tPort\tProtocol");
        put(out, 1, "----\t----\t--------");
        for port in ports {
            let number = port.get("port").as_int().map_or("<unset>".to_string(), |n| n.to_string());
            put(out, 1, format!("{}\t{number}\t{}", or(port.get("name").text(), "<unset>"), port.get("protocol").text()));
        }
    }
    let endpoints = slice.get("endpoints").items();
    if endpoints.is_empty() {
        put(out, 0, "Endpoints: <none>");
        return Ok(());
    }
    put(out, 0, "Endpoints:");
    for endpoint in endpoints {
        let addresses: Vec<&str> = endpoint.get("addresses").items().iter().map(Value::text).collect();
        put(out, 1, format!("- Addresses:\t{}", addresses.join(", ")));
        put(out, 2, "Conditions:");
        let ready = endpoint.at(&["conditions", "ready"]).as_bool();
        put(out, 3, format!("Ready:\t{}", ready.map_or("<unset>".to_string(), |b| b.to_string())));
        put(out, 2, format!("Hostname:\t{}", or(endpoint.get("hostname").text(), "<unset>")));
        let target = endpoint.get("targetRef");
        if !target.is_null() {
            put(out, 2, format!("TargetRef:\t{}/{}", target.get("kind").text(), target.get("name").text()));
        }
        put(out, 2, format!("NodeName:\t{}", or(endpoint.get("nodeName").text(), "<unset>")));
        put(out, 2, format!("Zone:\t{}", or(endpoint.get("zone").text(), "<unset>")));
    }
    Ok(())
}
