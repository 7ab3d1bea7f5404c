//! One person's way through a lesson: at which step, what was predicted, which goals were reached. It looks at the world after each
//! action and changes nothing but itself, so it is as exact as the run: Back, links and reloads lead to the same state.

use super::format::{Goal, Lesson, Stage};
use super::moves::perform;
use super::want::Want;
use crate::api::Str;
use crate::cluster::Cluster;
use crate::util::draws::{hash, suffix};
use std::rc::Rc;

/// A typed answer is read up to here.
const ANSWER_MAX_BYTES: usize = 200;
/// Letters of each half of a completion code.
const CODE_LETTERS: usize = 4;

/// How far somebody is. What the page shows of it is `state`.
#[derive(Clone)]
pub struct Course {
    state: Rc<State>,
    /// The world when this step began.
    began: Cluster,
}

#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub lesson: Rc<Lesson>,
    /// The step, from 0.
    pub at: usize,
    /// The name of the choice that was predicted.
    pub predicted: Option<Str>,
    /// So many goals of this step were reached.
    pub reached: usize,
    /// The last answer to the goal that is next, if it was not right.
    pub missed: Option<Str>,
    /// Something happened that this step must not see: only a reset helps.
    pub broken: bool,
    /// What says that the lesson was finished, for who teaches; empty until then.
    pub code: Str,
}

impl State {
    pub fn stage(&self) -> &Stage {
        &self.lesson.steps[self.at]
    }

    pub fn is_last(&self) -> bool {
        self.at + 1 == self.lesson.steps.len()
    }

    /// All goals of this step were reached.
    pub fn is_reached(&self) -> bool {
        self.reached == self.stage().goals.len()
    }

    /// The whole lesson is done.
    pub fn is_done(&self) -> bool {
        !self.code.is_empty()
    }

    /// The question stands, and nothing may be done before it is answered.
    pub fn asks(&self) -> bool {
        self.stage().question.is_some() && self.predicted.is_none()
    }

    /// The goal to be reached next.
    pub fn next_goal(&self) -> Option<&Goal> {
        self.stage().goals.get(self.reached)
    }
}

impl Course {
    /// The beginning of a lesson, on the world of its start.
    pub fn begin(lesson: Rc<Lesson>, world: &mut Cluster, editor: &str) -> Course {
        let state = State { lesson, at: 0, predicted: None, reached: 0, missed: None, broken: false, code: Str::default() };
        let mut course = Course { state: Rc::new(state), began: world.clone() };
        course.set_up(world, editor);
        course
    }

    pub fn state(&self) -> &Rc<State> {
        &self.state
    }

    /// What a step does to the world when it begins. `editor` is what stands in the editor.
    fn set_up(&mut self, world: &mut Cluster, editor: &str) {
        let state = &self.state;
        let text = state.stage().editor.as_deref().unwrap_or(editor);
        if !state.stage().setup.is_empty() {
            let files = state.lesson.files(text);
            *world = state.stage().setup.iter().fold(world.clone(), |world, step| perform(world, &files, step));
        }
        self.began = world.clone();
    }

    /// The next step begins, if this one is done.
    pub fn next(&mut self, world: &mut Cluster, editor: &str) {
        if self.state.is_reached() && !self.state.is_last() {
            let state = Rc::make_mut(&mut self.state);
            *state = State { at: state.at + 1, predicted: None, reached: 0, missed: None, broken: false, ..state.clone() };
            self.set_up(world, editor);
            self.look(world);
        }
    }

    /// An answer to the question, or to the goal that is next.
    pub fn answer(&mut self, text: &str, world: &Cluster) {
        let state = &self.state;
        if state.asks() {
            let question = state.stage().question.as_ref().expect("it asks");
            if question.choices.iter().any(|c| c.name == *text) {
                Rc::make_mut(&mut self.state).predicted = Some(text.into());
            }
        } else if let Some(goal) = state.next_goal() {
            let text = text.trim().get(..ANSWER_MAX_BYTES).unwrap_or(text.trim());
            let right = match &goal.want {
                Want::World { .. } => return,
                Want::Choose(choices) => choices.iter().any(|c| c.right && c.name == *text),
                Want::Type(accepted) => accepted.iter().any(|a| a.to_ascii_lowercase() == text.to_ascii_lowercase()),
            };
            let state = Rc::make_mut(&mut self.state);
            state.missed = (!right).then(|| text.into());
            state.reached += usize::from(right);
        }
        self.look(world);
    }

    /// Looks at the world after something happened.
    pub fn look(&mut self, world: &Cluster) {
        if self.state.asks() || self.state.is_reached() && (self.state.is_done() || !self.state.is_last()) {
            return;
        }
        let stage = self.state.stage();
        let bad = |g: &Goal| matches!(&g.want, Want::World { never, .. } if never.iter().any(|t| t.holds(world, &self.began)));
        let broken = self.state.broken || stage.goals[self.state.reached..].iter().any(bad);
        let mut reached = self.state.reached;
        while let Some(Goal { want: Want::World { all, never }, .. }) = stage.goals.get(reached) {
            if broken && !never.is_empty() || !all.iter().all(|t| t.holds(world, &self.began)) {
                break;
            }
            reached += 1;
        }
        if reached != self.state.reached || broken != self.state.broken {
            let state = Rc::make_mut(&mut self.state);
            (state.reached, state.broken) = (reached, broken);
        }
        if self.state.is_reached() && self.state.is_last() {
            let code = code(&self.state.lesson.id, world.digest());
            Rc::make_mut(&mut self.state).code = code;
        }
    }

    /// Whether a condition of this step holds now: for the checker.
    pub(super) fn test(&self, test: &super::want::Test, world: &Cluster) -> bool {
        test.holds(world, &self.began)
    }

    /// Whether a goal of this step holds now, in whatever order: for the checker.
    pub(super) fn holds(&self, goal: &Goal, world: &Cluster) -> bool {
        matches!(&goal.want, Want::World { all, .. } if all.iter().all(|t| t.holds(world, &self.began)))
    }
}

/// Half of it says in which state the lesson ended, the other half that the first belongs to this lesson.
fn code(lesson: &str, state: u64) -> Str {
    let ended = suffix(state, CODE_LETTERS).to_ascii_uppercase();
    [&ended, "-", &seal(lesson, &ended)].concat().into()
}

fn seal(lesson: &str, ended: &str) -> String {
    suffix(hash(hash(0, lesson.as_bytes()), ended.as_bytes()), CODE_LETTERS).to_ascii_uppercase()
}

/// Whether a completion code is one of this lesson.
pub fn code_is_of(lesson: &str, code: &str) -> bool {
    let code = code.trim().to_ascii_uppercase();
    code.split_once('-').is_some_and(|(ended, sealed)| ended.len() == CODE_LETTERS && seal(lesson, ended) == sealed)
}
