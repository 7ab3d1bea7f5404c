//! Services that lead nowhere.

use super::{Cause, said};
use crate::api::resource::{DAEMON_SETS, DEPLOYMENTS, PODS, REPLICA_SETS, SERVICES, STATEFUL_SETS};
use crate::api::selector::Selector;
use crate::api::{Object, Resource, Str, Value};
use crate::diagnosis::sight::{Sight, is_live};
use crate::diagnosis::{Finding, Owes};

pub static CAUSES: &[Cause] = &[
    Cause {
        code: "service-selects-nothing",
        headline: said("Service의 selector에 맞는 Pod가 없다", "The Service's selector matches no Pod"),
        cause: said(
            "{kind} {name}의 selector는 {selector}인데 그런 label의 Pod도, 그런 Pod를 만들 워크로드도 없다. Endpoints가 비어 있다.",
            "{kind} {name} selects {selector}; no Pod has these labels, and no workload makes such Pods. Its Endpoints are empty.",
        ),
        fix: said("selector나 Pod template의 label을 고친다.", "Correct the selector, or the labels of the Pod template."),
    },
    Cause {
        code: "service-port-unknown",
        headline: said("Service의 targetPort라는 이름의 포트가 Pod에 없다", "No container has a port named as the Service's targetPort"),
        cause: said(
            "{kind} {name}의 targetPort는 {port}인데, 고른 Pod의 컨테이너에 그런 이름의 포트가 없다.",
            "{kind} {name} sends to the port named {port}, and no container of its Pods has one.",
        ),
        fix: said("targetPort를 고치거나 컨테이너의 ports에 그 이름을 단다.", "Correct targetPort, or name the container's port."),
    },
];

/// What makes pods from a template.
const WORKLOADS: &[Resource] = &[DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS, DAEMON_SETS];
/// A Service may be there before its pods.
const ALONE_MS: u64 = 2_000;

pub fn look(sight: &Sight<'_>, _: &[Finding]) -> Vec<Finding> {
    let quiet = !sight.anybody_places() && !sight.moves("endpointslice");
    let services = sight.list(&SERVICES).filter(|s| quiet && !s.spec().get("selector").is_empty() && !s.is_deleting());
    services
        .filter(|s| s.spec().get("type").text() != "ExternalName" && sight.age_ms(s) > ALONE_MS)
        .filter_map(|s| leads_nowhere(sight, s))
        .collect()
}

fn leads_nowhere(sight: &Sight<'_>, service: &Object) -> Option<Finding> {
    let wanted = service.spec().get("selector");
    let selector = Selector::from_map(wanted);
    let here = |o: &&Object| o.namespace() == service.namespace();
    let chosen: Vec<&Object> = sight.list(&PODS).filter(here).filter(|p| is_live(p) && selector.matches(p.labels())).collect();
    let templates = || {
        let kinds = WORKLOADS.iter().flat_map(|r| sight.list(r));
        kinds.filter(here).map(|o| o.spec().at(&["template", "metadata", "labels"]))
    };
    let describe = format!("describe service {}", service.name());
    if chosen.is_empty() {
        if templates().any(|labels| selector.matches(labels)) {
            return None;
        }
        let bare = sight.list(&PODS).filter(here).map(|p| p.labels());
        let nearest = templates().chain(bare).find(|labels| wanted.entries().iter().any(|(key, _)| !labels.get(key).is_null()));
        let nearest = nearest.map(|labels| only(labels, wanted));
        let finding = Finding::new("service-selects-nothing", service, Owes::You).arg("selector", written(wanted));
        let finding = finding.proved(&describe, &["Endpoints:"]);
        return Some(match nearest {
            Some(labels) => {
                finding.command(&format!("patch service {} -p '{{\"spec\":{{\"selector\":{}}}}}'", service.name(), json(&labels)))
            }
            None => finding,
        });
    }
    let port = service
        .spec()
        .get("ports")
        .items()
        .iter()
        .map(|p| p.get("targetPort").as_str().unwrap_or(""))
        .find(|name| !name.is_empty() && name.parse::<u32>().is_err() && !chosen.iter().any(|p| has_port(p, name)))?;
    let finding = Finding::new("service-port-unknown", service, Owes::You).arg("port", port);
    Some(finding.proved(&describe, &["TargetPort:", port]).yaml("spec.ports[].targetPort", "…"))
}

fn has_port(pod: &Object, name: &str) -> bool {
    let containers = ["containers", "initContainers"].into_iter().flat_map(|f| pod.spec().get(f).items());
    containers.into_iter().flat_map(|c| c.get("ports").items()).any(|p| p.get("name").text() == name)
}

/// Of some labels those that a selector asks for, by key.
fn only(labels: &Value, wanted: &Value) -> Value {
    wanted.entries().iter().filter(|(k, _)| !labels.get(k).is_null()).map(|(k, _)| (k.clone(), labels.get(k).clone())).collect()
}

fn written(labels: &Value) -> Str {
    labels.entries().iter().map(|(k, v)| format!("{k}={}", v.text())).collect::<Vec<_>>().join(",").into()
}

fn json(labels: &Value) -> String {
    let pairs: Vec<String> = labels.entries().iter().map(|(k, v)| format!("\"{k}\":\"{}\"", v.text())).collect();
    format!("{{{}}}", pairs.join(","))
}
