//! The script beside the loops, under the same faults: wherever the fault hits, the loops come to what was asked for once they
//! run again, and the script stays where it was until a person runs it again.

use loopscope::api::Str;
use loopscope::cluster::{Activity, Cluster, Fault, UserAction, Verdict};
use loopscope::scenes::script::{Halves, Line, MACHINES, Runner, Script, Version};
use loopscope::session::Session;
use loopscope::session::action::Action;
use loopscope::util::Time;

const MANAGER: Str = Str::fixed("kube-controller-manager");

/// Three replicas of v1 run, and v2 was just applied.
fn begun() -> Session {
    let mut session = Session::begin("rolling", 42);
    let text = session.offered();
    session.act(&Action::Apply { text }).unwrap();
    session
}

fn user(world: &mut Cluster, action: UserAction) {
    world.step(Activity::User(action));
}

fn pass(world: &mut Cluster, seconds: u64) {
    pass_ms(world, seconds * 1000);
}

fn pass_ms(world: &mut Cluster, ms: u64) {
    let until = world.now().after_ms(ms);
    world.run_until(until);
}

fn settle(world: &mut Cluster) -> Verdict {
    let until = world.now().after_ms(3_600_000);
    world.run_until_settled(until)
}

/// (ready pods of v2, pods at all)
fn pods(world: &Cluster) -> (usize, usize) {
    let halves = Halves::of(world);
    (halves.ready(Version::V2), halves.pods.len())
}

/// Where the script stands, and on each machine the version that answers and the jar.
fn stands(world: &Cluster) -> (Runner, [(Option<Version>, Version); MACHINES]) {
    let script = Script::beside(world);
    (script.runner, script.machines.map(|m| (m.serves(script.now), m.jar)))
}

/// The script does not answer sooner than an application that just starts.
fn once_quiet(world: &Cluster) -> (Runner, [(Option<Version>, Version); MACHINES]) {
    let mut world = world.clone();
    pass(&mut world, 60);
    stands(&world)
}

#[test]
fn without_a_fault_both_come_to_the_new_version() {
    let mut world = begun().moment().world.clone();
    assert_eq!(stands(&world).0, Runner::At { machine: 0, line: Line::Stop });
    assert_eq!(settle(&mut world), Verdict::Converged);
    assert_eq!((pods(&world), Halves::of(&world).wanted), ((3, 3), (Version::V2, 3)));
    assert_eq!(stands(&world), (Runner::Done, [(Some(Version::V2), Version::V2); MACHINES]));
}

#[test]
fn wherever_the_process_dies_the_loops_carry_on_and_the_script_does_not() {
    let start = begun().moment().world.clone();
    let (mut at, end) = (start.clone(), start.now().after_ms(30_000));
    let (mut tried, mut halfway) = (0, Vec::new());
    // After everything that happens, and every tenth of a second in which nothing does.
    while at.now() < end {
        at.advance(at.now().after_ms(100));
        let mut world = at.clone();
        user(&mut world, UserAction::StopProcess(MANAGER));
        let stopped = once_quiet(&world);
        pass(&mut world, 60);
        user(&mut world, UserAction::StartProcess(MANAGER));
        assert_eq!(settle(&mut world), Verdict::Converged, "killed at {:?}", at.now());
        assert_eq!(pods(&world), (3, 3), "killed at {:?}", at.now());
        assert_eq!(stands(&world), stopped, "killed at {:?}", at.now());
        match stopped.0 {
            Runner::Died { machine, line } => halfway.push((machine, line)),
            Runner::Done => assert!(at.now() >= start.now().after_ms(15_000)),
            other => panic!("killed at {:?}, the script is {other:?}", at.now()),
        }
        tried += 1;
    }
    halfway.dedup();
    let every: Vec<_> = (0..MACHINES).flat_map(|m| Line::ALL.map(|l| (m, l))).collect();
    assert!(tried > 200, "{tried}");
    assert_eq!(halfway, every, "the fault hit every line of the script");
}

#[test]
fn after_any_write_of_a_loop_its_process_may_die() {
    for (of, writes) in
        [("deployment", 1), ("deployment", 2), ("deployment", 3), ("replicaset", 1), ("replicaset", 2), ("endpointslice", 1)]
    {
        let mut world = Session::begin("rolling", 42).moment().world.clone();
        let crash = Fault::Crash { of: Str::from(of), writes, restart: loopscope::cluster::faults::Restart::Never };
        user(&mut world, UserAction::Fault(crash));
        let (files, words) =
            (vec![(Str::fixed("m.yaml"), begun().moment().stored.clone())], ["apply", "-f", "m.yaml"].map(Str::fixed).to_vec());
        user(&mut world, UserAction::Kubectl { words, files });
        pass(&mut world, 120);
        let dead = !world.process(world.process_named(&MANAGER).unwrap()).running;
        assert_eq!(matches!(stands(&world).0, Runner::Died { .. }), dead, "{of}, {writes}");
        user(&mut world, UserAction::StartProcess(MANAGER));
        assert_eq!(settle(&mut world), Verdict::Converged, "{of}, {writes}");
        assert_eq!(pods(&world), (3, 3), "{of}, {writes}");
    }
}

#[test]
fn who_runs_the_script_again_begins_at_its_first_line_and_gets_there() {
    let mut world = begun().moment().world.clone();
    pass_ms(&mut world, 7_300);
    user(&mut world, UserAction::StopProcess(MANAGER));
    pass(&mut world, 30);
    let half = (
        Runner::Died { machine: 1, line: Line::Start },
        [(Some(Version::V2), Version::V2), (None, Version::V2), (Some(Version::V1), Version::V1)],
    );
    assert_eq!(stands(&world), half);
    user(&mut world, UserAction::StartProcess(MANAGER));
    settle(&mut world);
    assert_eq!(stands(&world), half);
    let (files, words) =
        (vec![(Str::fixed("m.yaml"), begun().moment().stored.clone())], ["apply", "-f", "m.yaml"].map(Str::fixed).to_vec());
    user(&mut world, UserAction::Kubectl { words, files });
    assert_eq!(stands(&world).0, Runner::At { machine: 0, line: Line::Stop });
    pass(&mut world, 1);
    assert_eq!(stands(&world).1[0].0, None, "the machine that was done already is stopped again");
    pass(&mut world, 30);
    assert_eq!(stands(&world), (Runner::Done, [(Some(Version::V2), Version::V2); MACHINES]));
}

#[test]
fn a_dead_machine_is_replaced_by_the_loops_alone_and_ends_the_script() {
    let mut world = begun().moment().world.clone();
    settle(&mut world);
    user(&mut world, UserAction::Fault(Fault::NodeDown(Str::fixed("node-3"))));
    pass(&mut world, 600);
    assert_eq!(pods(&world).0, 3);
    assert_eq!((Script::beside(&world).serving(Version::V2), Script::beside(&world).runner), (2, Runner::Done));

    let mut world = begun().moment().world.clone();
    user(&mut world, UserAction::Fault(Fault::NodeDown(Str::fixed("node-2"))));
    pass(&mut world, 30);
    assert_eq!(Script::beside(&world).runner, Runner::Failed { machine: 1, line: Line::Stop });
    user(&mut world, UserAction::Fault(Fault::NodeUp(Str::fixed("node-2"))));
    pass(&mut world, 30);
    assert_eq!(stands(&world).1, [(Some(Version::V2), Version::V2), (Some(Version::V1), Version::V1), (Some(Version::V1), Version::V1)]);
}

#[test]
fn time_may_pass_in_any_pieces() {
    let world = begun().moment().world.clone();
    let whole = Script::beside(&{
        let mut w = world.clone();
        pass(&mut w, 20);
        w
    });
    let mut pieces = Script::beside(&world);
    let end = whole.now;
    while pieces.now < end {
        pieces.pass(Time((pieces.now.0 + 137).min(end.0)));
    }
    assert_eq!(pieces, whole);
}
