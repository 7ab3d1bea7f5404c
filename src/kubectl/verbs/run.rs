//! `kubectl run`: makes a pod. Follows kubectl `pkg/cmd/run/run.go` and `pkg/generate/versioned/run.go`;
//! left out is attaching to it.

use super::super::Outcome;
use super::super::builder;
use super::super::context::Context;
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::{DRY_RUN, FIELD_MANAGER, OUTPUT, SAVE_CONFIG, SHOW_MANAGED, Verb, apply, create, print};
use crate::api::{Object, Str, Value, scheme};
use crate::value;

const FLAGS: &[Flag] = &[
    OUTPUT,
    DRY_RUN,
    FIELD_MANAGER,
    SAVE_CONFIG,
    SHOW_MANAGED,
    ("image", ' ', Takes::Text),
    ("image-pull-policy", ' ', Takes::Text),
    ("restart", ' ', Takes::Text),
    ("labels", 'l', Takes::Text),
    ("annotations", ' ', Takes::Text),
    ("env", ' ', Takes::Text),
    ("port", ' ', Takes::Int),
    ("command", ' ', Takes::Bool),
    ("rm", ' ', Takes::Bool),
    ("stdin", 'i', Takes::Bool),
    ("tty", 't', Takes::Bool),
    ("attach", ' ', Takes::Bool),
    ("expose", ' ', Takes::Bool),
    ("quiet", 'q', Takes::Bool),
    ("overrides", ' ', Takes::Text),
];

pub const VERBS: &[Verb] = &[Verb { words: "run", flags: || FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    let args = context.args();
    let Some(name) = args.first() else {
        return Err(Fault::usage("run", "NAME is required for run"));
    };
    let image = context.flags.text("image").to_string();
    if image.is_empty() {
        return Err(Fault::text("required flag(s) \"image\" not set"));
    }
    if image.contains(char::is_whitespace) {
        return Err(Fault::text(format!("Invalid image name \"{image}\": invalid reference format")));
    }
    if let Some(flag) = ["rm", "stdin", "tty", "attach", "expose", "overrides"].iter().find(|f| context.flags.given(f)) {
        return Err(Fault::text(format!("--{flag} is not available in this simulation")));
    }
    let kind = scheme::by_name("pods").expect("pods are a kind").clone();
    let mut info = builder::shell(context, kind, name);
    let mut object = pod(context, name, &image, &args[1..])?;
    object.0.set_at(&["metadata", "namespace"], info.namespace.clone());
    if context.flags.is_set("save-config") {
        object = apply::with_last_applied(&object)?;
    }
    let made = create::send(context, &info, object, "kubectl-run")?;
    info.object = made.clone();
    print::done(context, &info, &made, "created")?;
    Ok(None)
}

fn pod(context: &Context<'_>, name: &str, image: &str, words: &[String]) -> Result<Object, Fault> {
    let labels = match context.flags.text("labels") {
        "" => value!({"run": (Str::from(name))}),
        text => pairs(text, "label")?,
    };
    let mut container = value!({"name": (Str::from(name)), "image": (Str::from(image)), "resources": {}});
    if !words.is_empty() {
        let key = if context.flags.is_set("command") { "command" } else { "args" };
        container.set(key, words.iter().map(|w| Value::str(w.as_str())).collect::<Value>());
    }
    if let Some(port) = context.flags.int("port") {
        container.set("ports", value!([{"containerPort": (port)}]));
    }
    if !context.flags.text("image-pull-policy").is_empty() {
        container.set("imagePullPolicy", Value::str(context.flags.text("image-pull-policy")));
    }
    let env: Vec<Value> = context.flags.all("env").iter().map(|e| variable(e)).collect::<Result<_, _>>()?;
    if !env.is_empty() {
        container.set("env", Value::from(env));
    }
    let restart = match context.flags.text("restart") {
        "" => "Always",
        policy @ ("Always" | "OnFailure" | "Never") => policy,
        other => return Err(Fault::text(format!("invalid restart policy: {other}"))),
    };
    let mut object = value!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": (Str::from(name)), "labels": (labels)},
        "spec": {"containers": [(container)], "restartPolicy": (Str::from(restart)), "dnsPolicy": "ClusterFirst"}
    });
    for annotation in context.flags.all("annotations") {
        let all = pairs(annotation, "annotation")?;
        for (key, text) in all.entries() {
            object.entry_at(&["metadata", "annotations"]).set(key.clone(), text);
        }
    }
    Ok(Object(object))
}

fn variable(text: &str) -> Result<Value, Fault> {
    let (name, value) = text.split_once('=').ok_or_else(|| Fault::text(format!("invalid env: {text}")))?;
    Ok(value!({"name": (Str::from(name)), "value": (Str::from(value))}))
}

/// `a=1,b=2` as a map.
pub fn pairs(text: &str, what: &str) -> Result<Value, Fault> {
    let mut map = Value::map();
    for pair in text.split(',').filter(|p| !p.is_empty()) {
        let (key, value) = pair.split_once('=').ok_or_else(|| Fault::text(format!("unexpected {what} format: {pair}")))?;
        map.set(key, Value::str(value));
    }
    Ok(map)
}
