//! Where runs are stuck: each cause is named right on a case that builds it, is proved by what kubectl really prints, and
//! nothing is claimed of a world in which nothing is stuck.

mod healthy;
mod stuck;

use loopscope::cluster::{Activity, Cluster, Detail, UserAction};
use loopscope::diagnosis::{self, Diagnosis};
use loopscope::scenario::{Player, Scenario, Step};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const SEED: u64 = 1;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// A folder of `tests/scenarios`, or a file of `tests/diagnosis/cases`: the scenario, and after it the manifest `m.yaml`.
fn files_of(name: &str) -> BTreeMap<String, String> {
    let single = root().join("diagnosis/cases").join(name).with_extension("yaml");
    if let Ok(text) = std::fs::read_to_string(&single) {
        let (scenario, manifest) = text.split_once("\n---\n").expect("a scenario and a manifest");
        return BTreeMap::from([("scenario.yaml".to_string(), scenario.to_string()), ("m.yaml".to_string(), manifest.to_string())]);
    }
    let folder = std::fs::read_dir(root().join("scenarios").join(name)).expect("the scenario is there");
    let read = |e: std::fs::DirEntry| (e.file_name().to_string_lossy().into_owned(), std::fs::read_to_string(e.path()).expect("text"));
    folder.flatten().map(read).collect()
}

/// Plays a scenario to its end, or up to and with the first step that holds a text, and some seconds more.
fn play(name: &str, upto: &str, more_s: u64) -> Cluster {
    let files = files_of(name);
    let scenario = Scenario::parse(&files["scenario.yaml"]).expect("a scenario");
    let mut player = Player::new(Cluster::boot(&scenario.config(SEED).expect("a configuration")), files);
    player.pass(1_100);
    let mut found = upto.is_empty();
    for step in &scenario.steps {
        player.step(step);
        let text = match step {
            Step::Kubectl(line) => line.to_string(),
            Step::Until { condition, .. } => condition.to_string(),
            _ => String::new(),
        };
        if !upto.is_empty() && text.contains(upto) {
            found = true;
            break;
        }
    }
    assert!(found, "{name} has no step with {upto:?}");
    player.pass(more_s * 1_000);
    player.world
}

/// What kubectl prints in a world.
fn kubectl(world: &Cluster, command: &str) -> String {
    let words = command.split(' ').map(Into::into).collect();
    match &world.clone().step(Activity::User(UserAction::Kubectl { words, files: Vec::new() })).detail {
        Detail::Command { stdout, .. } => stdout.to_string(),
        other => panic!("{command}: {other:?}"),
    }
}

/// `code Kind/name`, with the letters that a ReplicaSet adds left out.
fn told(d: &Diagnosis) -> String {
    let name = d.object.name.as_str();
    let owned = matches!(d.object.kind.as_str(), "Pod" | "ReplicaSet");
    let tail = |s: &str| s.len() >= 5 && s.chars().all(|c| "bcdfghjklmnpqrstvwxz2456789".contains(c));
    let mut parts: Vec<&str> = name.split('-').collect();
    while owned && parts.len() > 1 && parts.last().is_some_and(|p| tail(p)) {
        parts.pop();
    }
    format!("{} {}/{}", d.code, d.object.kind, parts.join("-"))
}

/// What holds of every diagnosis: its line is one that kubectl prints, its words have what they need in both languages.
fn is_sound(world: &Cluster, d: &Diagnosis) {
    let output = kubectl(world, &d.proof.command);
    assert!(output.lines().any(|l| *l == *d.proof.line), "{}: {:?} is not in the output of {}", d.code, d.proof.line, d.proof.command);
    let cause = d.cause();
    for said in [cause.headline, cause.cause, cause.fix] {
        for text in [said.ko, said.en] {
            let filled = diagnosis::fill(text, &d.args);
            assert!(!filled.contains(['{', '}']), "{}: {filled}", d.code);
        }
    }
}

#[test]
fn every_code_is_there_once_in_kebab_case_with_words_in_both_languages() {
    let mut seen = BTreeSet::new();
    for cause in diagnosis::ALL.iter().flat_map(|f| f.causes) {
        assert!(seen.insert(cause.code), "{} is there twice", cause.code);
        assert!(cause.code.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", cause.code);
        for said in [cause.headline, cause.cause, cause.fix] {
            assert!(said.ko.chars().any(|c| ('가'..='힣').contains(&c)), "{}: {:?}", cause.code, said.ko);
            assert!(said.en.is_ascii(), "{}: {:?}", cause.code, said.en);
        }
    }
}

#[test]
fn every_code_is_in_the_list_of_the_documentation() {
    let text = std::fs::read_to_string(root().join("../docs/diagnosis.md")).expect("docs/diagnosis.md");
    let listed: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("| `")?.split('`').next()).collect();
    let codes: Vec<&str> = diagnosis::ALL.iter().flat_map(|f| f.causes).map(|c| c.code).collect();
    assert_eq!(listed, codes);
}
