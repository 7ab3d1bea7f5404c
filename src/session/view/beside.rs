//! The world beside: its board, its curve, and what its ReplicaSet loop believes.

use super::{Board, Curve, Ready, Text};
use crate::session::beside::Kind;
use std::rc::Rc;

/// What is drawn of the world beside.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    pub kind: Kind,
    pub board: Rc<Board>,
    pub ready: Ready,
    pub curve: Rc<Curve>,
    pub time_ms: u64,
    /// What the ReplicaSet loops of both worlds say to it: the own one's, the other one's.
    pub said: (Text, Text),
    /// There is a gap in the own world, and in the other one, that nobody will close.
    pub wrong: (bool, bool),
    /// Both worlds have done the same so far.
    pub together: bool,
}
