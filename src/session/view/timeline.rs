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
}

/// Pods wanted and ready over time: one point a change, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    pub wanted: Vec<(u64, u64)>,
    pub ready: Vec<(u64, u64)>,
}
