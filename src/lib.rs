//! Loopscope: a deterministic simulator of the Kubernetes control plane, and the page that shows it.
//!
//! The rooms, in reading order; each may use only those above it (`tests/tidy.rs`).

/// Simulated time, seeded draws.
pub mod util;
/// Kubernetes objects, kinds, requests and answers; YAML and JSON; patches.
pub mod api;
/// etcd, watches, and the request pipeline.
pub mod apiserver;
/// Informer caches, work queues, event recorders, the contract of a controller.
pub mod client;
/// Simulated images and containers.
pub mod runtime;
/// The loops: one folder a controller.
pub mod controllers;
/// The command line client.
pub mod kubectl;
/// The world as a value: processes, wires, loops, faults, time, records.
pub mod cluster;
/// Scenarios and how they are played.
pub mod scenario;
/// A person's run: actions, undo, links, and the views that the page draws.
pub mod session;
/// The page.
pub mod app;
/// The command line.
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
/// What benchmarks and the determinism check call.
pub mod measure;
