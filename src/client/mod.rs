//! The client-go vocabulary: informer cache, lister, work queue, event recorder, and the contract of a controller. Its
//! reflectors, which list and watch over wires that can fail, are the cluster's (`cluster/deliver.rs`). Never reaches into etcd.

pub mod cache;
pub mod controller;
pub mod queue;
pub mod recorder;
pub mod tally;

pub use cache::{Cache, Caches};
pub use controller::{Change, Controller, EventType, Handling, Memory, Stop, Sync};
pub use queue::Queue;

use crate::api::{Answer, Request, Status};
use crate::util::Time;

/// A way to the API server.
pub trait Transport {
    /// Sends one request and waits for its answer.
    ///
    /// # Errors
    /// The server's refusal.
    fn send(&mut self, request: Request) -> Result<Answer, Status>;

    /// The instant at which the request is sent.
    fn now(&self) -> Time;
}
