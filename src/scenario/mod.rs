//! Scenarios: the start of a world and the steps that are played on it, in the format in which real clusters are recorded.

pub mod cases;
pub mod conditions;
mod fill;
pub mod format;
pub mod player;
pub mod watch;

pub use fill::{fill, printed_version};
pub use format::{Scenario, Step};
pub use player::Player;
