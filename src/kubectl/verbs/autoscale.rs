//! `kubectl autoscale`: makes a HorizontalPodAutoscaler. Follows kubectl `pkg/cmd/autoscale/autoscale.go`.

use super::super::Outcome;
use super::super::builder;
use super::super::context::Context;
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::{DRY_RUN, FIELD_MANAGER, FILENAME, OUTPUT, RECURSIVE, SAVE_CONFIG, SHOW_MANAGED, Verb, create, print};
use crate::api::{Object, Str, Value, scheme};
use crate::value;

const FLAGS: &[Flag] = &[
    FILENAME,
    RECURSIVE,
    OUTPUT,
    DRY_RUN,
    FIELD_MANAGER,
    SAVE_CONFIG,
    SHOW_MANAGED,
    ("min", ' ', Takes::Int),
    ("max", ' ', Takes::Int),
    ("cpu-percent", ' ', Takes::Int),
    ("cpu", ' ', Takes::Text),
    ("memory", ' ', Takes::Text),
    ("name", ' ', Takes::Text),
];

pub const VERBS: &[Verb] = &[Verb { words: "autoscale", flags: || FLAGS, run }];

fn run(context: &mut Context<'_>) -> Outcome {
    let Some(max) = context.flags.int("max") else {
        return Err(Fault::text("required flag(s) \"max\" not set"));
    };
    let min = context.flags.int("min").filter(|n| *n > 0);
    if max < 1 {
        return Err(Fault::text("--max=MAXPODS is required and must be at least 1, max: ".to_string() + &max.to_string()));
    }
    if min.is_some_and(|min| max < min) {
        let text = format!("--max=MAXPODS must be larger or equal to --min=MINPODS, max: {max}, min: {}", min.unwrap_or(0));
        return Err(Fault::text(text));
    }
    let found = builder::find(context)?;
    let mut faults = found.faults;
    for info in &found.infos {
        if !info.kind.has_scale() {
            faults.push(Fault::text(format!("cannot autoscale a {}: no matches for scale", info.kind.kind)));
            continue;
        }
        let name = match context.flags.text("name") {
            "" => info.name.clone(),
            name => Str::from(name),
        };
        let mut spec = value!({
            "scaleTargetRef": {"apiVersion": (info.object.get("apiVersion")), "kind": (info.object.get("kind")), "name": (info.name.clone())},
            "maxReplicas": (max)
        });
        if let Some(min) = min {
            spec.set("minReplicas", Value::Int(min));
        }
        let metrics = metrics(context)?;
        if !metrics.is_empty() {
            spec.set("metrics", Value::from(metrics));
        }
        let kind = scheme::by_name("hpa").expect("autoscalers are a kind").clone();
        let mut made = builder::shell(context, kind, &name);
        let body = value!({
            "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": (name), "namespace": (info.namespace.clone())}, "spec": (spec)
        });
        made.object = create::send(context, &made, Object(body), "kubectl-autoscale")?;
        print::done(context, &made, &made.object.clone(), "autoscaled")?;
    }
    builder::finish(faults)
}

fn metrics(context: &Context<'_>) -> Result<Vec<Value>, Fault> {
    let percent = context.flags.int("cpu-percent").filter(|n| *n >= 0).map(|n| format!("{n}%")).unwrap_or_default();
    let cpu = if percent.is_empty() { context.flags.text("cpu").to_string() } else { percent };
    let mut metrics = Vec::new();
    for (name, text) in [("cpu", cpu.as_str()), ("memory", context.flags.text("memory"))] {
        if text.is_empty() {
            continue;
        }
        let target = match text.strip_suffix('%') {
            Some(number) => {
                let number: i64 = number.parse().map_err(|_| Fault::text(format!("invalid value for --{name}: {text}")))?;
                value!({"type": "Utilization", "averageUtilization": (number)})
            }
            None => value!({"type": "AverageValue", "averageValue": (Str::from(text))}),
        };
        metrics.push(value!({"type": "Resource", "resource": {"name": (Str::from(name)), "target": (target)}}));
    }
    Ok(metrics)
}
