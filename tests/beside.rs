//! A second world beside a run's own: the twin lives through the same history; a branch that was left can be gone back to.

use loopscope::api::Str;
use loopscope::api::resource::PODS;
use loopscope::cluster::Cluster;
use loopscope::session::Session;
use loopscope::session::action::{Action, WireId};
use loopscope::session::beside::Kind;

fn live(world: &Cluster) -> usize {
    world.etcd().list(&PODS, "default").filter(|p| !p.is_deleting()).count()
}

/// Pods of the own world, pods of the one beside, and whether both have done the same so far.
fn seen(session: &Session) -> (usize, usize, bool) {
    let (_, beside) = session.beside().expect("there is a world beside");
    (live(&session.moment().world), live(beside), session.moment().is_together())
}

fn act(session: &mut Session, action: Action) {
    assert!(session.act(&action).is_ok(), "{action:?}");
    session.finish();
}

/// The pod wire of kube-controller-manager.
fn wire() -> WireId {
    WireId { process: Str::fixed("kube-controller-manager"), resource: PODS.0.clone() }
}

#[test]
fn the_twin_lives_through_the_same_history_and_stays_wrong_where_the_real_loop_heals() {
    let mut session = Session::begin("edge", 42);
    assert_eq!(seen(&session), (3, 3, true), "at the start");
    let pod = session.moment().world.etcd().list(&PODS, "default").next().expect("pods run").name().to_string();
    act(
        &mut session,
        Action::Lose { wire: wire(), namespace: Str::fixed("default"), name: Str::from(pod.as_str()), loop_id: Str::default() },
    );
    act(&mut session, Action::Kubectl { line: Str::from(format!("delete pod {pod} --force --wait=false")) });
    act(&mut session, Action::Advance { ms: 30_000 });
    assert_eq!(seen(&session), (2, 2, true), "neither knows");
    act(&mut session, Action::Resync { wire: wire() });
    act(&mut session, Action::Tick);
    assert_eq!(seen(&session), (2, 2, true), "a resync replays the cache, which is wrong");
    act(&mut session, Action::Relist { wire: wire() });
    act(&mut session, Action::Settle);
    assert_eq!(seen(&session), (3, 2, false), "a list tells the real loop; the twin does not count again");
    act(&mut session, Action::Kubectl { line: Str::fixed("scale deployment web --replicas=5") });
    act(&mut session, Action::Settle);
    assert_eq!(seen(&session), (5, 4, false), "the twin goes on from its wrong sum");
    act(&mut session, Action::Back);
    act(&mut session, Action::Back);
    assert_eq!(seen(&session), (3, 2, false), "back takes both");
}

#[test]
fn a_branch_that_was_left_stands_beside_and_can_be_gone_back_to() {
    let mut session = Session::begin("rolling", 42);
    act(&mut session, Action::Kubectl { line: Str::fixed("scale deployment web --replicas=1") });
    act(&mut session, Action::Settle);
    act(&mut session, Action::ScrubTo { step: 0 });
    assert!(session.beside().is_none());
    act(&mut session, Action::Fork);
    act(&mut session, Action::Kubectl { line: Str::fixed("scale deployment web --replicas=4") });
    act(&mut session, Action::Settle);
    let counts = |s: &Session| (live(&s.moment().world), s.beside().map(|(kind, world)| (kind, live(world))));
    assert_eq!(counts(&session), (4, Some((Kind::Branch, 1))));
    act(&mut session, Action::SwapBranch);
    assert_eq!(counts(&session), (1, Some((Kind::Branch, 4))), "each branch keeps its whole history");
    act(&mut session, Action::Back);
    assert_eq!(session.actions().len(), 1);
    act(&mut session, Action::CloseBranch);
    assert_eq!(counts(&session).1, None);
}
