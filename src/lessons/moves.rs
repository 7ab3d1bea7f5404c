//! What a lesson does to the world by itself, and what its solutions do: steps as scenarios have them, and the page's own buttons.

use super::format::{Lesson, Start};
use crate::api::{Str, Value};
use crate::cluster::{Cluster, Config};
use crate::scenario::format::config_of;
use crate::scenario::{Player, Step};
use std::collections::BTreeMap;

/// A lesson may let so much simulated time pass in one step of its own.
const WAIT_MAX_MS: u64 = 600_000;
/// A button may be pressed so often at once.
const TIMES_MAX: i64 = 200;
/// The editor's text under the name that the page gives it.
pub const EDITOR_FILE: &str = "manifest.yaml";

/// One step of a setup or a solution.
#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// A step of a scenario: `kubectl`, `until`, `wait`, `image`, `component`, `node`, `fault`.
    Scenario(Step),
    /// The button Step, so often.
    Step(u32),
    /// The button Tick, so often.
    Tick(u32),
    /// Until nothing moves.
    Settle,
    /// An answer to a goal: the name of a choice, or what is typed.
    Answer(Str),
}

/// Reads one step.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read(v: &Value) -> Result<Move, String> {
    let times = |v: &Value| match v.as_int() {
        Some(n @ 1..=TIMES_MAX) => Ok(n as u32),
        _ => Err(format!("wants a number from 1 to {TIMES_MAX}")),
    };
    match v.entries() {
        [(key, n)] if key == "step" => return times(n).map(Move::Step),
        [(key, n)] if key == "tick" => return times(n).map(Move::Tick),
        [(key, Value::Bool(true))] if key == "settle" => return Ok(Move::Settle),
        [(key, answer)] if key == "answer" && answer.as_str().is_some() => return Ok(Move::Answer(answer.to_str())),
        _ => {}
    }
    for (key, _) in v.entries() {
        let known = ["kubectl", "until", "timeout", "wait", "image", "component", "node", "fault", "step", "tick", "settle", "answer"];
        if !known.contains(&key.as_str()) {
            return Err(format!("unknown step \"{key}\"; known are {}", known.join(", ")));
        }
    }
    let step = Step::parse(v)?;
    match &step {
        Step::Until { condition, timeout_ms } => {
            crate::scenario::conditions::check(condition)?;
            limited(*timeout_ms)?;
        }
        Step::Wait { ms, .. } => limited(*ms)?,
        _ => {}
    }
    Ok(Move::Scenario(step))
}

fn limited(ms: u64) -> Result<(), String> {
    if ms <= WAIT_MAX_MS { Ok(()) } else { Err(format!("waits {} s, at most {} are allowed", ms / 1000, WAIT_MAX_MS / 1000)) }
}

/// Does one step to a world; `files` are what commands may read.
pub(super) fn perform(world: Cluster, files: &BTreeMap<String, String>, step: &Move) -> Cluster {
    let mut world = world;
    match step {
        Move::Scenario(step) => {
            let mut player = Player::at_once(world, files.clone());
            player.step(step);
            return player.world;
        }
        Move::Step(times) => {
            for _ in 0..*times {
                let until = world.now().after_ms(WAIT_MAX_MS);
                world.step_next(until);
            }
        }
        Move::Tick(times) => (0..*times).for_each(|_| world.tick()),
        Move::Settle => {
            let until = world.now().after_ms(WAIT_MAX_MS);
            let _ = world.run_until_settled(until);
        }
        Move::Answer(_) => {}
    }
    world
}

impl Lesson {
    /// Its files, and the editor's text beside them.
    pub fn files(&self, editor: &str) -> BTreeMap<String, String> {
        let mut files = self.files.clone();
        files.insert(EDITOR_FILE.to_string(), editor.to_string());
        files
    }

    /// The world before the first step, from `ground`: the world of the scenario that the lesson names, or of its own cluster.
    pub fn world(&self, ground: Cluster, editor: &str) -> Cluster {
        let files = self.files(editor);
        self.start.moves.iter().fold(ground, |world, step| perform(world, &files, step))
    }
}

/// The cluster that a start brings, before anything happened on it.
pub fn begin(start: &Start, seed: u64) -> Config {
    config_of(&start.cluster, seed, true).expect("it was read when the lesson was")
}
