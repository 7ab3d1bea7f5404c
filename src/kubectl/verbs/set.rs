//! `kubectl set image`, `set env` and `set resources`. Follows kubectl `pkg/cmd/set`; left out are `selector`,
//! `serviceaccount`, `subject` and reading environment from other objects.

use super::super::Outcome;
use super::super::builder::{self, Info};
use super::super::context::{Context, DryRun};
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::{ALL, DRY_RUN, FIELD_MANAGER, FILENAME, LOCAL, OUTPUT, OVERWRITE, RECORD, RECURSIVE, SELECTOR, SHOW_MANAGED, Verb, print};
use crate::api::{PatchType, Request, Str, Value};
use crate::value;

const MANAGER: &str = "kubectl-set";

const FLAGS: &[Flag] = &[
    FILENAME,
    RECURSIVE,
    SELECTOR,
    ALL,
    OUTPUT,
    DRY_RUN,
    FIELD_MANAGER,
    LOCAL,
    RECORD,
    SHOW_MANAGED,
    OVERWRITE,
    ("containers", 'c', Takes::Text),
    ("env", 'e', Takes::Text),
    ("list", ' ', Takes::Bool),
    ("limits", ' ', Takes::Text),
    ("requests", ' ', Takes::Text),
];

pub const VERBS: &[Verb] = &[
    Verb { words: "set image", flags: || FLAGS, run: image },
    Verb { words: "set env", flags: || FLAGS, run: env },
    Verb { words: "set resources", flags: || FLAGS, run: resources },
];

/// The path to the pod spec in an object, if it has one.
fn pod_spec(kind: &str) -> Option<&'static [&'static str]> {
    match kind {
        "Pod" => Some(&["spec"]),
        "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job" | "ReplicationController" => Some(&["spec", "template", "spec"]),
        "CronJob" => Some(&["spec", "jobTemplate", "spec", "template", "spec"]),
        "PodTemplate" => Some(&["template", "spec"]),
        _ => None,
    }
}

/// Whether a container's name fits a pattern: `*` is all, else a name with `*` in it.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after),
    }
}

/// A strategic merge patch of containers: each with its name and what changes in it.
#[derive(Default)]
struct Containers {
    init: Vec<Value>,
    normal: Vec<Value>,
}

impl Containers {
    fn patch(self, path: &'static [&'static str]) -> Option<Value> {
        if self.init.is_empty() && self.normal.is_empty() {
            return None;
        }
        let mut spec = Value::map();
        for (key, list) in [("containers", self.normal), ("initContainers", self.init)] {
            if !list.is_empty() {
                spec.set(key, Value::from(list));
            }
        }
        let mut patch = Value::map();
        patch.set_at(path, spec);
        Some(patch)
    }
}

fn send(context: &mut Context<'_>, info: &Info, patch: Value, says: &str) -> Result<(), Fault> {
    let changed = if context.dry_run()? == DryRun::Client || context.flags.is_set("local") {
        info.object.clone()
    } else {
        let request = Request::patch(PatchType::Strategic, &info.kind.resource, info.namespace.clone(), info.name.clone(), patch);
        let request = Request { strict: false, ..context.write(request, MANAGER) };
        let what = format!("failed to patch {says} to pod template");
        context.object(request).map_err(|fault| match fault {
            Fault::Server(s) => Fault::text(format!("{what}: {}", s.message)),
            other => other,
        })?
    };
    print::done(context, info, &changed, &format!("{says} updated"))
}

/// Objects named by the words before the first change.
fn split(args: &[String]) -> (Vec<String>, Vec<String>) {
    let is_change = |a: &String| a.contains('=') || (a.ends_with('-') && !a.contains('/'));
    let at = args.iter().position(is_change).unwrap_or(args.len());
    (args[..at].to_vec(), args[at..].to_vec())
}

fn targets(context: &mut Context<'_>, objects: &[String]) -> Result<Vec<Info>, Fault> {
    if objects.is_empty() && !context.flags.given("filename") {
        return Err(Fault::text("one or more resources must be specified as <resource> <name> or <resource>/<name>"));
    }
    let found = builder::find_among(context, objects)?;
    Fault::all(found.faults)?;
    Ok(found.infos)
}

fn image(context: &mut Context<'_>) -> Outcome {
    let (objects, changes) = split(&context.args());
    let mut images = Vec::new();
    for change in &changes {
        let (name, image) = change.split_once('=').unwrap_or((change, ""));
        if image.is_empty() {
            return Err(Fault::text("at least one image update is required"));
        }
        images.push((name, image));
    }
    if images.is_empty() {
        return Err(Fault::text("at least one image update is required"));
    }
    let mut faults = Vec::new();
    for info in targets(context, &objects)? {
        let path = pod_spec(info.object.kind()).ok_or_else(|| no_containers(&info))?;
        let spec = info.object.at(path);
        let mut patch = Containers::default();
        for &(pattern, image) in &images {
            let mut found = false;
            for (init, list) in [(true, "initContainers"), (false, "containers")] {
                for c in spec.get(list).items().iter().filter(|c| fits(pattern, c.get("name").text())) {
                    found = true;
                    if c.get("image").text() != image {
                        let changed = value!({"name": (c.get("name")), "image": (Str::from(image))});
                        if init { &mut patch.init } else { &mut patch.normal }.push(changed);
                    }
                }
            }
            if !found && pattern != "*" {
                faults.push(Fault::text(format!("unable to find container named \"{pattern}\"")));
            }
        }
        if let Some(patch) = patch.patch(path).filter(|_| faults.is_empty()) {
            faults.extend(send(context, &info, patch, "image").err());
        }
    }
    builder::finish(faults)
}

fn no_containers(info: &Info) -> Fault {
    Fault::text(format!("the object is not a pod or does not have a pod template: {}", info.object.kind()))
}

fn chosen<'a>(context: &Context<'_>, list: &'a Value) -> Vec<&'a Value> {
    let pattern = match context.flags.text("containers") {
        "" => "*",
        pattern => pattern,
    };
    list.items().iter().filter(|c| fits(pattern, c.get("name").text())).collect()
}

fn env(context: &mut Context<'_>) -> Outcome {
    let (objects, mut changes) = split(&context.args());
    changes.extend(context.flags.all("env").iter().cloned());
    if changes.is_empty() && !context.flags.is_set("list") {
        return Err(Fault::text("at least one environment variable must be provided"));
    }
    let mut faults = Vec::new();
    for info in targets(context, &objects)? {
        let path = pod_spec(info.object.kind()).ok_or_else(|| no_containers(&info))?;
        let spec = info.object.at(path).clone();
        if context.flags.is_set("list") {
            list_env(context, &info, &spec);
            continue;
        }
        let mut patch = Containers::default();
        let chosen = chosen(context, spec.get("containers"));
        if chosen.is_empty() {
            let (pattern, named) = (context.flags.text("containers"), info.named());
            return Err(Fault::text(format!("{named} does not have any containers matching \"{pattern}\"")));
        }
        for container in chosen {
            let env = changes.iter().filter_map(|c| change_of_env(container, c)).collect::<Vec<_>>();
            if !env.is_empty() {
                patch.normal.push(value!({"name": (container.get("name")), "env": (Value::from(env))}));
            }
        }
        if let Some(patch) = patch.patch(path) {
            faults.extend(send(context, &info, patch, "env").err());
        }
    }
    builder::finish(faults)
}

/// The patch of one variable; `None` if it is already so.
fn change_of_env(container: &Value, change: &str) -> Option<Value> {
    match change.split_once('=') {
        Some((name, value)) => {
            let old = container.get("env").find("name", name);
            let same = old.is_some_and(|v| v.get("value").text() == value && v.get("valueFrom").is_null());
            (!same).then(|| value!({"name": (Str::from(name)), "value": (Str::from(value))}))
        }
        None => {
            let name = change.trim_end_matches('-');
            container.get("env").find("name", name)?;
            Some(value!({"$patch": "delete", "name": (Str::from(name))}))
        }
    }
}

fn list_env(context: &mut Context<'_>, info: &Info, spec: &Value) {
    for container in spec.get("containers").items() {
        context.say(format!(
            "# {}, container {}",
            info.named().replace(&format!(".{}", info.kind.group()), ""),
            container.get("name").text()
        ));
        for v in container.get("env").items() {
            let (name, value) = (v.get("name").text(), v.get("value").text());
            context.say(if v.get("valueFrom").is_null() { format!("{name}={value}") } else { format!("# {name} from another object") });
        }
    }
}

fn resources(context: &mut Context<'_>) -> Outcome {
    let mut wanted = Value::map();
    for flag in ["limits", "requests"] {
        for pair in context.flags.list(flag) {
            let Some((name, amount)) = pair.split_once('=') else {
                return Err(Fault::text(format!("invalid argument syntax {pair}, expected <resource>=<value>")));
            };
            wanted.entry_at(if flag == "limits" { &["limits"] } else { &["requests"] }).set(name, Value::str(amount));
        }
    }
    if wanted.entries().is_empty() {
        return Err(Fault::text("you must specify an update to requests or limits (in the form of --requests/--limits)"));
    }
    let objects = context.args();
    let mut faults = Vec::new();
    for info in targets(context, &objects)? {
        let path = pod_spec(info.object.kind()).ok_or_else(|| no_containers(&info))?;
        let spec = info.object.at(path).clone();
        let chosen = chosen(context, spec.get("containers"));
        if chosen.is_empty() {
            return Err(Fault::text(format!("unable to find container named {}", context.flags.text("containers"))));
        }
        let mut patch = Containers::default();
        for container in chosen {
            let now = container.get("resources");
            let same = wanted.entries().iter().all(|(k, v)| v.entries().iter().all(|(name, amount)| now.at(&[k, name]) == amount));
            if !same {
                patch.normal.push(value!({"name": (container.get("name")), "resources": (wanted.clone())}));
            }
        }
        if let Some(patch) = patch.patch(path) {
            faults.extend(send(context, &info, patch, "resource requirements").err());
        }
    }
    builder::finish(faults)
}
