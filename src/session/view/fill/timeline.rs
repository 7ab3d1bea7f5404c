//! The timeline of a whole run, up to its newest moment: every sync and write of the loops of the row, and the curve of pods.

use super::lens::writer_named;
use crate::api::Object;
use crate::api::resource::{DEPLOYMENTS, PODS};
use crate::apiserver::{Change, Commit};
use crate::cluster::{Activity, Cluster, Detail, Phase, StepRecord, UserAction};
use crate::session::Session;
use crate::session::view::{Curve, Mark, MarkKind, Span, Timeline, Writer};
use std::rc::Rc;

const LANES: [Writer; 5] = [Writer::Me, Writer::De, Writer::Rs, Writer::Sc, Writer::Ku];

pub fn timeline(session: &Session) -> Timeline {
    let world = &session.newest().world;
    let shown = |at: crate::util::Time| at.since_ms(world.epoch());
    let ends: Vec<(u64, u64)> = session.ends().collect();
    let (mut marks, mut spans) = (Vec::new(), Vec::new());
    let mut nth = 0;
    for record in world.records().iter().filter(|r| r.at >= world.epoch()) {
        while nth + 1 < ends.len() && ends[nth].1 <= record.number {
            nth += 1;
        }
        let (time_ms, step) = (shown(record.at), ends.get(nth).map_or(0, |e| e.0));
        if !record.faults.is_empty() {
            faults(record, time_ms, step, &mut marks, &mut spans);
        }
        if let Some((writer, kind)) = mark(world, record) {
            marks.push(Mark { time_ms, step, writer, kind });
        }
    }
    spans.iter_mut().filter(|s| s.to_ms == ON).for_each(|s| s.to_ms = shown(world.now()));
    Timeline {
        now_ms: shown(session.moment().world.now()),
        now_step: session.steps(),
        end_ms: shown(world.now()),
        end_step: session.actions().len() as u64,
        lanes: LANES.to_vec(),
        marks: Rc::new(marks),
        spans: Rc::new(spans),
        curve: Rc::new(curve(world)),
    }
}

/// The end of a span that has not ended yet.
const ON: u64 = u64::MAX;

/// What began, ended, or happened once, in a step.
#[cold]
#[inline(never)]
fn faults(record: &StepRecord, time_ms: u64, step: u64, marks: &mut Vec<Mark>, spans: &mut Vec<Span>) {
    for m in &record.faults {
        let kind = match m.phase {
            Phase::Began => MarkKind::Began(m.key),
            Phase::Ended => MarkKind::Ended(m.key),
            Phase::Acted if m.rule == 0 => MarkKind::Once(m.key),
            Phase::Acted => continue,
        };
        marks.push(Mark { time_ms, step, writer: Writer::Me, kind });
        match (m.phase, spans.iter_mut().find(|s| s.rule == m.rule)) {
            (Phase::Ended, Some(span)) => span.to_ms = time_ms,
            // It began before a person came.
            (Phase::Ended, None) => spans.push(Span { rule: m.rule, from_ms: 0, to_ms: time_ms }),
            (Phase::Began, _) => spans.push(Span { rule: m.rule, from_ms: time_ms, to_ms: ON }),
            (Phase::Acted, _) => {}
        }
    }
}

fn mark(world: &Cluster, record: &Rc<StepRecord>) -> Option<(Writer, MarkKind)> {
    match (&record.activity, &record.detail) {
        (_, Detail::Synced(sync)) if !sync.key.starts_with('~') => {
            let writer = writer_named(&world.the_loop(sync.of).name);
            if !LANES.contains(&writer) {
                return None;
            }
            let conflict = sync.exchanges.iter().any(|e| e.answer.as_ref().is_err_and(|s| s.is_conflict()));
            let kind = if conflict {
                MarkKind::Conflict
            } else if record.wrote() {
                MarkKind::Write
            } else {
                MarkKind::Sync
            };
            Some((writer, kind))
        }
        (Activity::User(UserAction::Kubectl { .. }), _) => record.wrote().then_some((Writer::Me, MarkKind::Write)),
        // What has a mark as a fault's beginning needs no other.
        (Activity::User(UserAction::Fault(_)), _) if !record.faults.is_empty() => None,
        (Activity::User(UserAction::Fault(_) | UserAction::Token { .. } | UserAction::StopLoop(_) | UserAction::StopProcess(_)), _) => {
            Some((Writer::Me, MarkKind::Fault))
        }
        _ => None,
    }
}

/// Pods wanted and ready, change by change.
pub fn curve(world: &Cluster) -> Curve {
    let etcd = world.etcd();
    let mut out = Curve::default();
    let (mut wanted, mut ready) = (0i64, 0i64);
    let mut note = |commit: &Commit| {
        let at = commit.at.since_ms(world.epoch());
        let gone = commit.change == Change::Deleted;
        if commit.resource == DEPLOYMENTS {
            let of = |o: &Object| o.spec().get("replicas").int();
            let change = if gone { 0 } else { of(&commit.object) } - commit.previous.as_ref().map_or(0, of);
            if change != 0 {
                wanted += change;
                out.wanted.push((at, wanted.max(0) as u64));
            }
        } else if commit.resource == PODS {
            let of = |o: &Object| i64::from(!o.is_deleting() && o.condition_is_true("Ready"));
            let change = if gone { 0 } else { of(&commit.object) } - commit.previous.as_ref().map_or(0, of);
            if change != 0 {
                ready += change;
                out.ready.push((at, ready.max(0) as u64));
            }
        }
    };
    if let Ok(all) = etcd.since(etcd.compacted()) {
        all.for_each(|c| note(c));
    }
    out
}
