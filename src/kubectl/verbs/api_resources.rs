//! `kubectl api-resources` and `api-versions`.

use super::super::Outcome;
use super::super::context::Context;
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::{kinds, tabs};
use super::{OUTPUT, Verb};
use crate::util::Order;
use std::collections::BTreeSet;

const FLAGS: &[Flag] = &[
    OUTPUT,
    ("namespaced", ' ', Takes::Bool),
    ("api-group", ' ', Takes::Text),
    ("verbs", ' ', Takes::Text),
    ("categories", ' ', Takes::Text),
    ("no-headers", ' ', Takes::Bool),
    ("sort-by", ' ', Takes::Text),
];

pub const VERBS: &[Verb] =
    &[Verb { words: "api-resources", flags: || FLAGS, run: resources }, Verb { words: "api-versions", flags: || FLAGS, run: versions }];

fn resources(context: &mut Context<'_>) -> Outcome {
    let (kinds, _) = kinds::with_custom(context.api)?;
    let flags = &context.flags;
    let (names_only, wide) = (flags.text("output") == "name", flags.text("output") == "wide");
    if !matches!(flags.text("output"), "" | "name" | "wide") {
        return Err(Fault::text(format!("--output {} is not available", flags.text("output"))));
    }
    let mut lines = Vec::new();
    let mut all: Vec<_> = kinds.iter().collect();
    all.order_by_key(|k| (k.group().to_string(), k.plural().to_string()));
    for kind in all {
        let wanted = (!flags.given("namespaced") || kind.namespaced == flags.is_set("namespaced"))
            && (!flags.given("api-group") || kind.group() == flags.text("api-group"))
            && flags.list("verbs").iter().all(|v| kind.can(v))
            && flags.list("categories").iter().all(|c| kind.is_in(c));
        if !wanted {
            continue;
        }
        if names_only {
            lines.push(kind.resource.to_string());
            continue;
        }
        let (short, version, namespaced) = (kind.short_names.join(","), kind.api_version(), kind.namespaced);
        let mut line = format!("{}\t{short}\t{version}\t{namespaced}\t{}", kind.plural(), kind.kind);
        if wide {
            line.push_str(&format!("\t{}\t{}", kind.verbs.join(","), kind.categories.join(",")));
        }
        lines.push(line);
    }
    if !names_only && !flags.is_set("no-headers") {
        let more = if wide { "\tVERBS\tCATEGORIES" } else { "" };
        lines.insert(0, format!("NAME\tSHORTNAMES\tAPIVERSION\tNAMESPACED\tKIND{more}"));
    }
    let text = tabs::align(&(lines.join("\n") + "\n"), 6, 3);
    context.print(&text);
    Ok(None)
}

fn versions(context: &mut Context<'_>) -> Outcome {
    let (kinds, _) = kinds::with_custom(context.api)?;
    let mut all = BTreeSet::new();
    for kind in kinds.iter() {
        for version in kind.versions.iter() {
            all.insert(if kind.group().is_empty() { version.to_string() } else { format!("{}/{version}", kind.group()) });
        }
    }
    all.into_iter().for_each(|v| context.say(v));
    Ok(None)
}
