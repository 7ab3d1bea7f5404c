//! Processes that die in the middle of a sync, and two that both take themselves for the leader.
//!
//! A process that died is started again after a while, as the kubelet restarts the static pod of kube-controller-manager
//! (upstream `pkg/kubelet`, PLEG: it looks once a second). Left out: back-off when it dies again and again, and leader
//! election (`client-go/tools/leaderelection`), for whose lease a restarted manager would wait 15 s more.

use super::document::{Form, Reader, seconds, written};
use super::{Began, Family, Fault, Rules, names_loop};
use crate::api::{Str, Value};
use crate::cluster::agenda::Actor;
use crate::cluster::{Cluster, Detail, LoopId, ProcessId};
use crate::controllers::Home;
use std::rc::Rc;

/// A process that died is started again after this long, unless its fault says otherwise.
pub const RESTART_MS: u64 = 1_000;

/// Whether a process that died comes back by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    AfterMs(u64),
    Never,
}

pub const FAMILY: Family = Family {
    forms: &[
        Form { key: "crash", fields: &["afterWrite", "restart"], read: read_crash },
        Form { key: "twoLeaders", fields: &[], read: read_leaders },
    ],
    write,
    begin,
    end,
};

fn read_crash(r: &Reader<'_>) -> Result<Fault, String> {
    let restart = match r.field("restart").as_str() {
        Some("never") => Restart::Never,
        _ => Restart::AfterMs(r.ms("restart").map_err(|_| r.wrong("restart", "a number of seconds, or never"))?.unwrap_or(RESTART_MS)),
    };
    Ok(Fault::Crash { of: r.own()?, writes: r.count("afterWrite", 1)?, restart })
}

fn read_leaders(r: &Reader<'_>) -> Result<Fault, String> {
    let name = r.own()?;
    if home_of(&name).is_none() {
        return Err(r.wrong("twoLeaders", "kube-controller-manager or kube-scheduler"));
    }
    Ok(Fault::TwoLeaders(name))
}

fn home_of(name: &str) -> Option<Home> {
    match name {
        "kube-controller-manager" => Some(Home::ControllerManager),
        "kube-scheduler" => Some(Home::Scheduler),
        _ => None,
    }
}

fn write(fault: &Fault) -> Option<Value> {
    Some(match fault {
        Fault::Crash { of, writes, restart } => {
            let restart = match restart {
                Restart::Never => Value::str("never"),
                Restart::AfterMs(RESTART_MS) => Value::Null,
                Restart::AfterMs(ms) => seconds(*ms),
            };
            written([("crash", Value::Str(of.clone())), ("afterWrite", Value::Int(*writes as i64)), ("restart", restart)])
        }
        Fault::TwoLeaders(name) => written([("twoLeaders", Value::Str(name.clone()))]),
        _ => return None,
    })
}

fn begin(world: &mut Cluster, fault: &Fault) -> Option<Began> {
    match fault {
        Fault::Crash { of, .. } => super::lasts(world.loop_for(of)),
        Fault::TwoLeaders(name) => super::lasts(world.second_leader(name)),
        _ => None,
    }
}

fn end(world: &mut Cluster, fault: &Fault) {
    if let Fault::TwoLeaders(name) = fault {
        world.first_leader_goes(name);
    }
}

/// `kube-controller-manager:2`
fn second_of(name: &str) -> String {
    format!("{name}:2")
}

impl Rules {
    /// The rule by which a process dies after a sync's n-th write.
    #[inline(never)]
    pub fn crashes(&self, of: &str, process: &str, node: &str, written: u64) -> Option<u64> {
        let fits = |f: &Fault| matches!(f, Fault::Crash { of: l, writes, .. } if names_loop(l, of, process, node) && *writes == written);
        self.iter().find(|r| fits(&r.fault)).map(|r| r.id)
    }
}

impl Cluster {
    /// The process of a loop dies by a rule, which is used up; it is started again later.
    #[inline(never)]
    pub(in crate::cluster) fn die(&mut self, of: LoopId, rule: u64, about: Str) {
        let Some(rule) = self.rules.get(rule).cloned() else { return };
        self.rules.acted(&rule, about);
        self.rules.end(rule.id);
        self.reschedule(&Actor::Rule(rule.id));
        self.stop_process(of.process);
        if let Fault::Crash { restart: Restart::AfterMs(ms), .. } = rule.fault {
            self.restarts.insert_mut(of.process, self.now.after_ms(ms));
            self.reschedule(&Actor::Restart(of.process));
        }
    }

    /// A process that died is started again, unless somebody did so meanwhile.
    #[inline(never)]
    pub(in crate::cluster) fn restart(&mut self, id: ProcessId) {
        self.restarts.remove_mut(&id);
        self.reschedule(&Actor::Restart(id));
        self.start_process(id);
    }

    fn second_leader(&mut self, name: &str) -> Result<(), Detail> {
        let first = self.process_for(name)?;
        let home = self.process(first).home;
        let second = second_of(name);
        if self.process_named(&second).is_some() {
            return Err(Detail::Said(Str::from(format!("{name} has two instances already"))));
        }
        match self.processes.iter().position(|p| p.name == *second) {
            Some(place) => {
                Rc::make_mut(&mut self.processes[place]).retired = false;
                self.start_process(place as ProcessId);
            }
            None => self.spawn(&second, home, None),
        }
        Ok(())
    }

    /// The first instance finds that it lost its lease and ends. The second has its place and name from now on.
    fn first_leader_goes(&mut self, name: &str) {
        let (Some(first), Some(second)) = (self.process_named(name), self.process_named(&second_of(name))) else { return };
        if self.process(second).running {
            self.stop_process(first);
            let mut successor = (*self.processes[usize::from(second)]).clone();
            successor.name = self.process(first).name.clone();
            self.processes[usize::from(first)] = Rc::new(successor);
            // What it remembered lives on in the other place.
            self.stop_process(second);
            self.reschedule_process(first);
        }
        self.restarts.remove_mut(&second);
        self.reschedule(&Actor::Restart(second));
        Rc::make_mut(&mut self.processes[usize::from(second)]).retired = true;
        self.refreeze(first);
    }
}
