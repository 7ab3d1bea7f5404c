//! Kinds whose table is a few fields, and descriptions of a few lines.

use super::super::fault::Fault;
use super::write::{annotations, head, put};
use super::{Fixed, age, or, selector_text};
use crate::api::{ListOptions, Object, Request, Value, resource};
use crate::client::Transport;
use crate::util::Time;

/// The table of a small kind.
pub fn table(resource: &str) -> Option<Fixed> {
    Some(match resource {
        "configmaps" => (&[("Name", false), ("Data", false), ("Age", false)], config_map),
        "secrets" => (&[("Name", false), ("Type", false), ("Data", false), ("Age", false)], secret),
        "priorityclasses.scheduling.k8s.io" => {
            (&[("Name", false), ("Value", false), ("Global-Default", false), ("Age", false), ("PreemptionPolicy", false)], priority_class)
        }
        "controllerrevisions.apps" => (&[("Name", false), ("Controller", false), ("Revision", false), ("Age", false)], revision),
        "ingressclasses.networking.k8s.io" => {
            (&[("Name", false), ("Controller", false), ("Parameters", false), ("Age", false)], ingress_class)
        }
        "networkpolicies.networking.k8s.io" => (&[("Name", false), ("Pod-Selector", false), ("Age", false)], network_policy),
        "leases.coordination.k8s.io" => (&[("Name", false), ("Holder", false), ("Age", false)], lease),
        "rolebindings.rbac.authorization.k8s.io" | "clusterrolebindings.rbac.authorization.k8s.io" => (
            &[("Name", false), ("Role", false), ("Age", false), ("Users", true), ("Groups", true), ("ServiceAccounts", true)],
            role_binding,
        ),
        "limitranges"
        | "roles.rbac.authorization.k8s.io"
        | "clusterroles.rbac.authorization.k8s.io"
        | "customresourcedefinitions.apiextensions.k8s.io" => (&[("Name", false), ("Created At", false)], created_at),
        "runtimeclasses.node.k8s.io" => (&[("Name", false), ("Handler", false), ("Age", false)], runtime_class),
        "podtemplates" => (&[("Name", false), ("Containers", false), ("Images", false), ("Pod Labels", false)], pod_template),
        _ => return None,
    })
}

fn data(o: &Object) -> String {
    (o.get("data").entries().len() + o.get("binaryData").entries().len()).to_string()
}

fn config_map(o: &Object, now: Time) -> Vec<String> {
    vec![o.name().to_string(), data(o), age(o, now)]
}

fn secret(o: &Object, now: Time) -> Vec<String> {
    vec![o.name().to_string(), o.get("type").text().to_string(), data(o), age(o, now)]
}

fn priority_class(o: &Object, now: Time) -> Vec<String> {
    vec![
        o.name().to_string(),
        o.get("value").int().to_string(),
        o.get("globalDefault").is_true().to_string(),
        age(o, now),
        o.get("preemptionPolicy").text().to_string(),
    ]
}

fn revision(o: &Object, now: Time) -> Vec<String> {
    let controller = o.controller().map_or("<none>".to_string(), |c| {
        let group = c.get("apiVersion").text().split_once('/').map_or("", |(g, _)| g);
        let kind = c.get("kind").text().to_ascii_lowercase();
        let name = c.get("name").text();
        if group.is_empty() { format!("{kind}/{name}") } else { format!("{kind}.{group}/{name}") }
    });
    vec![o.name().to_string(), controller, o.get("revision").int().to_string(), age(o, now)]
}

fn ingress_class(o: &Object, now: Time) -> Vec<String> {
    let p = o.spec().get("parameters");
    let parameters = if p.is_null() {
        "<none>".to_string()
    } else {
        let group = p.get("apiGroup").text();
        let dot = if group.is_empty() { "" } else { "." };
        format!("{}{dot}{group}/{}", p.get("kind").text(), p.get("name").text())
    };
    vec![o.name().to_string(), o.spec().get("controller").text().to_string(), parameters, age(o, now)]
}

fn network_policy(o: &Object, now: Time) -> Vec<String> {
    vec![o.name().to_string(), selector_text(o.spec().get("podSelector")), age(o, now)]
}

fn lease(o: &Object, now: Time) -> Vec<String> {
    vec![o.name().to_string(), o.spec().get("holderIdentity").text().to_string(), age(o, now)]
}

fn role_binding(o: &Object, now: Time) -> Vec<String> {
    let role = format!("{}/{}", o.at(&["roleRef", "kind"]).text(), o.at(&["roleRef", "name"]).text());
    let subjects = |kind: &str| {
        let all = o.get("subjects").items().iter().filter(|s| s.get("kind").text() == kind);
        let name = |s: &Value| match s.get("namespace").text() {
            "" => s.get("name").text().to_string(),
            namespace => format!("{namespace}/{}", s.get("name").text()),
        };
        all.map(name).collect::<Vec<_>>().join(", ")
    };
    vec![o.name().to_string(), role, age(o, now), subjects("User"), subjects("Group"), subjects("ServiceAccount")]
}

fn created_at(o: &Object, _: Time) -> Vec<String> {
    vec![o.name().to_string(), o.meta().get("creationTimestamp").text().to_string()]
}

fn runtime_class(o: &Object, now: Time) -> Vec<String> {
    vec![o.name().to_string(), o.get("handler").text().to_string(), age(o, now)]
}

fn pod_template(o: &Object, _: Time) -> Vec<String> {
    let (names, images) = super::containers_and_images(o.at(&["template", "spec"]));
    vec![o.name().to_string(), names, images, super::labels_text(o.at(&["template", "metadata", "labels"]))]
}

pub fn describe_config_map(out: &mut String, o: &Object, _: &mut dyn Transport) -> Result<(), Fault> {
    head(out, o);
    out.push_str("\nData\n====\n");
    for (key, value) in o.get("data").entries() {
        out.push_str(&format!("{key}:\n----\n{}\n\n", value.text()));
    }
    out.push_str("\nBinaryData\n====\n");
    for (key, value) in o.get("binaryData").entries() {
        let text = value.text();
        let bytes = (text.len() / 4 * 3).saturating_sub(text.bytes().rev().take_while(|b| *b == b'=').count());
        out.push_str(&format!("{key}: {bytes} bytes\n"));
    }
    out.push('\n');
    Ok(())
}

pub fn describe_secret(out: &mut String, o: &Object, _: &mut dyn Transport) -> Result<(), Fault> {
    head(out, o);
    put(out, 0, format!("\nType:\t{}", o.get("type").text()));
    put(out, 0, "\nData\n====");
    for (key, value) in o.get("data").entries() {
        let text = value.text();
        let bytes = (text.len() / 4 * 3).saturating_sub(text.bytes().rev().take_while(|b| *b == b'=').count());
        put(out, 0, format!("{key}:\t{bytes} bytes"));
    }
    Ok(())
}

pub fn describe_service_account(out: &mut String, o: &Object, api: &mut dyn Transport) -> Result<(), Fault> {
    head(out, o);
    let names = |list: &Value| list.items().iter().map(|s| s.get("name").text().to_string()).collect::<Vec<_>>();
    let fields = ListOptions { field_selector: "type=kubernetes.io/service-account-token".into(), ..ListOptions::default() };
    let tokens = api.send(Request { list: fields, ..Request::list(&resource::SECRETS, o.key().namespace) })?.items();
    let tokens = tokens.iter().filter(|t| t.annotation("kubernetes.io/service-account.uid") == Some(o.uid()));
    let tokens: Vec<String> = tokens.map(|t| t.name().to_string()).collect();
    for (title, all) in
        [("Image pull secrets", names(o.get("imagePullSecrets"))), ("Mountable secrets", names(o.get("secrets"))), ("Tokens", tokens)]
    {
        if all.is_empty() {
            put(out, 0, format!("{title}:\t<none>"));
        }
        for (i, name) in all.iter().enumerate() {
            put(out, 0, format!("{}\t{name}", if i == 0 { format!("{title}:") } else { String::new() }));
        }
    }
    Ok(())
}

pub fn describe_priority_class(out: &mut String, o: &Object, _: &mut dyn Transport) -> Result<(), Fault> {
    put(out, 0, format!("Name:\t{}", o.name()));
    put(out, 0, format!("Value:\t{}", o.get("value").int()));
    put(out, 0, format!("GlobalDefault:\t{}", o.get("globalDefault").is_true()));
    put(out, 0, format!("PreemptionPolicy:\t{}", or(o.get("preemptionPolicy").text(), "PreemptLowerPriority")));
    put(out, 0, format!("Description:\t{}", o.get("description").text()));
    annotations(out, "Annotations", o.meta().get("annotations"));
    Ok(())
}
