//! Loopscope: a deterministic simulator of the Kubernetes control plane, and the page that shows it.
//!
//! The rooms, by name. `ARCHITECTURE.md` has them in reading order and says who may use whom; `tests/tidy.rs` holds it.

/// Kubernetes objects, kinds, requests and answers; YAML and JSON; patches.
pub mod api;
/// etcd, watches, and the request pipeline.
pub mod apiserver;
/// The page.
pub mod app;
/// The command line.
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
/// Informer caches, work queues, event recorders, the contract of a controller.
pub mod client;
/// The world as a value: processes, wires, loops, faults, time, records.
pub mod cluster;
/// The loops: one folder a controller.
pub mod controllers;
/// Where a run is stuck: causes, their proof, what would fix them.
pub mod diagnosis;
/// The command line client.
pub mod kubectl;
/// Lessons as data.
pub mod lessons;
/// What benchmarks and the determinism check call.
pub mod measure;
/// Simulated images and containers.
pub mod runtime;
/// Scenarios and how they are played.
pub mod scenario;
/// What scenes show beside a run.
pub mod scenes;
/// A person's run: actions, undo, links, and the views that the page draws.
pub mod session;
/// Simulated time, seeded draws.
pub mod util;
