//! `kubectl replace`. Follows kubectl `pkg/cmd/replace/replace.go`.

use super::super::Outcome;
use super::super::builder::{self, Info};
use super::super::context::{Context, DryRun};
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::process::Wait;
use super::delete::{self, Gone, Then};
use super::{
    DRY_RUN, FIELD_MANAGER, FILENAME, KUSTOMIZE, OUTPUT, RECURSIVE, SAVE_CONFIG, SHOW_MANAGED, TIMEOUT, VALIDATE, Verb, apply, print,
};
use crate::api::Request;

const MANAGER: &str = "kubectl-replace";

const FLAGS: &[Flag] = &[
    FILENAME,
    KUSTOMIZE,
    RECURSIVE,
    OUTPUT,
    DRY_RUN,
    FIELD_MANAGER,
    SHOW_MANAGED,
    VALIDATE,
    SAVE_CONFIG,
    TIMEOUT,
    ("force", ' ', Takes::Bool),
    ("cascade", ' ', Takes::Optional("background")),
    ("grace-period", ' ', Takes::Int),
    ("wait", ' ', Takes::Bool),
    ("subresource", ' ', Takes::Text),
];

pub const VERBS: &[Verb] = &[Verb { words: "replace", flags: || FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    if !context.flags.given("filename") {
        return Err(Fault::text("must specify one of -f and -k"));
    }
    let found = builder::from_files(context)?;
    if context.flags.is_set("force") {
        Fault::all(found.faults)?;
        return forced(context, found.infos);
    }
    let mut faults = found.faults;
    if found.infos.is_empty() && faults.is_empty() {
        return Err(Fault::text("no objects passed to replace"));
    }
    for info in &found.infos {
        faults.extend(replace(context, info).err());
    }
    builder::finish(faults)
}

fn replace(context: &mut Context<'_>, info: &Info) -> Result<(), Fault> {
    let mut object = info.object.clone();
    let has_annotation = object.annotation(apply::LAST_APPLIED).is_some();
    if context.flags.is_set("save-config") || has_annotation {
        object = apply::with_last_applied(&object)?;
    }
    if context.dry_run()? == DryRun::Client {
        return print::done(context, info, &object, "replaced");
    }
    let source = |f: Fault| f.at_source("replacing", &info.source);
    // Without a version of its own the object replaces whatever is there.
    if object.revision() == 0 {
        let current = context.object(info.get()).map_err(source)?;
        object.0.set_at(&["metadata", "resourceVersion"], current.meta().get("resourceVersion"));
    }
    let request = Request { namespace: info.namespace.clone(), ..Request::update(&info.kind.resource, object) };
    let request = context.write(request, MANAGER);
    let replaced = context.object(request).map_err(source)?;
    print::done(context, info, &replaced, "replaced")
}

/// Deletes, waits until they are gone, then creates.
fn forced(context: &mut Context<'_>, infos: Vec<Info>) -> Outcome {
    let mut gone = Gone::new(context.flags.duration_ms("timeout").filter(|ms| *ms > 0).map(|ms| context.now().after_ms(ms)));
    // Here --force does not mean at once: the pods get their grace period.
    let grace = context.flags.int("grace-period").filter(|s| *s >= 0).map(|s| s.max(1));
    for info in &infos {
        match context.object(info.get()) {
            Ok(_) => gone.wait_for(delete::delete(context, info, grace)?),
            Err(fault) if fault.is_not_found() => {}
            Err(fault) => return Err(fault),
        }
    }
    for info in infos {
        let object = if context.flags.is_set("save-config") { apply::with_last_applied(&info.object)? } else { info.object.clone() };
        let request = Request { namespace: info.namespace.clone(), ..Request::create(&info.kind.resource, object) };
        gone.then(Then { request: context.write(request, MANAGER), says: format!("{} replaced", info.named()), source: info.source });
    }
    Ok(Some(Wait::Gone(gone)))
}
