//! What happened when: a lane a writer, and the curve of wanted and ready.

use super::Writer;
use std::rc::Rc;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// The moment looked at.
    pub now_ms: u64,
    pub now_step: u64,
    /// The newest moment recorded.
    pub end_ms: u64,
    pub end_step: u64,
    pub lanes: Vec<Writer>,
    pub marks: Rc<Vec<Mark>>,
    /// Faults that lasted, or last.
    pub spans: Rc<Vec<Span>>,
    pub curve: Rc<Curve>,
}

/// Something on a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub time_ms: u64,
    pub step: u64,
    pub writer: Writer,
    pub kind: MarkKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// A write.
    Write,
    /// A sync that wrote nothing.
    Sync,
    /// A 409 or another refusal.
    Conflict,
    /// A fault that a person put in.
    Fault,
    /// A fault that happened once, by the field that names it in its document.
    Once(&'static str),
    Began(&'static str),
    Ended(&'static str),
}

/// From when to when a fault was in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub rule: u64,
    pub from_ms: u64,
    /// The newest moment, while it is in force.
    pub to_ms: u64,
}

/// Pods wanted and ready over time: one point a change, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    pub wanted: Vec<(u64, u64)>,
    pub ready: Vec<(u64, u64)>,
}
