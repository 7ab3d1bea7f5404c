//! What the real server adds to an answer as a warning, and kubectl prints once each as `Warning: …`. Answers here have no
//! room for it, so kubectl looks at the object itself. Follows upstream's `pkg/api/pod/warnings.go`, `pkg/api/node/util.go`
//! and the deprecations of built-in kinds. Left out: custom kinds' own deprecations, topology keys, host paths.

use crate::api::quantity::Quantity;
use crate::api::{Request, Resource, Value, Verb};

/// What there is to say about a request and the object that it wrote.
pub fn of(request: &Request, object: &Value) -> Vec<String> {
    let mut said = Vec::new();
    match request.resource.0.as_str() {
        "endpoints" => said.push("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice".to_string()),
        "componentstatuses" => said.push("v1 ComponentStatus is deprecated in v1.19+".to_string()),
        _ => {}
    }
    if matches!(request.verb, Verb::Create | Verb::Update | Verb::Patch(_)) && request.subresource.is_none() {
        about(&request.resource, object, &mut said);
    }
    said
}

fn about(resource: &Resource, object: &Value, said: &mut Vec<String>) {
    match resource.0.as_str() {
        "pods" => template(object, "", said),
        "deployments.apps" | "replicasets.apps" | "statefulsets.apps" | "daemonsets.apps" | "jobs.batch" | "replicationcontrollers" => {
            template(object.at(&["spec", "template"]), "spec.template.", said);
        }
        "cronjobs.batch" => template(object.at(&["spec", "jobTemplate", "spec", "template"]), "spec.jobTemplate.spec.template.", said),
        "persistentvolumeclaims" | "persistentvolumes" => {
            let class = "volume.beta.kubernetes.io/storage-class";
            if !object.at(&["metadata", "annotations", class]).is_null() {
                said.push(format!("metadata.annotations[{class}]: deprecated since v1.8; use \"storageClassName\" attribute instead"));
            }
        }
        _ => {}
    }
}

const LABELS: [(&str, &str); 5] = [
    ("beta.kubernetes.io/arch", "since v1.14; use \"kubernetes.io/arch\" instead"),
    ("beta.kubernetes.io/os", "since v1.14; use \"kubernetes.io/os\" instead"),
    ("failure-domain.beta.kubernetes.io/region", "since v1.17; use \"topology.kubernetes.io/region\" instead"),
    ("failure-domain.beta.kubernetes.io/zone", "since v1.17; use \"topology.kubernetes.io/zone\" instead"),
    ("beta.kubernetes.io/instance-type", "since v1.17; use \"node.kubernetes.io/instance-type\" instead"),
];

const VOLUMES: [(&str, &str); 9] = [
    ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
    ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("storageos", "deprecated in v1.22, non-functional in v1.25+"),
];

/// `GetWarningsForPodTemplate`.
fn template(template: &Value, at: &str, said: &mut Vec<String>) {
    let spec = template.get("spec");
    for (key, _) in spec.get("nodeSelector").entries() {
        old_label(key, &format!("{at}spec.nodeSelector[{key}]"), ": deprecated ", said);
    }
    let required = ["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"];
    let path = format!("{at}spec.{}", required.join("."));
    for (i, term) in spec.at(&required).items().iter().enumerate() {
        for (j, e) in term.get("matchExpressions").items().iter().enumerate() {
            let path = format!("{path}[{i}].matchExpressions[{j}].key: {}", e.get("key").text());
            old_label(e.get("key").text(), &path, " is deprecated ", said);
        }
    }
    for (i, volume) in spec.get("volumes").items().iter().enumerate() {
        for (kind, why) in VOLUMES.iter().filter(|(kind, _)| !volume.get(kind).is_null()) {
            said.push(format!("{at}spec.volumes[{i}].{kind}: {why}"));
        }
    }
    for list in ["initContainers", "containers"] {
        for (i, c) in spec.get(list).items().iter().enumerate() {
            container(c, &format!("{at}spec.{list}[{i}]"), said);
        }
    }
    for (key, _) in template.at(&["metadata", "annotations"]).entries() {
        if key.starts_with("container.apparmor.security.beta.kubernetes.io/") {
            let place = format!("{at}metadata.annotations[{key}]");
            said.push(format!("{place}: deprecated since v1.30; use the \"appArmorProfile\" field instead"));
        }
    }
}

fn old_label(key: &str, place: &str, word: &str, said: &mut Vec<String>) {
    if let Some((_, why)) = LABELS.iter().find(|(label, _)| *label == key) {
        said.push(format!("{place}{word}{why}"));
    }
}

fn container(c: &Value, at: &str, said: &mut Vec<String>) {
    for bound in ["limits", "requests"] {
        for name in ["memory", "ephemeral-storage"] {
            let amount = c.at(&["resources", bound, name]);
            if Quantity::of(amount).is_some_and(|q| q.milli() % 1000 != 0) {
                let place = format!("{at}.resources.{bound}[{name}]");
                said.push(format!("{place}: fractional byte value \"{}\" is invalid, must be an integer", amount.text()));
            }
        }
    }
    let vars = c.get("env").items();
    for (i, var) in vars.iter().enumerate() {
        let name = var.get("name");
        if let Some(before) = vars[..i].iter().rev().find(|v| v.get("name") == name) {
            // A value that takes in the one before hides nothing.
            if !before.get("value").is_null() && !var.get("value").text().contains(&format!("$({})", name.text())) {
                let text =
                    format!("{at}.env[{i}]: hides previous definition of \"{}\", which may be dropped when using apply", name.text());
                said.push(text);
            }
        }
    }
    let ports = c.get("ports").items();
    for (i, port) in ports.iter().enumerate() {
        let same = |p: &&Value| ["containerPort", "protocol", "hostPort", "hostIP"].iter().all(|f| p.get(f) == port.get(f));
        if let Some(j) = ports[..i].iter().position(|p| same(&p)) {
            said.push(format!("{at}.ports[{i}]: duplicate port definition with {at}.ports[{j}]"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::resource::{DEPLOYMENTS, PODS};
    use crate::api::{Object, Request};
    use crate::value;

    #[test]
    fn what_is_old_or_doubled_is_named_with_its_place() {
        let pod = |spec: Value| value!({"metadata": {"name": "a", "namespace": "default"}, "spec": spec});
        for (name, object, expected) in [
            ("nothing", pod(value!({"containers": [{"name": "a"}]})), vec![]),
            (
                "an old label",
                pod(value!({"nodeSelector": {"beta.kubernetes.io/os": "linux"}})),
                vec!["spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use \"kubernetes.io/os\" instead"],
            ),
            (
                "a variable twice",
                pod(value!({"containers": [{"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}]})),
                vec!["spec.containers[0].env[1]: hides previous definition of \"A\", which may be dropped when using apply"],
            ),
        ] {
            assert_eq!(of(&Request::create(&PODS, Object(object.clone())), &object), expected, "{name}");
        }
        let set = value!({"spec": {"template": {"spec": {"volumes": [{"name": "g", "gitRepo": {}}]}}}});
        let said = of(&Request::create(&DEPLOYMENTS, Object(set.clone())), &set);
        assert_eq!(said, ["spec.template.spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+"]);
    }
}
