//! `kubectl config`, `version` and `cluster-info`: as much as a command line in one simulated cluster needs.

use super::super::Outcome;
use super::super::context::Context;
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::printers::{jsonpath, output};
use super::{OUTPUT, Verb};
use crate::value;

const FLAGS: &[Flag] = &[
    OUTPUT,
    ("minify", ' ', Takes::Bool),
    ("raw", ' ', Takes::Bool),
    ("flatten", ' ', Takes::Bool),
    ("client", ' ', Takes::Bool),
    ("current", ' ', Takes::Bool),
];

pub const VERBS: &[Verb] = &[
    Verb { words: "config view", flags: || FLAGS, run: view },
    Verb { words: "config current-context", flags: || FLAGS, run: current_context },
    Verb { words: "config get-contexts", flags: || FLAGS, run: contexts },
    Verb { words: "version", flags: || FLAGS, run: version },
    Verb { words: "cluster-info", flags: || FLAGS, run: cluster_info },
];

const SERVER: &str = "https://127.0.0.1:6443";
const NAME: &str = "loopscope";
const VERSION: &str = "v1.36.3";

fn view(context: &mut Context<'_>) -> Outcome {
    let config = value!({
        "apiVersion": "v1", "kind": "Config", "preferences": {}, "current-context": NAME,
        "clusters": [{"name": NAME, "cluster": {"server": SERVER}}],
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "namespace": "default", "user": "kubernetes-admin"}}],
        "users": [{"name": "kubernetes-admin", "user": {}}]
    });
    let format = context.flags.text("output").to_string();
    let text = match format.as_str() {
        "" => output::yaml(&config),
        format if format.starts_with("jsonpath=") => jsonpath::print(&format["jsonpath=".len()..], &config)?,
        format => output::object(format, &config.into(), true)?,
    };
    context.print(&text);
    Ok(None)
}

fn current_context(context: &mut Context<'_>) -> Outcome {
    context.say(NAME);
    Ok(None)
}

fn contexts(context: &mut Context<'_>) -> Outcome {
    context.say("CURRENT   NAME        CLUSTER     AUTHINFO           NAMESPACE");
    context.say("*         loopscope   loopscope   kubernetes-admin   default");
    Ok(None)
}

fn version(context: &mut Context<'_>) -> Outcome {
    context.say(format!("Client Version: {VERSION}\nKustomize Version: v5.7.1"));
    if !context.flags.is_set("client") {
        context.say(format!("Server Version: {VERSION}"));
    }
    Ok(None)
}

fn cluster_info(context: &mut Context<'_>) -> Outcome {
    if !context.flags.args.is_empty() {
        return Err(Fault::text("cluster-info dump is not available in this simulation"));
    }
    context.say(format!("Kubernetes control plane is running at {SERVER}"));
    context.say("\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.");
    Ok(None)
}
