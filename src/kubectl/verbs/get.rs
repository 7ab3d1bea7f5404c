//! `kubectl get`: tables, YAML, JSON, names, JSONPath, columns of one's own; and its watch.
//! Follows kubectl `pkg/cmd/get/{get,sorter,customcolumn}.go`.

use super::super::Outcome;
use super::super::builder::{self, Found, Info, Words};
use super::super::context::{Context, Output};
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::printers::{columns, jsonpath, output, sort, table};
use super::super::process::Wait;
use super::{
    ALL_NAMESPACES, FIELD_SELECTOR, FILENAME, IGNORE_NOT_FOUND, KUSTOMIZE, OUTPUT, RECURSIVE, SELECTOR, SHOW_MANAGED, TEMPLATE, Verb,
};
use crate::api::{KindInfo, Object, Request, Str, Value};
use crate::client::Transport;
use crate::util::Order;
use crate::value;
use std::collections::BTreeMap;

pub const FLAGS: &[Flag] = &[
    ALL_NAMESPACES,
    FIELD_SELECTOR,
    FILENAME,
    KUSTOMIZE,
    IGNORE_NOT_FOUND,
    OUTPUT,
    RECURSIVE,
    SELECTOR,
    SHOW_MANAGED,
    TEMPLATE,
    ("watch", 'w', Takes::Bool),
    ("watch-only", ' ', Takes::Bool),
    ("output-watch-events", ' ', Takes::Bool),
    ("show-labels", ' ', Takes::Bool),
    ("show-kind", ' ', Takes::Bool),
    ("label-columns", 'L', Takes::Text),
    ("no-headers", ' ', Takes::Bool),
    ("sort-by", ' ', Takes::Text),
    ("chunk-size", ' ', Takes::Int),
    ("server-print", ' ', Takes::Bool),
    ("raw", ' ', Takes::Text),
    ("subresource", ' ', Takes::Text),
];

pub const VERBS: &[Verb] = &[Verb { words: "get", flags: || FLAGS, run }];

const NOTHING_NAMED: &str = "You must specify the type of resource to get. Use \"kubectl api-resources\" for a complete list of supported resources.\n\nerror: Required resource not specified.\nUse \"kubectl explain <resource>\" for a detailed description of that resource (e.g. kubectl explain pods).\nSee 'kubectl get -h' for help and examples";

fn run(context: &mut Context<'_>) -> Outcome {
    if context.flags.args.is_empty() && !context.flags.given("filename") {
        return Err(Fault::Plain(NOTHING_NAMED.to_string()));
    }
    let format = context.flags.text("output").to_string();
    check_format(&format)?;
    if context.flags.is_set("watch") || context.flags.is_set("watch-only") {
        return watch(context);
    }
    let mut found = builder::find(context)?;
    let by = context.flags.text("sort-by").to_string();
    if !by.is_empty() {
        sort::by_path(&mut found.infos, &by)?;
    }
    match format.as_str() {
        "" | "wide" => {
            let text = tables(context, &found.infos)?;
            context.print(&text);
            if found.infos.is_empty() && found.faults.is_empty() && !context.flags.is_set("ignore-not-found") {
                nothing_found(context);
            }
        }
        "name" => found.infos.iter().for_each(|i| context.say(i.named())),
        format => {
            let silent = found.infos.is_empty() && context.flags.is_set("ignore-not-found");
            if !found.infos.is_empty() || !silent && (!found.single && found.faults.is_empty()) {
                print_objects(context, format, &found)?;
            }
        }
    }
    // `get` names each refusal on a line of its own, without more words.
    builder::finish(found.faults)
}

fn check_format(format: &str) -> Result<(), Fault> {
    let name = format.split('=').next().unwrap_or(format);
    let known = ["", "wide", "name", "yaml", "json", "jsonpath", "jsonpath-as-json", "custom-columns", "kyaml"];
    if known.contains(&name) {
        return Ok(());
    }
    Err(Fault::text(format!(
        "unable to match a printer suitable for the output format \"{name}\", allowed formats are: custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml"
    )))
}

fn nothing_found(context: &mut Context<'_>) {
    let args = context.args();
    let kinds = match builder::words(context, &args) {
        Ok(Words::Kinds(kinds)) => kinds,
        _ => Vec::new(),
    };
    let all_cluster_wide = !kinds.is_empty() && kinds.iter().all(|k| !k.namespaced);
    let line = if context.flags.is_set("all-namespaces") || all_cluster_wide {
        "No resources found".to_string()
    } else {
        format!("No resources found in {} namespace.", context.namespace())
    };
    context.warn(line);
}

/// One table a kind, in the order in which the objects came.
fn tables(context: &mut Context<'_>, infos: &[Info]) -> Result<String, Fault> {
    let several = infos.iter().any(|i| i.kind.resource != infos[0].kind.resource) || context.flags.is_set("show-kind");
    let several = several || names_several_kinds(context);
    let mut text = String::new();
    let groups = infos.chunk_by(|a, b| a.kind.resource == b.kind.resource);
    for (i, group) in groups.enumerate() {
        if i > 0 {
            text.push('\n');
        }
        let kind = &group[0].kind;
        let layout = layout(context, kind, several)?;
        let mut lines = String::new();
        if !context.flags.is_set("no-headers") {
            lines.push_str(&layout.header());
        }
        let now = context.now();
        group.iter().for_each(|info| lines.push_str(&layout.row(&info.object, now)));
        text.push_str(&super::super::tabs::align(&lines, 6, 3));
    }
    Ok(text)
}

/// Whether the words name several kinds, even if objects of one only were found.
fn names_several_kinds(context: &Context<'_>) -> bool {
    let args = &context.flags.args;
    let mut kinds: Vec<&str> = args.iter().filter_map(|a| a.split_once('/')).map(|(kind, _)| kind).collect();
    kinds.dedup();
    let listed = args.first().is_some_and(|a| !a.contains('/') && (a.contains(',') || a == "all"));
    listed || kinds.len() > 1
}

fn layout(context: &mut Context<'_>, kind: &KindInfo, with_kind: bool) -> Result<columns::Layout, Fault> {
    let table = table(context.api, kind)?;
    let flags = &context.flags;
    Ok(columns::Layout {
        table,
        wide: flags.text("output") == "wide",
        namespace: flags.is_set("all-namespaces") && kind.namespaced,
        prefix: if with_kind { format!("{}/", kind.group_kind().to_ascii_lowercase()) } else { String::new() },
        labels: flags.list("label-columns"),
        show_labels: flags.is_set("show-labels"),
    })
}

fn print_objects(context: &mut Context<'_>, format: &str, found: &Found) -> Result<(), Fault> {
    let managed = context.flags.is_set("show-managed-fields");
    if let Some(spec) = format.strip_prefix("custom-columns=") {
        let headers = !context.flags.is_set("no-headers");
        let text = columns::custom(spec, found.infos.iter().map(|i| &i.object), headers)?;
        context.print(&text);
        return Ok(());
    }
    let single = found.single && found.infos.len() == 1;
    let plain = |o: &Object| if format.starts_with("jsonpath") || managed { o.0.clone() } else { output::without_managed(&o.0) };
    let root = if single {
        plain(&found.infos[0].object)
    } else {
        let items: Value = found.infos.iter().map(|i| plain(&i.object)).collect();
        value!({"apiVersion": "v1", "items": (items), "kind": "List", "metadata": {"resourceVersion": ""}})
    };
    let text = match format.split_once('=') {
        Some(("jsonpath", path)) => jsonpath::print(path, &root)?,
        Some(("jsonpath-as-json", path)) => jsonpath::print_json(path, &root)?,
        _ => output::object(format, &root.into(), true)?,
    };
    context.print(&text);
    Ok(())
}

fn watch(context: &mut Context<'_>) -> Outcome {
    let args = context.args();
    let (kind, names) = match builder::words(context, &args)? {
        Words::Kinds(kinds) if kinds.len() == 1 => (kinds[0].clone(), Vec::new()),
        Words::Named(named) if named.iter().all(|(k, _)| k.resource == named[0].0.resource) => {
            (named[0].0.clone(), named.into_iter().map(|(_, n)| Str::from(n)).collect())
        }
        _ => return Err(Fault::text("you may only specify a single resource type")),
    };
    let everywhere = context.flags.is_set("all-namespaces") || !kind.namespaced;
    let namespace = if everywhere { Str::default() } else { Str::from(context.namespace()) };
    let mut request = Request::list(&kind.resource, namespace);
    request.list.label_selector = context.flags.text("selector").into();
    request.list.field_selector = context.flags.text("field-selector").into();
    let layout = layout(context, &kind, false)?;
    let silent = context.flags.is_set("watch-only");
    let format = context.flags.text("output").to_string();
    let watching = Watching {
        request,
        names,
        layout,
        format,
        kind,
        seen: None,
        silent,
        headers: !context.flags.is_set("no-headers"),
        widths: Vec::new(),
    };
    Ok(Some(Wait::Watching(Box::new(watching))))
}

/// `get -w`: a row whenever an object changed. It never ends by itself.
#[derive(Clone, Debug)]
pub struct Watching {
    request: Request,
    names: Vec<Str>,
    layout: columns::Layout,
    format: String,
    kind: KindInfo,
    /// What was there when it last looked; nothing before it has.
    seen: Option<BTreeMap<(Str, Str), Object>>,
    silent: bool,
    headers: bool,
    widths: Vec<usize>,
}

impl Watching {
    pub fn poll(&mut self, api: &mut dyn Transport, out: &mut Output) -> Result<bool, Fault> {
        let objects = api.send(self.request.clone())?.items();
        let listed = self.seen.is_none();
        let seen = self.seen.take().unwrap_or_default();
        let mut now_there = BTreeMap::new();
        let mut changed = Vec::new();
        for object in objects {
            let key = object.key();
            if !self.names.is_empty() && !self.names.contains(&key.name) {
                continue;
            }
            let key = (key.namespace, key.name);
            if seen.get(&key).is_none_or(|o| o.revision() != object.revision()) {
                changed.push(object.clone());
            }
            now_there.insert(key, object);
        }
        // A deletion shows the object once more, as it was last.
        changed.extend(seen.iter().filter(|(k, _)| !now_there.contains_key(k)).map(|(_, o)| o.clone()));
        // First comes the list, as the server gave it; then each change as it happened.
        if !listed {
            changed.order_by_key(Object::revision);
        }
        self.seen = Some(now_there);
        if std::mem::take(&mut self.silent) {
            return Ok(false);
        }
        for object in changed {
            self.show(&object, api, out)?;
        }
        Ok(false)
    }

    fn show(&mut self, object: &Object, api: &mut dyn Transport, out: &mut Output) -> Result<(), Fault> {
        match self.format.as_str() {
            "" | "wide" => {
                let mut lines = String::new();
                if std::mem::take(&mut self.headers) {
                    lines.push_str(&self.layout.header());
                }
                lines.push_str(&self.layout.row(object, api.now()));
                out.stdout.push_str(&columns::align_remembering(&lines, &mut self.widths));
            }
            "name" => out.stdout.push_str(&(super::super::kinds::named(&self.kind, object.name()) + "\n")),
            format => {
                let text = match format.strip_prefix("jsonpath=") {
                    Some(path) => jsonpath::print(path, &object.0)?,
                    None => output::object(format, object, false)?,
                };
                out.stdout.push_str(&text);
            }
        }
        Ok(())
    }
}
