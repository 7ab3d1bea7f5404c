//! The faults of the Faults tab: what is on, and what one could put in.

use super::Text;
use crate::api::{Resource, Str};

/// A fault that is on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fault {
    /// One of the `flt.` or `fp.` words.
    pub what: Text,
    /// Whom it hits, verbatim.
    pub target: Str,
    /// The action that ends it; none if only a re-list or time does.
    pub undo: Option<super::super::action::Action>,
    /// What is known of it if it is a rule in force.
    pub rule: Option<Ruling>,
}

/// A rule in force.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ruling {
    pub id: u64,
    pub since_ms: u64,
    /// When it ends by itself.
    pub until_ms: Option<u64>,
    /// How often it acted.
    pub acted: u64,
    /// Its document on one line.
    pub document: Str,
}

/// What a fault can be about in this world. Made only while a person looks at the tab.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choices {
    /// Each process with the kinds that it watches.
    pub processes: Vec<(Str, Vec<Resource>)>,
    /// Each loop with the kinds that it hears of.
    pub loops: Vec<(Str, Vec<Resource>)>,
    /// Each object with the document's form of its name.
    pub objects: Vec<(Resource, Str)>,
    pub nodes: Vec<Str>,
    pub registries: Vec<Str>,
    /// `NAMESPACE/POD/CONTAINER`.
    pub containers: Vec<Str>,
    /// Why the fault that was asked for last could not be put in.
    pub refused: Option<Text>,
}
