//! What benchmarks and the determinism check call: the same functions natively (`loopscope measure`, `loopscope digest`) and in
//! the page's wasm (`exports.rs`).

use crate::api::Str;
use crate::api::resource::{EVENTS, PODS};
use crate::cluster::Cluster;
use crate::scenario::{Player, Scenario};
use crate::session::action::Action;
use crate::session::{Session, catalog, random};
use crate::util::draws::hash;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

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

/// The page's world with `nodes` nodes and nothing in it yet: every loop and the whole history on.
pub fn boot(nodes: u32) -> Session {
    Session::on(i64::from(nodes), catalog::SEED)
}

/// One Deployment of `replicas` pods from apply to all Ready, and on until the world has settled.
///
/// # Errors
/// When not all pods became Ready.
pub fn bring_up(session: &mut Session, replicas: u32) -> Result<Measured, String> {
    let (before, from) = (session.newest().world.etcd().revision(), session.newest().world.now());
    session.act(&Action::Apply { text: Str::from(manifest(replicas)) }).map_err(|why| format!("{why:?}"))?;
    session.act(&Action::Settle).map_err(|why| format!("{why:?}"))?;
    let world = &session.newest().world;
    let ready = world.etcd().list(&PODS, "default").filter(|p| p.condition_is_true("Ready")).count() as u32;
    if ready != replicas {
        return Err(format!("{ready} of {replicas} pods are Ready: {:?}", world.verdict()));
    }
    let events = world.etcd().count(&EVENTS) as u64;
    Ok(Measured { writes: world.etcd().revision() - before, events, ready, simulated_ms: world.last_change().since_ms(from) })
}

fn manifest(replicas: u32) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: {replicas}\n  selector:\n    matchLabels: {{app: web}}\n  template:\n    metadata:\n      labels: {{app: web}}\n    spec:\n      containers:\n      - name: web\n        image: bench/app:1.0\n"
    )
}

/// The digest of every record of a played scenario. `files` is a JSON object from file name (`scenario.yaml`, manifests) to text.
///
/// # Errors
/// When the scenario cannot be read.
pub fn digest_scenario(files: &str, seed: u64) -> Result<String, String> {
    let files: BTreeMap<String, String> = serde_json::from_str(files).map_err(|e| e.to_string())?;
    let scenario = Scenario::parse(files.get("scenario.yaml").ok_or("no scenario.yaml")?).map_err(|e| e.to_string())?;
    let world = Cluster::boot(&scenario.config(seed).map_err(|e| e.to_string())?);
    let mut player = Player::new(world, files);
    player.play(&scenario);
    Ok(digest(&player.world))
}

/// The digest of every record of one random run: manifests, steps, faults and order of activities all follow from `seed`.
///
/// # Errors
/// When a random run cannot be made.
pub fn digest_random(seed: u64) -> Result<String, String> {
    let mut run = random::Run::new(seed);
    run.play();
    Ok(digest(run.world()))
}

/// A hash of all records and of the state they lead to.
pub fn digest(world: &Cluster) -> String {
    let mut sink = Hashing(0);
    for record in world.records().iter() {
        write!(sink, "{record:?}").expect("hashing takes everything");
    }
    format!("{:016x}-{:016x}-{}", sink.0, world.digest(), world.records().len())
}

/// Hashes what is written to it, so that no record's text is ever kept.
struct Hashing(u64);

impl std::fmt::Write for Hashing {
    fn write_str(&mut self, s: &str) -> std::fmt::Result {
        self.0 = hash(self.0, s.as_bytes());
        Ok(())
    }
}
