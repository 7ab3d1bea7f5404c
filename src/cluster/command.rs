//! Commands: kubectl acts at once; one that blocks is a process in the world that looks again whenever objects change.

use super::agenda::Actor;
use super::{Cluster, Detail};
use crate::api::{Answer, Request, Status, Str};
use crate::apiserver::ApiServer;
use crate::client::Transport;
use crate::client::queue::Causes;
use crate::kubectl::{self, Files, Output, Progress};
use crate::util::Time;
use std::rc::Rc;

/// A command that waits hears of a change after this long.
const NEWS_MS: u64 = 5;

/// A command that blocks.
#[derive(Clone)]
pub struct Command {
    pub line: Str,
    pub process: kubectl::Process,
    pub due: Option<Time>,
}

/// The way from kubectl to the server.
struct Direct<'a> {
    server: &'a mut ApiServer,
    now: Time,
}

impl Transport for Direct<'_> {
    fn send(&mut self, request: Request) -> Result<Answer, Status> {
        self.server.handle(&request, self.now)
    }

    fn now(&self) -> Time {
        self.now
    }
}

/// The containers' logs, as kubectl asks for them.
struct ContainerLogs<'a>(&'a Cluster);

impl kubectl::Logs for ContainerLogs<'_> {
    fn read(&self, namespace: &str, pod: &str, container: &str, previous: bool) -> Option<String> {
        self.0.container_logs(namespace, pod, container, previous)
    }
}

impl Cluster {
    /// Starts a command. It is over at once, or waits under a number.
    pub(super) fn start_command(&mut self, words: &[Str], files: &[(Str, Str)]) -> (Causes, Detail) {
        let args: Vec<String> = words.iter().map(|w| w.to_string()).collect();
        let stdin = files.iter().find(|(path, _)| path == "-").map(|(_, text)| text.clone());
        let files = Files(files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect());
        let line = Str::from(args.join(" "));
        let now = self.now;
        let view = needs_logs(&args).then(|| self.clone());
        let logs = view.as_ref().map(ContainerLogs);
        let mut direct = Direct { server: &mut self.server, now };
        let progress =
            kubectl::start_with_logs(&args, &files, stdin.as_deref(), &mut direct, logs.as_ref().map(|l| l as &dyn kubectl::Logs));
        match progress {
            Progress::Done(output) => (Causes::default(), done(line, output)),
            Progress::Waiting(process) => {
                self.commands_started += 1;
                let id = self.commands_started;
                let stdout = Str::from(process.so_far());
                let due = process.next_check();
                self.commands.insert_mut(id, Rc::new(Command { line: line.clone(), process: *process, due }));
                self.reschedule(&Actor::Command(id));
                (Causes::default(), Detail::Command { line, exit: None, stdout, stderr: Str::default() })
            }
        }
    }

    /// A command that waits looks again.
    #[inline(never)]
    pub(super) fn poll(&mut self, id: u32) -> (Causes, Detail) {
        let Some(command) = self.commands.get(&id).cloned() else { return (Causes::default(), Detail::None) };
        let mut command = Rc::unwrap_or_clone(command);
        let now = self.now;
        let over = command.process.poll(&mut Direct { server: &mut self.server, now });
        let detail = match over {
            Some(output) => {
                self.commands.remove_mut(&id);
                done(command.line, output)
            }
            None => {
                command.due = command.process.next_check().filter(|at| *at > now);
                let (line, stdout) = (command.line.clone(), Str::from(command.process.so_far()));
                self.commands.insert_mut(id, Rc::new(command));
                Detail::Command { line, exit: None, stdout, stderr: Str::default() }
            }
        };
        self.reschedule(&Actor::Command(id));
        (Causes::default(), detail)
    }

    pub(super) fn cancel(&mut self, id: u32) -> Detail {
        let Some(command) = self.commands.get(&id).cloned() else { return Detail::None };
        self.commands.remove_mut(&id);
        self.reschedule(&Actor::Command(id));
        let command = Rc::unwrap_or_clone(command);
        done(command.line, command.process.cancel())
    }

    /// Objects changed: commands that wait look again soon.
    #[inline(never)]
    pub(super) fn wake_commands(&mut self) {
        if self.commands.is_empty() {
            return;
        }
        let soon = self.now.after_ms(NEWS_MS);
        let waiting: Vec<u32> = self.commands.keys().copied().collect();
        for id in waiting {
            let command = self.commands.get(&id).expect("listed above");
            if command.due.is_none_or(|at| at > soon) {
                let command = Command { due: Some(soon), ..(**command).clone() };
                self.commands.insert_mut(id, Rc::new(command));
                self.reschedule(&Actor::Command(id));
            }
        }
    }

    /// The commands that wait: number, line, and what they printed so far.
    pub fn waiting_commands(&self) -> impl Iterator<Item = (u32, &Str, &str)> {
        self.commands.iter().map(|(id, c)| (*id, &c.line, c.process.so_far()))
    }

    /// The number of the command that was started last and waits, if any.
    pub fn newest_command(&self) -> Option<u32> {
        self.commands.contains_key(&self.commands_started).then_some(self.commands_started)
    }
}

fn needs_logs(args: &[String]) -> bool {
    args.iter().any(|a| a == "logs")
}

fn done(line: Str, output: Output) -> Detail {
    Detail::Command { line, exit: Some(output.exit), stdout: output.stdout.into(), stderr: output.stderr.into() }
}
