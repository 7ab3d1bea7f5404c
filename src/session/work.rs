//! Long work, done a slice at a time so that a page can show how far it is and let a person stop it: the actions of a link,
//! and a command that waits for simulated time. The outcome is the same as when it is done in one go.

use super::action::Action;
use super::link::CORE;
use super::reduce::{self, Waiting};
use super::view::Text;
use super::{Moment, Session};
use crate::api::Str;
use std::collections::VecDeque;

/// What is under way.
pub enum Work {
    /// A link's actions, each with how often, and what they must lead to.
    Play { left: VecDeque<(u32, Action)>, done: u64, all: u64, hash: u64, core: Str },
    /// A command that waits; the moment enters the run when it is over.
    Wait { moment: Box<Moment>, action: Action, waiting: Waiting },
}

impl Session {
    /// So many of so many steps, if long work is under way.
    pub fn busy(&self) -> Option<(u64, u64)> {
        match self.work.as_ref()? {
            Work::Play { done, all, .. } => Some((*done, *all)),
            Work::Wait { moment, waiting, .. } => Some(waiting.progress(moment)),
        }
    }

    /// Does a little of the work; whether there is more.
    pub fn work(&mut self) -> bool {
        match self.work.take() {
            None => false,
            Some(Work::Play { mut left, mut done, all, hash, core }) => {
                let Some((times, action)) = left.pop_front() else {
                    self.check(hash, &core);
                    return false;
                };
                self.record(&action);
                if self.newest().world.is_full() {
                    left.clear();
                }
                done += 1;
                if times > 1 && !self.newest().world.is_full() {
                    left.push_front((times - 1, action));
                }
                self.work = Some(Work::Play { left, done, all, hash, core });
                true
            }
            Some(Work::Wait { mut moment, action, mut waiting }) => {
                if reduce::go_on(&mut moment, &mut waiting) {
                    self.keep(&action, *moment);
                    return false;
                }
                self.work = Some(Work::Wait { moment, action, waiting });
                true
            }
        }
    }

    /// Does all the work at once.
    pub fn finish(&mut self) {
        while self.work() {}
    }

    /// Leaves the work where it is: a link at the action reached, a command as if it had never been given.
    pub fn cancel(&mut self) {
        self.work = None;
    }

    pub(super) fn play(&mut self, actions: Vec<(u32, Action)>, hash: u64, core: &str) {
        let all = actions.iter().map(|(n, _)| u64::from(*n)).sum();
        let left = actions.into_iter().filter(|(n, _)| *n > 0).collect();
        self.work = Some(Work::Play { left, done: 0, all, hash, core: core.into() });
    }

    /// A link that does not lead where it says, changed by somebody or made by another core, opens its start.
    fn check(&mut self, hash: u64, core: &Str) {
        if self.newest().world.digest() == hash {
            return;
        }
        *self = self.again();
        let same = *core == *CORE;
        self.set_notice(Some(if same { Text::word("link.astray") } else { Text::with("link.other", [("v", core.clone().into())]) }));
    }

    /// A command at the prompt; if it blocks, the waiting is left to `work`.
    pub(super) fn begin_command(&mut self, line: &Str, action: &Action) -> Result<(), Text> {
        let mut moment = self.newest().clone();
        match reduce::begin_command(&mut moment, line) {
            Some(waiting) => self.work = Some(Work::Wait { moment: Box::new(moment), action: action.clone(), waiting }),
            None => {
                self.keep(action, moment);
                if let Some(why) = self.newest().refused.clone() {
                    return Err(why);
                }
            }
        }
        Ok(())
    }
}
