//! The controller manager's loops against a real API server, without scheduler and kubelet.

mod deployment;
mod disruption;
mod gc;
mod process;
mod replicaset;
