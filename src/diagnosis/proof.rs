//! A line of kubectl's output that proves a cause: the command is run on a copy of the world.

use super::Proof;
use crate::api::Str;
use crate::cluster::{Activity, Cluster, Detail, UserAction};

/// A command in a namespace that is not the one kubectl is in anyway.
pub fn in_namespace(command: &str, namespace: &str) -> String {
    if namespace.is_empty() || namespace == "default" { command.to_string() } else { format!("{command} -n {namespace}") }
}

/// What a command prints now.
pub fn output(world: &Cluster, command: &str) -> String {
    let words = command.split(' ').map(Str::from).collect();
    let mut copy = world.clone();
    match &copy.step(Activity::User(UserAction::Kubectl { words, files: Vec::new() })).detail {
        Detail::Command { stdout, .. } => stdout.to_string(),
        _ => String::new(),
    }
}

/// The last line that holds all the needles: the newest, where a list of Events ends an output.
pub fn line(command: &str, output: &str, needles: &[Str]) -> Option<Proof> {
    let line = output.lines().rev().find(|l| needles.iter().all(|n| l.contains(n.as_str())))?;
    Some(Proof { command: command.into(), line: line.into() })
}
