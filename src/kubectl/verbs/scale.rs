//! `kubectl scale`: writes the scale subresource. Follows kubectl `pkg/cmd/scale/scale.go` and `pkg/scale/scale.go`.

use super::super::Outcome;
use super::super::builder;
use super::super::context::{Context, DryRun};
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::{ALL, DRY_RUN, FILENAME, OUTPUT, RECORD, RECURSIVE, RESOURCE_VERSION, SELECTOR, SHOW_MANAGED, TIMEOUT, Verb, print};
use crate::api::{Object, PatchType, Request, Subresource, Value};
use crate::value;

const FLAGS: &[Flag] = &[
    FILENAME,
    RECURSIVE,
    SELECTOR,
    ALL,
    OUTPUT,
    DRY_RUN,
    RECORD,
    RESOURCE_VERSION,
    SHOW_MANAGED,
    TIMEOUT,
    ("replicas", ' ', Takes::Int),
    ("current-replicas", ' ', Takes::Int),
];

pub const VERBS: &[Verb] = &[Verb { words: "scale", flags: || FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    let Some(replicas) = context.flags.int("replicas") else {
        return Err(Fault::text("required flag(s) \"replicas\" not set"));
    };
    if replicas < 0 {
        return Err(Fault::text("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0"));
    }
    let found = builder::find(context)?;
    let mut faults = found.faults;
    let conditions = context.flags.int("current-replicas").is_some_and(|n| n >= 0) || context.flags.given("resource-version");
    if conditions && found.infos.len() > 1 {
        return Err(Fault::text("cannot use --resource-version with multiple resources"));
    }
    for info in &found.infos {
        match scale(context, info, replicas) {
            Ok(object) => print::done(context, info, &object, "scaled")?,
            Err(fault) => faults.push(fault),
        }
    }
    builder::finish(faults)
}

fn scale(context: &mut Context<'_>, info: &builder::Info, replicas: i64) -> Result<Object, Fault> {
    if !info.kind.has_scale() {
        let text = format!("cannot scale {}: the server could not find the requested resource", info.kind.resource);
        return Err(Fault::text(text));
    }
    if context.dry_run()? == DryRun::Client {
        return Ok(info.object.clone());
    }
    let expected = context.flags.int("current-replicas").filter(|n| *n >= 0);
    let version = context.flags.text("resource-version").to_string();
    if expected.is_some() || !version.is_empty() {
        return with_precondition(context, info, replicas, expected, &version);
    }
    let patch = value!({"spec": {"replicas": (replicas)}});
    let request = Request::patch(PatchType::Merge, &info.kind.resource, info.namespace.clone(), info.name.clone(), patch);
    let request = Request { dry_run: context.dry_run()? == DryRun::Server, ..request.on(Subresource::Scale).by("kubectl") };
    context.object(request)
}

/// Reads the scale first, and writes only if it is as expected.
fn with_precondition(
    context: &mut Context<'_>,
    info: &builder::Info,
    replicas: i64,
    expected: Option<i64>,
    version: &str,
) -> Result<Object, Fault> {
    let mut scale = context.object(info.get().on(Subresource::Scale))?;
    let now = scale.spec().get("replicas").int();
    if let Some(expected) = expected.filter(|n| *n != now) {
        return Err(Fault::text(format!("Expected replicas to be {expected}, was {now}")));
    }
    let found = scale.meta().get("resourceVersion").text();
    if !version.is_empty() && version != found {
        return Err(Fault::text(format!("Expected resource version to be {version}, was {found}")));
    }
    scale.0.set_at(&["spec", "replicas"], Value::Int(replicas));
    let mut request = Request::update(&info.kind.resource, scale);
    request.namespace = info.namespace.clone();
    request.name = info.name.clone();
    let request = Request { dry_run: context.dry_run()? == DryRun::Server, ..request.on(Subresource::Scale).by("kubectl") };
    context.object(request)
}
