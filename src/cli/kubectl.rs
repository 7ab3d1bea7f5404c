//! `loopscope kubectl --state FILE`: one command against a cluster that a file keeps as seed and actions.

use super::files;
use crate::session::action::Action;
use crate::session::{Session, catalog};
use std::path::Path;

/// Runs one command and appends it to the file.
///
/// # Errors
/// What is wrong with the words or the file; the command's own failure is its exit code.
pub fn run(words: &[&str]) -> Result<i32, String> {
    let mut state = None;
    let mut advance_ms = 0;
    let mut args: Vec<&str> = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--state" if state.is_none() => state = Some(Path::new(*rest.next().ok_or("--state wants a file")?)),
            "--advance" if args.is_empty() => advance_ms = super::duration_ms(rest.next().ok_or("--advance wants a time, as 5s")?)?,
            other => args.push(other),
        }
    }
    let path = state.ok_or("--state is wanted")?;
    let mut session = if path.exists() {
        Session::open(&files::read(path)?).map_err(|_| format!("{}: not a run of this program, or damaged", path.display()))?
    } else {
        Session::begin("first", catalog::SEED)
    };
    if advance_ms > 0 {
        act(&mut session, &Action::Advance { ms: advance_ms })?;
    }
    let mut exit = 0;
    if !args.is_empty() {
        act(&mut session, &command(&args)?)?;
        if let Some(entry) = session.newest().console.last() {
            exit = i32::from(entry.failed);
            if entry.failed { eprint!("{}", entry.output) } else { super::say(entry.output.trim_end_matches('\n')) }
        }
    }
    std::fs::write(path, session.link()).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(exit)
}

fn act(session: &mut Session, action: &Action) -> Result<(), String> {
    session.act(action).map_err(|why| format!("{why:?}"))
}

/// The command with the files that its `-f` names, whose text the run must hold.
fn command(args: &[&str]) -> Result<Action, String> {
    let mut files = Vec::new();
    for pair in args.windows(2) {
        if matches!(pair[0], "-f" | "--filename") && pair[1] != "-" {
            files.push((pair[1].into(), files::read(Path::new(pair[1]))?.into()));
        }
    }
    for arg in args {
        if let Some(path) = arg.strip_prefix("--filename=").or_else(|| arg.strip_prefix("-f=")) {
            files.push((path.into(), files::read(Path::new(path))?.into()));
        }
    }
    Ok(Action::KubectlFiles { words: args.iter().map(|a| (*a).into()).collect(), files })
}
