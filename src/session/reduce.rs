//! Recorded actions and what they do to a moment.

use super::Moment;
use super::action::{Action, EventFault, FailCode, WireId};
use super::problems::problems;
use super::view::{Entry, Problem, Text};
use crate::api::{Str, Value, yaml};
use crate::cluster::{About, Activity, Cluster, Detail, FailWith, Fault, LoopId, StepRecord, TokenDeed, UserAction};
use crate::util::{Order, Time};
use std::rc::Rc;

/// The file that the editor's text is to kubectl.
const FILE: &str = "manifest.yaml";
/// A manifest may be this long.
const TEXT_MAX_BYTES: usize = 1_000_000;
/// A command at the prompt may block for this long before the rest is left to later steps.
const BLOCK_MS: u64 = 150_000;
/// A run until settled ends here at the latest.
const SETTLE_MAX_MS: u64 = 15 * 60 * 1000;
/// A step that has nothing to do looks this far ahead for the next timer.
const TIMER_MAX_MS: u64 = 15 * 60 * 1000;
/// The console keeps this many entries.
const CONSOLE_MAX: usize = 50;
/// An event that a person holds waits until it is delivered.
const HELD_MS: u64 = 1_000_000_000;

/// Performs a recorded action.
pub fn perform(moment: &mut Moment, action: &Action) {
    moment.refused = None;
    let world = &mut moment.world;
    match action {
        Action::Apply { text } => apply(moment, text),
        Action::Kubectl { line } => {
            let waiting = begin_command(moment, line);
            finish(moment, waiting);
        }
        Action::KubectlFiles { words, files } => {
            let line = Str::from(format!("kubectl {}", words.iter().map(|w| w.to_string()).collect::<Vec<_>>().join(" ")));
            let waiting = command(moment, line, words.clone(), files.clone());
            finish(moment, waiting);
        }
        Action::Advance { ms } => {
            let until = world.now().after_ms(*ms);
            world.run_until(until);
        }
        Action::Step => step(world),
        Action::StepLoop { loop_id } => step_loop(world, loop_id, None),
        Action::StepInto { loop_id } => step_into(world, loop_id),
        Action::Tick => world.tick(),
        Action::Happen { nth } => {
            world.happen(*nth);
        }
        Action::Settle => {
            let until = world.now().after_ms(SETTLE_MAX_MS);
            let _ = world.run_until_settled(until);
        }
        Action::StopLoop { loop_id } => {
            user(moment, UserAction::StopLoop(loop_name(loop_id)));
        }
        Action::StartLoop { loop_id } => {
            user(moment, UserAction::StartLoop(loop_name(loop_id)));
        }
        Action::StopProcess { process } => {
            user(moment, UserAction::StopProcess(process.clone()));
        }
        Action::StartProcess { process } => {
            user(moment, UserAction::StartProcess(process.clone()));
        }
        Action::RestartProcess { process } => {
            user(moment, UserAction::StopProcess(process.clone()));
            user(moment, UserAction::StartProcess(process.clone()));
        }
        Action::Event { wire, event, fault, loop_id } => token(moment, wire, *event, *fault, loop_id),
        Action::Lose { wire, namespace, name, loop_id } => lose(moment, wire, namespace, name, loop_id),
        Action::EndFaults => {
            user(moment, UserAction::ClearFaults);
        }
        Action::DropNext { wire } => next_event(moment, wire, None),
        Action::DelayWire { wire, ms } => next_event(moment, wire, Some(*ms)),
        Action::Resync { wire } => fault(moment, Fault::Resync { process: wire.process.clone(), resource: resource(wire) }),
        Action::Disconnect { wire } => fault(moment, Fault::Disconnect { process: wire.process.clone(), resource: resource(wire) }),
        Action::Relist { wire } => fault(moment, Fault::Relist { process: wire.process.clone(), resource: resource(wire) }),
        Action::FailNext { loop_id, code } => {
            let with = match code {
                FailCode::Conflict => FailWith::Conflict,
                FailCode::Internal => FailWith::Internal,
                FailCode::Timeout => FailWith::Timeout,
            };
            fault(moment, Fault::Fail { of: loop_name(loop_id), verb: Str::default(), resource: None, with, times: 1, late_ms: 0 });
        }
        Action::Fault { document } => match Fault::parse(document) {
            Ok(parsed) => fault(moment, parsed),
            Err(why) => moment.refused = Some(Text::from(why)),
        },
        Action::EndFault { fault } => {
            user(moment, UserAction::EndFault(*fault));
        }
        Action::NodeDown { node } => fault(moment, Fault::NodeDown(node.clone())),
        Action::NodeUp { node } => fault(moment, Fault::NodeUp(node.clone())),
        Action::Kill { namespace, pod, container } => {
            fault(moment, Fault::Kill { namespace: namespace.clone(), pod: pod.clone(), container: container.clone() });
        }
        Action::SetImages { text } => set_images(moment, text),
        Action::Answer { text } => super::lesson::answer(moment, text),
        Action::NextStep => super::lesson::next(moment),
        Action::Back
        | Action::Redo
        | Action::ScrubTo { .. }
        | Action::Now
        | Action::Fork
        | Action::SwapBranch
        | Action::CloseBranch
        | Action::Reset
        | Action::LoadScenario { .. }
        | Action::ResetStep { .. }
        | Action::OpenLesson { .. }
        | Action::Open { .. } => unreachable!("these are not recorded"),
    }
}

fn resource(wire: &WireId) -> crate::api::Resource {
    crate::api::Resource::named(wire.resource.clone())
}

/// A card's loop: `replicaset`, or `kubelet:node-1` for one node's.
fn loop_name(id: &Str) -> Str {
    id.split_once(':').map_or_else(|| id.clone(), |(name, _)| Str::from(name))
}

fn user(moment: &mut Moment, action: UserAction) -> Rc<StepRecord> {
    let record = moment.world.step(Activity::User(action));
    if let Detail::Said(why) = &record.detail {
        moment.refused = Some(Text::Verbatim(why.clone()));
    }
    record
}

fn fault(moment: &mut Moment, fault: Fault) {
    user(moment, UserAction::Fault(fault));
}

/// Stores what the editor holds, as `kubectl apply -f` does. `kind: Image` documents are the page's own.
fn apply(moment: &mut Moment, text: &Str) {
    let (manifest, images) = split_images(text);
    if !images.is_empty() {
        set_images(moment, &Str::from(images));
    }
    let words = ["apply", "-f", FILE].map(Str::fixed).to_vec();
    let record = user(moment, UserAction::Kubectl { words, files: vec![(Str::fixed(FILE), Str::from(manifest))] });
    let Detail::Command { exit, stdout, stderr, .. } = &record.detail else { return };
    let failed = *exit != Some(0);
    moment.partly = if failed { lines_of(stdout) } else { Str::default() };
    if failed {
        moment.problems = Rc::new(problems(text, stderr));
    } else {
        moment.problems = Rc::default();
        moment.stored = text.clone();
    }
    print(moment, Str::fixed("kubectl apply -f manifest.yaml"), stdout, stderr, failed, false);
}

/// What kubectl said of each object that it did store, in one line.
fn lines_of(stdout: &str) -> Str {
    Str::from(stdout.trim_end().replace('\n', ", "))
}

/// The refusal of a text that is too large to be read, kept and put into links; it names the line where that begins.
pub fn too_large(text: &str) -> Option<Problem> {
    let kept = text.as_bytes().get(..TEXT_MAX_BYTES).filter(|k| k.len() < text.len())?;
    let line = kept.iter().filter(|b| **b == b'\n').count() as u32 + 1;
    let message = Str::from(format!("error: the manifest is {} bytes long, the limit is {TEXT_MAX_BYTES}", text.len()));
    Some(Problem { line, column: 1, message, help: Some(Text::with("yaml.large", [("n", u64::from(line).into())])) })
}

/// The documents for kubectl, and those that say how images behave. Lines keep their numbers.
fn split_images(text: &str) -> (String, String) {
    if !text.contains("loopscope.dev/") {
        return (text.to_string(), String::new());
    }
    let (mut manifest, mut images) = (String::new(), String::new());
    for document in documents(text) {
        if document.contains("loopscope.dev/") {
            images.push_str(&document);
            manifest.push_str(&"\n".repeat(document.matches('\n').count()));
        } else {
            manifest.push_str(&document);
        }
    }
    (manifest, images)
}

/// The text cut before each `---` line.
fn documents(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "---" {
            all.push(String::new());
        }
        all.last_mut().expect("there is one").push_str(line);
    }
    all
}

/// Lets a command that waits come to its end.
fn finish(moment: &mut Moment, waiting: Option<Waiting>) {
    if let Some(mut waiting) = waiting {
        while !go_on(moment, &mut waiting) {}
    }
}

/// Begins a command at the prompt; one that blocks is left waiting.
pub fn begin_command(moment: &mut Moment, line: &Str) -> Option<Waiting> {
    moment.refused = None;
    if let Some(sign) = crate::kubectl::shell_sign(line) {
        let why = format!("error: this prompt is no shell and does not know `{sign}`; give one kubectl command, without it\n");
        print(moment, line.clone(), "", &why, true, false);
        return None;
    }
    let words = match crate::kubectl::split(line) {
        Ok(words) => words,
        Err(why) => {
            print(moment, line.clone(), "", &format!("error: {why}\n"), true, false);
            return None;
        }
    };
    let mut words: Vec<Str> = words.into_iter().map(Str::from).collect();
    if words.first().is_some_and(|w| *w == "kubectl" || *w == "k") {
        words.remove(0);
    }
    let files = vec![(Str::fixed(FILE), moment.stored.clone())];
    command(moment, line.clone(), words, files)
}

/// Begins a command and prints what it says, if it is over at once.
fn command(moment: &mut Moment, line: Str, words: Vec<Str>, files: Vec<(Str, Str)>) -> Option<Waiting> {
    let record = user(moment, UserAction::Kubectl { words, files });
    let Detail::Command { exit, stdout, stderr, .. } = &record.detail else { return None };
    if let Some(exit) = exit {
        print(moment, line, stdout, stderr, *exit != 0, false);
        return None;
    }
    let id = moment.world.newest_command()?;
    let from = moment.world.now();
    Some(Waiting { line, id, from, until: from.after_ms(BLOCK_MS) })
}

/// A command that waits for simulated time.
pub struct Waiting {
    line: Str,
    id: u32,
    from: Time,
    until: Time,
}

impl Waiting {
    /// Seconds gone, and the most that it waits.
    pub fn progress(&self, moment: &Moment) -> (u64, u64) {
        (moment.world.now().since_ms(self.from) / 1000, self.until.since_ms(self.from) / 1000)
    }
}

/// Lets one thing happen; whether the command is over, or has waited long enough.
pub fn go_on(moment: &mut Moment, waiting: &mut Waiting) -> bool {
    let line = waiting.line.clone();
    let Some(record) = moment.world.advance(waiting.until) else {
        if let Detail::Command { stdout, stderr, .. } =
            &moment.world.step(Activity::User(UserAction::Cancel { command: waiting.id })).detail
        {
            print(moment, line, stdout, stderr, true, false);
        }
        return true;
    };
    if let (Activity::Poll { command }, Detail::Command { exit: Some(exit), stdout, stderr, .. }) = (&record.activity, &record.detail)
        && *command == waiting.id
    {
        print(moment, line, stdout, stderr, *exit != 0, false);
        return true;
    }
    false
}

fn print(moment: &mut Moment, line: Str, stdout: &str, stderr: &str, failed: bool, running: bool) {
    let console = Rc::make_mut(&mut moment.console);
    console.push(Entry { line, output: Str::from(format!("{stdout}{stderr}")), failed, running });
    if console.len() > CONSOLE_MAX {
        console.remove(0);
    }
}

/// The strip's next move, as one sync; if nobody can move, time goes to the next timer that wakes a loop.
fn step(world: &mut Cluster) {
    let until = world.now().after_ms(TIMER_MAX_MS);
    world.step_next(until);
}

fn step_loop(world: &mut Cluster, id: &str, budget: Option<u32>) {
    if let Some(of) = find_loop(world, id) {
        world.step_loop(of, budget);
    }
}

/// One write of a loop at a time: of the named one, or of the one that owes the next move.
fn step_into(world: &mut Cluster, id: &str) {
    let of = if id.is_empty() { world.owes_next() } else { find_loop(world, id) };
    if let Some(of) = of {
        // A sync that has not begun shows first what it sees and how that differs; each further step is one write.
        let begun = !world.the_loop(of).in_flight.is_empty();
        world.step_loop(of, Some(u32::from(begun)));
    }
}

/// The loop of a card; of a kubelet without a node, the one that is next.
fn find_loop(world: &Cluster, id: &str) -> Option<LoopId> {
    let (name, node) = id.split_once(':').unwrap_or((id, ""));
    let mut all: Vec<LoopId> = world.loops_named(name).filter(|l| node.is_empty() || world.process(l.process).node == *node).collect();
    all.order_by_key(|l| {
        let due = world.the_loop(*l).due(world.now()).unwrap_or(Time(u64::MAX));
        let waiting = world.process(l.process).wires.values().filter_map(crate::cluster::Wire::due).min().unwrap_or(Time(u64::MAX));
        due.min(waiting)
    });
    all.first().copied()
}

fn token(moment: &mut Moment, wire: &WireId, event: u64, fault: EventFault, loop_id: &Str) {
    let deed = match fault {
        EventFault::Deliver => TokenDeed::Deliver,
        EventFault::Delay => TokenDeed::Delay { ms: HELD_MS },
        EventFault::Drop => TokenDeed::Drop,
        EventFault::LoseWakeUp => TokenDeed::LoseWakeUp { of: loop_name(loop_id) },
        EventFault::Duplicate => TokenDeed::Duplicate,
    };
    user(moment, UserAction::Token { process: wire.process.clone(), resource: resource(wire), revision: event, deed });
}

/// Loses the event that waits first on a wire, or makes it late; if none waits, the next one that comes.
fn next_event(moment: &mut Moment, wire: &WireId, late_ms: Option<u64>) {
    let (process, resource) = (wire.process.clone(), resource(wire));
    let Some(id) = moment.world.process_named(&process) else { return };
    let first = moment.world.process(id).wires.get(&resource).and_then(|w| w.tokens().next().map(|t| t.revision));
    match first {
        Some(revision) => {
            let deed = late_ms.map_or(TokenDeed::Drop, |ms| TokenDeed::Delay { ms });
            user(moment, UserAction::Token { process, resource, revision, deed });
        }
        None => fault(moment, Fault::Next { process, resource, late_ms }),
    }
}

/// Everything about an object is lost from now on, with what is on its way already.
fn lose(moment: &mut Moment, wire: &WireId, namespace: &Str, name: &Str, loop_id: &Str) {
    let (process, resource) = (wire.process.clone(), resource(wire));
    let about = About { resource: resource.clone(), namespace: namespace.clone(), name: name.clone() };
    if !loop_id.is_empty() {
        return fault(moment, Fault::LostWakeUp { of: loop_name(loop_id), about });
    }
    let on_its_way: Vec<u64> = moment
        .world
        .process_named(&process)
        .and_then(|id| moment.world.process(id).wires.get(&resource))
        .map(|w| w.tokens().filter(|t| about.is(&resource, &t.object)).map(|t| t.revision).collect())
        .unwrap_or_default();
    fault(moment, Fault::LostOnWire { process: process.clone(), about });
    for revision in on_its_way {
        user(moment, UserAction::Token { process: process.clone(), resource: resource.clone(), revision, deed: TokenDeed::Drop });
    }
}

/// `kind: Image` documents: how images behave from now on.
fn set_images(moment: &mut Moment, text: &Str) {
    let mut images = Value::map();
    for document in yaml::parse(text).documents {
        match crate::runtime::Images::document(&document.value) {
            Ok((name, _)) => {
                let mut options = document.value.get("spec").clone();
                options.remove("image");
                images.set(name, options);
            }
            Err(why) => {
                moment.refused = Some(Text::from(why));
                return;
            }
        }
    }
    user(moment, UserAction::Images(images));
}
