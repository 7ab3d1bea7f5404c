//! What a sync does, in words: the request about to be sent, the difference found, the sentence for the live log.

use super::cards::{pod_slots, signed};
use super::lens::{Lens, writer_named};
use crate::api::{Resource, Str, Verb};
use crate::client::controller::Fact;
use crate::cluster::{Activity, Detail, SyncRecord, UserAction};
use crate::session::view::{Differs, Text};

/// The first write of a sync, and how many like it follow.
pub struct Act {
    pub verb: Verb,
    pub resource: Resource,
    pub subresource: &'static str,
    pub name: Str,
    pub count: u64,
}

impl Act {
    /// As HTTP says it: `POST pods ×2`.
    pub fn line(&self) -> String {
        let slash = if self.subresource.is_empty() { "" } else { "/" };
        let times = if self.subresource.is_empty() || self.count > 1 { format!(" ×{}", self.count) } else { String::new() };
        format!("{} {}{slash}{}{times}", http(self.verb), short(self.resource.plural()), self.subresource)
    }

    /// The kind, as in `Pod`.
    pub fn kind(&self) -> Str {
        crate::api::scheme::by_resource(&self.resource).map_or_else(|| self.resource.plural().into(), |k| Str::from(k.kind.as_str()))
    }
}

pub fn http(verb: Verb) -> &'static str {
    match verb {
        Verb::Create => "POST",
        Verb::Update => "PUT",
        Verb::Patch(_) => "PATCH",
        Verb::Delete | Verb::DeleteCollection => "DELETE",
        Verb::Get | Verb::List => "GET",
    }
}

fn short(plural: &str) -> &str {
    match plural {
        "replicasets" => "rs",
        "deployments" => "deploy",
        other => other,
    }
}

/// What a sync writes first.
pub fn act_of(sync: &SyncRecord) -> Option<Act> {
    let writes = || sync.exchanges.iter().filter(|e| !matches!(e.request.verb, Verb::Get | Verb::List));
    let first = &writes().next()?.request;
    let like = writes()
        .filter(|e| {
            http(e.request.verb) == http(first.verb) && e.request.resource == first.resource && e.request.subresource == first.subresource
        })
        .count();
    Some(Act {
        verb: first.verb,
        resource: first.resource.clone(),
        subresource: first.subresource.map_or("", |s| s.name()),
        name: first.name.clone(),
        count: like as u64,
    })
}

/// The difference that a sync finds.
pub fn differs_of(sync: &SyncRecord) -> Option<Differs> {
    let fact = sync.differs.first()?;
    if fact.code == "differs.replicaset" {
        let seen = sync.saw.iter().find(|f| f.code == "saw.replicaset");
        let number = |i: usize| seen.and_then(|f| f.args.get(i)).and_then(|a| a.parse::<u64>().ok());
        let slots = number(0).zip(number(1)).and_then(|(there, wanted)| pod_slots(there, wanted));
        return Some(Differs { slots, text: Text::from(signed(fact.args.first().map_or("", Str::as_str))), bad: false });
    }
    Some(Differs { slots: None, text: said(fact), bad: false })
}

/// A loop's fact in words: its code is a key of the table, its arguments are `{0}`, `{1}`, …
pub fn said(fact: &Fact) -> Text {
    const NAMES: [&str; 5] = ["0", "1", "2", "3", "4"];
    Text::Word(fact.code, NAMES.iter().copied().zip(fact.args.iter().cloned().map(Text::from)).collect())
}

/// One sentence about the newest step that a person would notice.
pub fn last_step(lens: &Lens) -> Text {
    const LOOK_BACK: usize = 400;
    let records = lens.world.records();
    let from = records.len().saturating_sub(LOOK_BACK);
    for record in (from..records.len()).rev().filter_map(|i| records.get(i)) {
        match (&record.activity, &record.detail) {
            (_, Detail::Synced(sync)) if !sync.key.starts_with('~') => {
                let name = writer_named(&lens.world.the_loop(sync.of).name).name();
                let key = Text::from(sync.key.clone());
                return match act_of(sync) {
                    Some(act) => Text::with("log.did", [("loop", name), ("obj", key), ("acts", Text::from(act.line()))]),
                    None => Text::with("log.nothing", [("loop", name), ("obj", key)]),
                };
            }
            (Activity::User(UserAction::Kubectl { .. }), Detail::Command { stdout, stderr, .. }) => {
                let line = stdout.lines().chain(stderr.lines()).next().unwrap_or("");
                return Text::from(line.to_string());
            }
            _ => {}
        }
    }
    Text::default()
}
