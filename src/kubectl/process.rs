//! A command that waits for the cluster. It is a value: it can be cloned, asked again and cancelled.

use super::Progress;
use super::context::Output;
use super::fault::Fault;
use super::verbs::{delete::Gone, drain::Draining, get::Watching, rollout_status::Rollouts, wait::Conditions};
use crate::client::Transport;
use crate::util::Time;

/// What a command waits for.
#[derive(Clone, Debug)]
pub enum Wait {
    Gone(Gone),
    Rollouts(Rollouts),
    Conditions(Conditions),
    Draining(Box<Draining>),
    Watching(Box<Watching>),
}

/// A command that has not ended.
#[derive(Clone, Debug)]
pub struct Process {
    out: Output,
    wait: Wait,
}

impl Process {
    /// Starts to wait; the first look is at once.
    pub(super) fn begin(out: Output, wait: Wait, api: &mut dyn Transport) -> Progress {
        let mut process = Process { out, wait };
        match process.poll(api) {
            Some(out) => Progress::Done(out),
            None => Progress::Waiting(Box::new(process)),
        }
    }

    /// Looks at the cluster again: what the command printed in the end, if it ended.
    pub fn poll(&mut self, api: &mut dyn Transport) -> Option<Output> {
        let out = &mut self.out;
        let ended = match &mut self.wait {
            Wait::Gone(w) => w.poll(api, out),
            Wait::Rollouts(w) => w.poll(api, out),
            Wait::Conditions(w) => w.poll(api, out),
            Wait::Draining(w) => w.poll(api, out),
            Wait::Watching(w) => w.poll(api, out),
        };
        match ended {
            Ok(false) => None,
            Ok(true) => Some(std::mem::take(&mut self.out)),
            Err(fault) => Some(fault.end(std::mem::take(&mut self.out))),
        }
    }

    /// The instant at which it must be asked again even if nothing changed: its time-out, its next try.
    pub fn next_check(&self) -> Option<Time> {
        match &self.wait {
            Wait::Gone(w) => w.deadline,
            Wait::Rollouts(w) => w.deadline,
            Wait::Conditions(w) => w.deadline,
            Wait::Draining(w) => w.next_check(),
            Wait::Watching(_) => None,
        }
    }

    /// Ends it as Ctrl-C does.
    pub fn cancel(self) -> Output {
        Output { exit: 130, ..self.out }
    }

    /// What it printed so far.
    pub fn so_far(&self) -> &str {
        &self.out.stdout
    }
}

/// What a wait that ran out of time says.
pub fn timed_out(on: &str) -> Fault {
    let on = if on.is_empty() { String::new() } else { format!(" on {on}") };
    Fault::text(format!("timed out waiting for the condition{on}"))
}
