//! `kubectl create` of jobs, services, ingresses and what else is made from flags.

use super::super::Outcome;
use super::super::context::Context;
use super::super::fault::Fault;
use super::create_kinds::{make, name};
use super::run::pairs;
use crate::api::{Object, Request, Resource, Str, Value};
use crate::value;

const CRON_JOBS: Resource = Resource::fixed("cronjobs.batch");

fn template(context: &Context<'_>, name: &Str) -> Result<Value, Fault> {
    let image = context.flags.text("image");
    if image.is_empty() {
        return Err(Fault::text("either --image or --from must be specified"));
    }
    let mut container = value!({"name": (name), "image": (Str::from(image)), "resources": {}});
    let command = &context.flags.args[context.flags.before_dash..];
    if !command.is_empty() {
        container.set("command", command.iter().map(|w| Value::str(w.as_str())).collect::<Value>());
    }
    let restart = match context.flags.text("restart") {
        "" => Str::fixed("Never"),
        policy => Str::from(policy),
    };
    Ok(value!({"spec": {"containers": [(container)], "restartPolicy": (restart)}}))
}

pub fn job(context: &mut Context<'_>) -> Outcome {
    let name = name(context, 0)?;
    let from = context.flags.text("from").to_string();
    if from.is_empty() {
        let template = template(context, &name)?;
        let body = value!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": (name)}, "spec": {"template": (template)}});
        return make(context, "jobs", body, "job");
    }
    let Some(from) = from.strip_prefix("cronjob/").or_else(|| from.strip_prefix("cj/")).or_else(|| from.strip_prefix("cronjobs/")) else {
        return Err(Fault::text("from must be an existing cronjob"));
    };
    let namespace = Str::from(context.namespace());
    let cron_job = context.object(Request::get(&CRON_JOBS, namespace, from))?;
    let body = job_of(&cron_job, &name);
    make(context, "jobs", body, "job")
}

fn job_of(cron_job: &Object, name: &Str) -> Value {
    let template = cron_job.spec().get("jobTemplate");
    let mut annotations = template.at(&["metadata", "annotations"]).clone();
    annotations.set("cronjob.kubernetes.io/instantiate", "manual");
    let mut owner = cron_job.controller_ref();
    // kubectl sets the owner without blocking its deletion.
    owner.remove("blockOwnerDeletion");
    owner.set("controller", true);
    let mut body = value!({
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": (name), "annotations": (annotations), "ownerReferences": [(owner)]},
        "spec": (template.get("spec"))
    });
    let labels = template.at(&["metadata", "labels"]);
    if !labels.is_null() {
        body.set_at(&["metadata", "labels"], labels);
    }
    body
}

pub fn cron_job(context: &mut Context<'_>) -> Outcome {
    let name = name(context, 0)?;
    let schedule = context.flags.text("schedule").to_string();
    if schedule.is_empty() {
        return Err(Fault::text("required flag(s) \"schedule\" not set"));
    }
    let template = template(context, &name)?;
    let body = value!({
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": (name.clone())},
        "spec": {"schedule": (schedule), "jobTemplate": {"metadata": {"name": (name)}, "spec": {"template": (template)}}}
    });
    make(context, "cronjobs", body, "cronjob")
}

pub fn service(context: &mut Context<'_>) -> Outcome {
    let (kind, title) = match context.flags.args.first().map(String::as_str) {
        Some("clusterip") => ("ClusterIP", "ClusterIP"),
        Some("nodeport") => ("NodePort", "NodePort"),
        Some("loadbalancer") => ("LoadBalancer", "LoadBalancer"),
        Some("externalname") => ("ExternalName", "ExternalName"),
        _ => return Err(Fault::usage("create service", "must specify one of: clusterip, externalname, loadbalancer, nodeport")),
    };
    let name = name(context, 1)?;
    let ports = context.flags.list("tcp");
    if ports.is_empty() && !matches!(kind, "ExternalName") && context.flags.text("clusterip") != "None" {
        return Err(Fault::text("at least one tcp port specifier must be provided"));
    }
    let labels = pairs(&format!("app={name}"), "label")?;
    let mut spec = value!({"type": (Str::fixed(kind)), "selector": (labels.clone())});
    let ports = ports.iter().map(|p| port(p, context.flags.int("node-port"))).collect::<Result<Vec<_>, _>>()?;
    if !ports.is_empty() {
        spec.set("ports", Value::from(ports));
    }
    for (flag, field) in [("clusterip", "clusterIP"), ("external-name", "externalName")] {
        if !context.flags.text(flag).is_empty() {
            spec.set(field, Value::str(context.flags.text(flag)));
        }
    }
    let body = value!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": (name), "labels": (labels)}, "spec": (spec)});
    make(context, "services", body, &format!("{title} service"))
}

fn port(text: &str, node_port: Option<i64>) -> Result<Value, Fault> {
    let (port, target) = text.split_once(':').unwrap_or((text, text));
    let number: i64 = port.parse().map_err(|_| Fault::text(format!("invalid port format {text}, must be port or port:targetPort")))?;
    let target = target.parse::<i64>().map_or_else(|_| Value::str(target), Value::Int);
    let name = text.replace(':', "-");
    let mut port = value!({"name": (name), "port": (number), "protocol": "TCP", "targetPort": (target)});
    if let Some(n) = node_port {
        port.set("nodePort", Value::Int(n));
    }
    Ok(port)
}

pub fn ingress(context: &mut Context<'_>) -> Outcome {
    let name = name(context, 0)?;
    let rules = context.flags.all("rule").to_vec();
    if rules.is_empty() && context.flags.text("default-backend").is_empty() {
        return Err(Fault::text(
            "not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)",
        ));
    }
    let mut spec = Value::map();
    if !context.flags.text("class").is_empty() {
        spec.set("ingressClassName", Value::str(context.flags.text("class")));
    }
    if let Some((service, port)) = context.flags.text("default-backend").split_once(':') {
        spec.set("defaultBackend", backend(service, port));
    }
    let mut hosts: Vec<(String, Vec<Value>)> = Vec::new();
    for rule in &rules {
        let (host, path) = ingress_rule(rule)?;
        match hosts.iter_mut().find(|(h, _)| *h == host) {
            Some((_, paths)) => paths.push(path),
            None => hosts.push((host, vec![path])),
        }
    }
    if !hosts.is_empty() {
        let rules = hosts.into_iter().map(|(host, paths)| {
            let mut rule = value!({"http": {"paths": (Value::from(paths))}});
            if !host.is_empty() {
                rule.set("host", host);
            }
            rule
        });
        spec.set("rules", rules.collect::<Value>());
    }
    let mut body = value!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": (name)}, "spec": (spec)});
    for annotation in context.flags.all("annotation") {
        let all = pairs(annotation, "annotation")?;
        for (key, text) in all.entries() {
            body.entry_at(&["metadata", "annotations"]).set(key.clone(), text);
        }
    }
    make(context, "ingresses", body, "ingress")
}

fn backend(service: &str, port: &str) -> Value {
    let port = port.parse::<i64>().map_or_else(|_| value!({"name": (Str::from(port))}), |n| value!({"number": (n)}));
    value!({"service": {"name": (Str::from(service)), "port": (port)}})
}

/// `host/path=service:port`, with `*` at the end of the path for a prefix.
fn ingress_rule(rule: &str) -> Result<(String, Value), Fault> {
    let wrong = || Fault::text(format!("rule {rule} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]"));
    let rule_only = rule.split(',').next().unwrap_or(rule);
    let (place, service) = rule_only.split_once('=').ok_or_else(wrong)?;
    let (host, path) = place.split_once('/').ok_or_else(wrong)?;
    let (service, port) = service.split_once(':').ok_or_else(wrong)?;
    let (path, kind) = match path.strip_suffix('*') {
        Some(path) => (path, "Prefix"),
        None => (path, "Exact"),
    };
    Ok((host.to_string(), value!({"path": (format!("/{path}")), "pathType": (Str::fixed(kind)), "backend": (backend(service, port))})))
}

pub fn quota(context: &mut Context<'_>) -> Outcome {
    let name = name(context, 0)?;
    let mut body = value!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": (name)}, "spec": {}});
    if !context.flags.text("hard").is_empty() {
        body.set_at(&["spec", "hard"], pairs(context.flags.text("hard"), "quota")?);
    }
    let scopes = context.flags.list("scopes");
    if !scopes.is_empty() {
        body.set_at(&["spec", "scopes"], scopes.iter().map(|s| Value::str(s.as_str())).collect::<Value>());
    }
    make(context, "resourcequotas", body, "resource quota")
}

pub fn priority_class(context: &mut Context<'_>) -> Outcome {
    let name = name(context, 0)?;
    let policy = match context.flags.text("preemption-policy") {
        "" => Str::fixed("PreemptLowerPriority"),
        policy => Str::from(policy),
    };
    let mut body = value!({
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": (name)},
        "value": (context.flags.int("value").unwrap_or(0)), "preemptionPolicy": (policy)
    });
    if context.flags.is_set("global-default") {
        body.set("globalDefault", true);
    }
    if !context.flags.text("description").is_empty() {
        body.set("description", Value::str(context.flags.text("description")));
    }
    make(context, "priorityclasses", body, "priorityclass")
}

pub fn disruption_budget(context: &mut Context<'_>) -> Outcome {
    let name = name(context, 0)?;
    if context.flags.text("selector").is_empty() {
        return Err(Fault::text("a selector must be specified"));
    }
    let labels = pairs(context.flags.text("selector"), "selector")?;
    let mut body = value!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": (name)}, "spec": {"selector": {"matchLabels": (labels)}}
    });
    for (flag, path) in [("min-available", ["spec", "minAvailable"]), ("max-unavailable", ["spec", "maxUnavailable"])] {
        let text = context.flags.text(flag);
        if !text.is_empty() {
            body.set_at(&path, text.parse::<i64>().map_or_else(|_| Value::str(text), Value::Int));
        }
    }
    make(context, "poddisruptionbudgets", body, "poddisruptionbudget")
}
