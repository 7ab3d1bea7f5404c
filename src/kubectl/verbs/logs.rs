//! `kubectl logs`. What the kubelet would refuse is read from the pod's status. Follows kubectl `pkg/cmd/logs/logs.go`
//! and the kubelet's `validateContainerLogStatus`; left out are following, times and limits other than `--tail`.

use super::super::Outcome;
use super::super::builder::{self, Words};
use super::super::context::Context;
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::{SELECTOR, Verb};
use crate::api::selector::Selector;
use crate::api::{Object, Request, Status, Str, Value, resource};
use crate::util::Order;

const FLAGS: &[Flag] = &[
    SELECTOR,
    ("container", 'c', Takes::Text),
    ("previous", 'p', Takes::Bool),
    ("follow", 'f', Takes::Bool),
    ("tail", ' ', Takes::Int),
    ("all-containers", ' ', Takes::Bool),
    ("all-pods", ' ', Takes::Bool),
    ("prefix", ' ', Takes::Bool),
    ("timestamps", ' ', Takes::Bool),
    ("since", ' ', Takes::Text),
    ("ignore-errors", ' ', Takes::Bool),
    ("max-log-requests", ' ', Takes::Int),
];

pub const VERBS: &[Verb] = &[Verb { words: "logs", flags: || FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    let pods = pods(context)?;
    let several = pods.len() > 1;
    for pod in pods {
        let containers = containers(context, &pod)?;
        for container in containers {
            let text = read(context, &pod, &container)?;
            let text = tail(context, &text);
            if context.flags.is_set("prefix") {
                let prefix = format!("[pod/{}/{container}] ", pod.name());
                text.lines().for_each(|line| context.out.stdout.push_str(&format!("{prefix}{line}\n")));
            } else {
                context.print(&text);
            }
        }
        if !several {
            break;
        }
    }
    Ok(None)
}

/// `-l` shows the last ten lines unless told otherwise.
fn tail(context: &Context<'_>, text: &str) -> String {
    let by_selector = !context.flags.text("selector").is_empty();
    let lines = context.flags.int("tail").or(by_selector.then_some(10)).filter(|n| *n >= 0);
    let Some(keep) = lines.and_then(|n| usize::try_from(n).ok()) else {
        return text.to_string();
    };
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    all[all.len().saturating_sub(keep)..].concat()
}

fn pods(context: &mut Context<'_>) -> Result<Vec<Object>, Fault> {
    let args = context.args();
    if !context.flags.text("selector").is_empty() {
        if !args.is_empty() {
            return Err(Fault::text("only a selector (-l) or a POD name is allowed"));
        }
        let kind = crate::api::scheme::by_name("pods").expect("pods are a kind");
        let pods = builder::list(context, kind)?;
        if pods.is_empty() {
            let namespace = context.namespace().to_string();
            context.warn(format!("No resources found in {namespace} namespace."));
        }
        return Ok(pods);
    }
    let Some(first) = args.first() else {
        return Err(Fault::text(
            "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command\nSee 'kubectl logs -h' for help and examples",
        ));
    };
    let namespace = Str::from(context.namespace());
    if !first.contains('/') {
        let found = context.object(Request::get(&resource::PODS, namespace.clone(), first.as_str()));
        return match found {
            Err(fault) if fault.is_not_found() => {
                Err(Fault::text(format!("error from server (NotFound): {} in namespace \"{namespace}\"", fault.message())))
            }
            found => Ok(vec![found?]),
        };
    }
    let Words::Named(named) = builder::words(context, &args[..1])? else {
        return Err(Fault::text("a pod must be named"));
    };
    let (kind, name) = named.into_iter().next().ok_or_else(|| Fault::text("a pod must be named"))?;
    let object = context.object(Request::get(&kind.resource, namespace.clone(), name.as_str()))?;
    if object.kind() == "Pod" {
        return Ok(vec![object]);
    }
    let selector = Selector::of_object(object.spec().get("selector"));
    let all = context.send(Request::list(&resource::PODS, namespace))?.items();
    let mut pods: Vec<Object> = all.into_iter().filter(|p| selector.matches(p.labels())).collect();
    pods.order_by_key(|p| p.meta().get("creationTimestamp").to_str());
    if let [first, _, ..] = pods.as_slice() {
        let text = format!("Found {} pods, using pod/{}", pods.len(), first.name());
        context.warn(text);
    }
    pods.truncate(1);
    Ok(pods)
}

fn containers(context: &Context<'_>, pod: &Object) -> Result<Vec<String>, Fault> {
    let names = |list: &str| pod.spec().get(list).items().iter().map(|c| c.get("name").text().to_string()).collect::<Vec<_>>();
    let (init, normal) = (names("initContainers"), names("containers"));
    let wanted = context.flags.text("container").to_string();
    if context.flags.is_set("all-containers") {
        return Ok(init.into_iter().chain(normal).collect());
    }
    if wanted.is_empty() {
        return Ok(normal.into_iter().take(1).collect());
    }
    if init.contains(&wanted) || normal.contains(&wanted) {
        return Ok(vec![wanted]);
    }
    let all: Vec<String> = normal.into_iter().chain(init.into_iter().map(|n| format!("{n} (init)"))).collect();
    Err(Fault::text(format!("container {wanted} is not valid for pod {} out of: {}", pod.name(), all.join(", "))))
}

fn read(context: &Context<'_>, pod: &Object, container: &str) -> Result<String, Fault> {
    let previous = context.flags.is_set("previous");
    let status = pod.status();
    let statuses = ["containerStatuses", "initContainerStatuses"].map(|l| status.get(l).find("name", container));
    let status = statuses.into_iter().flatten().next().unwrap_or(&Value::Null);
    let refused = |text: String| Err(Fault::Server(Status::bad_request(text)));
    let name = pod.name();
    if pod.spec().get("nodeName").is_empty() {
        return Ok(String::new());
    }
    if previous {
        if status.at(&["lastState", "terminated"]).is_null() {
            return refused(format!("previous terminated container \"{container}\" in pod \"{name}\" not found"));
        }
    } else if let reason @ ("ErrImagePull" | "ImagePullBackOff" | "CrashLoopBackOff" | "ContainerCreating" | "PodInitializing" | "") =
        status.at(&["state", "waiting", "reason"]).text()
        && status.at(&["state", "running"]).is_null()
        && status.at(&["state", "terminated"]).is_null()
        && status.at(&["lastState", "terminated"]).is_null()
    {
        let why = match reason {
            "ErrImagePull" => "image can't be pulled",
            "ImagePullBackOff" => "trying and failing to pull image",
            other => other,
        };
        return refused(format!("container \"{container}\" in pod \"{name}\" is waiting to start: {why}"));
    }
    // After a crash that is backed off, the last run's output is what there is.
    let waits = status.at(&["state", "running"]).is_null() && status.at(&["state", "terminated"]).is_null();
    let text = context.logs.and_then(|l| l.read(pod.namespace(), name, container, previous || waits));
    Ok(text.unwrap_or_default())
}
