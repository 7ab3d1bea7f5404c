//! `kubectl expose`: makes a Service for what an object selects. Follows kubectl `pkg/cmd/expose/expose.go`.

use super::super::Outcome;
use super::super::builder::{self, Info};
use super::super::context::Context;
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::{DRY_RUN, FIELD_MANAGER, FILENAME, OUTPUT, RECURSIVE, SAVE_CONFIG, SELECTOR, SHOW_MANAGED, Verb, create, print, run::pairs};
use crate::api::{Object, Str, Value, scheme};
use crate::value;

const FLAGS: &[Flag] = &[
    FILENAME,
    RECURSIVE,
    OUTPUT,
    DRY_RUN,
    FIELD_MANAGER,
    SAVE_CONFIG,
    SHOW_MANAGED,
    SELECTOR,
    ("name", ' ', Takes::Text),
    ("port", ' ', Takes::Text),
    ("target-port", ' ', Takes::Text),
    ("protocol", ' ', Takes::Text),
    ("type", ' ', Takes::Text),
    ("labels", ' ', Takes::Text),
    ("cluster-ip", ' ', Takes::Text),
    ("external-ip", ' ', Takes::Text),
    ("load-balancer-ip", ' ', Takes::Text),
    ("session-affinity", ' ', Takes::Text),
];

pub const VERBS: &[Verb] = &[Verb { words: "expose", flags: || FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    // For this verb -l names the selector of the service, not what is to be exposed.
    let args = context.args();
    let builder::Words::Named(named) = builder::words(context, &args)? else {
        return Err(Fault::text("resource(s) were provided, but no name was specified"));
    };
    let mut faults = Vec::new();
    for (kind, name) in named {
        let mut info = builder::shell(context, kind, &name);
        info.object = context.object(info.get())?;
        faults.extend(expose(context, &info).err());
    }
    builder::finish(faults)
}

fn expose(context: &mut Context<'_>, info: &Info) -> Result<(), Fault> {
    let object = service(context, info)?;
    let kind = scheme::by_name("services").expect("services are a kind").clone();
    let name = object.key().name;
    let mut made = builder::shell(context, kind, &name);
    made.object = create::send(context, &made, object, "kubectl-expose")?;
    print::done(context, &made, &made.object.clone(), "exposed")
}

fn service(context: &Context<'_>, info: &Info) -> Result<Object, Fault> {
    let selector = match context.flags.text("selector") {
        "" => selector_of(&info.object)?,
        text => pairs(text, "selector")?,
    };
    let name = match context.flags.text("name") {
        "" => info.name.clone(),
        name => Str::from(name),
    };
    let ports = ports(context, &info.object)?;
    let labels = match context.flags.text("labels") {
        "" => info.object.labels().clone(),
        text => pairs(text, "label")?,
    };
    let mut spec = value!({"ports": (Value::from(ports)), "selector": (selector)});
    for (flag, field) in [("type", "type"), ("cluster-ip", "clusterIP"), ("session-affinity", "sessionAffinity")] {
        if !context.flags.text(flag).is_empty() {
            spec.set(field, Value::str(context.flags.text(flag)));
        }
    }
    let mut body = value!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": (name), "namespace": (info.namespace.clone())}, "spec": (spec)
    });
    if !labels.is_empty() {
        body.set_at(&["metadata", "labels"], labels);
    }
    Ok(Object(body))
}

fn selector_of(object: &Object) -> Result<Value, Fault> {
    let spec = object.spec();
    match object.kind() {
        "Deployment" | "ReplicaSet" => {
            let selector = spec.get("selector");
            if !selector.get("matchExpressions").is_empty() {
                return Err(Fault::text("couldn't convert expressions - \"matchExpressions\" to map-based selector format"));
            }
            Ok(selector.get("matchLabels").clone())
        }
        "Service" | "ReplicationController" if !spec.get("selector").is_empty() => Ok(spec.get("selector").clone()),
        "Pod" if !object.labels().is_empty() => Ok(object.labels().clone()),
        "Pod" => Err(Fault::text(
            "couldn't retrieve selectors via --selector flag or introspection: the pod has no labels and cannot be exposed",
        )),
        kind => Err(Fault::text(format!("cannot expose a {kind}"))),
    }
}

fn ports(context: &Context<'_>, object: &Object) -> Result<Vec<Value>, Fault> {
    let protocol = match context.flags.text("protocol") {
        "" => Str::fixed("TCP"),
        text => Str::from(text),
    };
    let mut given = context.flags.list("port");
    if given.is_empty() {
        given = declared(object);
    }
    if given.is_empty() {
        return Err(Fault::text("couldn't find port via --port flag or introspection"));
    }
    let several = given.len() > 1;
    let mut ports = Vec::new();
    for (i, port) in given.iter().enumerate() {
        let number: i64 = port.parse().map_err(|_| Fault::text(format!("invalid port: {port}")))?;
        let target = match context.flags.text("target-port") {
            "" => Value::Int(number),
            text => text.parse::<i64>().map_or_else(|_| Value::str(text), Value::Int),
        };
        let mut one = value!({"port": (number), "protocol": (protocol.clone()), "targetPort": (target)});
        if several {
            one.set("name", format!("port-{}", i + 1));
        }
        ports.push(one);
    }
    Ok(ports)
}

/// Ports that the object's containers, or the Service itself, declare.
fn declared(object: &Object) -> Vec<String> {
    let spec = object.spec();
    if object.kind() == "Service" {
        return spec.get("ports").items().iter().map(|p| p.get("port").int().to_string()).collect();
    }
    let pod = if object.kind() == "Pod" { spec } else { spec.at(&["template", "spec"]) };
    let containers = pod.get("containers").items().iter();
    containers.flat_map(|c| c.get("ports").items()).map(|p| p.get("containerPort").int().to_string()).collect()
}
