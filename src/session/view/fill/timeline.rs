//! The timeline of a whole run, up to its newest moment: every sync and write of the loops of the row, and the curve of pods.

use super::lens::writer_named;
use crate::api::Object;
use crate::api::resource::{DEPLOYMENTS, PODS};
use crate::apiserver::Change;
use crate::cluster::{Activity, Cluster, Detail, Phase, StepRecord, UserAction};
use crate::session::Session;
use crate::session::view::{Curve, Mark, MarkKind, Span, Timeline, Writer};
use std::cell::RefCell;
use std::rc::Rc;

const LANES: [Writer; 5] = [Writer::Me, Writer::De, Writer::Rs, Writer::Sc, Writer::Ku];

thread_local! {
    /// What was read of the run and of the world beside it.
    static READ: RefCell<(Read, Read)> = RefCell::default();
}

/// The end of a span that has not ended yet.
const ON: u64 = u64::MAX;

/// What was read of a history so far. It grows at its end alone, so that a look reads what came since the one before, unless the
/// record that it ended with is another one by now.
#[derive(Default)]
struct Read {
    last: Option<Rc<StepRecord>>,
    marks: Rc<Vec<Mark>>,
    spans: Rc<Vec<Span>>,
    revision: u64,
    wanted: i64,
    ready: i64,
    curve: Rc<Curve>,
}

impl Read {
    fn go_on(&mut self, world: &Cluster, ends: &[(u64, u64)]) {
        if !self.last.as_ref().is_some_and(|last| world.record(last.number).is_some_and(|r| Rc::ptr_eq(r, last))) {
            *self = Read::default();
        }
        let from = self.last.as_ref().map_or(0, |r| r.number + 1);
        let mut marks = Vec::new();
        for record in (from..world.records().len() as u64).filter_map(|n| world.record(n)).filter(|r| r.at >= world.epoch()) {
            let nth = ends.partition_point(|e| e.1 <= record.number).min(ends.len().saturating_sub(1));
            let (time_ms, step) = (record.at.since_ms(world.epoch()), ends.get(nth).map_or(0, |e| e.0));
            if !record.faults.is_empty() {
                faults(record, time_ms, step, &mut marks, Rc::make_mut(&mut self.spans));
            }
            if let Some((writer, kind)) = mark(world, record) {
                marks.push(Mark { time_ms, step, writer, kind });
            }
        }
        if !marks.is_empty() {
            Rc::make_mut(&mut self.marks).append(&mut marks);
        }
        self.bend(world);
        self.last = world.records().last().cloned();
    }

    /// Pods wanted and ready, change by change.
    fn bend(&mut self, world: &Cluster) {
        let etcd = world.etcd();
        let Ok(fresh) = etcd.since(self.revision.max(etcd.compacted())) else { return };
        for commit in fresh {
            let at = commit.at.since_ms(world.epoch());
            let (sum, line) = if commit.resource == DEPLOYMENTS {
                (&mut self.wanted, true)
            } else if commit.resource == PODS {
                (&mut self.ready, false)
            } else {
                continue;
            };
            let of = |o: &Object| {
                if line { o.spec().get("replicas").int() } else { i64::from(!o.is_deleting() && o.condition_is_true("Ready")) }
            };
            let change = if commit.change == Change::Deleted { 0 } else { of(&commit.object) } - commit.previous.as_ref().map_or(0, of);
            if change != 0 {
                *sum += change;
                let point = (at, (*sum).max(0) as u64);
                let curve = Rc::make_mut(&mut self.curve);
                if line { curve.wanted.push(point) } else { curve.ready.push(point) }
            }
        }
        self.revision = etcd.revision();
    }
}

pub fn timeline(session: &Session) -> Timeline {
    let world = &session.newest().world;
    let shown = |at: crate::util::Time| at.since_ms(world.epoch());
    let ends: Vec<(u64, u64)> = session.ends().collect();
    let (marks, spans, curve) = READ.with_borrow_mut(|(own, _)| {
        own.go_on(world, &ends);
        (own.marks.clone(), own.spans.clone(), own.curve.clone())
    });
    let end_ms = shown(world.now());
    Timeline {
        now_ms: shown(session.moment().world.now()),
        now_step: session.steps(),
        end_ms,
        end_step: session.actions().len() as u64,
        lanes: LANES.to_vec(),
        marks,
        spans: if spans.iter().any(|s| s.to_ms == ON) {
            Rc::new(spans.iter().map(|s| Span { to_ms: s.to_ms.min(end_ms), ..*s }).collect())
        } else {
            spans
        },
        curve,
    }
}

/// Pods wanted and ready in the world beside.
pub fn curve(world: &Cluster) -> Rc<Curve> {
    READ.with_borrow_mut(|(_, beside)| {
        beside.go_on(world, &[]);
        beside.curve.clone()
    })
}

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
