//! The rules that are in force, and what they did.

use super::Fault;
use crate::api::Str;
use crate::util::Time;
use std::cell::RefCell;

/// A fault in force.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its number in this run, from 1.
    pub id: u64,
    pub fault: Fault,
    pub since: Time,
    /// When it ends by itself.
    pub until: Option<Time>,
}

/// What a rule did in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Began,
    Acted,
    Ended,
}

/// A step's word about a rule: that it began, did something, ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The rule's number; 0 for a fault that happens once.
    pub rule: u64,
    /// The first field of the fault's document: `lostOnWire`, `freeze`, …
    pub key: &'static str,
    pub phase: Phase,
    /// What it acted on, the first of `count`: an object (`pods default/web-1`), a request (`create pods`), a process.
    pub about: Str,
    pub count: u64,
}

/// The rules that are in force.
#[derive(Clone, Default)]
pub struct Rules {
    rules: Vec<Rule>,
    begun: u64,
    /// What happened in this step so far.
    marks: RefCell<Vec<Mark>>,
}

impl Rules {
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    pub fn get(&self, id: u64) -> Option<&Rule> {
        self.rules.iter().find(|r| r.id == id)
    }

    pub(super) fn all_mut(&mut self) -> &mut Vec<Rule> {
        &mut self.rules
    }

    pub(super) fn add(&mut self, fault: Fault, since: Time, until: Option<Time>) -> u64 {
        self.begun += 1;
        let id = self.begun;
        self.mark(id, fault.key(), Phase::Began, Str::default());
        self.rules.push(Rule { id, fault, since, until });
        id
    }

    pub(super) fn end(&mut self, id: u64) -> Option<Rule> {
        let place = self.rules.iter().position(|r| r.id == id)?;
        let rule = self.rules.remove(place);
        self.mark(id, rule.fault.key(), Phase::Ended, Str::default());
        Some(rule)
    }

    /// A fault happened that does not last.
    pub(super) fn happened(&self, key: &'static str) {
        self.mark(0, key, Phase::Acted, Str::default());
    }

    /// Notes what a rule did; the same again is counted.
    pub(super) fn mark(&self, rule: u64, key: &'static str, phase: Phase, about: Str) {
        let mut marks = self.marks.borrow_mut();
        match marks.iter_mut().find(|m| m.rule == rule && m.key == key && m.phase == phase) {
            Some(m) => m.count += 1,
            None => marks.push(Mark { rule, key, phase, about, count: 1 }),
        }
    }

    pub(super) fn acted(&self, rule: &Rule, about: impl Into<Str>) {
        self.mark(rule.id, rule.fault.key(), Phase::Acted, about.into());
    }

    /// What happened since this was last asked.
    pub fn take_marks(&mut self) -> Vec<Mark> {
        std::mem::take(self.marks.get_mut())
    }
}
