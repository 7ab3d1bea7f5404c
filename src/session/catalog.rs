//! The scenarios that a run can begin with: a start, a manifest in the editor, and what was done before the reader comes.
//! Which of them the menu shows is the page's matter (`app/menus.rs`).

use super::action::Action;
use crate::api::{Str, Value};
use crate::cluster::{Cluster, Config};
use crate::scenario::fill;
use crate::scenario::format::config_of;
use crate::value;

/// One scenario. `name` is its key in links and in the string table.
pub struct Entry {
    pub name: &'static str,
    pub nodes: i64,
    /// What stands in the editor. Placeholders as in scenarios are filled in when the run begins.
    pub manifest: &'static str,
    /// An edge-triggered twin lives through the same history beside it.
    pub twin: bool,
    /// What happened before.
    before: fn() -> Vec<Action>,
}

pub const SEED: u64 = 42;

const V1: &str = include_str!("../../static/scenarios/web-v1.yaml");
const V2: &str = include_str!("../../static/scenarios/web-v2.yaml");
const HUNGRY: &str = include_str!("../../static/scenarios/web-hungry.yaml");
const BIG: &str = include_str!("../../static/scenarios/web-big.yaml");
const AS_READ: &str = include_str!("../../static/scenarios/web-as-read.yaml");

/// In the order of the menu; the first is what a new reader gets.
pub const ENTRIES: &[Entry] = &[
    Entry { name: "first", nodes: 3, manifest: V1, twin: false, before: Vec::new },
    Entry { name: "rolling", nodes: 3, manifest: V2, twin: false, before: || settled(V1) },
    Entry { name: "lost", nodes: 3, manifest: V1, twin: false, before: || settled(V1) },
    Entry { name: "stuck", nodes: 3, manifest: HUNGRY, twin: false, before: Vec::new },
    Entry { name: "edge", nodes: 3, manifest: V1, twin: true, before: || settled(V1) },
    Entry { name: "conflict", nodes: 3, manifest: AS_READ, twin: false, before: both_have_read },
    Entry { name: "big", nodes: 100, manifest: BIG, twin: false, before: Vec::new },
];

fn settled(manifest: &'static str) -> Vec<Action> {
    vec![Action::Apply { text: Str::fixed(manifest) }, Action::Settle]
}

/// The Deployment loop is in the middle of a sync, about to write the status; the reader has printed the object as it is.
fn both_have_read() -> Vec<Action> {
    let kubectl = |line| Action::Kubectl { line: Str::fixed(line) };
    let mut actions = settled(V1);
    actions.extend([
        kubectl("kubectl patch deployment web -p '{\"spec\":{\"progressDeadlineSeconds\":300}}'"),
        Action::StepInto { loop_id: Str::fixed("deployment") },
        kubectl("kubectl get deployment web -o yaml"),
    ]);
    actions
}

/// The entry of a name; the first for an unknown one.
pub fn find(name: &str) -> &'static Entry {
    ENTRIES.iter().find(|e| e.name == name).unwrap_or(&ENTRIES[0])
}

impl Entry {
    pub fn before(&self) -> Vec<Action> {
        (self.before)()
    }

    /// What stands in the editor when this world is the start.
    pub fn offered(&self, start: &Cluster) -> Str {
        if self.manifest.contains('@') { Str::from(fill(start, self.manifest)) } else { Str::fixed(self.manifest) }
    }

    /// The world that this scenario starts from.
    pub fn config(&self, seed: u64) -> Config {
        config_of(&page_cluster(self.nodes), seed, true).expect("the page's own cluster can be read")
    }
}

/// The page's nodes (2 cpu, 4Gi, 110 pods) and images, in the form of a scenario's `cluster`.
pub fn page_cluster(nodes: i64) -> Value {
    let node = |n: i64| value!({"name": (format!("node-{n}")), "cpu": "2", "memory": "4Gi", "pods": 110_i64});
    let images = value!({
        "my-app:v1": {"pullSeconds": 1_i64, "readyAfterSeconds": 2_i64},
        "my-app:v2": {"pullSeconds": 1_i64, "readyAfterSeconds": 3_i64},
        "my-app:v3": {"pullSeconds": 1_i64, "exitCode": 1_i64, "exitAfterSeconds": 2_i64},
        "my-app:v4": {"pullError": "NotFound"},
        "my-app:v5": {"pullSeconds": 1_i64, "readyAfterSeconds": 40_i64}
    });
    value!({"nodes": ((1..=nodes).map(node).collect::<Value>()), "images": images})
}
