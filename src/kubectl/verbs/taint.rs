//! `kubectl taint`. Follows kubectl `pkg/cmd/taint/{taint,utils}.go`.

use super::super::Outcome;
use super::super::builder::{self, Info};
use super::super::context::{Context, DryRun};
use super::super::fault::Fault;
use super::super::flags::Flag;
use super::{ALL, DRY_RUN, FIELD_MANAGER, OUTPUT, OVERWRITE, SELECTOR, SHOW_MANAGED, VALIDATE, Verb, print};
use crate::api::{PatchType, Request, Str, Value};
use crate::value;

const FLAGS: &[Flag] = &[ALL, DRY_RUN, FIELD_MANAGER, OUTPUT, OVERWRITE, SELECTOR, SHOW_MANAGED, VALIDATE];

pub const VERBS: &[Verb] = &[Verb { words: "taint", flags: || FLAGS, run }];

/// One change: the taint, with an empty effect for all effects of a key that is taken away.
struct Taint {
    key: String,
    value: Option<String>,
    effect: String,
    remove: bool,
}

fn run(context: &mut Context<'_>) -> Outcome {
    let args = context.args();
    let is_taint = |a: &String| a.contains('=') || a.contains(':') || a.ends_with('-');
    let at = args.iter().position(is_taint).unwrap_or(args.len());
    if at == args.len() {
        return Err(Fault::text("at least one taint update is required"));
    }
    let taints = args[at..].iter().map(|a| parse(a)).collect::<Result<Vec<_>, _>>()?;
    let found = builder::find_among(context, &args[..at])?;
    let mut faults = found.faults;
    for info in &found.infos {
        faults.extend(taint(context, info, &taints).err());
    }
    builder::finish(faults)
}

fn parse(word: &str) -> Result<Taint, Fault> {
    let (text, remove) = word.strip_suffix('-').map_or((word, false), |t| (t, true));
    let (pair, effect) = text.split_once(':').unwrap_or((text, ""));
    let (key, value) = pair.split_once('=').map_or((pair, None), |(k, v)| (k, Some(v.to_string())));
    let known = ["NoSchedule", "PreferNoSchedule", "NoExecute"].contains(&effect);
    if key.is_empty() || (effect.is_empty() && !remove) {
        return Err(Fault::text(format!("invalid taint spec: {word}")));
    }
    if !effect.is_empty() && !known {
        return Err(Fault::text(format!("invalid taint effect: {effect}, unsupported taint effect")));
    }
    Ok(Taint { key: key.to_string(), value, effect: effect.to_string(), remove })
}

fn same(old: &Value, taint: &Taint) -> bool {
    old.get("key").text() == taint.key && (taint.effect.is_empty() || old.get("effect").text() == taint.effect)
}

fn taint(context: &mut Context<'_>, info: &Info, taints: &[Taint]) -> Result<(), Fault> {
    let name = &info.name;
    let mut list: Vec<Value> = info.object.spec().get("taints").items().to_vec();
    let (mut added, mut removed) = (false, false);
    for taint in taints {
        let there = list.iter().any(|old| same(old, taint));
        if taint.remove {
            if !there {
                let effect = if taint.effect.is_empty() { String::new() } else { format!(":{}", taint.effect) };
                return Err(Fault::text(format!("taint \"{}{effect}\" not found", taint.key)));
            }
            list.retain(|old| !same(old, taint));
            removed = true;
            continue;
        }
        if there && !context.flags.is_set("overwrite") {
            let text = format!("node {name} already has {} taint(s) with same effect(s) and --overwrite is false", taint.key);
            return Err(Fault::text(text));
        }
        list.retain(|old| !same(old, taint));
        let mut new = value!({"key": (Str::from(&taint.key)), "effect": (Str::from(&taint.effect))});
        if let Some(value) = taint.value.as_deref().filter(|v| !v.is_empty()) {
            new.set("value", Value::str(value));
        }
        list.push(new);
        added = true;
    }
    let says = match (added, removed) {
        (true, true) => "modified",
        (true, false) => "tainted",
        _ => "untainted",
    };
    let changed = if context.dry_run()? == DryRun::Client {
        info.object.clone()
    } else {
        let list = if list.is_empty() { Value::Null } else { Value::from(list) };
        let patch = value!({"spec": {"taints": (list)}});
        // Taints are an atomic list to the server; a merge patch replaces it as a whole.
        let request = Request::patch(PatchType::Merge, &info.kind.resource, "", name.clone(), patch);
        let request = context.write(request, "kubectl-taint");
        context.object(request)?
    };
    print::done(context, info, &changed, says)
}
