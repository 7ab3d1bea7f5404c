//! Two writers who have read one version of a Deployment: the Deployment loop, in the middle of a sync, and a person with what
//! `kubectl get -o yaml` printed. What either of them has read, sent and been answered, from the records of a world.

use crate::api::resource::DEPLOYMENTS;
use crate::api::{Object, ObjectKey, Str};
use crate::cluster::{Cluster, Detail, StepRecord, SyncRecord};
use crate::scenario::printed_version;

const LOOP: &str = "deployment";
const NAMESPACE: &str = "default";
const NAME: &str = "web";

/// A write and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The resourceVersion that it carried.
    pub version: u64,
    /// The version that it made, or the server's words.
    pub answer: Result<u64, Str>,
}

/// One of the two.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Writer {
    /// The version that it has read.
    pub read: u64,
    /// Its writes of the object since both had read, oldest first.
    pub writes: Vec<Write>,
}

/// How far one of them is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It has read, and not written.
    Waits,
    /// Its first write was accepted.
    First,
    /// Its write was refused.
    Refused,
    /// It was refused, has read again, and its write was accepted.
    Again,
}

impl Writer {
    /// The write that tells: the first one, and after a refusal the first that was accepted.
    pub fn shown(&self) -> Option<&Write> {
        let refused = self.writes.iter().position(|w| w.answer.is_err());
        let after = &self.writes[refused.unwrap_or(0)..];
        let accepted = after.iter().find(|w| w.answer.is_ok());
        // Between reading again and writing again there is nothing to tell.
        accepted.or_else(|| after.iter().rev().find(|w| w.version == self.read))
    }

    pub fn turn(&self) -> Turn {
        match self.shown().map(|w| w.answer.is_ok()) {
            None => Turn::Waits,
            Some(false) => Turn::Refused,
            Some(true) if self.refusal().is_some() => Turn::Again,
            Some(true) => Turn::First,
        }
    }

    /// The server's words to the newest write that was refused.
    pub fn refusal(&self) -> Option<&Str> {
        self.writes.iter().rev().find_map(|w| w.answer.as_ref().err())
    }
}

/// Both, and the version of the object on the board.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conflict {
    pub version: u64,
    pub the_loop: Writer,
    pub me: Writer,
}

impl Conflict {
    /// What happened since a person first read the object.
    pub fn of(world: &Cluster) -> Conflict {
        let key = ObjectKey::new(NAMESPACE, NAME);
        let mut both = Conflict { version: world.etcd().get(&DEPLOYMENTS, &key).map_or(0, Object::revision), ..Conflict::default() };
        for record in world.records() {
            both.follow(world, record);
        }
        let in_flight = world.loops_named(LOOP).find_map(|of| world.the_loop(of).in_flight.first());
        if let Some(seen) = in_flight.and_then(|flight| flight.caches.of(&DEPLOYMENTS).by_key(&key)) {
            both.the_loop.read = seen.revision();
        }
        both
    }

    fn follow(&mut self, world: &Cluster, record: &StepRecord) {
        match &record.detail {
            Detail::Command { line, stdout, .. } if line.starts_with("get ") => {
                if let Some(version) = printed_version(stdout) {
                    self.me.read = version;
                }
            }
            Detail::Command { line, exit: Some(exit), stderr, .. } if self.me.read > 0 && line.starts_with("replace ") => {
                let answer = if *exit == 0 { Ok(record.revisions.1) } else { Err(message(stderr)) };
                self.me.writes.push(Write { version: self.me.read, answer });
            }
            Detail::Synced(sync) if self.me.read > 0 && world.the_loop(sync.of).name == *LOOP => self.follow_loop(sync),
            _ => {}
        }
    }

    fn follow_loop(&mut self, sync: &SyncRecord) {
        let about = |r: &crate::api::Request| r.resource == DEPLOYMENTS && r.name == *NAME;
        for exchange in sync.exchanges.iter().filter(|e| about(&e.request)) {
            let version = Object(exchange.request.body.clone()).revision();
            let answer = match &exchange.answer {
                Ok(answer) => Ok(answer.clone().object().revision()),
                Err(status) => Err(status.message.clone()),
            };
            self.the_loop.read = version;
            self.the_loop.writes.push(Write { version, answer });
        }
    }
}

/// The server's own words, without what kubectl puts before them.
fn message(stderr: &str) -> Str {
    let at = stderr.find("Operation cannot be fulfilled").unwrap_or(0);
    Str::from(stderr[at..].trim_end())
}

/// What Hibernate sends for the same, as its log shows it, and what Spring makes of the answer "no row": entity and columns as
/// in `tests/conflict/jpa.txt`, which was printed by a run of the real ones.
pub mod jpa {
    pub const VERSIONS: &str = "Spring Boot 4.1 · Hibernate 7.4";
    pub const SQL: &str = "update deployment set observed_generation=?,replicas=?,version=? where id=? and version=?";
    pub const EXCEPTION: &str = "ObjectOptimisticLockingFailureException";
    pub const MESSAGE: &str = "Unexpected row count (expected row count 1 but was 0) [update deployment set observed_generation=?,replicas=?,version=? where id=? and version=?] for entity [blog.Deployment with id '1']";
}
