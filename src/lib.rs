//! Loopscope: a deterministic simulator of the Kubernetes control plane.
//!
//! The rooms, in reading order; each may use only those above it (`tests/tidy.rs`).

pub mod api;
pub mod apiserver;
pub mod app;
pub mod cluster;
pub mod kubectl;
pub mod runtime;
pub mod scenario;
pub mod client;
pub mod controllers;
pub mod kubectl;
pub mod runtime;
pub mod session;
pub mod util;

#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
pub mod measure;
