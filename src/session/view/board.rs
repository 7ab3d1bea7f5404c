//! The board and the nodes. Objects come in the order of their birth; the page gives each its place and keeps it.

use super::{Health, Text, Writer};
use crate::api::Str;

/// All objects that a person would look for, as trees of owners.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Board {
    pub rev: u64,
    pub trees: Vec<Tree>,
    /// Objects without a place in a tree: Services, ConfigMaps, custom kinds.
    pub others: Vec<Obj>,
}

/// A Deployment with its ReplicaSets, or a root of another kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    pub root: Option<Obj>,
    pub rows: Vec<Row>,
}

/// A ReplicaSet (or another owner of pods) with its pods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    pub owner: Option<Obj>,
    pub pods: Vec<Kid>,
    /// Pods wanted but not there.
    pub missing: u64,
    /// How many pods are how, with the word kubectl prints.
    pub counts: Vec<Count>,
}

/// A number of pods of one state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Count {
    pub health: Health,
    pub count: u64,
    pub word: Str,
}

/// One object on its card.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Obj {
    pub uid: Str,
    pub kind: Str,
    pub namespace: Str,
    pub name: Str,
    /// "new" or "old" of a rollout.
    pub tag: Option<Text>,
    /// The last writer.
    pub writer: Option<Writer>,
    pub rev: u64,
    pub slots: Option<Slots>,
    /// The word after the count, as in `ready`.
    pub word: Str,
    /// The image's tag, or another short fact.
    pub note: Str,
    pub conditions: Vec<(Health, Str)>,
    /// The loop that moves next is about to write here.
    pub next: bool,
    pub deleting: bool,
}

/// A pod in its owner's row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kid {
    pub uid: Str,
    pub namespace: Str,
    pub name: Str,
    /// The part of the name that the owner's does not have.
    pub short: Str,
    pub health: Health,
    /// What kubectl prints as STATUS.
    pub word: Str,
    pub writer: Option<Writer>,
    pub rev: u64,
    pub node: Str,
    pub containers: Vec<Str>,
}

/// Outline is spec, fill is status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    pub wanted: u64,
    pub filled: u64,
    /// There, not ready.
    pub half: u64,
    /// There, not wanted.
    pub over: u64,
}

/// The nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nodes {
    pub list: Vec<Node>,
    /// How many pods are how, over all nodes.
    pub counts: Vec<Count>,
}

/// One node: outline is capacity, fill is requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    pub uid: Str,
    pub name: Str,
    pub cpu_milli: u64,
    pub used_milli: u64,
    pub memory_mib: u64,
    pub used_mib: u64,
    /// Its kubelet is running and it says Ready.
    pub health: Health,
    /// Stopped by a person.
    pub down: bool,
    /// Uid, short name and state of each pod on it.
    pub pods: Vec<(Str, Str, Health)>,
}
