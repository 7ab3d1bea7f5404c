//! A run that is a lesson's: where it begins, how its steps begin, and back to the start of one.

use super::action::Action;
use super::view::Text;
use super::{Moment, Session, Start, catalog};
use crate::api::Str;
use crate::cluster::Cluster;
use crate::lessons::{self, Course, Lesson, State};
use std::rc::Rc;

/// What stands before a lesson's name where a scenario's name is wanted. Alone it means a lesson that the run itself holds.
pub const PREFIX: &str = "lesson:";

/// One of the page's lessons, by the name that a run has of it.
pub fn of_the_page(scenario: &str) -> Option<Rc<Lesson>> {
    lessons::named(scenario.strip_prefix(PREFIX)?)
}

/// Nothing may be done before the lesson's question was answered.
pub fn asks(moment: &Moment) -> bool {
    moment.course.as_ref().is_some_and(|c| c.state().asks())
}

/// All goals of this step were reached, and it is not the last one.
pub fn may_go_on(moment: &Moment) -> bool {
    moment.course.as_ref().is_some_and(|c| c.state().is_reached() && !c.state().is_last())
}

/// What the editor shows at this step: its own text, or that of the newest step before it that has one, or that of the start.
pub fn offered(state: &State) -> Str {
    let lesson = &state.lesson;
    let own = lesson.steps[..=state.at].iter().rev().find_map(|s| s.editor.clone()).or_else(|| lesson.start.editor.clone());
    own.unwrap_or_else(|| {
        if lesson.start.scenario.is_empty() { Str::default() } else { Str::fixed(catalog::find(&lesson.start.scenario).manifest) }
    })
}

pub fn answer(moment: &mut Moment, text: &str) {
    if let Some(course) = &mut moment.course {
        course.answer(text, &moment.world);
    }
}

pub fn next(moment: &mut Moment) {
    if let Some(course) = &mut moment.course {
        let editor = offered(course.state());
        course.next(&mut moment.world, &editor);
    }
}

impl Session {
    /// A lesson from its text.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn lesson(text: &str) -> Result<Session, Text> {
        Session::lesson_with(text, catalog::SEED)
    }

    pub(super) fn lesson_with(text: &str, seed: u64) -> Result<Session, Text> {
        if let Some(name) = lessons::name_of(text) {
            return Ok(Session::begin(&[PREFIX, name].concat(), seed));
        }
        let lesson = Lesson::parse(text).map_err(|problems| wrong(&problems[0].to_string()))?;
        let scenario = &lesson.start.scenario;
        if !scenario.is_empty() && !catalog::ENTRIES.iter().any(|e| *e.name == **scenario) {
            return Err(wrong(&format!("start.scenario: there is no {scenario}")));
        }
        Ok(Session::of_lesson(Rc::new(lesson), Str::fixed(PREFIX), seed))
    }

    pub(super) fn of_lesson(lesson: Rc<Lesson>, name: Str, seed: u64) -> Session {
        let start = &lesson.start;
        let mut session = Session::begin(if start.scenario.is_empty() { "first" } else { &start.scenario }, seed);
        let moment = &mut session.moments[0].1;
        if start.scenario.is_empty() {
            moment.world = Cluster::boot(&lessons::begin(start, seed));
        }
        let mut state_editor = start.editor.clone().unwrap_or_else(|| Str::fixed(catalog::find(&start.scenario).manifest));
        moment.world = lesson.world(moment.world.clone(), &state_editor);
        if let Some(own) = &lesson.steps[0].editor {
            state_editor = own.clone();
        }
        moment.course = Some(Course::begin(lesson, &mut moment.world, &state_editor));
        session.start = Start { scenario: name, seed };
        session
    }

    /// The text of the lesson, if it is not one of the page's.
    pub(super) fn own_lesson(&self) -> Option<&Str> {
        let course = self.moments[0].1.course.as_ref()?;
        (*self.start.scenario == *PREFIX).then_some(&course.state().lesson.source)
    }

    /// This run at its start.
    pub(super) fn again(&self) -> Session {
        let Start { scenario, seed } = self.start.clone();
        match self.own_lesson() {
            Some(text) => Session::lesson_with(text, seed).expect("it was read before"),
            None => Session::begin(&scenario, seed),
        }
    }

    /// Back to the beginning of a lesson's step. The steps before it stay as they are, and what is taken back can be done again.
    pub(super) fn reset_step(&mut self, step: u64) {
        self.cancel();
        let begun = self.actions.iter().enumerate().filter(|(_, a)| **a == Action::NextStep).map(|(i, _)| i + 1);
        let kept = [0].into_iter().chain(begun).nth(usize::try_from(step).unwrap_or(usize::MAX));
        if let Some(kept) = kept {
            self.back_to(kept);
        }
    }
}

/// The notice about a lesson that cannot be read.
fn wrong(why: &str) -> Text {
    Text::with("le.bad", [("why", Text::from(why.to_string()))])
}
