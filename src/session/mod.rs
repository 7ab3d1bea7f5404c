//! One person's run: what they can do, and the views that the page draws. Names neither yew nor web-sys.
//! A run is a seed, a scenario and a list of actions; everything else follows from these.

pub mod action;
pub mod beside;
pub mod catalog;
mod lesson;
pub mod link;
mod problems;
pub mod random;
mod reduce;
pub mod view;
mod work;

use crate::api::Str;
use crate::cluster::{Cluster, Config};
use crate::lessons::Course;
use action::Action;
use std::rc::Rc;
use view::{Entry, Missed, Problem, Text};

/// Moments kept for going back without playing everything again; beyond this, every second of the older ones goes.
const MOMENTS_MAX: usize = 400;

/// Where a run begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    pub scenario: Str,
    pub seed: u64,
}

/// What an action leaves behind: the world and what the person has on the page beside it. Cheap to clone.
#[derive(Clone)]
pub struct Moment {
    pub world: Cluster,
    /// The edge-triggered twin of a scenario that has one.
    pub twin: Option<Rc<Cluster>>,
    /// The manifest last stored, and in the editor at the start.
    pub stored: Str,
    pub problems: Rc<Vec<Problem>>,
    /// What the last apply did store although it failed, in kubectl's words.
    pub partly: Str,
    pub console: Rc<Vec<Entry>>,
    /// What could not be done, if the last action could not.
    pub refused: Option<Text>,
    /// What loops were made to miss so far.
    pub missed: Missed,
    /// How far a lesson is, if this run is one's.
    pub course: Option<Course>,
}

impl Moment {
    fn perform(&mut self, action: &Action) {
        let together = self.is_together();
        reduce::perform(self, action);
        self.take_along(action, together);
        self.follow(action);
    }

    fn follow(&mut self, action: &Action) {
        self.missed.follow(&self.world, action);
        if let Some(course) = &mut self.course {
            course.look(&self.world);
        }
    }
}

/// Another history of the same start.
struct Branch {
    actions: Vec<Action>,
    moments: Vec<(usize, Moment)>,
}

/// A run.
pub struct Session {
    start: Start,
    actions: Vec<Action>,
    undone: Vec<Action>,
    /// (how many actions, the moment after them), in order; the first is the start.
    moments: Vec<(usize, Moment)>,
    /// The moment looked at, if it is not the newest: an index into `moments`.
    looking: Option<usize>,
    notice: Option<Text>,
    /// Long work under way, done a slice at a time.
    work: Option<work::Work>,
    /// The branch that the last fork left.
    branch: Option<Box<Branch>>,
}

impl Session {
    /// A scenario at its start. Unknown names begin the first one.
    pub fn begin(scenario: &str, seed: u64) -> Session {
        if let Some(lesson) = lesson::of_the_page(scenario) {
            return Session::of_lesson(lesson, Str::from(scenario), seed);
        }
        let entry = catalog::find(scenario);
        let mut moment = Moment {
            world: Cluster::boot(&entry.config(seed)),
            twin: entry.twin.then(|| Rc::new(Cluster::boot(&Config { edge_triggered: true, ..entry.config(seed) }))),
            stored: Str::default(),
            problems: Rc::default(),
            partly: Str::default(),
            console: Rc::default(),
            refused: None,
            missed: Missed::default(),
            course: None,
        };
        for action in entry.before() {
            moment.perform(&action);
        }
        let start = Start { scenario: Str::fixed(entry.name), seed };
        Session {
            start,
            actions: Vec::new(),
            undone: Vec::new(),
            moments: vec![(0, moment)],
            looking: None,
            notice: None,
            work: None,
            branch: None,
        }
    }

    /// The page's cluster with another number of nodes, empty: for measuring.
    pub fn on(nodes: i64, seed: u64) -> Session {
        let config =
            crate::scenario::format::config_of(&catalog::page_cluster(nodes), seed, true).expect("the page's own cluster can be read");
        let mut session = Session::begin("first", seed);
        session.moments[0].1.world = Cluster::boot(&config);
        session
    }

    pub fn start(&self) -> &Start {
        &self.start
    }

    /// The recorded actions so far.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The manifest that the scenario puts into the editor.
    pub fn offered(&self) -> Str {
        match &self.moment().course {
            Some(course) => lesson::offered(course.state()),
            None => catalog::find(&self.start.scenario).offered(&self.moments[0].1.world),
        }
    }

    /// The moment on the screen: the newest, or the one looked at.
    pub fn moment(&self) -> &Moment {
        match self.looking {
            Some(index) => &self.moments[index].1,
            None => self.newest(),
        }
    }

    /// The newest moment.
    pub fn newest(&self) -> &Moment {
        &self.moments.last().expect("the start is always there").1
    }

    /// The world to be seen beside the own one: the twin at this moment, or the branch that the last fork left.
    pub fn beside(&self) -> Option<(beside::Kind, &Cluster)> {
        let twin = self.moment().twin.as_deref().map(|w| (beside::Kind::Twin, w));
        twin.or_else(|| Some((beside::Kind::Branch, &self.branch.as_ref()?.moments.last()?.1.world)))
    }

    /// How many actions lie between the moment looked at and the newest.
    pub fn behind(&self) -> Option<u64> {
        self.looking.map(|_| self.actions.len() as u64 - self.steps())
    }

    /// How many actions led to the moment on the screen.
    pub fn steps(&self) -> u64 {
        self.looking.map_or(self.actions.len(), |index| self.moments[index].0) as u64
    }

    /// For each kept moment: how many actions led to it, and how many records there were.
    pub fn ends(&self) -> impl Iterator<Item = (u64, u64)> {
        self.moments.iter().map(|(n, m)| (*n as u64, m.world.records().len() as u64))
    }

    pub fn can_back(&self) -> bool {
        !self.actions.is_empty()
    }

    pub fn can_redo(&self) -> bool {
        !self.undone.is_empty()
    }

    pub fn notice(&self) -> Option<&Text> {
        self.notice.as_ref()
    }

    pub fn set_notice(&mut self, notice: Option<Text>) {
        self.notice = notice;
    }

    /// Does one thing.
    ///
    /// # Errors
    /// Why it could not be done, for the page.
    pub fn act(&mut self, action: &Action) -> Result<(), Text> {
        match action {
            Action::Back => {
                self.cancel();
                self.back();
            }
            Action::Redo => {
                if let Some(action) = self.undone.pop() {
                    self.record(&action);
                }
            }
            Action::ScrubTo { step } => self.look_at(*step),
            Action::Now => {
                self.looking = None;
                self.notice = None;
            }
            Action::Fork => self.fork(),
            Action::SwapBranch => self.swap_branch(),
            Action::CloseBranch => self.branch = None,
            Action::Reset => {
                *self = self.again();
            }
            Action::LoadScenario { name } => *self = Session::begin(name, self.start.seed),
            Action::ResetStep { step } => self.reset_step(*step),
            Action::OpenLesson { text } => *self = Session::lesson(text)?,
            Action::Open { link } => *self = Session::unfold(link)?,
            recorded => {
                if self.looking.is_some() {
                    return Err(Text::word("ed.locked"));
                }
                if !matches!(action, Action::Answer { .. }) && lesson::asks(self.newest()) {
                    return Err(Text::word("le.locked"));
                }
                if *action == Action::NextStep && !lesson::may_go_on(self.newest()) {
                    return Err(Text::word("le.notyet"));
                }
                self.finish();
                if self.newest().world.is_full() {
                    return Err(Text::word("err.full"));
                }
                self.notice = None;
                if let Action::Apply { text } = recorded
                    && let Some(problem) = reduce::too_large(text)
                {
                    let newest = self.moments.last_mut().expect("the start is always there");
                    newest.1.problems = Rc::new(vec![problem]);
                    return Ok(());
                }
                self.undone.clear();
                if let Action::Kubectl { line } = recorded {
                    return self.begin_command(line, recorded);
                }
                self.record(recorded);
                if let Some(why) = self.newest().refused.clone() {
                    return Err(why);
                }
            }
        }
        Ok(())
    }

    fn record(&mut self, action: &Action) {
        let mut moment = self.newest().clone();
        reduce::perform(&mut moment, action);
        self.keep(action, moment);
    }

    fn keep(&mut self, action: &Action, mut moment: Moment) {
        let together = self.newest().is_together();
        moment.take_along(action, together);
        moment.follow(action);
        self.actions.push(action.clone());
        self.moments.push((self.actions.len(), moment));
        self.thin();
    }

    /// Drops every second of the older moments when there are many; the start stays.
    fn thin(&mut self) {
        if self.moments.len() <= MOMENTS_MAX {
            return;
        }
        let recent = self.moments.len() - MOMENTS_MAX / 2;
        let mut place = 0;
        self.moments.retain(|_| {
            place += 1;
            place == 1 || place > recent || place % 2 == 0
        });
    }

    /// Takes the last action back: the world is as if it had never been.
    fn back(&mut self) {
        self.back_to(self.actions.len().saturating_sub(1));
    }

    /// Takes everything back but the first `kept` actions.
    fn back_to(&mut self, kept: usize) {
        self.looking = None;
        if kept >= self.actions.len() {
            return;
        }
        let taken = self.actions.split_off(kept);
        self.undone.extend(taken.into_iter().rev());
        while self.moments.len() > 1 && self.moments.last().is_some_and(|(n, _)| *n > kept) {
            self.moments.pop();
        }
        let (from, moment) = self.moments.last().expect("the start is always there");
        if *from < kept {
            let mut moment = moment.clone();
            for action in &self.actions[*from..] {
                moment.perform(action);
            }
            self.moments.push((kept, moment));
        }
    }

    /// Looks at the newest kept moment that is no later than so many actions.
    fn look_at(&mut self, step: u64) {
        let index = self.moments.partition_point(|(n, _)| *n as u64 <= step).saturating_sub(1);
        self.looking = (index + 1 < self.moments.len()).then_some(index);
    }

    /// Goes on from the moment looked at. What came after it can be done again until something else is done.
    fn fork(&mut self) {
        let Some(index) = self.looking.take() else { return };
        self.notice = None;
        self.branch = Some(Box::new(Branch { actions: self.actions.clone(), moments: self.moments.clone() }));
        let kept = self.moments[index].0;
        self.moments.truncate(index + 1);
        self.undone = self.actions.split_off(kept);
        self.undone.reverse();
    }

    fn swap_branch(&mut self) {
        self.cancel();
        let Some(branch) = &mut self.branch else { return };
        self.looking = None;
        self.notice = None;
        self.undone.clear();
        std::mem::swap(&mut self.actions, &mut branch.actions);
        std::mem::swap(&mut self.moments, &mut branch.moments);
    }
}
