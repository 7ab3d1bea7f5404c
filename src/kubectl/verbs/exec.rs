//! `kubectl exec`: containers are simulated, so nothing can run in them; what is wrong with the pod is still said.

use super::super::Outcome;
use super::super::context::Context;
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::Verb;
use crate::api::{Request, Str, Value, resource};

const FLAGS: &[Flag] =
    &[("container", 'c', Takes::Text), ("stdin", 'i', Takes::Bool), ("tty", 't', Takes::Bool), ("quiet", 'q', Takes::Bool)];

pub const VERBS: &[Verb] = &[Verb { words: "exec", flags: || FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    let Some(name) = context.flags.args.first().cloned() else {
        return Err(Fault::text("pod, type/name or --filename must be specified"));
    };
    if context.flags.args.len() < 2 {
        return Err(Fault::text("you must specify at least one command for the container"));
    }
    let name = name.strip_prefix("pod/").unwrap_or(&name);
    let namespace = Str::from(context.namespace());
    let pod = context.object(Request::get(&resource::PODS, namespace, name))?;
    let container = match context.flags.text("container") {
        "" => pod.spec().get("containers").item(0).get("name").text(),
        container => container,
    };
    if pod.spec().get("containers").find("name", container).is_none() {
        return Err(Fault::text(format!("container {container} is not valid for pod {name}")));
    }
    let state = pod.status().get("containerStatuses").find("name", container).map_or(&Value::Null, |s| s.get("state"));
    if state.get("running").is_null() {
        return Err(Fault::text(format!("unable to upgrade connection: container not found (\"{container}\")")));
    }
    Err(Fault::text("containers are simulated: there is nothing to run a command in"))
}
