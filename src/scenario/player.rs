//! Plays scenarios at the pace at which real clusters were recorded: commands take their time, conditions are looked at
//! five times a second.

use super::conditions::holds;
use super::fill::fill;
use super::format::{self, FaultStep, Scenario, Step};
use crate::api::{Str, Value};
use crate::cluster::{Activity, Cluster, Detail, UserAction};
use crate::value;
use std::collections::BTreeMap;

/// From the start of the recording to the first step, and from the last step to its end.
const BEFORE_MS: u64 = 1_100;
const AFTER_MS: u64 = 2_000;
/// kubectl needs this long to start and find the API, and this long to end.
const KUBECTL_START_MS: u64 = 75;
const KUBECTL_END_MS: u64 = 40;
/// The first command of a run has to fill its discovery cache.
const DISCOVERY_MS: u64 = 120;
const POLL_MS: u64 = 200;
/// A command that still blocks then is cut.
const COMMAND_MAX_MS: u64 = 150_000;

/// A world on which steps are played.
pub struct Player {
    pub world: Cluster,
    files: BTreeMap<String, String>,
    discovered: bool,
    /// Commands take the time that they take at a terminal.
    paced: bool,
    steps: Vec<Value>,
}

impl Player {
    /// `files`: the manifests that lie beside the scenario, by relative path.
    pub fn new(world: Cluster, files: BTreeMap<String, String>) -> Player {
        Player { world, files, discovered: false, paced: true, steps: Vec::new() }
    }

    /// As `new`, but commands take no time, as those of the page.
    pub fn at_once(world: Cluster, files: BTreeMap<String, String>) -> Player {
        Player { paced: false, ..Player::new(world, files) }
    }

    /// Milliseconds since the recording began.
    fn t(&self) -> i64 {
        self.world.now().since_ms(self.world.epoch()) as i64
    }

    /// Lets time pass.
    pub fn pass(&mut self, ms: u64) {
        let until = self.world.now().after_ms(ms);
        self.world.run_until(until);
        self.world.step(Activity::User(UserAction::Wait { until }));
    }

    fn act(&mut self, action: UserAction) -> Detail {
        self.world.step(Activity::User(action)).detail.clone()
    }

    /// Plays all steps. The records of `steps.jsonl` come back.
    pub fn play(&mut self, scenario: &Scenario) -> Vec<Value> {
        self.pass(BEFORE_MS);
        for step in &scenario.steps {
            self.step(step);
        }
        self.pass(AFTER_MS);
        std::mem::take(&mut self.steps)
    }

    /// The records of the steps so far.
    pub fn records(&self) -> &[Value] {
        &self.steps
    }

    pub fn step(&mut self, step: &Step) {
        match step {
            Step::Kubectl(line) => self.kubectl("kubectl", line),
            Step::Capture(lines) => {
                for line in lines {
                    let line = if line == "events" { Str::fixed("get events --sort-by=.lastTimestamp") } else { line.clone() };
                    self.kubectl("capture", &line);
                }
            }
            Step::Until { condition, timeout_ms } => self.until(condition, *timeout_ms),
            Step::Expect(condition) => {
                let held = holds(&self.world, condition);
                self.note(value!({"step": "expect", "condition": condition, "held": held}));
            }
            Step::Wait { ms, written } => {
                self.note(value!({"step": "wait", "seconds": written}));
                self.pass(*ms);
            }
            Step::Image(images) => {
                self.note(value!({"step": "image", "images": images}));
                self.act(UserAction::Images(images.clone()));
            }
            Step::Component { stop, name } => self.component(*stop, name),
            Step::AddNode(node) => {
                self.note(value!({"step": "node", "add": node}));
                self.act(UserAction::AddNode(node.clone()));
            }
            Step::RemoveNode(name) => {
                self.note(value!({"step": "node", "remove": name}));
                self.act(UserAction::RemoveNode(name.clone()));
            }
            Step::Fault { written } => self.fault(written),
            Step::Other { step, written } => {
                let mut record = value!({"step": step});
                if step == "git" {
                    for (key, v) in written.entries() {
                        record.set(key.clone(), v);
                    }
                } else {
                    record.set(step.clone(), written);
                }
                self.note(record);
            }
        }
    }

    fn note(&mut self, record: Value) {
        let t = self.t();
        self.note_at(record, t);
    }

    fn note_at(&mut self, mut record: Value, t: i64) {
        record.set("t", t);
        self.steps.push(record);
    }

    fn component(&mut self, stop: bool, name: &Str) {
        let verb = if stop { "stop" } else { "start" };
        let mut record = value!({"step": "component"});
        record.set(verb, name);
        self.note(record);
        let action = match (stop, name.strip_prefix("loop:")) {
            (true, Some(of)) => UserAction::StopLoop(of.into()),
            (false, Some(of)) => UserAction::StartLoop(of.into()),
            (true, None) => UserAction::StopProcess(name.clone()),
            (false, None) => UserAction::StartProcess(name.clone()),
        };
        self.act(action);
    }

    fn fault(&mut self, written: &Value) {
        let filled = fill_all(&self.world, written);
        self.note(value!({"step": "fault", "fault": (filled.clone())}));
        match format::fault(&filled) {
            Ok(FaultStep::Begin(fault)) => drop(self.act(UserAction::Fault(fault))),
            Ok(FaultStep::End(fault)) => drop(self.act(UserAction::EndFaultsLike(fault))),
            Ok(FaultStep::EndAll) => drop(self.act(UserAction::ClearFaults)),
            Err(_) => {}
        }
    }

    fn until(&mut self, condition: &Str, timeout_ms: u64) {
        let t = self.t();
        let mut held = holds(&self.world, condition);
        while !held && !self.world.is_full() && self.t() < t + timeout_ms as i64 {
            self.pass(POLL_MS);
            held = holds(&self.world, condition);
        }
        let seconds = (self.t() - t) as f64 / 1000.0;
        self.note_at(value!({"step": "until", "condition": condition, "held": held, "seconds": (Value::Float(seconds))}), t);
    }

    /// Runs a command to its end, as a person who waits for it.
    pub fn kubectl(&mut self, step: &'static str, line: &Str) {
        let t = self.t();
        let start = KUBECTL_START_MS + if self.discovered { 0 } else { DISCOVERY_MS };
        self.discovered = true;
        let words = crate::kubectl::split(&fill(&self.world, line)).unwrap_or_default();
        if self.paced {
            self.pass(start);
        }
        let files = self.files.iter().map(|(p, text)| (Str::from(p), Str::from(fill(&self.world, text)))).collect();
        let words: Vec<Str> = words.into_iter().map(Str::from).collect();
        let first = self.act(UserAction::Kubectl { words: words.clone(), files });
        let (exit, stdout, stderr) = self.await_command(first);
        if self.paced {
            self.pass(KUBECTL_END_MS);
        }
        let args: Value = words.into_iter().map(Value::Str).collect();
        self.note_at(value!({"step": step, "command": line, "args": args, "exit": exit, "stdout": stdout, "stderr": stderr}), t);
    }

    fn await_command(&mut self, first: Detail) -> (i64, Str, Str) {
        if let Detail::Command { exit: Some(exit), stdout, stderr, .. } = first {
            return (i64::from(exit), stdout, stderr);
        }
        let Some(id) = self.world.newest_command() else { return (1, Str::default(), Str::default()) };
        let until = self.world.now().after_ms(COMMAND_MAX_MS);
        while let Some(record) = self.world.advance(until) {
            if let (Activity::Poll { command }, Detail::Command { exit: Some(exit), stdout, stderr, .. }) =
                (&record.activity, &record.detail)
                && *command == id
            {
                return (i64::from(*exit), stdout.clone(), stderr.clone());
            }
        }
        match self.act(UserAction::Cancel { command: id }) {
            Detail::Command { stdout, stderr, .. } => (-1, stdout, stderr),
            _ => (-1, Str::default(), Str::default()),
        }
    }
}

fn fill_all(world: &Cluster, v: &Value) -> Value {
    match v {
        Value::Str(s) => Value::from(fill(world, s)),
        Value::Map(m) => m.iter().map(|(k, v)| (k.clone(), fill_all(world, v))).collect(),
        Value::List(l) => l.iter().map(|v| fill_all(world, v)).collect(),
        other => other.clone(),
    }
}
