//! Which writes a watch gets to see, and as what.

use super::{Change, Commit};
use crate::api::{Object, Resource, Str};

/// What a watch asks for: a kind, and of pods perhaps only those of one node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Filter {
    pub resource: Resource,
    /// `spec.nodeName=…`, "" for all
    pub node: Str,
    /// `metadata.name=…`, "" for all
    pub name: Str,
}

/// One watch event.
#[derive(Clone, Debug)]
pub struct WatchEvent {
    pub change: Change,
    pub object: Object,
    pub revision: u64,
}

impl Filter {
    pub fn all(resource: &Resource) -> Filter {
        Filter { resource: resource.clone(), node: Str::default(), name: Str::default() }
    }

    pub fn matches(&self, object: &Object) -> bool {
        (self.node.is_empty() || object.spec().get("nodeName").text() == self.node.as_str())
            && (self.name.is_empty() || object.name() == self.name.as_str())
    }

    /// What this watch sees of a write: nothing, or an event whose type depends on whether the object was and is selected.
    pub fn see(&self, commit: &Commit) -> Option<WatchEvent> {
        if commit.resource != self.resource {
            return None;
        }
        let was = commit.previous.as_ref().is_some_and(|o| self.matches(o));
        let is = commit.change != Change::Deleted && self.matches(&commit.object);
        let change = match (was, is) {
            (false, false) => return None,
            (false, true) => Change::Added,
            (true, true) => Change::Modified,
            (true, false) => Change::Deleted,
        };
        Some(WatchEvent { change, object: commit.object.clone(), revision: commit.revision })
    }
}
