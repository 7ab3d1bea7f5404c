//! When who is next: one appointment an actor, in a fixed order among equals.

use super::activity::{LoopId, ProcessId};
use crate::api::Resource;
use crate::util::Time;
use crate::util::Tree;

/// Somebody who can do something. The order decides among those who are due at one instant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Actor {
    Wire(ProcessId, Resource),
    Loop(LoopId),
    Command(u32),
    /// A fault that ends by itself.
    Rule(u64),
    /// A process that died and is started again.
    Restart(ProcessId),
}

/// Appointments. Cheap to clone.
#[derive(Clone, Default)]
pub struct Agenda {
    due: Tree<(Time, Actor), ()>,
    of: Tree<Actor, Time>,
}

impl Agenda {
    /// Sets or takes back the one appointment of an actor.
    pub fn set(&mut self, actor: &Actor, due: Option<Time>) {
        let was = self.of.get(actor).copied();
        if was == due {
            return;
        }
        if let Some(at) = was {
            self.due.remove_mut(&(at, actor.clone()));
        }
        match due {
            Some(at) => {
                self.due.insert_mut((at, actor.clone()), ());
                self.of.insert_mut(actor.clone(), at);
            }
            None => {
                self.of.remove_mut(actor);
            }
        }
    }

    /// The next appointment.
    pub fn first(&self) -> Option<(Time, &Actor)> {
        self.due.first().map(|((at, actor), ())| (*at, actor))
    }

    /// All appointments in order.
    pub fn iter(&self) -> impl Iterator<Item = (Time, &Actor)> {
        self.due.keys().map(|(at, actor)| (*at, actor))
    }

    pub fn when(&self, actor: &Actor) -> Option<Time> {
        self.of.get(actor).copied()
    }
}
