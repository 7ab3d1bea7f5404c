//! `kubectl delete`. Follows kubectl `pkg/cmd/delete/delete.go`: by default it waits until the objects are gone.

use super::super::Outcome;
use super::super::builder::{self, Found, Info, Words};
use super::super::context::{Context, DryRun, Output};
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::process::{Wait, timed_out};
use super::{
    ALL, ALL_NAMESPACES, DRY_RUN, FIELD_SELECTOR, FILENAME, IGNORE_NOT_FOUND, KUSTOMIZE, OUTPUT, RECURSIVE, SELECTOR, TIMEOUT, Verb,
};
use crate::api::{DeleteOptions, Propagation, Request, Str};
use crate::client::Transport;
use crate::util::Time;

const FLAGS: &[Flag] = &[
    FILENAME,
    KUSTOMIZE,
    RECURSIVE,
    SELECTOR,
    FIELD_SELECTOR,
    ALL,
    ALL_NAMESPACES,
    OUTPUT,
    DRY_RUN,
    TIMEOUT,
    IGNORE_NOT_FOUND,
    ("force", ' ', Takes::Bool),
    ("cascade", ' ', Takes::Optional("background")),
    ("grace-period", ' ', Takes::Int),
    ("now", ' ', Takes::Bool),
    ("wait", ' ', Takes::Bool),
    ("interactive", 'i', Takes::Bool),
    ("raw", ' ', Takes::Text),
];

pub const VERBS: &[Verb] = &[Verb { words: "delete", flags: || FLAGS, run }];

const FORCE_WARNING: &str = "Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.";

fn run(context: &mut Context<'_>) -> Outcome {
    if context.flags.is_set("now") && context.flags.int("grace-period").is_some_and(|s| s != -1) {
        return Err(Fault::text("--now and --grace-period cannot be specified together"));
    }
    if context.flags.is_set("all") && !context.flags.text("selector").is_empty() {
        return Err(Fault::text("cannot set --all and --selector at the same time"));
    }
    propagation(context)?;
    if context.flags.is_set("force") {
        context.warn(FORCE_WARNING);
    }
    let found = targets(context)?;
    let mut faults = found.faults;
    let mut gone = Gone::new(context.flags.duration_ms("timeout").filter(|ms| *ms > 0).map(|ms| context.now().after_ms(ms)));
    let nothing = found.infos.is_empty() && faults.is_empty();
    let ignore = context.flags.or("ignore-not-found", context.flags.is_set("all"));
    let mut deleted = 0;
    for info in &found.infos {
        match delete(context, info, grace(context)) {
            Ok(place) => {
                deleted += 1;
                gone.wait_for(place);
            }
            Err(fault) if fault.is_not_found() && ignore => {}
            Err(fault) => faults.push(fault.at_source("deleting", &info.source)),
        }
    }
    if nothing && deleted == 0 && !ignore {
        context.say("No resources found");
    }
    Fault::all(faults)?;
    let waits = context.flags.or("wait", true) && context.dry_run()? == DryRun::None && !context.flags.has_negative_duration("timeout");
    Ok((waits && deleted > 0).then_some(Wait::Gone(gone)))
}

/// What is to be deleted. Named objects are not looked up first: the server says if they are not there.
fn targets(context: &mut Context<'_>) -> Result<Found, Fault> {
    if context.flags.given("filename") {
        return builder::from_files(context);
    }
    let args = context.args();
    match builder::words(context, &args)? {
        Words::Named(named) => {
            let infos = named.into_iter().map(|(kind, name)| builder::shell(context, kind, &name)).collect();
            Ok(Found { infos, ..Found::default() })
        }
        Words::Kinds(_) => {
            let picks = ["selector", "field-selector"].iter().any(|f| !context.flags.text(f).is_empty());
            if picks || context.flags.is_set("all") {
                builder::find(context)
            } else {
                Err(Fault::text("resource(s) were provided, but no name was specified"))
            }
        }
        Words::Nothing => Err(Fault::text(
            "You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'",
        )),
    }
}

fn propagation(context: &Context<'_>) -> Result<Propagation, Fault> {
    match context.flags.text("cascade") {
        "" | "background" | "true" => Ok(Propagation::Background),
        "foreground" => Ok(Propagation::Foreground),
        "orphan" | "false" => Ok(Propagation::Orphan),
        other => Err(Fault::text(format!("invalid cascade value ({other}). Must be \"background\", \"foreground\", or \"orphan\""))),
    }
}

/// The grace period that the flags of `delete` ask for.
fn grace(context: &Context<'_>) -> Option<i64> {
    let force = context.flags.is_set("force");
    match context.flags.int("grace-period").filter(|s| *s >= 0) {
        _ if context.flags.is_set("now") => Some(1),
        // Without --force, 0 means as soon as the kubelet allows.
        Some(0) if !force => Some(1),
        Some(seconds) => Some(seconds),
        None if force => Some(0),
        None => None,
    }
}

/// Deletes one object and says so; hands back what to wait for.
///
/// # Errors
/// The server's refusal.
pub fn delete(context: &mut Context<'_>, info: &Info, grace: Option<i64>) -> Result<Place, Fault> {
    let options = DeleteOptions { propagation: Some(propagation(context)?), grace_period_seconds: grace, ..DeleteOptions::default() };
    let request = Request::delete(&info.kind.resource, info.namespace.clone(), info.name.clone());
    let request = Request { delete: options, dry_run: context.dry_run()? == DryRun::Server, ..request.by("kubectl") };
    let last = match context.dry_run()? {
        DryRun::Client => context.object(info.get())?,
        _ => context.object(request)?,
    };
    if context.flags.text("output") == "name" {
        context.say(info.named());
    } else {
        let verb = if grace == Some(0) { "force deleted" } else { "deleted" };
        let place = if info.kind.namespaced { format!(" from {} namespace", info.namespace) } else { String::new() };
        let dry = match context.dry_run()? {
            DryRun::None => "",
            DryRun::Client => " (dry run)",
            DryRun::Server => " (server dry run)",
        };
        context.say(format!("{} \"{}\" {verb}{place}{dry}", info.kind.group_kind().to_ascii_lowercase(), info.name));
    }
    Ok(Place { request: info.get(), uid: Str::from(last.uid()), named: info.place() })
}

/// An object that is waited for.
#[derive(Clone, Debug)]
pub struct Place {
    request: Request,
    uid: Str,
    /// `deployments/web`
    named: String,
}

/// What follows when all are gone.
#[derive(Clone, Debug)]
pub struct Then {
    pub request: Request,
    pub says: String,
    pub source: String,
}

/// Waits until objects are gone, one after the other.
#[derive(Clone, Debug)]
pub struct Gone {
    places: Vec<Place>,
    then: Vec<Then>,
    pub deadline: Option<Time>,
}

impl Gone {
    pub fn new(deadline: Option<Time>) -> Gone {
        Gone { places: Vec::new(), then: Vec::new(), deadline }
    }

    pub fn wait_for(&mut self, place: Place) {
        self.places.push(place);
    }

    pub fn then(&mut self, then: Then) {
        self.then.push(then);
    }

    pub fn poll(&mut self, api: &mut dyn Transport, out: &mut Output) -> Result<bool, Fault> {
        while let Some(place) = self.places.first() {
            match api.send(place.request.clone()) {
                Ok(answer) if answer.clone().object().uid() == place.uid.as_str() => {
                    if self.deadline.is_some_and(|at| api.now() >= at) {
                        return Err(timed_out(&place.named));
                    }
                    return Ok(false);
                }
                Ok(_) => {}
                Err(status) if status.is_not_found() => {}
                Err(status) => return Err(status.into()),
            }
            self.places.remove(0);
        }
        for next in std::mem::take(&mut self.then) {
            api.send(next.request).map_err(|s| Fault::from(s).at_source("creating", &next.source))?;
            out.stdout.push_str(&next.says);
            out.stdout.push('\n');
        }
        Ok(true)
    }
}
