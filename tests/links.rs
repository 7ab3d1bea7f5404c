//! A run is its link: whatever a person did, the link opened again leads to the same records, byte for byte.

use loopscope::api::Str;
use loopscope::api::resource::PODS;
use loopscope::measure::digest;
use loopscope::session::Session;
use loopscope::session::action::{Action, FailCode, WireId};
use loopscope::util::Draws;

const ACTIONS: u64 = 40;
const SCENARIOS: [&str; 6] = ["first", "rolling", "lost", "stuck", "edge", "conflict"];
const IMAGES: [&str; 6] = ["my-app:v1", "my-app:v2", "my-app:v3", "my-app:v4", "my-app:v5", "nginx:1.14.2"];

#[test]
fn a_link_opened_again_leads_to_the_same_records() {
    for seed in 1..=6 {
        let session = play(seed);
        let Ok(again) = Session::open(&session.link()) else { panic!("the link of run {seed} cannot be opened") };
        assert_eq!(digest(&again.newest().world), digest(&session.newest().world), "run {seed}");
    }
}

#[test]
fn back_and_again_leads_to_the_same_records() {
    for seed in 11..=14 {
        let mut session = play(seed);
        let before = digest(&session.newest().world);
        for action in [Action::Back, Action::Back, Action::Redo, Action::Redo] {
            assert!(session.act(&action).is_ok(), "run {seed}: {action:?}");
        }
        assert_eq!(digest(&session.newest().world), before, "run {seed}");
    }
}

/// Draws for one run, numbered in the order in which they are asked for.
struct Choices {
    draws: Draws,
    asked: u64,
}

impl Choices {
    /// A number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.asked += 1;
        self.draws.between("random run", "", self.asked, 0, end - 1)
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

/// The run of a seed.
fn play(seed: u64) -> Session {
    let mut choices = Choices { draws: Draws::new(seed), asked: 0 };
    let mut session = Session::begin(choices.one::<&str>(&SCENARIOS), seed);
    for _ in 0..ACTIONS {
        let action = action(&mut choices, &session);
        // A refused action is a part of the run like any other.
        let _ = session.act(&action);
    }
    session
}

fn action(c: &mut Choices, session: &Session) -> Action {
    let world = &session.newest().world;
    let loops: Vec<Str> = world.loops().map(|id| world.the_loop(id).name.clone()).collect();
    let processes: Vec<Str> = world.processes().map(|p| p.name.clone()).collect();
    let wires: Vec<WireId> = world
        .processes()
        .flat_map(|p| p.wires.keys().map(|resource| WireId { process: p.name.clone(), resource: resource.0.clone() }))
        .collect();
    match c.below(22) {
        0 | 1 => Action::Apply { text: manifest(c) },
        2..=5 => Action::Step,
        6..=9 => Action::Tick,
        10 => Action::Advance { ms: c.below(20_000) },
        11 => Action::StepLoop { loop_id: c.one(&loops).clone() },
        12 => Action::StepInto { loop_id: c.one(&loops).clone() },
        13 => Action::StopLoop { loop_id: c.one(&loops).clone() },
        14 => Action::StartLoop { loop_id: c.one(&loops).clone() },
        15 => Action::RestartProcess { process: c.one(&processes).clone() },
        16 => Action::DropNext { wire: c.one(&wires).clone() },
        17 => Action::DelayWire { wire: c.one(&wires).clone(), ms: c.below(3) * 700 },
        18 => wire_mishap(c, &wires),
        19 => {
            Action::FailNext { loop_id: c.one(&loops).clone(), code: *c.one(&[FailCode::Conflict, FailCode::Internal, FailCode::Timeout]) }
        }
        20 => Action::Kubectl { line: line(c, session) },
        _ => Action::Back,
    }
}

fn wire_mishap(c: &mut Choices, wires: &[WireId]) -> Action {
    let wire = c.one(wires).clone();
    match c.below(3) {
        0 => Action::Resync { wire },
        1 => Action::Disconnect { wire },
        _ => Action::Relist { wire },
    }
}

fn manifest(c: &mut Choices) -> Str {
    let (replicas, image) = (c.below(7), c.one(&IMAGES));
    let (surge, unavailable) = (c.below(3), c.below(2));
    Str::from(format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: {replicas}\n  strategy:\n    rollingUpdate:\n      maxSurge: {}\n      \
         maxUnavailable: {unavailable}\n  selector:\n    matchLabels:\n      app: web\n  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      \
         containers:\n      - name: web\n        image: {image}\n",
        surge.max(1 - unavailable),
    ))
}

fn line(c: &mut Choices, session: &Session) -> Str {
    let pods: Vec<Str> = session.newest().world.etcd().list(&PODS, "default").map(|p| Str::from(p.name())).collect();
    match c.below(4) {
        0 if !pods.is_empty() => Str::from(format!("kubectl delete pod {} --force", c.one(&pods))),
        1 if !pods.is_empty() => Str::from(format!("kubectl delete pod {} --wait=false", c.one(&pods))),
        2 => Str::fixed("kubectl delete deployment web --wait=false"),
        _ => Str::from(format!("kubectl scale deployment/web --replicas={}", c.below(9))),
    }
}
