//! `kubectl apply`, client-side (three-way merge with the last applied configuration) and server-side.
//! Follows kubectl `pkg/cmd/apply/{apply,patcher}.go`; left out are pruning and the sub-commands.

use super::super::builder::{self, Info};
use super::super::context::{Context, DryRun};
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::{Outcome, kinds};
use super::{
    DRY_RUN, FIELD_MANAGER, FILENAME, KUSTOMIZE, OUTPUT, RECURSIVE, SELECTOR, SHOW_MANAGED, TIMEOUT, VALIDATE, Verb, print, three_way,
};
use crate::api::{Object, PatchType, Request, Str, Value};
use crate::value;

pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
const CLIENT_SIDE: &str = "kubectl-client-side-apply";
const SERVER_SIDE: &str = "kubectl";
const RETRIES: u32 = 5;

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
    TIMEOUT,
    ("server-side", ' ', Takes::Bool),
    ("force-conflicts", ' ', Takes::Bool),
    ("force", ' ', Takes::Bool),
    ("overwrite", ' ', Takes::Bool),
    ("wait", ' ', Takes::Bool),
    ("cascade", ' ', Takes::Optional("background")),
    ("grace-period", ' ', Takes::Int),
    ("prune", ' ', Takes::Bool),
    ("all", ' ', Takes::Bool),
    ("record", ' ', Takes::Bool),
    ("openapi-patch", ' ', Takes::Bool),
];

pub const VERBS: &[Verb] = &[Verb { words: "apply", flags: || FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    let server_side = context.flags.is_set("server-side");
    if context.flags.is_set("force-conflicts") && !server_side {
        return Err(Fault::text("--force-conflicts only works with --server-side"));
    }
    if server_side && context.dry_run()? == DryRun::Client {
        return Err(Fault::text("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)"));
    }
    if context.flags.is_set("prune") {
        return Err(Fault::text("--prune is not available in this simulation"));
    }
    if !context.flags.given("filename") && !context.flags.given("kustomize") {
        return Err(Fault::text("must specify one of -f and -k"));
    }
    if !context.flags.args.is_empty() {
        return Err(Fault::text(format!("Unexpected args: {:?}\nSee 'kubectl apply -h' for help and examples", context.flags.args)));
    }
    let found = builder::from_files(context)?;
    let mut faults = found.faults;
    if found.infos.is_empty() && faults.is_empty() {
        return Err(Fault::text("no objects passed to apply"));
    }
    for info in &found.infos {
        let applied = if server_side { on_server(context, info) } else { on_client(context, info) };
        faults.extend(applied.err());
    }
    builder::finish(faults)
}

/// The object with its own text in the last-applied annotation.
pub fn with_last_applied(object: &Object) -> Result<Object, Fault> {
    let mut text = last_applied_text(object)?;
    text.push('\n');
    let mut with = object.clone();
    with.0.entry_at(&["metadata", "annotations"]).set(LAST_APPLIED, text);
    Ok(with)
}

fn last_applied_text(object: &Object) -> Result<String, Fault> {
    let mut plain = object.0.clone();
    let annotations = plain.entry_at(&["metadata", "annotations"]);
    annotations.remove(LAST_APPLIED);
    if annotations.is_null() {
        *annotations = Value::map();
    }
    Ok(super::super::printers::output::json_line(&plain))
}

fn on_client(context: &mut Context<'_>, info: &Info) -> Result<(), Fault> {
    if info.name.is_empty() && !info.object.meta().get("generateName").is_empty() {
        let name = info.object.meta().get("generateName").text();
        return Err(Fault::text(format!("from {name}: cannot use generate name with apply")));
    }
    let modified = with_last_applied(&info.object)?;
    let current = match current(context, info) {
        Ok(current) => current,
        Err(fault) if fault.is_not_found() => return create(context, info, modified),
        Err(fault) => {
            let what = format!("retrieving current configuration of:\n{}\nfrom server for:", describe(info));
            return Err(fault.at_source(&what, &info.source));
        }
    };
    if current.annotation(LAST_APPLIED).is_none() {
        let what = format!("{}/{}", info.kind.plural(), info.name);
        context.warn(format!(
            "Warning: resource {what} is missing the {LAST_APPLIED} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically."
        ));
    }
    patch(context, info, &modified, current)
}

fn current(context: &mut Context<'_>, info: &Info) -> Result<Object, Fault> {
    if info.name.is_empty() {
        return Err(Fault::text("resource name may not be empty"));
    }
    context.object(info.get())
}

fn create(context: &mut Context<'_>, info: &Info, object: Object) -> Result<(), Fault> {
    let made = if context.dry_run()? == DryRun::Client {
        object
    } else {
        let request = Request { namespace: info.namespace.clone(), ..Request::create(&info.kind.resource, object) };
        let request = context.write(request, CLIENT_SIDE);
        context.object(request).map_err(|f| f.at_source("creating", &info.source))?
    };
    print::done(context, info, &made, "created")
}

/// Sends what the manifest changes, again if somebody else wrote meanwhile.
fn patch(context: &mut Context<'_>, info: &Info, modified: &Object, mut current: Object) -> Result<(), Fault> {
    let mut tries = 0;
    loop {
        let (patch, kind) = three_way::compute(&info.kind, modified, &current)?;
        if patch.entries().is_empty() {
            warn_if_deleting(context, info, &current);
            return print::done(context, info, &current, "unchanged");
        }
        if context.dry_run()? == DryRun::Client {
            return print::done(context, info, &current, "configured");
        }
        let request = Request::patch(kind, &info.kind.resource, info.namespace.clone(), info.name.clone(), patch.clone());
        let request = context.write(request, CLIENT_SIDE);
        match context.object(request) {
            Ok(patched) => {
                warn_if_deleting(context, info, &patched);
                return print::done(context, info, &patched, "configured");
            }
            Err(Fault::Server(s)) if s.is_conflict() && tries < RETRIES && modified.revision() == 0 => {
                tries += 1;
                current = context.object(info.get())?;
            }
            Err(fault) => {
                let text = super::super::printers::output::json_line(&patch);
                let what = format!("applying patch:\n{text}\nto:\n{}\nfor:", describe(info));
                return Err(fault.at_source("patching", &info.source).at_source(&what, &info.source));
            }
        }
    }
}

fn warn_if_deleting(context: &mut Context<'_>, info: &Info, object: &Object) {
    if object.is_deleting() {
        context.warn(format!("Warning: Detected changes to resource {} which is currently being deleted.", info.name));
    }
}

/// cli-runtime's text of an `Info`.
fn describe(info: &Info) -> String {
    format!(
        "Resource: \"{}\", GroupVersionKind: \"{}\"\nName: \"{}\", Namespace: \"{}\"",
        kinds::long_resource(&info.kind),
        kinds::long_kind(&info.kind),
        info.name,
        info.namespace
    )
}

const CONFLICT_HELP: &str = "\
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts";

fn on_server(context: &mut Context<'_>, info: &Info) -> Result<(), Fault> {
    let apply = |context: &Context<'_>| {
        let request =
            Request::patch(PatchType::Apply, &info.kind.resource, info.namespace.clone(), info.name.clone(), info.object.0.clone());
        Request { force: context.flags.is_set("force-conflicts"), ..context.write(request, SERVER_SIDE) }
    };
    let request = apply(context);
    let mut applied = context.object(request).map_err(|fault| match fault {
        Fault::Server(s) if s.is_conflict() => Fault::text(format!("{}\n{CONFLICT_HELP}", s.message)),
        other => other,
    })?;
    if context.dry_run()? == DryRun::None {
        save_last_applied(context, info, &applied)?;
        if let Some(patch) = migration(&applied, &context.manager(SERVER_SIDE)) {
            let request = Request::patch(PatchType::Json, &info.kind.resource, info.namespace.clone(), info.name.clone(), patch);
            context.object(request.by(context.manager(SERVER_SIDE)))?;
            let request = apply(context);
            applied = context.object(request)?;
        }
    }
    warn_if_deleting(context, info, &applied);
    print::done(context, info, &applied, "serverside-applied")
}

/// Keeps the last-applied annotation of an object that client-side apply made up to date.
fn save_last_applied(context: &mut Context<'_>, info: &Info, applied: &Object) -> Result<(), Fault> {
    if context.manager(SERVER_SIDE) != SERVER_SIDE || applied.annotation(LAST_APPLIED).is_none() {
        return Ok(());
    }
    let text = last_applied_text(&info.object)? + "\n";
    let mut body =
        value!({"apiVersion": (info.object.get("apiVersion")), "kind": (info.object.get("kind")), "metadata": {"name": (&info.name)}});
    if !info.namespace.is_empty() {
        body.set_at(&["metadata", "namespace"], info.namespace.clone());
    }
    body.entry_at(&["metadata", "annotations"]).set(LAST_APPLIED, text);
    let request = Request::patch(PatchType::Apply, &info.kind.resource, info.namespace.clone(), info.name.clone(), body);
    context.object(request.by("kubectl-last-applied")).map(|_| ())
}

/// client-go's `csaupgrade`: fields that client-side apply manages become those of server-side apply.
/// `None` if there are none.
fn migration(applied: &Object, manager: &str) -> Option<Value> {
    let entries = applied.meta().get("managedFields").items();
    let owns_annotation = |e: &Value| !e.at(&["fieldsV1", "f:metadata", "f:annotations"]).get(&format!("f:{LAST_APPLIED}")).is_null();
    let is_client_side = |e: &&Value| {
        let by_hand = e.get("operation").text() == "Update" && e.get("subresource").is_empty();
        by_hand && (e.get("manager").text() == CLIENT_SIDE || owns_annotation(e))
    };
    let old: Vec<&Value> = entries.iter().filter(is_client_side).collect();
    let first = old.first()?;
    let mut kept: Vec<Value> = entries.iter().filter(|e| !is_client_side(e)).cloned().collect();
    let place = kept
        .iter()
        .position(|e| e.get("manager").text() == manager && e.get("operation").text() == "Apply" && e.get("subresource").is_empty());
    let place = place.unwrap_or_else(|| {
        let mut entry = (*first).clone();
        entry.set("manager", Str::from(manager));
        entry.set("operation", "Apply");
        kept.insert(0, entry);
        0
    });
    let mut fields = kept[place].get("fieldsV1").clone();
    for entry in &old {
        fields = union(&fields, entry.get("fieldsV1"));
    }
    kept[place].set("fieldsV1", fields);
    Some(value!([
        {"op": "replace", "path": "/metadata/managedFields", "value": (Value::from(kept))},
        {"op": "replace", "path": "/metadata/resourceVersion", "value": (applied.meta().get("resourceVersion"))}
    ]))
}

fn union(a: &Value, b: &Value) -> Value {
    let mut all = a.clone();
    for (key, value) in b.entries() {
        let both = union(a.get(key), value);
        all.set(key.clone(), both);
    }
    if all.is_null() { Value::map() } else { all }
}
