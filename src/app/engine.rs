//! The page's hold on the session: one run, its link, its views. In a development build also the moments of the design.

#[cfg(debug_assertions)]
use super::fixtures;
use crate::session::Session;
use crate::session::action::Action;
use crate::session::catalog::SEED;
use crate::session::view::{Look, Page, Text, page};
use std::rc::Rc;

/// What stands before a link in the address's fragment.
pub const FRAGMENT: &str = "r=";

/// A run, or a fixed moment to look at.
pub enum Engine {
    Run(Box<Session>),
    #[cfg(debug_assertions)]
    Fixture(String),
}

impl Engine {
    /// One of the moments of the design, for tests of the look.
    #[cfg(debug_assertions)]
    pub fn fixture(name: &str) -> Engine {
        Engine::Fixture(name.to_string())
    }

    /// The start of a scenario.
    pub fn start(scenario: &str) -> Engine {
        Engine::Run(Box::new(Session::begin(scenario, SEED)))
    }

    /// The run that a link holds.
    ///
    /// # Errors
    /// The link is damaged.
    pub fn open(link: &str) -> Result<Engine, Text> {
        Ok(Engine::Run(Box::new(Session::unfold(link)?)))
    }

    /// A lesson, by its name or packed into a link; one of the page's own where it was left.
    ///
    /// # Errors
    /// It is damaged, or no lesson.
    pub fn lesson(name: &str) -> Result<Engine, Text> {
        if let Some(kept) = super::lesson::kept::find(name) {
            return Engine::open(&kept.run);
        }
        Ok(Engine::Run(Box::new(Session::lesson(&crate::session::link::unpacked_lesson(name)?)?)))
    }

    /// Does one thing.
    ///
    /// # Errors
    /// Why it could not be done.
    pub fn act(&mut self, action: &Action) -> Result<(), Text> {
        match self {
            Engine::Run(session) => session.act(action),
            #[cfg(debug_assertions)]
            Engine::Fixture(_) => Ok(()),
        }
    }

    /// Whether this run is a lesson's.
    pub fn is_lesson(&self) -> bool {
        match self {
            Engine::Run(session) => session.moment().course.is_some(),
            #[cfg(debug_assertions)]
            Engine::Fixture(_) => false,
        }
    }

    /// Whether it is, and its step is done.
    pub fn is_reached(&self) -> bool {
        match self {
            Engine::Run(session) => session.moment().course.as_ref().is_some_and(|c| c.state().is_reached()),
            #[cfg(debug_assertions)]
            Engine::Fixture(_) => false,
        }
    }

    /// A slice of long work; whether there is more.
    pub fn work(&mut self) -> bool {
        match self {
            Engine::Run(session) => session.work(),
            #[cfg(debug_assertions)]
            Engine::Fixture(_) => false,
        }
    }

    /// Something to say above the loops.
    pub fn notice(&mut self, text: Text) {
        match self {
            Engine::Run(session) => session.set_notice(Some(text)),
            #[cfg(debug_assertions)]
            Engine::Fixture(_) => {}
        }
    }

    /// Whether nothing is left to do but timers that change nothing.
    pub fn at_rest(&self) -> bool {
        match self {
            Engine::Run(session) => crate::session::view::at_rest(session),
            #[cfg(debug_assertions)]
            Engine::Fixture(_) => true,
        }
    }

    /// Leaves long work where it is.
    pub fn cancel(&mut self) {
        match self {
            Engine::Run(session) => session.cancel(),
            #[cfg(debug_assertions)]
            Engine::Fixture(_) => {}
        }
    }

    /// This moment as a link.
    pub fn link(&self) -> String {
        match self {
            Engine::Run(session) => session.link(),
            #[cfg(debug_assertions)]
            Engine::Fixture(_) => String::new(),
        }
    }

    /// What was written since the world was ready, one watch event a line, as recordings have it.
    pub fn watch(&self) -> String {
        match self {
            Engine::Run(session) => session.watch(),
            #[cfg(debug_assertions)]
            Engine::Fixture(_) => String::new(),
        }
    }

    /// This moment as this browser keeps it.
    pub fn kept(&self) -> String {
        match self {
            Engine::Run(session) => session.kept(),
            #[cfg(debug_assertions)]
            Engine::Fixture(_) => String::new(),
        }
    }

    pub fn is_fixture(&self) -> bool {
        match self {
            Engine::Run(_) => false,
            #[cfg(debug_assertions)]
            Engine::Fixture(_) => true,
        }
    }

    pub fn page(&self, look: &Look) -> Rc<Page> {
        match self {
            Engine::Run(session) => Rc::new(page(session, look)),
            #[cfg(debug_assertions)]
            Engine::Fixture(name) => Rc::new(fixtures::page(name)),
        }
    }
}
