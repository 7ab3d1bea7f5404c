//! What a command is about: objects named by words or by manifests, as cli-runtime's `resource.Builder` finds them.

use super::context::Context;
use super::fault::Fault;
use super::manifests::{self, Document};
use super::{kinds, process};
use crate::api::{KindInfo, ListOptions, Object, Request, Str, Value};

/// An object that a command is about.
#[derive(Clone, Debug)]
pub struct Info {
    pub kind: KindInfo,
    pub namespace: Str,
    pub name: Str,
    /// The manifest it was read from; "" if it was named by words.
    pub source: String,
    /// What the manifest says, or what the server has.
    pub object: Object,
}

impl Info {
    pub fn get(&self) -> Request {
        Request::get(&self.kind.resource, self.namespace.clone(), self.name.clone())
    }

    /// `deployments/web`
    pub fn place(&self) -> String {
        format!("{}/{}", self.kind.resource.plural(), self.name)
    }

    /// `deployment.apps/web`
    pub fn named(&self) -> String {
        kinds::named(&self.kind, &self.name)
    }
}

/// Objects found, and what could not be.
#[derive(Default)]
pub struct Found {
    pub infos: Vec<Info>,
    pub faults: Vec<Fault>,
    /// The command named one object, so it is printed alone and not in a list.
    pub single: bool,
}

/// What the words after a verb name.
#[derive(Clone, Debug)]
pub enum Words {
    /// objects by name
    Named(Vec<(KindInfo, String)>),
    /// all objects of these kinds that the selector picks
    Kinds(Vec<KindInfo>),
    Nothing,
}

/// Reads `TYPE NAME…`, `TYPE/NAME …`, `TYPE[,TYPE]`.
///
/// # Errors
/// A kind does not exist, or the forms are mixed.
pub fn words(context: &mut Context<'_>, args: &[String]) -> Result<Words, Fault> {
    let Some(first) = args.first() else {
        return Ok(Words::Nothing);
    };
    if args.iter().any(|a| a.contains('/')) {
        return slashed(context, args);
    }
    let mut found = Vec::new();
    for word in first.split(',').filter(|w| !w.is_empty()) {
        if word == "all" {
            let all = crate::api::Kinds::built_in();
            found.extend(all.in_category("all").cloned());
        } else {
            found.push(kinds::by_word(context.api, word)?);
        }
    }
    let names = &args[1..];
    if names.is_empty() {
        return Ok(Words::Kinds(found));
    }
    let [kind] = found.as_slice() else {
        return Err(Fault::text("you must specify only one resource"));
    };
    Ok(Words::Named(names.iter().map(|n| (kind.clone(), n.clone())).collect()))
}

fn slashed(context: &mut Context<'_>, args: &[String]) -> Result<Words, Fault> {
    let mut named = Vec::new();
    for arg in args {
        let Some((word, name)) = arg.split_once('/') else {
            let text = "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form \
                        (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'";
            return Err(Fault::text(text));
        };
        if word.is_empty() || name.is_empty() || name.contains('/') {
            return Err(Fault::text("arguments in resource/name form may not have more than one slash"));
        }
        for word in word.split(',') {
            named.push((kinds::by_word(context.api, word)?, name.to_string()));
        }
    }
    Ok(Words::Named(named))
}

/// Everything the command names, as the server has it. `-f` wins over words.
///
/// # Errors
/// Nothing was named, or something in the words is wrong. What the server refuses stands in `faults`.
pub fn find(context: &mut Context<'_>) -> Result<Found, Fault> {
    find_among(context, &context.args())
}

/// As `find`, with these words.
///
/// # Errors
/// See `find`.
pub fn find_among(context: &mut Context<'_>, args: &[String]) -> Result<Found, Fault> {
    if context.flags.given("filename") {
        let mut found = from_files(context)?;
        let infos = std::mem::take(&mut found.infos);
        if !found.faults.is_empty() {
            return Ok(found);
        }
        for info in infos {
            match context.object(info.get()) {
                Ok(object) => found.infos.push(Info { object, ..info }),
                Err(fault) if fault.is_not_found() && context.flags.is_set("ignore-not-found") => {}
                Err(fault) => found.faults.push(fault),
            }
        }
        return Ok(found);
    }
    match words(context, args)? {
        Words::Nothing => Err(Fault::text(
            "You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'",
        )),
        Words::Named(named) => by_name(context, named),
        Words::Kinds(kinds) => by_selector(context, &kinds),
    }
}

fn by_name(context: &mut Context<'_>, named: Vec<(KindInfo, String)>) -> Result<Found, Fault> {
    if !context.flags.text("selector").is_empty() {
        return Err(Fault::text("name cannot be provided when a selector is specified"));
    }
    let mut found = Found { single: named.len() == 1, ..Found::default() };
    for (kind, name) in named {
        if context.flags.is_set("all-namespaces") && kind.namespaced {
            return Err(Fault::text("a resource cannot be retrieved by name across all namespaces"));
        }
        let mut info = shell(context, kind, &name);
        match context.object(info.get()) {
            Ok(object) => {
                info.object = object;
                found.infos.push(info);
            }
            Err(fault) if fault.is_not_found() && context.flags.is_set("ignore-not-found") => {}
            Err(fault) => found.faults.push(fault),
        }
    }
    Ok(found)
}

/// The place of an object that was not looked at yet.
pub fn shell(context: &Context<'_>, kind: KindInfo, name: &str) -> Info {
    let namespace = if kind.namespaced { Str::from(context.namespace()) } else { Str::default() };
    Info { kind, namespace, name: Str::from(name), source: String::new(), object: Object::default() }
}

fn by_selector(context: &mut Context<'_>, kinds: &[KindInfo]) -> Result<Found, Fault> {
    let mut found = Found::default();
    for kind in kinds {
        match list(context, kind) {
            Ok(objects) => found.infos.extend(objects.into_iter().map(|o| info_of(kind, o))),
            Err(fault) => found.faults.push(fault),
        }
    }
    Ok(found)
}

pub fn info_of(kind: &KindInfo, object: Object) -> Info {
    let key = object.key();
    Info { kind: kind.clone(), namespace: key.namespace, name: key.name, source: String::new(), object }
}

/// The objects of a kind that the command's selectors pick, in its namespace or in all.
///
/// # Errors
/// The server's refusal, with the selectors named.
pub fn list(context: &mut Context<'_>, kind: &KindInfo) -> Result<Vec<Object>, Fault> {
    let everywhere = context.flags.is_set("all-namespaces") || !kind.namespaced;
    let namespace = if everywhere { Str::default() } else { Str::from(context.namespace()) };
    let (labels, fields) = (context.flags.text("selector").to_string(), context.flags.text("field-selector").to_string());
    let options = ListOptions { label_selector: labels.as_str().into(), field_selector: fields.as_str().into(), ..ListOptions::default() };
    let request = Request { list: options, ..Request::list(&kind.resource, namespace) };
    match context.send(request) {
        Ok(answer) => Ok(answer.items()),
        Err(Fault::Server(mut s)) if matches!(s.code, 400 | 404) => {
            let what = kinds::long_resource(kind);
            let how = if labels.is_empty() && fields.is_empty() {
                format!("Unable to list \"{what}\": {}", s.message)
            } else {
                format!("Unable to find \"{what}\" that match label selector \"{labels}\", field selector \"{fields}\": {}", s.message)
            };
            s.message = how.into();
            Err(Fault::Server(s))
        }
        Err(fault) => Err(fault),
    }
}

/// The objects of the manifests, as written there, in their namespaces.
///
/// # Errors
/// A path leads nowhere, or a manifest names another namespace than `-n`.
pub fn from_files(context: &mut Context<'_>) -> Result<Found, Fault> {
    let documents = manifests::read_all(&context.flags, context.files, context.stdin)?;
    let mut found = Found { faults: documents.faults, ..Found::default() };
    found.single = documents.read.len() == 1;
    for document in documents.read {
        match from_document(context, document) {
            Ok(info) => found.infos.push(info),
            Err(fault) if found.faults.contains(&fault) => {}
            Err(fault) => found.faults.push(fault),
        }
    }
    // What is wrong with the manifests themselves is one fault.
    if found.faults.len() > 1 {
        let all: Vec<String> = found.faults.iter().map(Fault::message).collect();
        found.faults = vec![Fault::Plain(format!("[{}]", all.join(", ")))];
    }
    Ok(found)
}

fn from_document(context: &mut Context<'_>, document: Document) -> Result<Info, Fault> {
    let Document { source, mut value } = document;
    let (api_version, kind) = (value.get("apiVersion").text().to_string(), value.get("kind").text().to_string());
    if kind.is_empty() && !context.flags.validates {
        let text = crate::api::json::write_compact(&value);
        return Err(Fault::text(format!("unable to decode \"{source}\": Object 'Kind' is missing in '{text}'")));
    }
    check_type(&source, &value, &api_version, &kind)?;
    check_metadata(&source, &value)?;
    let name = value.at(&["metadata", "name"]).to_str();
    let named = value.at(&["metadata", "namespace"]).to_str();
    let Some(kind) = kinds::of_object(context.api, &api_version, &kind)? else {
        return Err(Fault::text(format!(
            "resource mapping not found for name: \"{name}\" namespace: \"{named}\" from \"{source}\": no matches for kind \"{kind}\" in version \"{api_version}\"\nensure CRDs are installed first"
        )));
    };
    let mut namespace = Str::default();
    if kind.namespaced {
        let wanted = context.flags.text("namespace");
        if !named.is_empty() && !wanted.is_empty() && named != wanted {
            return Err(Fault::text(format!(
                "the namespace from the provided object \"{named}\" does not match the namespace \"{wanted}\". You must pass '--namespace={named}' to perform this operation."
            )));
        }
        namespace = if named.is_empty() { Str::from(context.namespace()) } else { named };
        value.set_at(&["metadata", "namespace"], namespace.clone());
    }
    Ok(Info { kind, namespace, name, source, object: Object(value) })
}

/// What kubectl itself checks of a manifest before it asks the server.
fn check_type(source: &str, value: &Value, api_version: &str, kind: &str) -> Result<(), Fault> {
    let wrong_version = format!("unexpected GroupVersion string: {api_version}");
    let missing = match (api_version.is_empty(), kind.is_empty()) {
        _ if value.as_map().is_none() => "invalid object to validate",
        (false, true) if !value.get("kind").is_null() && value.get("kind").as_str().is_none() => "kind isn't string type",
        (false, false) if api_version.matches('/').count() > 1 => &wrong_version,
        (false, false) => return Ok(()),
        (true, true) => "[apiVersion not set, kind not set]",
        (true, false) => "apiVersion not set",
        (false, true) => "kind not set",
    };
    Err(Fault::text(format!(
        "error validating \"{source}\": error validating data: {missing}; if you choose to ignore these errors, turn validation off with --validate=false"
    )))
}

/// Metadata must have its shape: kubectl reads it before it sends anything.
fn check_metadata(source: &str, value: &Value) -> Result<(), Fault> {
    let wrong = |why: String| Err(Fault::text(format!("unable to decode \"{source}\": {why}")));
    let meta = value.get("metadata");
    if let Some(is) = go_type(meta).filter(|is| *is != "object") {
        return wrong(format!("json: cannot unmarshal {is} into Go struct field metadataOnlyObject.metadata of type v1.ObjectMeta"));
    }
    let texts = ["name", "generateName", "namespace"].into_iter().map(|field| (field, meta.get(field)));
    let maps = ["labels", "annotations"].into_iter().flat_map(|field| meta.get(field).entries().iter().map(move |(_, v)| (field, v)));
    for (field, v) in texts.chain(maps) {
        if let Some(is) = go_type(v).filter(|is| *is != "string") {
            return wrong(format!("json: cannot unmarshal {is} into Go struct field ObjectMeta.metadata.{field} of type string"));
        }
    }
    let made = meta.get("creationTimestamp").text();
    if !made.is_empty() && !made.starts_with(|c: char| c.is_ascii_digit()) {
        return wrong(format!("parsing time \"{made}\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"{made}\" as \"2006\""));
    }
    Ok(())
}

/// What Go's JSON calls a value; `None` for null.
fn go_type(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Float(_) => "number",
        Value::List(_) => "array",
        Value::Map(_) => "object",
        Value::Str(_) => "string",
        Value::Null => return None,
    })
}

/// Ends a command that went on after faults.
pub fn finish(faults: Vec<Fault>) -> Result<Option<process::Wait>, Fault> {
    Fault::all(faults).map(|()| None)
}
