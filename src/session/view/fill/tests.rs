//! The page of a real run, from the first visit to a settled cluster and to a lost event.

use super::*;
use crate::session::action::{Action, EventFault, WireId};
use crate::session::view::{LoopState, NextKind, StationState, TicketState, Writer};

fn begun(scenario: &str) -> Session {
    Session::begin(scenario, 42)
}

fn seen(session: &Session) -> Page {
    page(session, &Look::default())
}

fn apply(session: &mut Session) {
    let text = session.offered();
    session.act(&Action::Apply { text }).expect("the offered manifest is right");
}

/// Steps until nobody owes a move, and hands back the page.
fn settle(session: &mut Session) -> Page {
    for _ in 0..400 {
        let p = seen(session);
        if p.transport.at_rest {
            return p;
        }
        session.act(&Action::Step).expect("a step can be done");
    }
    panic!("it does not come to rest: {:?}", seen(session).next);
}

#[test]
fn the_first_visit_asks_for_apply_and_then_each_loop_has_its_turn() {
    let mut s = begun("first");
    let p = seen(&s);
    assert!(p.top.first);
    assert_eq!((p.next.kind, p.strip[0].state), (NextKind::You, StationState::Now));
    assert!(p.loops.iter().all(|l| l.intro.is_some()));
    apply(&mut s);
    let mut turns = Vec::new();
    for _ in 0..60 {
        let p = seen(&s);
        if p.transport.at_rest {
            break;
        }
        if let Some(owes) = p.transport.owes.filter(|_| p.next.kind == NextKind::Loop)
            && turns.last() != Some(&owes)
        {
            turns.push(owes);
        }
        s.act(&Action::Step).unwrap();
    }
    let order = [Writer::De, Writer::Rs, Writer::Sc, Writer::Ku].map(|w| turns.iter().position(|t| *t == w));
    assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{turns:?}");
    let p = settle(&mut s);
    assert_eq!((p.ready.wanted, p.ready.ready), (3, 3));
    assert_eq!(p.next.kind, NextKind::Done);
    assert!(p.strip.iter().all(|s| s.state == StationState::Ok), "{:?}", p.strip);
    assert_eq!(p.board.trees[0].rows[0].pods.len(), 3);
    assert!(p.timeline.curve.ready.len() >= 3 && !p.timeline.marks.is_empty());
}

#[test]
fn a_deletion_lost_on_the_wire_leaves_a_gap_that_a_relist_closes() {
    let mut s = begun("lost");
    let name = seen(&s).board.trees[0].rows[0].pods[0].name.clone();
    s.act(&Action::Kubectl { line: Str::from(format!("delete pod {name} --force")) }).unwrap();
    let mut lost = 0;
    while let Some(t) = seen(&s).loops[1].wire.iter().find(|t| t.state == TicketState::Waiting && t.object.starts_with("Pod")).cloned() {
        s.act(&Action::Event { wire: t.wire, event: t.event, fault: EventFault::Drop, loop_id: "replicaset".into() }).unwrap();
        lost += 1;
    }
    assert!(lost > 0, "the deletion is on the wire");
    let p = settle(&mut s);
    assert_eq!(p.next.kind, NextKind::Lost, "{:?}", p.next);
    assert_eq!(p.strip[3].state, StationState::Blind);
    assert_eq!(p.loops[1].behind, lost, "a cache is behind by the events that were lost on its way, whatever else was written");
    assert!(p.loops[1].blind && p.loops[1].wire.iter().any(|t| t.state == TicketState::Lost));
    assert_eq!((p.ready.wanted, p.ready.ready), (3, 2));
    let look = Look { selected: p.attention.clone(), ..Look::default() };
    let why = page(&s, &look).inspector.and_then(|i| i.why.clone()).expect("it says why");
    assert_eq!(why.twin.map(|t| (t.cache.filled, t.board.filled)), Some((3, 2)));
    s.act(&Action::Relist { wire: WireId { process: "kube-controller-manager".into(), resource: "pods".into() } }).unwrap();
    let p = settle(&mut s);
    assert_eq!((p.next.kind, p.ready.ready), (NextKind::Done, 3));
}

#[test]
fn pods_without_room_are_stuck_at_the_scheduler_and_say_why() {
    let mut s = begun("stuck");
    apply(&mut s);
    let p = settle(&mut s);
    assert_eq!(p.next.kind, NextKind::Stuck, "{:?}", p.next);
    assert_eq!((p.strip[4].state, p.loops[2].state), (StationState::Stuck, LoopState::Stuck));
    assert_eq!(p.strip[4].note, Text::from("Insufficient cpu"));
    let look = Look { selected: p.attention.clone(), ..Look::default() };
    let why = page(&s, &look).inspector.and_then(|i| i.why.clone()).expect("it says why");
    assert_eq!(why.rooms.len(), 3);
}

#[test]
fn the_past_can_be_looked_at_step_by_step_and_left_again() {
    let mut s = begun("first");
    apply(&mut s);
    for _ in 0..5 {
        s.act(&Action::Step).unwrap();
    }
    s.act(&Action::ScrubTo { step: 2 }).unwrap();
    let p = seen(&s);
    assert_eq!((p.top.past, p.top.step, p.timeline.now_step, p.timeline.end_step), (Some(4), 2, 2, 6));
    assert!(!p.transport.can_step);
    s.act(&Action::ScrubTo { step: 3 }).unwrap();
    assert_eq!(seen(&s).top.step, 3);
    s.act(&Action::Now).unwrap();
    assert_eq!(seen(&s).top.past, None);
}

#[test]
fn ticks_lead_from_apply_to_three_ready_pods() {
    let mut s = begun("first");
    apply(&mut s);
    for nth in 0..80 {
        let p = seen(&s);
        println!("{nth} t={} {:?} {:?} ready {}", p.top.time_ms, p.next.who, p.next.detail, p.ready.ready);
        if p.transport.at_rest {
            break;
        }
        s.act(&Action::Tick).unwrap();
    }
    assert_eq!(seen(&s).ready.ready, 3);
}

#[test]
fn a_loop_that_was_stopped_catches_up_step_by_step() {
    let mut s = begun("lost");
    s.act(&Action::StopLoop { loop_id: "deployment".into() }).unwrap();
    s.act(&Action::Kubectl { line: "kubectl scale deployment web --replicas=4".into() }).unwrap();
    assert_eq!(settle(&mut s).ready.wanted, 4);
    assert_eq!(seen(&s).board.trees[0].rows[0].pods.len(), 3);
    s.act(&Action::StartLoop { loop_id: "deployment".into() }).unwrap();
    let p = settle(&mut s);
    assert_eq!((p.ready.wanted, p.ready.ready), (4, 4), "{:?} {:?}", p.next, p.transport);
}

#[test]
fn a_lost_wake_up_is_shown_until_a_resync_heals_it_and_says_so() {
    let mut s = begun("lost");
    let pod = seen(&s).board.trees[0].rows[0].pods[0].name.clone();
    s.act(&Action::Kubectl { line: Str::from(format!("kubectl delete pod {pod} --force --grace-period=0")) }).unwrap();
    let wire = WireId { process: "kube-controller-manager".into(), resource: "pods".into() };
    let lose = Action::Lose { wire: wire.clone(), namespace: "default".into(), name: pod, loop_id: "replicaset".into() };
    s.act(&lose).unwrap();
    let p = settle(&mut s);
    assert_eq!((p.ready.wanted, p.ready.ready, p.next.kind), (3, 2, NextKind::Lost));
    assert!(p.loops[1].wire.iter().any(|t| t.state == TicketState::WakeLost), "{:?}", p.loops[1].wire);
    s.act(&Action::Resync { wire: WireId { resource: "replicasets.apps".into(), ..wire } }).unwrap();
    let healed = |s: &Session| seen(s).top.loss.clone().is_some_and(|t| matches!(t, Text::Word("loss.healed", _)));
    for _ in 0..6 {
        if !healed(&s) {
            s.act(&Action::Step).unwrap();
        }
    }
    let said = format!("{:?}", seen(&s).top.loss);
    assert!(said.contains("loss.healed") && said.contains("heal.resync"), "{said}");
    assert_eq!(settle(&mut s).ready.ready, 3);
}

#[test]
fn the_next_event_is_lost_though_none_waits_yet_and_a_relist_heals_it() {
    let mut s = begun("lost");
    let wire = WireId { process: "kube-controller-manager".into(), resource: "deployments.apps".into() };
    s.act(&Action::DropNext { wire: wire.clone() }).unwrap();
    let armed = |s: &Session| seen(s).faults.iter().any(|f| f.what == Text::word("flt.next"));
    assert!(armed(&s) && seen(&s).top.loss.is_none());
    s.act(&Action::Kubectl { line: "kubectl scale deployment web --replicas=4".into() }).unwrap();
    assert!(!armed(&s));
    let p = settle(&mut s);
    assert_eq!((p.ready.wanted, p.ready.ready), (4, 3));
    assert!(format!("{:?}", p.top.loss).contains("loss.stale"), "{:?}", p.top.loss);
    let before = s.actions().len();
    s.act(&Action::Relist { wire }).unwrap();
    assert_eq!(settle(&mut s).ready.ready, 4);
    while s.actions().len() > before {
        s.act(&Action::Back).unwrap();
    }
    assert!(format!("{:?}", seen(&s).top.loss).contains("loss.stale"), "what is undone is unread");
}
