//! Faults between etcd and a process's caches: what is lost, late, doubled or held on a wire, and what reflectors are made
//! to do. A stream breaks as a whole in reality; a single event that is lost is a teaching device.

use super::document::{Form, about_text, seconds, written};
use super::{Began, Family, Fault, Rules, names_loop};
use crate::api::{Object, Resource, Str, Value};
use crate::cluster::agenda::Actor;
use crate::cluster::{Cluster, Detail, ProcessId};
use std::rc::Rc;

pub const FAMILY: Family = Family {
    forms: &[
        Form { key: "lostWakeUp", fields: &["about"], read: |r| Ok(Fault::LostWakeUp { of: r.own()?, about: r.about()? }) },
        Form { key: "lostOnWire", fields: &["about"], read: |r| Ok(Fault::LostOnWire { process: r.own()?, about: r.about()? }) },
        Form {
            key: "delay",
            fields: &["about", "seconds"],
            read: |r| Ok(Fault::Delay { process: r.own()?, about: r.about()?, ms: r.ms("seconds")?.unwrap_or(0) }),
        },
        Form {
            key: "duplicate",
            fields: &["about", "seconds"],
            read: |r| Ok(Fault::Duplicate { process: r.own()?, about: r.about()?, ms: r.ms("seconds")?.unwrap_or(0) }),
        },
        Form {
            key: "next",
            fields: &["kind", "seconds"],
            read: |r| Ok(Fault::Next { process: r.own()?, resource: r.kind()?, late_ms: r.ms("seconds")? }),
        },
        Form { key: "freeze", fields: &["kind"], read: |r| Ok(Fault::Freeze { process: r.own()?, resource: r.kind()? }) },
        Form { key: "resync", fields: &["kind"], read: |r| Ok(Fault::Resync { process: r.own()?, resource: r.kind()? }) },
        Form { key: "disconnect", fields: &["kind"], read: |r| Ok(Fault::Disconnect { process: r.own()?, resource: r.kind()? }) },
        Form { key: "relist", fields: &["kind"], read: |r| Ok(Fault::Relist { process: r.own()?, resource: r.kind()? }) },
    ],
    write,
    begin,
    end,
};

fn write(fault: &Fault) -> Option<Value> {
    let name = |s: &Str| Value::Str(s.clone());
    let kind = |r: &Resource| Value::Str(r.0.clone());
    Some(match fault {
        Fault::LostWakeUp { of, about } => written([("lostWakeUp", name(of)), ("about", about_text(about))]),
        Fault::LostOnWire { process, about } => written([("lostOnWire", name(process)), ("about", about_text(about))]),
        Fault::Delay { process, about, ms } => written([("delay", name(process)), ("about", about_text(about)), ("seconds", seconds(*ms))]),
        Fault::Duplicate { process, about, ms } => {
            written([("duplicate", name(process)), ("about", about_text(about)), ("seconds", seconds(*ms))])
        }
        Fault::Next { process, resource, late_ms } => {
            written([("next", name(process)), ("kind", kind(resource)), ("seconds", late_ms.map_or(Value::Null, seconds))])
        }
        Fault::Freeze { process, resource } => written([("freeze", name(process)), ("kind", kind(resource))]),
        Fault::Resync { process, resource } => written([("resync", name(process)), ("kind", kind(resource))]),
        Fault::Disconnect { process, resource } => written([("disconnect", name(process)), ("kind", kind(resource))]),
        Fault::Relist { process, resource } => written([("relist", name(process)), ("kind", kind(resource))]),
        _ => return None,
    })
}

fn begin(world: &mut Cluster, fault: &Fault) -> Option<Began> {
    let once = |world: &mut Cluster, process: &Str, resource: &Resource, deed: fn(&mut Cluster, ProcessId, &Resource)| {
        Some(Began::Once(match world.wire_of(process, resource) {
            Ok(id) => {
                deed(world, id, resource);
                Detail::None
            }
            Err(said) => said,
        }))
    };
    match fault {
        Fault::Resync { process, resource } => once(world, process, resource, Cluster::resync),
        Fault::Disconnect { process, resource } => once(world, process, resource, Cluster::disconnect),
        Fault::Relist { process, resource } => once(world, process, resource, Cluster::relist),
        Fault::LostWakeUp { of, .. } => super::lasts(world.loop_for(of)),
        Fault::LostOnWire { process, about } | Fault::Delay { process, about, .. } | Fault::Duplicate { process, about, .. } => {
            super::lasts(world.wire_of(process, &about.resource).map(drop))
        }
        Fault::Next { process, resource, .. } => super::lasts(world.wire_of(process, resource).map(drop)),
        Fault::Freeze { process, resource } => super::lasts(world.wire_of(process, resource).map(|id| world.freeze(id, resource, true))),
        _ => None,
    }
}

fn end(world: &mut Cluster, fault: &Fault) {
    if let Fault::Freeze { process, resource } = fault
        && !world.rules.is_frozen(process, resource)
        && let Some(id) = world.process_named(process)
    {
        world.freeze(id, resource, false);
    }
}

impl Cluster {
    /// The process, if it watches the kind when it runs.
    fn wire_of(&self, process: &str, resource: &Resource) -> Result<ProcessId, Detail> {
        let id = self.process_for(process)?;
        let p = self.process(id);
        if p.wires.contains_key(resource) || !p.running && p.kinds().contains(resource) {
            return Ok(id);
        }
        Err(Detail::Said(Str::from(format!("\"{process}\" does not watch {resource}"))))
    }

    fn freeze(&mut self, id: ProcessId, resource: &Resource, frozen: bool) {
        if let Some(wire) = Rc::make_mut(&mut self.processes[usize::from(id)]).wires.get_mut(resource) {
            wire.frozen = frozen;
        }
        self.reschedule(&Actor::Wire(id, resource.clone()));
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

impl Rules {
    /// Whether a process's cache of a kind gets nothing.
    pub fn is_frozen(&self, process: &str, resource: &Resource) -> bool {
        self.iter().any(|r| matches!(&r.fault, Fault::Freeze { process: p, resource: of } if p == process && of == resource))
    }

    /// What the rules do to an event about an object on a process's wire. A rule for the next event is used up by it.
    #[inline(never)]
    pub fn on_wire(&mut self, process: &str, resource: &Resource, object: &Object) -> OnWire {
        let mut fate = OnWire::default();
        let named = || Str::from(format!("{resource} {}", object.key().joined()));
        for rule in self.iter() {
            match &rule.fault {
                Fault::LostOnWire { process: p, about } if p == process && about.is(resource, object) => fate.lost = true,
                Fault::Delay { process: p, about, ms } if p == process && about.is(resource, object) => fate.delay_ms = *ms,
                Fault::Duplicate { process: p, about, ms } if p == process && about.is(resource, object) => fate.again_ms = Some(*ms),
                Fault::Freeze { process: p, resource: of } if p == process && of == resource => {}
                _ => continue,
            }
            self.acted(rule, named());
        }
        let next = |r: &&super::Rule| matches!(&r.fault, Fault::Next { process: p, resource: of, .. } if p == process && of == resource);
        let rule = self.iter().find(next).cloned();
        if let Some(rule) = rule
            && let Fault::Next { late_ms, .. } = rule.fault
        {
            self.acted(&rule, named());
            self.end(rule.id);
            fate.lost |= late_ms.is_none();
            fate.delay_ms = fate.delay_ms.max(late_ms.unwrap_or(0));
        }
        fate
    }

    /// Whether a loop's handlers are kept from hearing of an object.
    #[inline(never)]
    pub fn loses_wake_up(&self, of: &str, process: &str, node: &str, resource: &Resource, object: &Object) -> bool {
        let loses = |r: &&super::Rule| matches!(&r.fault, Fault::LostWakeUp { of: l, about } if names_loop(l, of, process, node) && about.is(resource, object));
        match self.iter().find(loses) {
            Some(rule) => {
                self.acted(rule, format!("{resource} {}", object.key().joined()));
                true
            }
            None => false,
        }
    }
}
