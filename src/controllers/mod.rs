//! The loops: one folder a controller, one line each in `ALL`. None knows another.

use crate::client::Controller;

/// What can die as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Home {
    ControllerManager,
    Scheduler,
    /// one a node
    Kubelet,
}

/// A controller and the process that hosts it.
pub struct Registration {
    pub home: Home,
    pub controller: &'static dyn Controller,
}

/// Every loop, in the order in which a tick lets them sync.
pub static ALL: &[Registration] = &[];
