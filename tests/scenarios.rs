//! Scenarios whose `expect` lines say what must be so: played by the simulator alone, and judged here. Each is named by its
//! folder under `tests/scenarios`; its `about` says what it holds.

use loopscope::api::Value;
use loopscope::cluster::Cluster;
use loopscope::scenario::{Player, Scenario};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How many folders have `expect` lines, at least: a folder that is lost would otherwise not be missed.
const JUDGED_MIN: usize = 16;
const SEED: u64 = 1;

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let all = std::fs::read_dir(root).expect("the scenarios are there").map(|e| e.expect("readable").path());
    let mut judged: Vec<PathBuf> =
        all.filter(|folder| std::fs::read_to_string(folder.join("scenario.yaml")).is_ok_and(|text| text.contains("- expect:"))).collect();
    judged.sort();
    judged
}

/// What did not hold, with its number among the steps.
fn broken(folder: &Path) -> Vec<String> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("readable").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("text");
        files.insert(entry.file_name().to_string_lossy().into_owned(), text);
    }
    let scenario = Scenario::parse(&files["scenario.yaml"]).expect("a scenario");
    let world = Cluster::boot(&scenario.config(SEED).expect("a configuration"));
    let steps = Player::new(world, files).play(&scenario);
    let failed =
        |step: &Value| step.get("held").as_bool() == Some(false) || step.get("step").text() == "kubectl" && step.get("exit").int() != 0;
    let numbered = steps.iter().enumerate().filter(|(_, step)| failed(step) && !is_meant_to_fail(step));
    numbered
        .map(|(i, s)| {
            format!(
                "  step {i}: {} {}{} {}",
                s.get("step").text(),
                s.get("condition").text(),
                s.get("command").text(),
                s.get("stderr").text()
            )
        })
        .collect()
}

/// Nothing can be made in a namespace that goes.
fn is_meant_to_fail(step: &Value) -> bool {
    step.get("stderr").text().contains("is being terminated")
}

#[test]
fn what_scenarios_expect_holds() {
    let folders = folders();
    assert!(folders.len() >= JUDGED_MIN, "only {} scenarios expect something", folders.len());
    let mut wrong = Vec::new();
    for folder in &folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let broken = broken(folder);
        if !broken.is_empty() {
            wrong.push(format!("{name}:\n{}", broken.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
