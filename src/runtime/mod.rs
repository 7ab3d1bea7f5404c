//! Simulated images and containers: what an image does, and what runs on one node. Pure functions of time.

pub mod images;
pub mod machine;

pub use images::{Behaviour, Images, PullError};
pub use machine::{Container, Exit, Machine, Sandbox};
