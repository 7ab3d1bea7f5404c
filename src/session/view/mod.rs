//! What the page draws: plain snapshots, one struct a panel. A text is a key of the string table with its arguments, or
//! text of the API verbatim, so that one view serves every language. Numbers are simulated milliseconds and revisions.

mod beside;
mod board;
mod faults;
mod fill;
pub mod forms;
mod inspect;
mod loops;
mod text;
mod timeline;

pub use beside::Beside;
pub use board::{Board, Count, Kid, Node, Nodes, Obj, Row, Slots, Tree};
pub use faults::{Choices, Fault, Ruling};
pub use fill::{Missed, at_rest, page};
pub use inspect::{Cause, Cell, Condition, Diff, DiffLine, EventLine, Inspector, Owner, Remedy, Room, Sign, SplitRow, Tab, Twin, Why};
pub use loops::{Differs, LoopCard, LoopState, Stage, Station, StationState, Ticket, TicketState, Wire};
pub use text::{Health, Text, Writer};
pub use timeline::{Curve, Mark, MarkKind, Span, Timeline};

use crate::api::Str;
use std::rc::Rc;

/// What a person looks at; changes what a view holds, never the world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// The uid of the selected object; empty for none.
    pub selected: Str,
    /// It is one of the world beside.
    pub beside: bool,
    /// The revision whose YAML is compared with the one before it; 0 for the newest.
    pub revision: u64,
    /// The faults are looked at: what one can put in is wanted, too.
    pub faults: bool,
}

/// Everything on the screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    pub top: Rc<Top>,
    pub next: Rc<Next>,
    pub strip: Rc<Vec<Station>>,
    pub ready: Ready,
    /// The four loops of the row.
    pub loops: Rc<Vec<LoopCard>>,
    /// All others, folded until one of them has something to say.
    pub quiet: Rc<Vec<LoopCard>>,
    pub board: Rc<Board>,
    pub beside: Option<Rc<Beside>>,
    pub nodes: Rc<Nodes>,
    pub inspector: Option<Rc<Inspector>>,
    pub transport: Transport,
    pub timeline: Rc<Timeline>,
    pub console: Rc<Vec<Entry>>,
    pub manifest: Rc<Manifest>,
    pub faults: Rc<Vec<Fault>>,
    /// What a new fault can be about, if that is looked at.
    pub choices: Option<Rc<Choices>>,
    pub images: Rc<Vec<Image>>,
    /// How far the lesson is, if this run is one's.
    pub lesson: Option<Rc<crate::lessons::State>>,
    /// The uid of the object that explains why it is stuck or blind: the inspector turns to it once. Empty if none.
    pub attention: Str,
    /// One sentence about the last step, for the live log.
    pub said: Text,
}

/// The bar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Top {
    /// The name of the scenario, as in the menu.
    pub scenario: Str,
    pub seed: u64,
    pub rev: u64,
    pub time_ms: u64,
    pub step: u64,
    /// Nothing was ever applied: the welcome stands on the board.
    pub first: bool,
    /// How many steps before the newest moment this is, when a person looks at the past.
    pub past: Option<u64>,
    /// The newest loss that stands, or what just made one good.
    pub loss: Option<Text>,
    /// Something a person should know about this run, as after opening a link of another version.
    pub notice: Option<Text>,
}

/// Who owes the next move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Next {
    pub who: Option<Writer>,
    pub kind: NextKind,
    pub head: Text,
    pub detail: Text,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NextKind {
    /// A loop moves next.
    #[default]
    Loop,
    /// It is the person's turn.
    You,
    /// A loop tried and cannot.
    Stuck,
    /// There is a gap and nobody sees it.
    Lost,
    /// Everything agrees.
    Done,
    /// Nobody can move before a timer.
    Timer,
}

/// How many pods are wanted, ready, and on their way. `wanted` 0: nothing to count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    pub wanted: u64,
    pub ready: u64,
    pub half: u64,
}

/// What the buttons of the transport may do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transport {
    pub can_step: bool,
    pub can_back: bool,
    pub can_redo: bool,
    /// Seconds to the next timer, when nobody can move.
    pub timer_s: Option<u64>,
    /// Nothing left to do but timers that change nothing: a run stops here.
    pub at_rest: bool,
    /// Long work under way: so many of so many steps.
    pub busy: Option<(u64, u64)>,
    /// The writer whose move is next, for the hue.
    pub owes: Option<Writer>,
}

/// One command at the prompt with its answer, verbatim.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    pub line: Str,
    pub output: Str,
    pub failed: bool,
    /// Still waiting for simulated time.
    pub running: bool,
}

/// The manifest as it was last applied, and what was wrong with the last try.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// The text last stored; empty if none was.
    pub stored: Str,
    /// The text that a scenario puts into the editor at its start.
    pub offered: Str,
    pub problems: Vec<Problem>,
    /// What was stored although the last try failed.
    pub partly: Str,
    /// Where the stored text and the board differ by now: a field, and what the board says of it.
    pub drift: Option<(Str, Str)>,
    /// Who last wrote the field of a line (counted from 1) of `stored`.
    pub writers: Vec<(u32, Writer)>,
}

/// One mistake in a manifest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// Counted from 1; 0 if the answer names no line.
    pub line: u32,
    pub column: u32,
    /// What kubectl or the server answered.
    pub message: Str,
    /// Our sentence about it.
    pub help: Option<Text>,
}

/// How one image behaves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    pub name: Str,
    pub health: Health,
    pub note: Text,
}
