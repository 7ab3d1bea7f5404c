//! Changes to objects as data: JSON Patch, JSON Merge Patch, Kubernetes' strategic merge patch, and the
//! patches that kubectl and controllers compute from two or three versions of an object. Pure functions;
//! what a patch leaves alone stays shared.

pub mod diff;
pub mod json;
pub mod merge;
mod order;
pub mod strategic;
pub mod three_way;

#[cfg(test)]
mod tests;
