//! One object from every side: spec beside status, why this happens, its YAML between revisions, its owners.

use super::{Health, Slots, Text, Writer};
use crate::api::Str;
use crate::diagnosis::Proof;
use crate::session::action::{Action, WireId};

/// The tabs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    #[default]
    Status,
    Why,
    Yaml,
    Owners,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inspector {
    pub uid: Str,
    pub kind: Str,
    pub namespace: Str,
    pub name: Str,
    pub rev: u64,
    /// `metadata.generation` and `status.observedGeneration`.
    pub generation: Option<(i64, i64)>,
    /// Wanted, ready, gap.
    pub gap: Option<(u64, u64, u64)>,
    /// Set when this object is stuck or its loop is blind: opens on Why by itself.
    pub why: Option<Why>,
    pub rows: Vec<SplitRow>,
    pub conditions: Vec<Condition>,
    pub events: Vec<EventLine>,
    /// What the last revision changed, with a few lines around it.
    pub diff: Option<Diff>,
    /// The whole object, with the lines that the looked-at revision changed.
    pub yaml: Vec<DiffLine>,
    /// Every revision of this object that is kept, oldest first.
    pub revisions: Vec<u64>,
    /// The chain of causes of the newest turn, oldest first.
    pub chain: Vec<Cause>,
    pub owners: Vec<Owner>,
    /// What a person can do to this object, beyond editing it.
    pub deeds: Vec<(Text, Action)>,
}

/// Why nobody moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Why {
    /// The cause's code; empty if there is none.
    pub code: Str,
    pub head: Text,
    pub detail: Text,
    /// A command and the line of its output that proves it.
    pub proof: Option<Proof>,
    /// What would fix it, in words, and as commands and fields.
    pub fix: Text,
    pub deeds: Vec<Str>,
    /// An event is gone (drawn with the dotted frame), rather than a move refused.
    pub lost: bool,
    pub twin: Option<Twin>,
    pub remedies: Vec<Remedy>,
    pub notes: Vec<Text>,
    pub rooms: Vec<Room>,
    /// The request that finds no room, as in `1500m`.
    pub ask: Str,
}

/// What a cache says beside what the board says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Twin {
    pub cache: Slots,
    pub board: Slots,
}

/// What would heal it.
#[derive(Clone, Debug, PartialEq)]
pub enum Remedy {
    Relist(WireId),
    Restart(Str),
    StartLoop(Str),
    Resync(WireId),
}

/// One node's room for a request that finds none, in thousandths of a cpu.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Room {
    pub node: Str,
    pub cpu_milli: u64,
    pub used_milli: u64,
    pub ask_milli: u64,
}

/// One line of the table: a field of spec, one of status, or both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SplitRow {
    pub spec: Option<Cell>,
    pub status: Option<Cell>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    pub field: Str,
    pub value: Str,
    pub writer: Option<Writer>,
    /// What it misses, as in `−1`, or what is really so.
    pub gap: Option<Text>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Condition {
    pub health: Health,
    pub kind: Str,
    pub status: Str,
    pub reason: Str,
    pub message: Str,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventLine {
    /// As kubectl writes ages.
    pub age: Str,
    pub warning: bool,
    pub reason: Str,
    pub message: Str,
    pub count: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diff {
    pub from: u64,
    pub to: u64,
    pub lines: Vec<DiffLine>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sign {
    #[default]
    Same,
    Added,
    Removed,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiffLine {
    pub sign: Sign,
    pub text: Str,
    pub writer: Option<Writer>,
}

/// One link of the chain: who wrote what the next one saw.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    pub writer: Writer,
    /// `apply`, `create`, `update`, `delete`, `sync`.
    pub verb: Str,
    pub object: Str,
    pub detail: Text,
    pub rev: u64,
    /// The turn that is about to run.
    pub next: bool,
}

/// One owner of a field, from managedFields.
#[derive(Clone, Debug, PartialEq)]
pub struct Owner {
    pub field: Str,
    pub writer: Writer,
    pub manager: Str,
    pub operation: Str,
}
