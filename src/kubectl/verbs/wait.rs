//! `kubectl wait`. Follows kubectl `pkg/cmd/wait`. A JSONPath is read up to its first closing brace.

use super::super::Outcome;
use super::super::builder;
use super::super::context::{Context, Output};
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::printers::jsonpath;
use super::super::process::{Wait, timed_out};
use super::{ALL, ALL_NAMESPACES, FIELD_SELECTOR, FILENAME, LOCAL, OUTPUT, RECURSIVE, SELECTOR, TIMEOUT, Verb};
use crate::api::{Object, Request, Str};
use crate::client::Transport;
use crate::util::Time;

const FLAGS: &[Flag] =
    &[ALL, ALL_NAMESPACES, FIELD_SELECTOR, FILENAME, LOCAL, OUTPUT, RECURSIVE, SELECTOR, TIMEOUT, ("for", ' ', Takes::Text)];

pub const VERBS: &[Verb] = &[Verb { words: "wait", flags: || FLAGS, run }];

const DEFAULT_MS: u64 = 30_000;

/// What must be so.
#[derive(Clone, Debug)]
enum For {
    Delete,
    Create,
    Condition { kind: String, status: String },
    Path { path: String, value: Option<String> },
}

fn run(context: &mut Context<'_>) -> Outcome {
    let condition = parse(context.flags.text("for"))?;
    let timeout = if context.flags.given("timeout") { context.flags.duration_ms("timeout").unwrap_or(0) } else { DEFAULT_MS };
    let deadline = Some(context.now().after_ms(timeout));
    let args = context.args();
    let named = match builder::words(context, &args)? {
        builder::Words::Named(named) if !context.flags.given("filename") => named,
        _ => Vec::new(),
    };
    let mut left = Vec::new();
    if named.is_empty() {
        let found = builder::find(context)?;
        let gone = matches!(condition, For::Delete);
        let faults = found.faults.into_iter().filter(|f| !(gone && f.is_not_found())).collect();
        Fault::all(faults)?;
        if found.infos.is_empty() && !gone {
            return Err(Fault::text("no matching resources found"));
        }
        left.extend(found.infos.iter().map(|i| Waited::new(i, Str::from(i.object.uid()))));
    }
    for (kind, name) in named {
        let info = builder::shell(context, kind, &name);
        match context.object(info.get()) {
            Ok(object) => left.push(Waited::new(&info, Str::from(object.uid()))),
            Err(fault) if fault.is_not_found() && matches!(condition, For::Delete) => {}
            Err(fault) if fault.is_not_found() && matches!(condition, For::Create) => left.push(Waited::new(&info, Str::default())),
            Err(fault) => return Err(fault),
        }
    }
    Ok(Some(Wait::Conditions(Conditions { left, condition, deadline, late: Vec::new() })))
}

fn parse(text: &str) -> Result<For, Fault> {
    if text.eq_ignore_ascii_case("delete") {
        return Ok(For::Delete);
    }
    if text.eq_ignore_ascii_case("create") {
        return Ok(For::Create);
    }
    if let Some(condition) = text.strip_prefix("condition=") {
        let (kind, status) = condition.split_once('=').unwrap_or((condition, "true"));
        return Ok(For::Condition { kind: kind.to_string(), status: status.to_string() });
    }
    if let Some(path) = text.strip_prefix("jsonpath=") {
        let path = path.trim_matches('\'');
        let end = path.find('}').map_or(path.len(), |i| i + 1);
        let (path, value) = path.split_at(end);
        let value = value.trim_start_matches('\'').strip_prefix('=').map(|v| v.trim_matches('\'').to_string());
        return Ok(For::Path { path: path.to_string(), value });
    }
    Err(Fault::text(format!("unrecognized condition: \"{text}\"")))
}

#[derive(Clone, Debug)]
struct Waited {
    request: Request,
    uid: Str,
    /// `pod/web-1`
    named: String,
    /// `pods/web-1`
    place: String,
}

impl Waited {
    fn new(info: &builder::Info, uid: Str) -> Waited {
        Waited { request: info.get(), uid, named: info.named(), place: info.place() }
    }
}

/// Objects that must come to a state, one after the other.
#[derive(Clone, Debug)]
pub struct Conditions {
    left: Vec<Waited>,
    condition: For,
    pub deadline: Option<Time>,
    late: Vec<Fault>,
}

impl Conditions {
    pub fn poll(&mut self, api: &mut dyn Transport, out: &mut Output) -> Result<bool, Fault> {
        while let Some(waited) = self.left.first() {
            let object = match api.send(waited.request.clone()) {
                Ok(answer) => Some(answer.object()),
                Err(status) if status.is_not_found() => None,
                Err(status) => return Err(status.into()),
            };
            if object.is_none() && !matches!(self.condition, For::Delete | For::Create) {
                return Err(crate::api::Status::not_found(&waited.request.resource.0, &waited.request.name).into());
            }
            if self.is_met(object.as_ref(), &waited.uid) {
                let says = if matches!(self.condition, For::Delete) { "deleted" } else { "condition met" };
                out.stdout.push_str(&format!("{} {says}\n", waited.named));
            } else if self.deadline.is_some_and(|at| api.now() >= at) {
                self.late.push(timed_out(&waited.place));
            } else {
                return Ok(false);
            }
            self.left.remove(0);
        }
        Fault::all(std::mem::take(&mut self.late))?;
        Ok(true)
    }

    fn is_met(&self, object: Option<&Object>, uid: &str) -> bool {
        match (&self.condition, object) {
            (For::Delete, None) => true,
            (For::Delete, Some(o)) => o.uid() != uid,
            (For::Create, o) => o.is_some(),
            (_, None) => false,
            (For::Condition { kind, status }, Some(o)) => {
                let all = o.status().get("conditions").items();
                let found = all.iter().find(|c| c.get("type").text().eq_ignore_ascii_case(kind));
                let observed = found.map_or(0, |c| c.get("observedGeneration").int());
                found.is_some_and(|c| c.get("status").text().eq_ignore_ascii_case(status)) && (observed == 0 || observed >= o.generation())
            }
            (For::Path { path, value }, Some(o)) => {
                let text = jsonpath::print(path, &o.0).unwrap_or_default();
                value.as_ref().map_or(!text.is_empty(), |v| *v == text)
            }
        }
    }
}
