//! kubectl v1.36 on the simulated cluster: command line, verbs and printers. A client like any other: it reaches the
//! API server only through `client::Transport`, and its words, exit codes and tables are those of the real program.

mod builder;
mod context;
mod fault;
mod flags;
mod kinds;
mod manifests;
mod printers;
mod process;
mod tabs;
mod verbs;
mod warnings;
mod words;

pub use context::{Logs, Output};
pub use process::Process;
pub use words::{SplitError, shell_sign, split};

use crate::client::Transport;
use context::Context;
use fault::Fault;
use std::collections::BTreeMap;

/// Manifests by relative path: what lies in the folder in which the command runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Files(pub BTreeMap<String, String>);

/// How far a command got when it was started.
#[derive(Clone, Debug)]
pub enum Progress {
    Done(Output),
    /// It waits for the cluster: poll it whenever objects changed and at its own deadline.
    Waiting(Box<Process>),
}

/// Runs the command of `args` (without the word `kubectl`) until it ends or has to wait.
pub fn start(args: &[String], files: &Files, stdin: Option<&str>, api: &mut dyn Transport) -> Progress {
    start_with_logs(args, files, stdin, api, None)
}

/// As `start`, with a way to what containers printed, for `kubectl logs`.
pub fn start_with_logs(args: &[String], files: &Files, stdin: Option<&str>, api: &mut dyn Transport, logs: Option<&dyn Logs>) -> Progress {
    let mut out = Output::default();
    if args.iter().any(|a| matches!(a.as_str(), "help" | "--help" | "-h"))
        && let Some(text) = verbs::help(args)
    {
        return Progress::Done(Output { stdout: text, ..out });
    }
    let result = verbs::find(args).and_then(|(verb, rest)| {
        let flags = flags::parse(verb.words, (verb.flags)(), &rest)?;
        let mut context = Context::new(api, flags, files, stdin, logs, &mut out);
        (verb.run)(&mut context)
    });
    match result {
        Ok(None) => Progress::Done(out),
        Ok(Some(wait)) => Process::begin(out, wait, api),
        Err(fault) => Progress::Done(fault.end(out)),
    }
}

/// What a verb hands back: nothing if it has ended, or what it now waits for.
type Outcome = Result<Option<process::Wait>, Fault>;
