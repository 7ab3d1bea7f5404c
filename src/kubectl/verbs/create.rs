//! `kubectl create -f`, and `--raw`. Follows kubectl `pkg/cmd/create/create.go`.

use super::super::Outcome;
use super::super::builder::{self, Info};
use super::super::context::{Context, DryRun};
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::kinds;
use super::{
    DRY_RUN, FIELD_MANAGER, FILENAME, KUSTOMIZE, OUTPUT, RECURSIVE, SAVE_CONFIG, SELECTOR, SHOW_MANAGED, VALIDATE, Verb, apply, print,
};
use crate::api::{Object, Request, Str, Subresource};

pub const MANAGER: &str = "kubectl-create";

const FLAGS: &[Flag] = &[
    FILENAME,
    KUSTOMIZE,
    RECURSIVE,
    SELECTOR,
    OUTPUT,
    DRY_RUN,
    FIELD_MANAGER,
    SHOW_MANAGED,
    VALIDATE,
    SAVE_CONFIG,
    ("raw", ' ', Takes::Text),
    ("record", ' ', Takes::Bool),
    ("edit", ' ', Takes::Bool),
];

pub const VERBS: &[Verb] = &[Verb { words: "create", flags: || FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    if context.flags.is_set("edit") {
        return Err(Fault::text("--edit needs an editor, which this simulation does not have"));
    }
    if !context.flags.given("filename") {
        return Err(Fault::text("must specify one of -f and -k"));
    }
    if context.flags.given("raw") {
        return raw(context);
    }
    let found = builder::from_files(context)?;
    let mut faults = found.faults;
    let nothing = found.infos.is_empty() && faults.is_empty();
    for info in &found.infos {
        faults.extend(create(context, info).err());
    }
    if nothing {
        return Err(Fault::text("no objects passed to create"));
    }
    builder::finish(faults)
}

fn create(context: &mut Context<'_>, info: &Info) -> Result<(), Fault> {
    let object = if context.flags.is_set("save-config") { apply::with_last_applied(&info.object)? } else { info.object.clone() };
    let made = send(context, info, object, MANAGER).map_err(|f| f.at_source("creating", &info.source))?;
    let made_info = Info { name: made.key().name, ..info.clone() };
    print::done(context, &made_info, &made, "created")
}

/// Sends a new object, unless `--dry-run=client`.
///
/// # Errors
/// The server's refusal.
pub fn send(context: &mut Context<'_>, info: &Info, object: Object, manager: &'static str) -> Result<Object, Fault> {
    if context.dry_run()? == DryRun::Client {
        return Ok(object);
    }
    let request = Request { namespace: info.namespace.clone(), ..Request::create(&info.kind.resource, object) };
    let request = context.write(request, manager);
    context.object(request)
}

/// Posts a file to a path of the API: of those only evictions and new objects are known.
fn raw(context: &mut Context<'_>) -> Outcome {
    let documents = super::super::manifests::read_all(&context.flags, context.files, context.stdin)?;
    let [document] = documents.read.as_slice() else {
        return Err(documents.faults.into_iter().next().unwrap_or_else(|| Fault::text("--raw can only use a single local file or stdin")));
    };
    let path = context.flags.text("raw").to_string();
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let unknown = || Fault::Plain("Error from server (NotFound): the server could not find the requested resource".to_string());
    let (group, rest) = match parts.as_slice() {
        ["api", _, rest @ ..] => ("", rest),
        ["apis", group, _, rest @ ..] => (*group, rest),
        _ => return Err(unknown()),
    };
    let (namespace, rest) = match rest {
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (*namespace, rest),
        rest => ("", rest),
    };
    let plural = rest.first().ok_or_else(unknown)?;
    let word = if group.is_empty() { (*plural).to_string() } else { format!("{plural}.{group}") };
    let kind = kinds::by_word(context.api, &word).map_err(|_| unknown())?;
    let mut request = Request::create(&kind.resource, Object(document.value.clone()));
    request.namespace = Str::from(namespace);
    match rest {
        [_] => {}
        [_, name, "eviction"] => {
            request.name = Str::from(*name);
            request.subresource = Some(Subresource::Eviction);
        }
        [_, name, "binding"] => {
            request.name = Str::from(*name);
            request.subresource = Some(Subresource::Binding);
        }
        _ => return Err(unknown()),
    }
    let is_status = request.subresource.is_some();
    let answer = context.object(request.by("kubectl"))?;
    if is_status {
        context.print("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\",\"code\":201}");
    } else {
        context.say(super::super::printers::output::json_line(&answer.0));
    }
    Ok(None)
}
