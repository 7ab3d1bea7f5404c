//! Everything that can happen, and the record of what did.

use super::faults::{Fault, Mark};
use crate::api::{Object, ObjectKey, Resource, Str};
use crate::client::controller::{Exchange, Fact, Recorded};
use crate::client::queue::Causes;
use crate::util::Time;

/// A process of the world, by its place in `Cluster::processes`.
pub type ProcessId = u16;

/// A loop: its process and its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoopId {
    pub process: ProcessId,
    pub index: u16,
}

/// Something that happens. Nothing else changes the world.
#[derive(Clone, Debug, PartialEq)]
pub enum Activity {
    /// The next event on a wire reaches the cache.
    Deliver { process: ProcessId, resource: Resource },
    /// A reflector reads all objects of a kind and watches from there.
    List { process: ProcessId, resource: Resource },
    /// A loop takes its next key.
    Sync { of: LoopId },
    /// A loop takes a key that somebody chose.
    SyncKey { of: LoopId, key: Str },
    /// A sync in flight goes on.
    Resume { of: LoopId, key: Str },
    /// Delayed keys of a loop come into its queue.
    Wake { of: LoopId },
    /// A blocking command looks again.
    Poll { command: u32 },
    /// A person does something.
    User(UserAction),
    /// A fault that ends by itself ends.
    FaultEnds { rule: u64 },
    /// A process that died is started again.
    Restart { process: ProcessId },
}

/// What a person can do to the world.
#[derive(Clone, Debug, PartialEq)]
pub enum UserAction {
    /// A kubectl command, split into words, with the files it may read.
    Kubectl {
        words: Vec<Str>,
        files: Vec<(Str, Str)>,
    },
    Cancel {
        command: u32,
    },
    StopProcess(Str),
    StartProcess(Str),
    StopLoop(Str),
    StartLoop(Str),
    Fault(Fault),
    /// Ends one fault, by its rule's number.
    EndFault(u64),
    /// Ends every fault like this one.
    EndFaultsLike(Fault),
    /// Ends every fault.
    ClearFaults,
    /// Behaviours of images, as in a scenario's `cluster.images`.
    Images(crate::api::Value),
    AddNode(crate::api::Value),
    RemoveNode(Str),
    /// A waiting watch event is handled out of the ordinary.
    Token {
        process: Str,
        resource: Resource,
        revision: u64,
        deed: TokenDeed,
    },
    /// Nothing happens until then.
    Wait {
        until: Time,
    },
}

/// What can be done to an event that waits on a wire.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenDeed {
    Deliver,
    Delay {
        ms: u64,
    },
    /// lost on the wire
    Drop,
    /// it reaches the cache, this loop is not woken
    LoseWakeUp {
        of: Str,
    },
    Duplicate,
}

/// What a step did. The page, the timeline, tests and the command line read these and nothing else.
#[derive(Clone, Debug)]
pub struct StepRecord {
    pub number: u64,
    pub at: Time,
    pub activity: Activity,
    /// The records whose effects led to this one, and how many triggers were merged.
    pub causes: Causes,
    /// etcd's revision before and after.
    pub revisions: (u64, u64),
    pub detail: Detail,
    /// The faults that began, acted or ended in this step.
    pub faults: Vec<Mark>,
}

/// What happened, by kind of activity.
#[derive(Clone, Debug, Default)]
pub enum Detail {
    #[default]
    None,
    Delivered {
        key: ObjectKey,
        revision: u64,
        woke: Vec<u16>,
        lost: bool,
    },
    Listed {
        count: u64,
        revision: u64,
    },
    Synced(Box<SyncRecord>),
    Command {
        line: Str,
        exit: Option<i32>,
        stdout: Str,
        stderr: Str,
    },
    Said(Str),
}

/// One sync, or the part of it that this step went through.
#[derive(Clone, Debug)]
pub struct SyncRecord {
    pub of: LoopId,
    pub key: Str,
    /// The revision up to which the loop's process had heard.
    pub cache_revision: u64,
    pub saw: Vec<Fact>,
    pub differs: Vec<Fact>,
    pub exchanges: Vec<Exchange>,
    pub events: Vec<Recorded>,
    /// It waits for an answer and will go on.
    pub waits: bool,
    /// The sync failed with this message; the key comes back.
    pub failed: Option<Str>,
}

impl StepRecord {
    pub fn sync(&self) -> Option<&SyncRecord> {
        match &self.detail {
            Detail::Synced(s) => Some(s),
            _ => None,
        }
    }

    /// Whether this step wrote to etcd.
    pub fn wrote(&self) -> bool {
        self.revisions.1 > self.revisions.0
    }
}

/// An object by kind and name, as faults and steps name it: `pod/web-1`.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    pub resource: Resource,
    /// "" for any namespace
    pub namespace: Str,
    pub name: Str,
}

impl About {
    pub fn is(&self, resource: &Resource, object: &Object) -> bool {
        self.resource == *resource && self.name == object.name() && (self.namespace.is_empty() || self.namespace == object.namespace())
    }
}
