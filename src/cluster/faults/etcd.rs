//! etcd that is slow, or has forgotten its history. A slow one makes every request of a loop take longer; what people ask
//! by kubectl takes no time here. Compaction (etcd `mvcc`): a watch from a revision that is forgotten gets 410, and its
//! reflector lists again (client-go `tools/cache/reflector.go`). Between etcd and a reflector lies no watch cache here, so a
//! wire whose events are held counts as a watcher that has not caught up: etcd ends those at once.

use super::document::{Form, Reader, seconds, written};
use super::{Began, Family, Fault, Rules};
use crate::api::{Resource, Value};
use crate::cluster::{Cluster, Detail, ProcessId};

/// An event that is on its way for longer than this is held.
const HELD_MS: u64 = 1_000;

pub const FAMILY: Family = Family {
    forms: &[Form { key: "etcd", fields: &["seconds"], read }],
    write: |fault| {
        Some(match fault {
            Fault::EtcdSlow { ms } => written([("etcd", Value::str("slow")), ("seconds", seconds(*ms))]),
            Fault::EtcdCompact => written([("etcd", Value::str("compact"))]),
            _ => return None,
        })
    },
    begin: |world, fault| match fault {
        Fault::EtcdSlow { .. } => Some(Began::Lasts),
        Fault::EtcdCompact => {
            world.compact();
            Some(Began::Once(Detail::None))
        }
        _ => None,
    },
    end: |_, _| {},
};

fn read(r: &Reader<'_>) -> Result<Fault, String> {
    match r.field("etcd").text() {
        "slow" => match r.ms("seconds")? {
            Some(ms @ 1..=60_000) => Ok(Fault::EtcdSlow { ms }),
            _ => Err(r.wrong("seconds", "a number of seconds above 0, at most 60")),
        },
        "compact" if r.field("seconds").is_null() => Ok(Fault::EtcdCompact),
        "compact" => Err("etcd: \"seconds\" is for etcd: slow".to_string()),
        _ => Err(r.wrong("etcd", "slow or compact")),
    }
}

impl Rules {
    /// By how much a request takes longer, in milliseconds.
    #[inline(never)]
    pub fn slow_ms(&self, about: &crate::api::Request) -> u64 {
        let mut ms = 0;
        for rule in self.iter() {
            if let Fault::EtcdSlow { ms: more } = rule.fault {
                self.acted(rule, super::requests::said(about));
                ms += more;
            }
        }
        ms
    }
}

impl Cluster {
    fn compact(&mut self) {
        self.server.etcd.forget_for_watches();
        let late = self.now.after_ms(HELD_MS);
        let mut behind: Vec<(ProcessId, Resource)> = Vec::new();
        for (id, process) in self.processes.iter().enumerate().filter(|(_, p)| p.running) {
            for (resource, wire) in process.wires.iter() {
                let held = wire.tokens().next().is_some_and(|t| wire.frozen || t.due > late);
                if held && wire.list_at.is_none() {
                    behind.push((id as ProcessId, resource.clone()));
                }
            }
        }
        for (id, resource) in behind {
            self.relist(id, &resource);
        }
    }
}
