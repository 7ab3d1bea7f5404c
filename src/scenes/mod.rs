//! Scenes: one claim, one picture each, of a world and what stands beside it.

pub mod conflict;
pub mod script;
