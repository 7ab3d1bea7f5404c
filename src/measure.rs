//! What benchmarks and the determinism check call: the same functions natively (`loopscope digest`) and in the page's wasm (`exports.rs`).

use serde::Serialize;

/// What one measured run did. CPU time and memory are taken outside, by who calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Measured {
    /// Revisions that etcd counted.
    pub writes: u64,
    /// Event objects among them.
    pub events: u64,
    /// Pods that were Ready at the end.
    pub ready: u32,
    /// Simulated time from apply to the end.
    pub simulated_ms: u64,
}

impl Measured {
    /// One line of JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers serialise")
    }
}

const NOT_YET: &str = "the simulator is not joined to this command yet";

/// One Deployment of `replicas` pods from apply to all Ready on `nodes` nodes, in the page's configuration: every loop and the whole history on.
///
/// # Errors
/// When not all pods became Ready.
pub fn bring_up(replicas: u32, nodes: u32) -> Result<Measured, String> {
    // SEAM: start a session with `nodes` nodes, apply `web` (image bench/app:1.0), run until `replicas` are Ready.
    let _ = (replicas, nodes);
    Err(NOT_YET.into())
}

/// The digest of every record of a played scenario. `files` is a JSON object from file name (`scenario.yaml`, manifests) to text.
///
/// # Errors
/// When the scenario cannot be read.
pub fn digest_scenario(files: &str, seed: u64) -> Result<String, String> {
    // SEAM: play the scenario with `seed` and hash its records.
    let _ = (files, seed);
    Err(NOT_YET.into())
}

/// The digest of every record of one random run: manifests, steps, faults and order of activities all follow from `seed`.
///
/// # Errors
/// When a random run cannot be made.
pub fn digest_random(seed: u64) -> Result<String, String> {
    // SEAM: draw a run from `seed`, play it and hash its records.
    let _ = seed;
    Err(NOT_YET.into())
}
