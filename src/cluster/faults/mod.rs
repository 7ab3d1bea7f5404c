//! Faults are data: one document a fault, and what it does to wires, loops, requests, processes, nodes and etcd. A lasting
//! fault is a rule with a number of its own, from its beginning to its end; what a rule has eaten stays eaten when it ends.
//!
//! A new fault is a variant of `Fault`, a file (or a place in one) with its `Family`, and a line in `FAMILIES`.

mod document;
mod etcd;
mod nodes;
mod processes;
mod registry;
mod requests;
mod rules;
#[cfg(test)]
mod tests;
mod wires;

pub use document::{Reader, form_keys};
pub use processes::{RESTART_MS, Restart};
pub use requests::{Asked, FailWith, OnRequest, no_route, said};
pub use rules::{Mark, Phase, Rule, Rules};
pub use wires::OnWire;

use super::activity::About;
use super::{Cluster, Detail};
use crate::api::{Resource, Str, Value, Verb};

/// More rules than this are not in force at a time.
pub const RULES_MAX: usize = 64;

/// A fault that a person or a scenario puts in.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The cache gets the events about an object, the loop's handlers are not called. Until cleared.
    LostWakeUp {
        of: Str,
        about: About,
    },
    /// Every watch event about an object is lost on a process's wire. Until cleared.
    LostOnWire {
        process: Str,
        about: About,
    },
    Delay {
        process: Str,
        about: About,
        ms: u64,
    },
    Duplicate {
        process: Str,
        about: About,
        ms: u64,
    },
    /// The next watch event on a process's wire, whatever it is about: used up by it.
    Next {
        process: Str,
        resource: Resource,
        /// None: it is lost; some: it comes this much later.
        late_ms: Option<u64>,
    },
    /// A process's cache of one kind gets no events until the rule ends; then they arrive in order.
    Freeze {
        process: Str,
        resource: Resource,
    },
    /// The cache is replayed to the handlers, once.
    Resync {
        process: Str,
        resource: Resource,
    },
    /// The connection drops; the reflector watches again from the last revision it saw.
    Disconnect {
        process: Str,
        resource: Resource,
    },
    /// The reflector lists again.
    Relist {
        process: Str,
        resource: Resource,
    },
    /// The next requests of a loop that fit fail.
    Fail {
        of: Str,
        verb: Str,
        resource: Option<Resource>,
        with: FailWith,
        times: u64,
        /// The loop learns of a timeout this much later, and its worker is busy until then.
        late_ms: u64,
    },
    /// The process of a loop dies after the n-th write that succeeds in one sync, before the loop has its answer.
    Crash {
        of: Str,
        writes: u64,
        restart: Restart,
    },
    /// A second instance of a process acts beside the first, which does not know yet that it is no longer the leader. At the
    /// end the first one stops, and the second has its place.
    TwoLeaders(Str),
    /// Every request of a loop takes this much longer.
    EtcdSlow {
        ms: u64,
    },
    /// etcd forgets its history for watches, once: who has to watch again from before gets 410.
    EtcdCompact,
    NodeDown(Str),
    NodeUp(Str),
    /// A node cannot reach the API server; its containers run on.
    NodeCutOff(Str),
    /// Images of this registry (`docker.io`; `*` for every one) cannot be pulled.
    RegistryDown(Str),
    RegistryUp(Str),
    /// The process of a container dies with 137.
    Kill {
        namespace: Str,
        pod: Str,
        container: Str,
    },
    /// A lasting fault that ends by itself.
    For {
        ms: u64,
        fault: Box<Fault>,
    },
}

/// What a family of faults knows of its own: how its documents are read and written, what they do when they begin and end.
/// What they do in between is asked where it happens: on wires, requests, writes and pulls.
pub struct Family {
    pub forms: &'static [document::Form],
    /// The document of a fault of this family; none for others.
    pub write: fn(&Fault) -> Option<Value>,
    /// Lets a fault of this family begin; none for others.
    pub begin: fn(&mut Cluster, &Fault) -> Option<Began>,
    /// Ends what a rule of this family did to the world.
    pub end: fn(&mut Cluster, &Fault),
}

/// How a fault began.
pub enum Began {
    /// It happened once, or could not happen (`Said`).
    Once(Detail),
    /// It is in force until it ends.
    Lasts,
}

/// Each family, in the order in which forms are told.
const FAMILIES: &[&Family] = &[&wires::FAMILY, &requests::FAMILY, &processes::FAMILY, &etcd::FAMILY, &nodes::FAMILY, &registry::FAMILY];

impl Fault {
    /// The fault itself, whether it ends by itself or not.
    pub fn inner(&self) -> &Fault {
        match self {
            Fault::For { fault, .. } => fault,
            other => other,
        }
    }
}

/// Whether a fault's LOOP is this one: `deployment`, `kubelet:node-1` (one node's), `deployment@PROCESS` (one process's).
pub fn names_loop(of: &str, name: &str, process: &str, node: &str) -> bool {
    if let Some((l, p)) = of.split_once('@') {
        return l == name && p == process;
    }
    match of.split_once(':') {
        Some((l, n)) => l == name && n == node,
        None => of == name,
    }
}

impl Cluster {
    /// The rules that are in force, in the order in which they began.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    #[inline(never)]
    pub(super) fn put_in(&mut self, fault: &Fault) -> Detail {
        let (fault, lasts_ms) = match fault {
            Fault::For { ms, fault } => (&**fault, Some(*ms)),
            other => (other, None),
        };
        if self.rules.iter().count() >= RULES_MAX {
            return Detail::Said(Str::from(format!("{RULES_MAX} faults are in force already")));
        }
        let began = FAMILIES.iter().find_map(|family| (family.begin)(self, fault));
        match began {
            Some(Began::Once(detail)) => {
                if !matches!(detail, Detail::Said(_)) {
                    self.rules.happened(fault.key());
                }
                detail
            }
            Some(Began::Lasts) => {
                let until = lasts_ms.map(|ms| self.now.after_ms(ms));
                let id = self.rules.add(fault.clone(), self.now, until);
                self.reschedule(&super::agenda::Actor::Rule(id));
                Detail::None
            }
            None => unreachable!("every fault belongs to a family"),
        }
    }

    /// Ends one rule.
    pub(super) fn end_fault(&mut self, id: u64) -> Detail {
        let Some(rule) = self.rules.end(id) else {
            return Detail::Said(Str::from(format!("no fault has the number {id}")));
        };
        self.reschedule(&super::agenda::Actor::Rule(id));
        for family in FAMILIES {
            (family.end)(self, &rule.fault);
        }
        Detail::None
    }

    /// Ends every rule that fits.
    pub(super) fn end_faults(&mut self, fits: impl Fn(&Fault) -> bool) {
        let ids: Vec<u64> = self.rules.iter().filter(|r| fits(&r.fault)).map(|r| r.id).collect();
        for id in ids {
            self.end_fault(id);
        }
    }

    /// The instant of a rule has come: it ends.
    #[inline(never)]
    pub(super) fn rule_is_due(&mut self, id: u64) {
        self.end_fault(id);
        // One that was used up before has an appointment still.
        self.reschedule(&super::agenda::Actor::Rule(id));
    }

    /// The process of a name, or why a fault cannot be about it.
    fn process_for(&self, name: &str) -> Result<super::ProcessId, Detail> {
        self.process_named(name).ok_or_else(|| Detail::Said(Str::from(format!("no process is named \"{name}\""))))
    }

    /// Whether a fault can be about a loop of this name.
    fn loop_for(&self, of: &str) -> Result<(), Detail> {
        let found = self.loops().any(|id| {
            let p = self.process(id.process);
            names_loop(of, &self.the_loop(id).name, &p.name, &p.node)
        });
        if found { Ok(()) } else { Err(Detail::Said(Str::from(format!("no loop is named \"{of}\"")))) }
    }
}

/// A lasting fault begins, unless something that it names does not exist.
fn lasts(checked: Result<(), Detail>) -> Option<Began> {
    Some(match checked {
        Ok(()) => Began::Lasts,
        Err(said) => Began::Once(said),
    })
}

/// As Kubernetes names verbs in RBAC.
pub fn verb_name(verb: Verb) -> &'static str {
    match verb {
        Verb::Get => "get",
        Verb::List => "list",
        Verb::Create => "create",
        Verb::Update => "update",
        Verb::Patch(_) => "patch",
        Verb::Delete => "delete",
        Verb::DeleteCollection => "deletecollection",
    }
}
