//! `kubectl create KIND`: objects made from flags. Follows kubectl `pkg/cmd/create/create_*.go`.

use super::super::Outcome;
use super::super::builder;
use super::super::context::Context;
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::{DRY_RUN, FIELD_MANAGER, OUTPUT, SAVE_CONFIG, SHOW_MANAGED, VALIDATE, Verb, apply, create, create_more, print, run::pairs};
use crate::api::{Object, Str, Value, scheme};
use crate::value;

pub const FLAGS: &[Flag] = &[
    OUTPUT,
    DRY_RUN,
    FIELD_MANAGER,
    SAVE_CONFIG,
    SHOW_MANAGED,
    VALIDATE,
    ("from-literal", ' ', Takes::Text),
    ("from-file", ' ', Takes::Text),
    ("from-env-file", ' ', Takes::Text),
    ("append-hash", ' ', Takes::Bool),
    ("image", ' ', Takes::Text),
    ("replicas", 'r', Takes::Int),
    ("port", ' ', Takes::Int),
    ("type", ' ', Takes::Text),
    ("from", ' ', Takes::Text),
    ("schedule", ' ', Takes::Text),
    ("restart", ' ', Takes::Text),
    ("tcp", ' ', Takes::Text),
    ("clusterip", ' ', Takes::Text),
    ("node-port", ' ', Takes::Int),
    ("external-name", ' ', Takes::Text),
    ("rule", ' ', Takes::Text),
    ("class", ' ', Takes::Text),
    ("default-backend", ' ', Takes::Text),
    ("annotation", ' ', Takes::Text),
    ("hard", ' ', Takes::Text),
    ("scopes", ' ', Takes::Text),
    ("value", ' ', Takes::Int),
    ("global-default", ' ', Takes::Bool),
    ("description", ' ', Takes::Text),
    ("preemption-policy", ' ', Takes::Text),
    ("selector", ' ', Takes::Text),
    ("min-available", ' ', Takes::Text),
    ("max-unavailable", ' ', Takes::Text),
];

pub const VERBS: &[Verb] = &[
    Verb { words: "create namespace", flags: || FLAGS, run: namespace },
    Verb { words: "create ns", flags: || FLAGS, run: namespace },
    Verb { words: "create serviceaccount", flags: || FLAGS, run: service_account },
    Verb { words: "create sa", flags: || FLAGS, run: service_account },
    Verb { words: "create configmap", flags: || FLAGS, run: config_map },
    Verb { words: "create cm", flags: || FLAGS, run: config_map },
    Verb { words: "create secret", flags: || FLAGS, run: secret },
    Verb { words: "create deployment", flags: || FLAGS, run: deployment },
    Verb { words: "create deploy", flags: || FLAGS, run: deployment },
    Verb { words: "create job", flags: || FLAGS, run: create_more::job },
    Verb { words: "create cronjob", flags: || FLAGS, run: create_more::cron_job },
    Verb { words: "create cj", flags: || FLAGS, run: create_more::cron_job },
    Verb { words: "create service", flags: || FLAGS, run: create_more::service },
    Verb { words: "create svc", flags: || FLAGS, run: create_more::service },
    Verb { words: "create ingress", flags: || FLAGS, run: create_more::ingress },
    Verb { words: "create ing", flags: || FLAGS, run: create_more::ingress },
    Verb { words: "create quota", flags: || FLAGS, run: create_more::quota },
    Verb { words: "create resourcequota", flags: || FLAGS, run: create_more::quota },
    Verb { words: "create priorityclass", flags: || FLAGS, run: create_more::priority_class },
    Verb { words: "create pc", flags: || FLAGS, run: create_more::priority_class },
    Verb { words: "create poddisruptionbudget", flags: || FLAGS, run: create_more::disruption_budget },
    Verb { words: "create pdb", flags: || FLAGS, run: create_more::disruption_budget },
];

/// The one name that the command gives, at place `at`.
///
/// # Errors
/// There is none, or more than one.
pub fn name(context: &Context<'_>, at: usize) -> Result<Str, Fault> {
    match context.flags.args[..context.flags.before_dash].get(at..) {
        Some([name]) => Ok(Str::from(name)),
        other => {
            let given = other.map_or(0, <[String]>::len);
            Err(Fault::Text(format!("exactly one NAME is required, got {given}\nSee 'kubectl create -h' for help and examples")))
        }
    }
}

/// Makes the object; `failing` is what kubectl says it tried.
pub fn make(context: &mut Context<'_>, word: &str, mut body: Value, failing: &str) -> Outcome {
    let kind = scheme::by_name(word).expect("the verbs above name built-in kinds").clone();
    let name = body.at(&["metadata", "name"]).to_str();
    let mut info = builder::shell(context, kind, &name);
    if info.kind.namespaced {
        body.set_at(&["metadata", "namespace"], info.namespace.clone());
    }
    let mut object = Object(body);
    if context.flags.is_set("save-config") {
        object = apply::with_last_applied(&object)?;
    }
    let made = create::send(context, &info, object, create::MANAGER).map_err(|fault| match fault {
        Fault::Server(s) if !failing.is_empty() => Fault::text(format!("failed to create {failing}: {}", s.message)),
        other => other,
    })?;
    info.object = made.clone();
    print::done(context, &info, &made, "created")?;
    Ok(None)
}

fn namespace(context: &mut Context<'_>) -> Outcome {
    let name = name(context, 0)?;
    make(context, "namespaces", value!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": (name)}}), "")
}

fn service_account(context: &mut Context<'_>) -> Outcome {
    let name = name(context, 0)?;
    make(context, "serviceaccounts", value!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": (name)}}), "serviceaccount")
}

fn config_map(context: &mut Context<'_>) -> Outcome {
    let name = name(context, 0)?;
    let mut body = value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": (name)}});
    let data = data(context)?;
    if !data.is_empty() {
        body.set("data", data.into_iter().map(|(k, v)| (Str::from(k), Value::str(v))).collect::<Value>());
    }
    make(context, "configmaps", body, "configmap")
}

fn secret(context: &mut Context<'_>) -> Outcome {
    match context.flags.args.first().map(String::as_str) {
        Some("generic") => {}
        Some(kind @ ("tls" | "docker-registry")) => {
            return Err(Fault::text(format!("create secret {kind} is not available in this simulation; use generic or a manifest")));
        }
        _ => return Err(Fault::usage("create secret", "must specify one of: docker-registry, generic, tls")),
    }
    let name = name(context, 1)?;
    let kind = match context.flags.text("type") {
        "" => Str::fixed("Opaque"),
        kind => Str::from(kind),
    };
    let mut body = value!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": (name)}, "type": (kind)});
    let data = data(context)?;
    if !data.is_empty() {
        body.set("data", data.into_iter().map(|(k, v)| (Str::from(k), Value::str(base64(v.as_bytes())))).collect::<Value>());
    }
    make(context, "secrets", body, "secret")
}

/// Keys and values from `--from-literal`, `--from-file` and `--from-env-file`.
fn data(context: &Context<'_>) -> Result<Vec<(String, String)>, Fault> {
    let mut data: Vec<(String, String)> = Vec::new();
    let read = |path: &str| {
        let text = context.files.0.get(path.strip_prefix("./").unwrap_or(path));
        text.cloned().ok_or_else(|| Fault::text(format!("error reading {path}: no such file or directory")))
    };
    for source in context.flags.all("from-file") {
        let (key, path) = source.split_once('=').unwrap_or((source.rsplit('/').next().unwrap_or(source), source));
        data.push((key.to_string(), read(path)?));
    }
    for literal in context.flags.all("from-literal") {
        let Some((key, value)) = literal.split_once('=') else {
            return Err(Fault::text(format!("invalid literal source {literal}, expected key=value")));
        };
        data.push((key.to_string(), value.trim_matches(['\'', '"']).to_string()));
    }
    for path in context.flags.all("from-env-file") {
        let text = read(path)?;
        let lines = text.lines().map(str::trim_start).filter(|l| !l.is_empty() && !l.starts_with('#'));
        data.extend(lines.filter_map(|l| l.split_once('=')).map(|(k, v)| (k.to_string(), v.to_string())));
    }
    for (i, (key, _)) in data.iter().enumerate() {
        if data[..i].iter().any(|(k, _)| k == key) {
            return Err(Fault::text(format!("cannot add key \"{key}\", another key by that name already exists in Data")));
        }
    }
    Ok(data)
}

/// Standard base64 with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let n = chunk.iter().fold(0_u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let letter = LETTERS[(n >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

fn deployment(context: &mut Context<'_>) -> Outcome {
    let name = name(context, 0)?;
    let images = context.flags.list("image");
    if images.is_empty() {
        return Err(Fault::text("required flag(s) \"image\" not set"));
    }
    let command: Vec<Value> = context.flags.args[context.flags.before_dash..].iter().map(|w| Value::str(w.as_str())).collect();
    let containers: Vec<Value> = images
        .iter()
        .map(|image| {
            let mut c = value!({"name": (container_name(image)), "image": (Str::from(image)), "resources": {}});
            if !command.is_empty() {
                c.set("command", Value::from(command.clone()));
            }
            if let Some(port) = context.flags.int("port") {
                c.set("ports", value!([{"containerPort": (port)}]));
            }
            c
        })
        .collect();
    let labels = pairs(&format!("app={name}"), "label")?;
    let body = value!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": (name), "labels": (labels.clone())},
        "spec": {
            "replicas": (context.flags.int("replicas").unwrap_or(1)), "selector": {"matchLabels": (labels.clone())}, "strategy": {},
            "template": {"metadata": {"labels": (labels)}, "spec": {"containers": (Value::from(containers))}}
        }
    });
    make(context, "deployments", body, "deployment")
}

/// `nginx` of `registry.example.com/nginx:1.25`.
pub fn container_name(image: &str) -> Str {
    let last = image.rsplit('/').next().unwrap_or(image);
    let plain = last.split([':', '@']).next().unwrap_or(last);
    Str::from(plain.to_ascii_lowercase().replace(['_', '.'], "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_encoded() {
        for (plain, text) in [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("abcd", "YWJjZA==")] {
            assert_eq!(base64(plain.as_bytes()), text);
        }
    }
}
