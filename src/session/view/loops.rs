//! The stage strip, the loop cards and what waits on their wires.

use super::{Slots, Text, Writer};
use crate::api::Str;
use crate::session::action::WireId;

/// One station of the strip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Station {
    /// None for `stored`, which is etcd's.
    pub writer: Option<Writer>,
    pub name: Text,
    pub state: StationState,
    pub note: Text,
    /// The loop whose card a tap selects.
    pub loop_id: Str,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StationState {
    /// Nothing left to do here.
    Ok,
    /// Owes the next move.
    Now,
    /// Something is on its wire or in its queue.
    Wait,
    /// Tried, cannot.
    Stuck,
    /// The last apply was refused.
    Error,
    /// Believes there is no gap, and is wrong.
    Blind,
    /// Not reached yet.
    #[default]
    Idle,
    /// Stopped by a person.
    Off,
}

/// One loop: what it sees, what differs, what it is about to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopCard {
    pub id: Str,
    pub process: Str,
    pub writer: Option<Writer>,
    pub name: Text,
    /// How many processes run it: two while a second leader acts. The kubelets count as one.
    pub instances: u64,
    pub state: LoopState,
    /// What it is for; stands instead of the three lines before it has seen anything.
    pub intro: Option<Text>,
    pub sees: Text,
    /// What it sees is not what is stored.
    pub blind: bool,
    pub differs: Option<Differs>,
    pub acts: Option<Text>,
    /// How far into a sync that a person steps into.
    pub stage: Option<Stage>,
    pub queue: u64,
    /// Keys put aside until something changes (the scheduler's unschedulable ones).
    pub parked: u64,
    /// The keys in the queue, at most ten.
    pub keys: Vec<Str>,
    pub cache_rev: u64,
    /// Events that the cache is behind, waiting or lost; 0 is current.
    pub behind: u64,
    /// Owes the next move.
    pub owes: bool,
    pub can_step: bool,
    pub wire: Vec<Ticket>,
    /// What this loop's process watches.
    pub watches: Vec<Wire>,
}

/// A wire of the loop's process, and whether it is cut.
#[derive(Clone, Debug, PartialEq)]
pub struct Wire {
    pub id: WireId,
    /// The kind, as in `Pod`.
    pub kind: Str,
    pub connected: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoopState {
    Next,
    #[default]
    Quiet,
    Wait,
    Stuck,
    Stopped,
    Running,
}

/// Where a sync stands that a person steps into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Sees,
    Differs,
    /// The n-th of so many writes is next.
    Writes(u32, u32),
}

/// The difference a loop found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Differs {
    pub slots: Option<Slots>,
    pub text: Text,
    /// Draw it as a reason for being stuck.
    pub bad: bool,
}

/// Something on a wire: a watch event on its way up, or the write about to go down.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticket {
    pub wire: WireId,
    /// The event's number on its wire.
    pub event: u64,
    /// Who caused it.
    pub writer: Writer,
    /// `ADDED`, `MODIFIED`, `DELETED`; the verb of a write.
    pub verb: Str,
    /// As in `Pod x8k2p`.
    pub object: Str,
    /// Namespace and name.
    pub about: (Str, Str),
    pub rev: u64,
    /// More than one of the same kind: a stack.
    pub count: u64,
    pub state: TicketState,
    pub note: Option<Text>,
    /// The other loops of the process that would miss it, too.
    pub shared_with: Vec<Writer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TicketState {
    Waiting,
    /// Held back by a person.
    Held,
    /// Lost on the wire.
    Lost,
    /// Reached the cache; the wake-up was lost.
    WakeLost,
    /// The write about to happen.
    Next,
}
