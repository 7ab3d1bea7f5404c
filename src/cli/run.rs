//! `loopscope run`: plays a scenario or a manifest until nothing moves, and prints how it stands.

use super::files;
use crate::api::Str;
use crate::cluster::{Activity, Cluster, Detail, Unserved, UserAction, Verdict};
use crate::controllers::absent;
use crate::scenario::{Player, Scenario};
use crate::session::catalog;
use crate::util::Time;
use std::path::Path;

/// A run ends here at the latest, unless `--until` says otherwise.
const MAX_MS: u64 = 15 * 60 * 1000;

/// Runs SCENARIO.
///
/// # Errors
/// What is wrong with the words, the files or the manifest.
pub fn run(words: &[&str]) -> Result<(), String> {
    let mut output = "table";
    let mut until = None;
    let mut source = None;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--output" | "-o" => output = rest.next().ok_or("--output wants table, yaml, events or records")?,
            "--until" => until = Some(super::duration_ms(rest.next().ok_or("--until wants a time, as 30s or 5m")?)?),
            flag if flag.starts_with('-') => return Err(format!("unknown flag {flag}")),
            path => source = Some(path),
        }
    }
    let source = Path::new(source.ok_or("a scenario or a manifest is wanted")?);
    let (world, verdict) = play(source, until, false)?;
    print(&world, output)?;
    super::say(&describe(&world, &verdict));
    Ok(())
}

/// Plays a source up to a time, or until nothing moves; `quietly` prints nothing on the way.
///
/// # Errors
/// What is wrong with the files or the manifest.
pub fn play(source: &Path, until: Option<u64>, quietly: bool) -> Result<(Cluster, Verdict), String> {
    let scenario = if source.is_dir() {
        Some(source.join("scenario.yaml"))
    } else {
        Some(source.to_path_buf()).filter(|p| p.ends_with("scenario.yaml"))
    };
    let mut world = match scenario {
        Some(path) => {
            let scenario = Scenario::parse(&files::read(&path)?).map_err(|e| format!("{}: {e}", path.display()))?;
            let world = Cluster::boot(&scenario.config(catalog::SEED).map_err(|e| e.to_string())?);
            let mut player = Player::new(world, files::beside(&path)?);
            player.play(&scenario);
            player.world
        }
        None => apply(source, quietly)?,
    };
    let end = world.epoch().after_ms(until.unwrap_or(MAX_MS));
    let verdict = if until.is_some() {
        world.run_until(end);
        world.verdict()
    } else {
        let end = end.max(world.now());
        world.run_until_settled(end)
    };
    Ok((world, verdict))
}

/// A plain manifest, on the page's nodes with the page's images.
fn apply(path: &Path, quietly: bool) -> Result<Cluster, String> {
    let text = files::read(path)?;
    let mut world = Cluster::boot(&catalog::find("first").config(catalog::SEED));
    let name = Str::from(path.display().to_string());
    let words = vec![Str::fixed("apply"), Str::fixed("-f"), name.clone()];
    let record = world.step(Activity::User(UserAction::Kubectl { words, files: vec![(name, Str::from(text))] }));
    match &record.detail {
        Detail::Command { exit: Some(0), .. } if quietly => {}
        Detail::Command { exit: Some(0), stdout, .. } => super::say(stdout.trim_end_matches('\n')),
        Detail::Command { stdout, stderr, .. } => return Err(format!("{stdout}{stderr}")),
        _ => {}
    }
    Ok(world)
}

fn print(world: &Cluster, output: &str) -> Result<(), String> {
    match output {
        "table" => show(world, &["get", &shown(world), "-o", "wide", "-A"]),
        "yaml" => show(world, &["get", &shown(world), "-o", "yaml", "-A"]),
        "events" => show(world, &["get", "events", "-A", "--sort-by=.lastTimestamp"]),
        "records" => {
            for record in world.records().iter().filter(|r| r.at >= world.epoch()) {
                super::say(&format!("{record:?}"));
            }
        }
        other => return Err(format!("--output wants table, yaml, events or records, not {other}")),
    }
    Ok(())
}

/// The kinds that a run is about: what the loops make of it, and what no loop acts on.
fn shown(world: &Cluster) -> String {
    let mut kinds = vec!["deployments", "replicasets", "pods"];
    for a in absent::ALL.iter().filter(|a| world.etcd().count(&a.resource) > 0) {
        kinds.push(&a.resource.0);
    }
    kinds.join(",")
}

/// Prints what a kubectl command prints.
fn show(world: &Cluster, words: &[&str]) {
    let mut world = world.clone();
    let words = words.iter().map(|w| Str::from(*w)).collect();
    if let Detail::Command { stdout, stderr, .. } = &world.step(Activity::User(UserAction::Kubectl { words, files: Vec::new() })).detail {
        super::say(stdout.trim_end_matches('\n'));
        eprint!("{stderr}");
    }
}

fn describe(world: &Cluster, verdict: &Verdict) -> String {
    let at = Time(world.now().since_ms(world.epoch()));
    match verdict {
        Verdict::Converged => format!("converged after {at}"),
        Verdict::Stuck(gaps) => format!("stuck after {at}: {}", gaps.iter().map(|g| named(world, g)).collect::<Vec<_>>().join(", ")),
        Verdict::Moving => format!("still moving after {at}"),
        Verdict::Full => full(world),
    }
}

/// Why nothing goes on.
pub fn full(world: &Cluster) -> String {
    let last = world.records().last().map_or(world.now(), |r| r.at);
    let (at, writes, steps) = (Time(last.since_ms(world.epoch())), world.etcd().revision(), world.records().len());
    format!("full after {at}: {writes} writes in {steps} steps are as much as one run may hold; ask for fewer pods or less time")
}

/// A gap, and why nothing will close it if no loop could.
fn named(world: &Cluster, gap: &str) -> String {
    let is_it =
        |u: &Unserved<'_>| gap.split_once('/').is_some_and(|(kind, name)| u.kind.eq_ignore_ascii_case(kind) && u.object.name() == name);
    match world.unserved().find(is_it) {
        Some(u) => format!("{gap} (no {} loop is modelled here)", u.kind),
        None => gap.to_string(),
    }
}
