//! Faults are data: rules on wires, loops and requests. What a rule has eaten stays eaten when the rule ends. A request that
//! fails by a rule never reaches the server, one that times out neither.

use super::activity::About;
use crate::api::{Object, Request, Resource, Status, Str, Verb};

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
    },
    NodeDown(Str),
    NodeUp(Str),
    /// The process of a container dies with 137.
    Kill {
        namespace: Str,
        pod: Str,
        container: Str,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailWith {
    Conflict,
    TooManyRequests,
    Internal,
    Timeout,
}

impl FailWith {
    fn status(self, request: &Request) -> Status {
        match self {
            FailWith::Conflict => Status::conflict(&request.resource.0, &request.name),
            FailWith::TooManyRequests => {
                Status::too_many_requests("the server has received too many requests and has asked us to try again later")
            }
            FailWith::Internal => Status::internal("etcdserver: request timed out"),
            FailWith::Timeout => {
                Status::timeout("the server was unable to return a response in the time allotted, but may still be processing the request")
            }
        }
    }
}

/// What happens to a watch event on its way into a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct OnWire {
    pub lost: bool,
    pub delay_ms: u64,
    /// Some: once more, this much later
    pub again_ms: Option<u64>,
}

/// The rules that are in force.
#[derive(Clone, Default)]
pub struct Rules {
    rules: Vec<Fault>,
}

impl Rules {
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.rules.iter()
    }

    pub fn add(&mut self, fault: Fault) {
        self.rules.push(fault);
    }

    pub fn clear(&mut self) {
        self.rules.clear();
    }

    /// What the rules do to an event about an object on a process's wire. A rule for the next event is used up by it.
    pub fn on_wire(&mut self, process: &str, resource: &Resource, object: &Object) -> OnWire {
        let mut fate = OnWire::default();
        for rule in &self.rules {
            match rule {
                Fault::LostOnWire { process: p, about } if p == process && about.is(resource, object) => fate.lost = true,
                Fault::Delay { process: p, about, ms } if p == process && about.is(resource, object) => fate.delay_ms = *ms,
                Fault::Duplicate { process: p, about, ms } if p == process && about.is(resource, object) => fate.again_ms = Some(*ms),
                _ => {}
            }
        }
        let next = |r: &Fault| matches!(r, Fault::Next { process: p, resource: of, .. } if p == process && of == resource);
        if let Some(place) = self.rules.iter().position(next)
            && let Fault::Next { late_ms, .. } = self.rules.remove(place)
        {
            fate.lost |= late_ms.is_none();
            fate.delay_ms = fate.delay_ms.max(late_ms.unwrap_or(0));
        }
        fate
    }

    /// Whether a loop's handlers are kept from hearing of an object.
    pub fn loses_wake_up(&self, of: &str, resource: &Resource, object: &Object) -> bool {
        self.rules.iter().any(|r| matches!(r, Fault::LostWakeUp { of: l, about } if l == of && about.is(resource, object)))
    }

    /// The refusal that a rule has for a request of a loop; the rule is used up by it.
    pub fn fail(&mut self, of: &str, request: &Request) -> Option<Status> {
        let fits = |rule: &Fault| match rule {
            Fault::Fail { of: l, verb, resource, times, .. } => {
                *times > 0
                    && l == of
                    && (verb.is_empty() || verb.as_str() == verb_name(request.verb))
                    && resource.as_ref().is_none_or(|r| *r == request.resource)
            }
            _ => false,
        };
        let place = self.rules.iter().position(fits)?;
        let Fault::Fail { with, times, .. } = &mut self.rules[place] else { unreachable!("only Fail fits") };
        *times -= 1;
        let status = with.status(request);
        if *times == 0 {
            self.rules.remove(place);
        }
        Some(status)
    }
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

/// Where a rule applies, for a list of them.
pub fn process_of(fault: &Fault) -> Option<&Str> {
    match fault {
        Fault::LostOnWire { process, .. }
        | Fault::Delay { process, .. }
        | Fault::Duplicate { process, .. }
        | Fault::Next { process, .. }
        | Fault::Resync { process, .. }
        | Fault::Disconnect { process, .. }
        | Fault::Relist { process, .. } => Some(process),
        _ => None,
    }
}
