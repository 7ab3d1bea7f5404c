//! Simulated time and seeded draws; knows nothing of Kubernetes.

pub mod bytes;
pub mod draws;
pub mod order;
pub mod room;
pub mod time;
pub mod tree;

pub use draws::Draws;
pub use order::Order;
pub use time::Time;
pub use tree::Tree;
