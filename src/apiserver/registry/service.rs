//! Services, after upstream's `pkg/apis/core/v1/defaults.go` and `pkg/registry/core/service`: defaults, and the
//! allocation of cluster addresses and node ports. Left out: IPv6 and dual stack, health check ports.

use super::check;
use super::edit::{edit, edit_each, ensure, is_unset, put, put_nonzero};
use super::rules::invalid;
use super::{Causes, PLAIN, StatusAtCreate, Strategy};
use crate::api::resource::SERVICES as RESOURCE;
use crate::api::{Resource, Status, Value};
use crate::apiserver::admission::View;
use crate::value;

/// 10.96.0.0/12
const ADDRESSES_START: u32 = 0x0a60_0000;
const ADDRESSES: u32 = 1 << 20;
/// Addresses below this offset are left to those who ask for one.
const ADDRESSES_STATIC: u32 = 256;
const NODE_PORT_MIN: i64 = 30_000;
const NODE_PORT_MAX: i64 = 32_767;
/// Node ports below this offset are left to those who ask for one.
const NODE_PORTS_STATIC: i64 = 86;
/// Which of the object's draws finds the port for health checks.
const HEALTH_PORT_DRAW: u64 = 99;

pub const SERVICES: Strategy = Strategy {
    resource: "services",
    default: default_service,
    has_status: true,
    status: StatusAtCreate::Set(|| value!({"loadBalancer": {}})),
    name: super::rules::label,
    validate: check::service::service,
    validate_update: check::service::service_update,
    ..PLAIN
};

fn default_service(object: &mut Value) {
    ensure(object, "spec", |spec| {
        put(spec, "sessionAffinity", "None");
        if spec.get("sessionAffinity").text() == "ClientIP" {
            ensure(spec, "sessionAffinityConfig", |c| ensure(c, "clientIP", |ip| put(ip, "timeoutSeconds", 10_800_i64)));
        }
        put(spec, "type", "ClusterIP");
        edit_each(spec, "ports", |port| {
            put(port, "protocol", "TCP");
            if is_unset(port.get("targetPort")) || port.get("targetPort").as_int() == Some(0) {
                let number = port.get("port").clone();
                port.set("targetPort", number);
            }
        });
        let kind = spec.get("type").to_str();
        if takes_traffic_from_outside(&kind) {
            put(spec, "externalTrafficPolicy", "Cluster");
        }
        if kind != "ExternalName" {
            put(spec, "internalTrafficPolicy", "Cluster");
        }
        if kind == "LoadBalancer" {
            put(spec, "allocateLoadBalancerNodePorts", true);
        }
    });
    ensure(object, "status", |status| put(status, "loadBalancer", Value::map()));
}

fn takes_traffic_from_outside(kind: &str) -> bool {
    kind == "NodePort" || kind == "LoadBalancer"
}

/// Gives a Service its address, families and node ports; keeps those of `old`. `draw(n)` is the nth draw for this
/// object; the first free address or port from there on is taken. Other kinds are left alone.
pub fn allocate(
    resource: &Resource,
    object: &mut Value,
    old: Option<&Value>,
    view: &dyn View,
    draw: &dyn Fn(u64) -> u64,
) -> Result<(), Status> {
    // Asked at every write, and mostly for nothing: the work itself is out of line.
    if *resource == RESOURCE { allocate_service(object, old, view, draw) } else { Ok(()) }
}

#[inline(never)]
fn allocate_service(object: &mut Value, old: Option<&Value>, view: &dyn View, draw: &dyn Fn(u64) -> u64) -> Result<(), Status> {
    if let Some(old) = old {
        keep_allocated(object, old);
    }
    let needs_address = object.at(&["spec", "type"]).text() != "ExternalName" && object.at(&["spec", "clusterIP"]).is_empty();
    let asks_address = old.is_none() && !matches!(object.at(&["spec", "clusterIP"]).text(), "" | "None");
    let needs_ports = wants_node_ports(object.get("spec"));
    let mut taken = Taken::default();
    if needs_address || asks_address || needs_ports {
        taken = Taken::of(view, object);
    }
    let name = object.at(&["metadata", "name"]).to_str();
    if asks_address {
        check_address(object, &taken, &name)?;
    }
    if needs_address {
        let address = taken.free_address(draw(0)).ok_or_else(|| Status::internal("failed to allocate a serviceIP: range is full"))?;
        object.entry_at(&["spec"]).set("clusterIP", address);
    }
    complete_families(object);
    check_families(object, &name)?;
    let spec = object.get("spec");
    let local = spec.get("type").text() == "LoadBalancer" && spec.get("externalTrafficPolicy").text() == "Local";
    if local && spec.get("healthCheckNodePort").int() == 0 {
        let before = old.map_or(0, |o| o.at(&["spec", "healthCheckNodePort"]).int());
        let port = if before == 0 { Taken::of(view, object).free_port(draw(HEALTH_PORT_DRAW)) } else { Some(before) };
        object.entry_at(&["spec"]).set("healthCheckNodePort", port.unwrap_or(0));
    }
    if needs_ports {
        give_node_ports(object, &mut taken, draw, &name)?;
    }
    Ok(())
}

/// `patchAllocatedValues`: what the server once gave stays, if the new object says nothing about it.
fn keep_allocated(object: &mut Value, old: &Value) {
    let (was, had) = (old.at(&["spec", "type"]).text(), old.get("spec"));
    edit(object, "spec", |spec| {
        let now = spec.get("type").to_str();
        if was != "ExternalName" && now != "ExternalName" {
            for field in ["clusterIP", "clusterIPs"] {
                if spec.get(field).is_empty() && !had.get(field).is_empty() {
                    spec.set(field, had.get(field));
                }
            }
            // Who changes the one address means the first of the list too.
            if spec.get("clusterIP") != had.get("clusterIP") && spec.get("clusterIPs") == had.get("clusterIPs") {
                let address = spec.get("clusterIP").clone();
                spec.set("clusterIPs", value!([address]));
            }
        }
        if now == "ExternalName" && was != "ExternalName" {
            for field in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
                if spec.get(field) == had.get(field) {
                    spec.remove(field);
                }
            }
        }
        if takes_traffic_from_outside(was) && takes_traffic_from_outside(&now) {
            let before = had.get("ports").items();
            edit_each(spec, "ports", |port| {
                let same = |b: &&Value| b.get("port") == port.get("port") && b.get("protocol") == port.get("protocol");
                if let Some(number) = before.iter().find(same).and_then(|b| b.get("nodePort").as_int()) {
                    put_nonzero(port, "nodePort", number);
                }
            });
        }
        if takes_traffic_from_outside(was) && !takes_traffic_from_outside(&now) {
            edit_each(spec, "ports", |port| {
                if had.get("ports").items().iter().any(|b| b.get("nodePort") == port.get("nodePort")) {
                    port.remove("nodePort");
                }
            });
            for field in ["externalTrafficPolicy", "allocateLoadBalancerNodePorts"] {
                if spec.get(field) == had.get(field) {
                    spec.remove(field);
                }
            }
        }
    });
}

fn wants_node_ports(spec: &Value) -> bool {
    let kind = spec.get("type").text();
    kind == "NodePort" || kind == "LoadBalancer" && spec.get("allocateLoadBalancerNodePorts").as_bool() != Some(false)
}

/// What other Services have.
#[derive(Default)]
struct Taken {
    addresses: std::collections::BTreeSet<u32>,
    ports: std::collections::BTreeSet<i64>,
}

impl Taken {
    fn of(view: &dyn View, except: &Value) -> Taken {
        let mut taken = Taken::default();
        let uid = except.at(&["metadata", "uid"]);
        for service in view.list(&RESOURCE, "") {
            if service.meta().get("uid") == uid && !uid.is_null() {
                continue;
            }
            taken.addresses.extend(parse_address(service.spec().get("clusterIP").text()));
            taken.ports.extend(service.spec().get("ports").items().iter().filter_map(|p| p.get("nodePort").as_int()));
        }
        taken
    }

    fn free_address(&self, draw: u64) -> Option<String> {
        let range = u64::from(ADDRESSES - ADDRESSES_STATIC - 1);
        (0..range)
            .map(|i| ADDRESSES_START + ADDRESSES_STATIC + ((draw.wrapping_add(i)) % range) as u32)
            .find(|a| !self.addresses.contains(a))
            .map(print_address)
    }

    fn free_port(&self, draw: u64) -> Option<i64> {
        let first = NODE_PORT_MIN + NODE_PORTS_STATIC;
        let range = (NODE_PORT_MAX - first + 1) as u64;
        (0..range).map(|i| first + (draw.wrapping_add(i) % range) as i64).find(|p| !self.ports.contains(p))
    }
}

fn parse_address(text: &str) -> Option<u32> {
    let mut parts = text.split('.').map(|p| p.parse::<u8>().ok());
    let mut address = 0_u32;
    for _ in 0..4 {
        address = address << 8 | u32::from(parts.next()??);
    }
    parts.next().is_none().then_some(address)
}

fn print_address(address: u32) -> String {
    let [a, b, c, d] = address.to_be_bytes();
    format!("{a}.{b}.{c}.{d}")
}

fn check_address(object: &Value, taken: &Taken, name: &str) -> Result<(), Status> {
    let asked = object.at(&["spec", "clusterIP"]);
    let refuse = |why: &str| Err(Status::invalid("Service", name, &[invalid("spec.clusterIPs", &value!([(asked)]), why)]));
    let malformed = || invalid("spec.clusterIPs[0]", asked, check::table::NO_ADDRESS);
    match parse_address(asked.text()) {
        None => Err(Status::invalid("Service", name, &[malformed()])),
        Some(a) if !(ADDRESSES_START..ADDRESSES_START + ADDRESSES).contains(&a) => {
            refuse(&format!("failed to allocate IP {}: the provided network does not match the current range", asked.text()))
        }
        Some(a) if taken.addresses.contains(&a) => {
            refuse(&format!("failed to allocate IP {}: provided IP is already allocated", asked.text()))
        }
        Some(_) => Ok(()),
    }
}

/// clusterIPs, ipFamilies and ipFamilyPolicy of a cluster with IPv4 only.
fn complete_families(object: &mut Value) {
    edit(object, "spec", |spec| {
        if spec.get("type").text() == "ExternalName" {
            return;
        }
        let address = spec.get("clusterIP").clone();
        if spec.get("clusterIPs").is_empty() {
            spec.set("clusterIPs", value!([(address)]));
        }
        if spec.get("ipFamilies").is_empty() {
            spec.set("ipFamilies", value!(["IPv4"]));
        }
        put(spec, "ipFamilyPolicy", "SingleStack");
    });
}

/// The cluster has addresses of the fourth version alone.
fn check_families(object: &Value, name: &str) -> Result<(), Status> {
    let mut causes = Causes::new();
    for (i, family) in object.at(&["spec", "ipFamilies"]).items().iter().enumerate().filter(|(_, f)| f.text() == "IPv6") {
        causes.push(invalid(format!("spec.ipFamilies[{i}]"), family, "not configured on this cluster"));
    }
    let policy = object.at(&["spec", "ipFamilyPolicy"]);
    if policy.text() == "RequireDualStack" {
        causes.push(invalid("spec.ipFamilyPolicy", policy, "this cluster is not configured for dual-stack services"));
    }
    if causes.is_empty() { Ok(()) } else { Err(Status::invalid("Service", name, &causes)) }
}

fn give_node_ports(object: &mut Value, taken: &mut Taken, draw: &dyn Fn(u64) -> u64, name: &str) -> Result<(), Status> {
    let mut causes = Causes::new();
    let mut full = false;
    let had: Vec<i64> =
        object.at(&["spec", "ports"]).items().iter().filter_map(|p| p.get("nodePort").as_int()).filter(|p| *p != 0).collect();
    edit(object, "spec", |spec| {
        let mut nth = 0;
        edit_each(spec, "ports", |port| {
            nth += 1;
            let asked = port.get("nodePort").int();
            if asked == 0 {
                let mut all = Taken { ports: taken.ports.clone(), ..Taken::default() };
                all.ports.extend(&had);
                match all.free_port(draw(nth)) {
                    Some(number) => {
                        taken.ports.insert(number);
                        port.set("nodePort", number);
                    }
                    None => full = true,
                }
                return;
            }
            let field = format!("spec.ports[{}].nodePort", nth - 1);
            if !(NODE_PORT_MIN..=NODE_PORT_MAX).contains(&asked) {
                causes.push(invalid(
                    field,
                    port.get("nodePort"),
                    &format!("provided port is not in the valid range. The range of valid ports is {NODE_PORT_MIN}-{NODE_PORT_MAX}"),
                ));
            } else if taken.ports.contains(&asked) {
                causes.push(invalid(field, port.get("nodePort"), "provided port is already allocated"));
            }
        });
    });
    if full {
        return Err(Status::internal("failed to allocate a nodePort: range is full"));
    }
    if causes.is_empty() { Ok(()) } else { Err(Status::invalid("Service", name, &causes)) }
}
