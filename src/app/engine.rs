//! The page's hold on the session: one run, its link, its views, and long work done in slices.

use super::fixtures;
use crate::session::action::Action;
use crate::session::view::{Look, Page, Text};
use std::rc::Rc;

/// The version tag in front of a link in the address's fragment.
pub const FRAGMENT: &str = "r=";

/// A run, or a fixed moment to look at.
pub struct Engine {
    moment: String,
}

impl Engine {
    /// One of the moments of the design, for tests of the look.
    pub fn fixture(name: &str) -> Engine {
        Engine { moment: name.to_string() }
    }

    /// The start of a scenario.
    pub fn start(_scenario: &str) -> Engine {
        Engine { moment: "first".to_string() }
    }

    /// The run that a link holds.
    pub fn open(_link: &str) -> Result<Engine, Text> {
        Err(Text::word("err.link"))
    }

    /// Does one thing; what is left of it is done by `work`.
    pub fn act(&mut self, action: &Action) -> Result<(), Text> {
        if let Action::Apply { .. } = action {
            self.moment = "half".to_string();
        }
        Ok(())
    }

    /// A slice of long work; whether there is more.
    pub fn work(&mut self) -> bool {
        false
    }

    /// Leaves long work where it is.
    pub fn cancel(&mut self) {}

    /// This moment as a link.
    pub fn link(&self) -> String {
        String::new()
    }

    pub fn page(&mut self, _look: &Look) -> Rc<Page> {
        Rc::new(fixtures::page(&self.moment))
    }
}
