//! `kubectl patch`. Follows kubectl `pkg/cmd/patch/patch.go`.

use super::super::Outcome;
use super::super::builder;
use super::super::context::{Context, DryRun};
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::{kinds, manifests};
use super::{DRY_RUN, FIELD_MANAGER, FILENAME, LOCAL, OUTPUT, RECORD, RECURSIVE, SHOW_MANAGED, Verb, print};
use crate::api::{PatchType, Request, Subresource};

const FLAGS: &[Flag] = &[
    FILENAME,
    RECURSIVE,
    OUTPUT,
    DRY_RUN,
    FIELD_MANAGER,
    LOCAL,
    RECORD,
    SHOW_MANAGED,
    ("patch", 'p', Takes::Text),
    ("patch-file", ' ', Takes::Text),
    ("type", ' ', Takes::Text),
    ("subresource", ' ', Takes::Text),
];

pub const VERBS: &[Verb] = &[Verb { words: "patch", flags: || FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    let kind = match context.flags.text("type").to_ascii_lowercase().as_str() {
        "" | "strategic" => PatchType::Strategic,
        "merge" => PatchType::Merge,
        "json" => PatchType::Json,
        other => return Err(Fault::text(format!("--type must be one of [json merge strategic], not {other:?}"))),
    };
    let text = patch_text(context)?;
    let patch = manifests::parse(&text).map_err(|why| Fault::text(format!("unable to parse \"{text}\": {why}")))?;
    let subresource = match context.flags.text("subresource") {
        "" => None,
        "status" => Some(Subresource::Status),
        "scale" => Some(Subresource::Scale),
        other => return Err(Fault::text(format!("invalid subresource value: {other:?}. Must be one of [status scale resize]"))),
    };
    let args = context.args();
    let named = if context.flags.given("filename") {
        builder::from_files(context)?.infos
    } else {
        match builder::words(context, &args)? {
            builder::Words::Named(named) => named.into_iter().map(|(kind, name)| builder::shell(context, kind, &name)).collect(),
            _ => return Err(Fault::text("resource(s) were provided, but no name was specified")),
        }
    };
    let mut faults = Vec::new();
    for info in &named {
        let request = Request::patch(kind, &info.kind.resource, info.namespace.clone(), info.name.clone(), patch.clone());
        let request = Request { subresource, strict: false, ..context.write(request, "kubectl-patch") };
        if kind == PatchType::Strategic && !kinds::is_built_in(&info.kind) {
            // The server knows no merge keys of custom kinds.
            faults.push(Fault::Plain(
                "Error from server (UnsupportedMediaType): the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml, application/apply-patch+cbor".to_string(),
            ));
            continue;
        }
        let before = context.object(info.get());
        let patched = match before {
            Ok(before) if context.dry_run()? == DryRun::Client => Ok((before.clone(), before)),
            Ok(before) => context.object(request).map(|after| (before, after)),
            Err(fault) => Err(fault),
        };
        match patched {
            Ok((before, after)) => {
                let same = before.revision() == after.revision() && context.dry_run()? == DryRun::None;
                print::done(context, info, &after, if same { "patched (no change)" } else { "patched" })?;
            }
            Err(fault) => faults.push(fault),
        }
    }
    builder::finish(faults)
}

fn patch_text(context: &Context<'_>) -> Result<String, Fault> {
    match (context.flags.text("patch"), context.flags.text("patch-file")) {
        ("", "") => Err(Fault::text("must specify --patch or --patch-file containing the contents of the patch")),
        ("", path) => {
            let text = context.files.0.get(path.strip_prefix("./").unwrap_or(path));
            text.cloned().ok_or_else(|| Fault::text(format!("unable to read patch file: open {path}: no such file or directory")))
        }
        (text, "") => Ok(text.to_string()),
        _ => Err(Fault::text("cannot specify --patch and --patch-file together")),
    }
}
