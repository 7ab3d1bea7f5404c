//! What the page remembers besides the world: which tab, which menu, which language. One message type for everything.

use super::words::Lang;
use crate::api::Str;
use crate::session::action::Action;
use crate::session::view::Tab;
use std::rc::Rc;

/// Everything that can happen in the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Msg {
    Act(Action),
    /// Apply what stands in the editor.
    Apply,
    Lang(Lang),
    Theme,
    Menu(Option<Menu>),
    Sheet(Sheet),
    EditTab(EditTab),
    InspectTab(Tab),
    Select(Str),
    /// An object of the world beside.
    SelectBeside(Str),
    Revision(u64),
    /// Opens what can be done to a waiting event; named as its `data-event`.
    Token(Option<Str>),
    FaultMenu(Option<Str>),
    Quiet(bool),
    Drawer(bool),
    Speed(Speed),
    Run(bool),
    /// The text in the editor changed.
    Draft(Rc<str>),
    /// The editor's full form is wanted.
    OpenEditor,
    Letters(bool),
    /// Put an image into the manifest in the editor.
    UseImage(Str),
    /// Begin one of the page's lessons, or go on where it was left.
    Lesson(Str),
    /// Show the lesson.
    ToLesson,
    /// Copy the link of this moment, or offer it as a file.
    Share,
    SaveFile,
    /// Offer what was written since the start as a watch stream, as recordings have it.
    SaveWatch,
    Find(Option<Rc<str>>),
    /// A click somewhere: what it was outside of closes.
    Outside {
        menu: bool,
        fault: bool,
        token: bool,
    },
    /// The next tick of a run.
    Beat,
    /// The next slice of long work.
    Slice,
    /// Time to keep the run in this browser.
    Keep,
    Nothing,
}

impl From<Action> for Msg {
    fn from(a: Action) -> Msg {
        Msg::Act(a)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Menu {
    Scenario,
    Lesson,
    Help,
    Share,
}

/// The sheets of a phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    Board,
    Loops,
    Yaml,
    Inspect,
    More,
}

impl Sheet {
    pub fn code(self) -> &'static str {
        match self {
            Sheet::Board => "board",
            Sheet::Loops => "loops",
            Sheet::Yaml => "yaml",
            Sheet::Inspect => "inspect",
            Sheet::More => "more",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditTab {
    Lesson,
    Manifest,
    Images,
    Faults,
}

/// How fast a run goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speed {
    One,
    Four,
    Sixteen,
    /// As fast as the machine can.
    Most,
}

impl Speed {
    pub fn label(self) -> &'static str {
        match self {
            Speed::One => "1×",
            Speed::Four => "4×",
            Speed::Sixteen => "16×",
            Speed::Most => "max",
        }
    }

    /// Milliseconds of real time from one tick to the next.
    pub fn tick_ms(self) -> u32 {
        match self {
            Speed::One => 600,
            Speed::Four => 150,
            Speed::Sixteen => 38,
            Speed::Most => 0,
        }
    }

    pub fn next(self) -> Speed {
        match self {
            Speed::One => Speed::Four,
            Speed::Four => Speed::Sixteen,
            Speed::Sixteen => Speed::Most,
            Speed::Most => Speed::One,
        }
    }
}

/// The state of the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Ui {
    pub lang: Lang,
    pub dark: bool,
    pub sheet: Sheet,
    pub edit_tab: EditTab,
    /// The tab that the person chose; until then the inspector opens on what matters.
    pub tab: Option<Tab>,
    pub selected: Str,
    /// What is selected is an object of the world beside.
    pub beside: bool,
    pub revision: u64,
    pub menu: Option<Menu>,
    pub fault_menu: Option<Str>,
    pub token: Option<Str>,
    pub quiet_open: bool,
    pub drawer: bool,
    pub speed: Speed,
    pub running: bool,
    pub letters: bool,
    pub find: Option<Rc<str>>,
    /// What stands in the editor.
    pub draft: Rc<str>,
    pub editor_open: bool,
    /// The link was copied; until the next message.
    pub copied: bool,
    /// This browser keeps nothing.
    pub forgetful: bool,
}
