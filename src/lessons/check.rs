//! Plays a lesson as its text says: every solution must reach its goal, no wrong answer may, and no goal may hold before its step begins.

use super::course::Course;
use super::format::{Goal, Lesson, Stage};
use super::moves::{Move, perform};
use super::read::Problem;
use super::want::Want;
use crate::api::Str;
use crate::cluster::Cluster;
use std::rc::Rc;

/// The world that a lesson begins on, and what stands in the editor.
#[derive(Clone)]
pub struct Ground {
    pub world: Cluster,
    pub editor: Str,
}

/// A place in the lesson: its world and how far one is.
#[derive(Clone)]
struct Place {
    world: Cluster,
    course: Course,
    editor: Str,
}

impl Place {
    /// Plays some steps and looks at the world after each.
    fn play(&mut self, moves: &[Move]) {
        let lesson = self.course.state().lesson.clone();
        let files = lesson.files(&self.editor);
        for step in moves {
            match step {
                Move::Answer(text) => self.course.answer(text, &self.world),
                _ => {
                    self.world = perform(self.world.clone(), &files, step);
                    self.course.look(&self.world);
                }
            }
        }
    }
}

/// Reads a lesson and plays it. `scenario` knows the worlds of the page's menu by name.
///
/// # Errors
/// What is wrong, in the order of the text.
pub fn check(text: &str, scenario: &dyn Fn(&str, u64) -> Option<Ground>, seed: u64) -> Result<Rc<Lesson>, Vec<Problem>> {
    let lesson = Rc::new(Lesson::parse(text)?);
    let mut problems = Vec::new();
    let ground = match &*lesson.start.scenario {
        "" => Some(Ground { world: Cluster::boot(&super::begin(&lesson.start, seed)), editor: Str::default() }),
        name => scenario(name, seed),
    };
    match ground {
        Some(ground) => play(&lesson, ground, &mut problems),
        None => {
            let message = format!("no scenario of the menu is called \"{}\"", lesson.start.scenario);
            problems.push(Problem {
                line: super::read::Reader::new(text).map_or(0, |(r, _)| r.line("start.scenario")),
                field: "start.scenario".into(),
                message,
            });
        }
    }
    problems.sort();
    if problems.is_empty() { Ok(lesson) } else { Err(problems) }
}

fn play(lesson: &Rc<Lesson>, ground: Ground, problems: &mut Vec<Problem>) {
    let editor = lesson.start.editor.clone().unwrap_or(ground.editor);
    let mut world = lesson.world(ground.world, &editor);
    let course = Course::begin(lesson.clone(), &mut world, &editor);
    let mut here = Place { world, course, editor };
    for (i, stage) in lesson.steps.iter().enumerate() {
        if i > 0 {
            here.course.next(&mut here.world, &here.editor);
        }
        here.editor = stage.editor.clone().unwrap_or(here.editor);
        predict(&mut here, stage);
        before(&here, i, stage, problems);
        if !goals(&mut here, i, stage, problems) {
            return;
        }
    }
}

/// Plays the goals of a step one after the other; whether all could be reached.
fn goals(here: &mut Place, i: usize, stage: &Stage, problems: &mut Vec<Problem>) -> bool {
    // Where the newest solution began: goals may be reached together.
    let mut from = here.clone();
    for (n, goal) in stage.goals.iter().enumerate() {
        let field = format!("steps[{i}].goals[{n}]");
        let together = here.course.state().reached > n;
        if !together {
            from = here.clone();
        }
        for (k, _) in goal.wrong.iter().enumerate().filter(|(_, moves)| after(&from, moves).course.state().reached > n) {
            problem(problems, goal, &format!("{field}.wrong[{k}]"), "this wrong answer reaches the goal");
        }
        if together && goal.solutions.iter().all(Vec::is_empty) {
            continue;
        }
        let tried: Vec<Place> = goal.solutions.iter().map(|moves| after(&from, moves)).collect();
        for (k, there) in tried.iter().enumerate().filter(|(_, there)| there.course.state().reached <= n) {
            let name = if k == 0 { format!("{field}.solution") } else { format!("{field}.others[{}]", k - 1) };
            problem(problems, goal, &name, &format!("does not reach the goal: {}", unmet(there, goal)));
        }
        match tried.into_iter().next().filter(|there| there.course.state().reached > n) {
            Some(there) => *here = there,
            None => return false,
        }
    }
    true
}

fn after(from: &Place, moves: &[Move]) -> Place {
    let mut there = from.clone();
    there.play(moves);
    there
}

/// The question is answered before anything can be done; with what is no matter.
fn predict(here: &mut Place, stage: &Stage) {
    if let Some(first) = stage.question.as_ref().and_then(|q| q.choices.first()) {
        here.course.answer(&first.name, &here.world);
    }
}

/// No goal may hold before anything was done.
fn before(here: &Place, i: usize, stage: &Stage, problems: &mut Vec<Problem>) {
    for (n, goal) in stage.goals.iter().enumerate().filter(|(_, g)| here.course.holds(g, &here.world)) {
        problem(problems, goal, &format!("steps[{i}].goals[{n}]"), "holds before its step begins");
    }
}

fn unmet(there: &Place, goal: &Goal) -> String {
    match &goal.want {
        Want::World { .. } if there.course.state().broken => "something happened that this goal must not see".to_string(),
        Want::World { all, .. } => match all.iter().find(|t| !there.course.test(t, &there.world)) {
            Some(test) => format!("{test:?} does not hold then"),
            None => "a goal before it was not reached".to_string(),
        },
        Want::Choose(_) | Want::Type(_) => "its answer is not the right one".to_string(),
    }
}

fn problem(problems: &mut Vec<Problem>, goal: &Goal, field: &str, message: &str) {
    problems.push(Problem { line: goal.line, field: field.to_string(), message: message.to_string() });
}
