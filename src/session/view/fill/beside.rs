//! The world beside the run's own, and what either ReplicaSet loop says: the real one reads again and counts, the twin adds and
//! subtracts.

use super::board::{Tally, board};
use super::lens::{Lens, is_live};
use super::timeline::curve;
use crate::api::resource::{PODS, REPLICA_SETS};
use crate::cluster::Cluster;
use crate::session::Session;
use crate::session::beside::Kind;
use crate::session::view::{Beside, Inspector, Text};
use std::rc::Rc;

const MANAGER: &str = "kube-controller-manager";

pub fn beside(session: &Session, own: &Lens, tally: &Tally) -> Option<Beside> {
    let (kind, world) = session.beside()?;
    let lens = Lens::of_world(world, false);
    let (board, there) = board(&lens);
    let twin = kind == Kind::Twin;
    let wrong = (twin && is_wrong(own, tally), twin && is_wrong(&lens, &there));
    let said = if twin { (level(own, tally, wrong.0), edge(world, &there, wrong.1)) } else { Default::default() };
    Some(Beside {
        kind,
        board: Rc::new(board),
        ready: there.ready,
        curve: Rc::new(curve(world)),
        time_ms: lens.shown_ms(world.now()),
        said,
        wrong,
        together: session.moment().is_together(),
    })
}

/// An object of that world, from every side.
pub fn inspector(world: &Cluster, uid: &str, revision: u64) -> Option<Inspector> {
    let lens = Lens::of_world(world, false);
    let stuck = super::why::stuck(&lens, &board(&lens).1);
    super::detail::inspector(&lens, &stuck, uid, revision)
}

/// A gap, and nothing under way that would close it.
fn is_wrong(lens: &Lens, tally: &Tally) -> bool {
    tally.active != tally.wanted && lens.owes.is_none() && !lens.world.is_busy()
}

fn level(lens: &Lens, tally: &Tally, wrong: bool) -> Text {
    let (a, b) = (tally.active, tally.wanted);
    let cached = lens.world.process_named(MANAGER).map_or(0, |id| {
        let pods = lens.world.process(id).caches.of(&PODS);
        pods.all().filter(|p| is_live(p) && p.controller_uid().is_some()).count() as u64
    });
    let word = match (a == b, wrong) {
        (true, _) => "beside.level.even",
        (false, false) => "beside.level.moves",
        (false, true) if cached == a => "beside.level.asleep",
        (false, true) => "beside.level.stale",
    };
    Text::with(word, [("a", a.into()), ("b", b.into()), ("n", a.abs_diff(b).into()), ("c", cached.into())])
}

/// The twin's sum is what it writes into `status.replicas`.
fn edge(world: &Cluster, tally: &Tally, wrong: bool) -> Text {
    let sum: i64 = world.etcd().list(&REPLICA_SETS, "").map(|r| r.status().get("replicas").int()).sum();
    let sum = sum.max(0) as u64;
    let word = match (wrong, sum == tally.wanted) {
        (true, _) => "beside.edge.wrong",
        (false, true) => "beside.edge.even",
        (false, false) => "beside.edge.moves",
    };
    Text::with(word, [("n", sum.into()), ("a", tally.active.into()), ("b", tally.wanted.into())])
}
