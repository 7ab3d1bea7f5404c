//! A pod as an endpoint of a service, and the ports it is reached at (`podToEndpoint`, `getEndpointPorts`).

use crate::api::resource::NODES;
use crate::api::{Object, Value};
use crate::client::Sync;
use crate::controllers::common::pod::{is_finished, is_ready};
use crate::value;

const ZONE: &str = "topology.kubernetes.io/zone";

/// The endpoint of a pod, if it has an address and has not finished.
pub(super) fn endpoint(sync: &Sync<'_>, service: &Object, pod: &Object) -> Option<Value> {
    let ip = pod.status().get("podIP");
    if is_finished(pod) || ip.text().is_empty() || ip.text().contains(':') {
        return None;
    }
    let node_name = pod.spec().get("nodeName");
    let node = sync.cache(&NODES).get("", node_name.text());
    let (serving, terminating) = (is_ready(pod), pod.is_deleting());
    let ready = service.spec().get("publishNotReadyAddresses").is_true() || (serving && !terminating);
    let mut e = value!({
        "addresses": [ip],
        "conditions": {"ready": ready, "serving": serving, "terminating": terminating},
        "targetRef": {
            "kind": "Pod",
            "namespace": (pod.meta().get("namespace")),
            "name": (pod.meta().get("name")),
            "uid": (pod.meta().get("uid"))
        }
    });
    if !node_name.is_empty() {
        e.set("nodeName", node_name);
    }
    if let Some(zone) = node.map(|n| n.labels().get(ZONE)).filter(|z| !z.is_empty()) {
        e.set("zone", zone);
    }
    let hostname = pod.spec().get("hostname");
    if !hostname.is_empty() && pod.spec().get("subdomain").text() == service.name() {
        e.set("hostname", hostname);
    }
    Some(e)
}

/// The ports of a service as this pod serves them; a named target port that the pod lacks is left out.
pub(super) fn ports(service: &Object, pod: &Object) -> Value {
    let all = service.spec().get("ports").items();
    let found = all.iter().filter_map(|p| {
        let number = find_port(pod, p)?;
        let mut port = value!({"name": (p.get("name").to_str()), "protocol": (p.get("protocol")), "port": number});
        if !p.get("appProtocol").is_empty() {
            port.set("appProtocol", p.get("appProtocol"));
        }
        Some(port)
    });
    found.collect()
}

/// `podutil.FindPort`
fn find_port(pod: &Object, port: &Value) -> Option<i64> {
    let name = match port.get("targetPort") {
        Value::Int(n) if *n != 0 => return Some(*n),
        Value::Str(name) => name,
        _ => return port.get("port").as_int(),
    };
    let sidecar = |c: &&Value| c.get("restartPolicy").text() == "Always";
    let containers = pod.spec().get("containers").items().iter();
    let containers = containers.chain(pod.spec().get("initContainers").items().iter().filter(sidecar));
    let mut ports = containers.flat_map(|c| c.get("ports").items());
    let wanted = |p: &&Value| p.get("name").text() == name.as_str() && p.get("protocol") == port.get("protocol");
    ports.find(wanted).and_then(|p| p.get("containerPort").as_int())
}

/// Whether two endpoints are the same one, though perhaps in another state.
pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    a.get("addresses") == b.get("addresses")
        && a.get("hostname") == b.get("hostname")
        && a.at(&["targetRef", "name"]) == b.at(&["targetRef", "name"])
        && a.at(&["targetRef", "namespace"]) == b.at(&["targetRef", "namespace"])
}
