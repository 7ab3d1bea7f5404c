//! What a running command has at hand: its flags and files, a way to the API server, and what it printed.

use super::Files;
use super::fault::Fault;
use super::flags::Flags;
use super::warnings;
use crate::api::{Answer, Object, Request};
use crate::client::Transport;
use crate::util::Time;

/// What a command printed, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    pub exit: i32,
    pub stdout: String,
    pub stderr: String,
}

/// A way to what a container printed.
pub trait Logs {
    /// The output of a container, of its previous run if asked; `None` if there is none.
    fn read(&self, namespace: &str, pod: &str, container: &str, previous: bool) -> Option<String>;
}

/// `--dry-run`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DryRun {
    None,
    Client,
    Server,
}

pub struct Context<'a> {
    pub api: &'a mut dyn Transport,
    pub flags: Flags,
    pub files: &'a Files,
    pub stdin: Option<&'a str>,
    pub logs: Option<&'a dyn Logs>,
    pub out: &'a mut Output,
}

impl<'a> Context<'a> {
    pub fn new(
        api: &'a mut dyn Transport,
        flags: Flags,
        files: &'a Files,
        stdin: Option<&'a str>,
        logs: Option<&'a dyn Logs>,
        out: &'a mut Output,
    ) -> Context<'a> {
        Context { api, flags, files, stdin, logs, out }
    }

    pub fn now(&self) -> Time {
        self.api.now()
    }

    pub fn print(&mut self, text: &str) {
        self.out.stdout.push_str(text);
    }

    pub fn say(&mut self, line: impl AsRef<str>) {
        self.out.stdout.push_str(line.as_ref());
        self.out.stdout.push('\n');
    }

    pub fn warn(&mut self, line: impl AsRef<str>) {
        self.out.stderr.push_str(line.as_ref());
        self.out.stderr.push('\n');
    }

    /// Sends a request and prints what the server would warn of.
    ///
    /// # Errors
    /// The server's refusal.
    pub fn send(&mut self, request: Request) -> Result<Answer, Fault> {
        let asked = request.clone();
        let answer = self.api.send(request);
        let said = match &answer {
            Ok(Answer::Object(object)) => warnings::of(&asked, &object.0),
            _ => warnings::of(&asked, &asked.body),
        };
        for line in said {
            let line = format!("Warning: {line}\n");
            if !self.out.stderr.contains(&line) {
                self.out.stderr.push_str(&line);
            }
        }
        Ok(answer?)
    }

    /// As `send`, for a request that is answered with one object.
    ///
    /// # Errors
    /// The server's refusal.
    pub fn object(&mut self, request: Request) -> Result<Object, Fault> {
        Ok(self.send(request)?.object())
    }

    /// The namespace of the command: that of `-n`, or `default`.
    pub fn namespace(&self) -> &str {
        match self.flags.text("namespace") {
            "" => "default",
            name => name,
        }
    }

    pub fn args(&self) -> Vec<String> {
        self.flags.args.clone()
    }

    /// # Errors
    /// The flag has another value than those that exist.
    pub fn dry_run(&self) -> Result<DryRun, Fault> {
        match self.flags.text("dry-run") {
            "" | "none" => Ok(DryRun::None),
            "client" => Ok(DryRun::Client),
            "server" => Ok(DryRun::Server),
            "unchanged" => Ok(DryRun::Client),
            other => Err(Fault::text(format!("Invalid dry-run value ({other}). Must be \"none\", \"server\", or \"client\"."))),
        }
    }

    /// The field manager: that of `--field-manager`, or the verb's own.
    pub fn manager(&self, default: &'static str) -> String {
        match self.flags.text("field-manager") {
            "" => default.to_string(),
            name => name.to_string(),
        }
    }

    /// A request of this command: its field manager, strict fields, and nothing kept with `--dry-run=server`.
    pub fn write(&self, request: Request, manager: &'static str) -> Request {
        let dry_run = self.dry_run() == Ok(DryRun::Server);
        let strict = matches!(self.flags.text("validate"), "" | "true" | "strict");
        Request { dry_run, strict, ..request.by(self.manager(manager)) }
    }
}
