//! From a run to a page: one file a panel, all reading the world's records and objects and changing nothing.

mod beside;
mod board;
mod cards;
mod detail;
mod diff;
mod drift;
mod faults;
mod history;
mod lens;
mod losses;
mod manifest;
mod nodes;
mod pods;
mod spoken;
mod strip;
#[cfg(test)]
mod tests;
mod tickets;
mod timeline;
mod why;

use super::{Look, NextKind, Page, Text, Top, Transport};
use crate::api::Str;
use crate::session::Session;
use lens::Lens;
pub use losses::Missed;
use std::rc::Rc;

/// What is drawn of a run.
pub fn page(session: &Session, look: &Look) -> Page {
    let moment = session.moment();
    let lens = Lens::of(session);
    let (board, tally) = board::board(&lens);
    let stuck = why::stuck(&lens, &tally);
    let inspector = match session.beside().filter(|_| look.beside) {
        Some((_, world)) => beside::inspector(world, &look.selected, look.revision),
        None => detail::inspector(&lens, &stuck, &look.selected, look.revision),
    };
    let losses = losses::losses(session, &lens);
    let (loops, quiet) = cards::cards(&lens, &tally, &losses);
    let past = session.behind();
    let (next, strip) = (strip::next(&lens, &tally, &stuck, &losses, &moment.problems), strip::stations(&lens, &tally, &loops, moment));
    let transport = Transport {
        can_step: !lens.first && past.is_none(),
        can_back: session.can_back(),
        can_redo: session.can_redo(),
        timer_s: lens.timer_s(),
        at_rest: lens.at_rest() || next.kind == NextKind::Stuck,
        busy: session.busy(),
        owes: next.who,
    };
    Page {
        top: Rc::new(Top {
            scenario: session.start().scenario.clone(),
            seed: session.start().seed,
            rev: lens.world.etcd().revision(),
            time_ms: lens.shown_ms(lens.world.now()),
            step: session.steps(),
            first: lens.first,
            past,
            loss: losses::notice(session, &lens, &losses),
            notice: session.notice().cloned(),
        }),
        ready: tally.ready,
        next: Rc::new(next),
        strip: Rc::new(strip),
        loops: Rc::new(loops),
        quiet: Rc::new(quiet),
        attention: why::attention(&stuck),
        beside: beside::beside(session, &lens, &tally).map(Rc::new),
        board: Rc::new(board),
        nodes: Rc::new(nodes::nodes(&lens)),
        inspector: inspector.map(Rc::new),
        transport,
        timeline: Rc::new(timeline::timeline(session)),
        console: moment.console.clone(),
        manifest: Rc::new(manifest::manifest(session)),
        faults: Rc::new(manifest::faults(&lens, &losses)),
        choices: look.faults.then(|| Rc::new(faults::choices(session, lens.world))),
        images: Rc::new(manifest::images()),
        lesson: moment.course.as_ref().map(|c| c.state().clone()),
        said: moment.refused.clone().unwrap_or_else(|| spoken::last_step(&lens)),
    }
}

/// Whether nothing is left to do in a run but timers that change nothing.
pub fn at_rest(session: &Session) -> bool {
    Lens::of(session).at_rest()
}

/// A number as text of the API.
fn num(n: impl std::fmt::Display) -> Str {
    Str::from(n.to_string())
}

/// A word with one number.
fn counted(key: &'static str, n: u64) -> Text {
    Text::with(key, [("n", n.into())])
}
