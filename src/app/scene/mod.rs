//! Scenes.

pub mod conflict;
pub mod script;
