//! Lessons: data alone. A start, steps with goals that are conditions over the world, a question before the step, hints,
//! accepted solutions and wrong answers. Nothing here knows a single lesson but by its text in `static/lessons`.

pub mod check;
mod course;
mod format;
mod moves;
mod read;
mod want;

pub use course::{Course, State, code_is_of};
pub use format::{Choice, Goal, Lesson, Question, Said, Stage, Start};
pub use moves::{Move, begin};
pub use read::Problem;
pub use want::{Test, Want};

use std::rc::Rc;

/// The names of the page's lessons, in the order of its menu.
pub const NAMES: [&str; 3] = ["what-apply-does", "dead-controller", "where-is-it-stuck"];

/// The text of one of the page's lessons.
pub fn text_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "what-apply-does" => include_str!("../../static/lessons/what-apply-does.yaml"),
        "dead-controller" => include_str!("../../static/lessons/dead-controller.yaml"),
        "where-is-it-stuck" => include_str!("../../static/lessons/where-is-it-stuck.yaml"),
        _ => return None,
    })
}

/// The name of the lesson that a text is, if it is one of the page's.
pub fn name_of(text: &str) -> Option<&'static str> {
    NAMES.into_iter().find(|name| text_of(name) == Some(text))
}

/// One of the page's lessons.
pub fn named(name: &str) -> Option<Rc<Lesson>> {
    let text = text_of(name)?;
    Some(Rc::new(Lesson::parse(text).expect("the page's lessons are right: a test plays them")))
}
