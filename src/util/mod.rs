//! Simulated time and seeded draws; knows nothing of Kubernetes.

pub mod draws;
pub mod time;

pub use draws::Draws;
pub use time::Time;
