//! Where a run is stuck: each cause with its code, the loop that owes the next move, a line of kubectl that proves it, and what
//! would fix it. Reads a world and changes nothing; what cannot be proved by a line of kubectl's output is not claimed.

pub mod causes;
mod proof;
mod sight;
mod words;

pub use causes::{ALL, Cause, Family, find};
pub use words::{Said, fill};

use crate::api::{Object, Resource, Str};
use crate::cluster::Cluster;
use sight::Sight;
use std::collections::BTreeSet;

/// The object that is stuck.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subject {
    pub kind: Str,
    pub namespace: Str,
    pub name: Str,
    pub uid: Str,
}

impl Subject {
    fn of(object: &Object) -> Subject {
        Subject { kind: object.kind().into(), namespace: object.namespace().into(), name: object.name().into(), uid: object.uid().into() }
    }
}

/// Who has to move next.
#[derive(Clone, Debug, PartialEq)]
pub enum Owes {
    /// A person: no loop will do anything about it.
    You,
    /// A loop, by name; it waits for something, or does not run.
    Loop(Str),
    /// Something that the cluster does not hold: a registry, a machine, a controller of somebody else.
    Outside(Str),
}

impl Owes {
    /// A word for it that needs no translation: `you`, a loop's name, `registry`.
    pub fn name(&self) -> &str {
        match self {
            Owes::You => "you",
            Owes::Loop(name) | Owes::Outside(name) => name,
        }
    }
}

/// One thing that would fix it.
#[derive(Clone, Debug, PartialEq)]
pub enum Fix {
    /// A command, ready to run.
    Kubectl(Str),
    /// A field of a manifest, and what it should hold.
    Yaml {
        field: Str,
        value: Str,
    },
    StartLoop(Str),
    StartProcess(Str),
    /// The cache is read anew from the server.
    Relist {
        process: Str,
        resource: Resource,
    },
    /// The cache is replayed to the handlers.
    Resync {
        process: Str,
        resource: Resource,
    },
}

impl Fix {
    /// In one line, as a person would do it.
    pub fn line(&self) -> String {
        match self {
            Fix::Kubectl(line) => format!("kubectl {line}"),
            Fix::Yaml { field, value } => format!("{field}: {value}"),
            Fix::StartLoop(name) => format!("start loop:{name}"),
            Fix::StartProcess(name) => format!("start {name}"),
            Fix::Relist { process, resource } => format!("re-list {} in {process}", resource.plural()),
            Fix::Resync { process, resource } => format!("resync {} in {process}", resource.plural()),
        }
    }
}

/// A command and the line of its output that proves a cause, both verbatim.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proof {
    /// Without `kubectl` in front.
    pub command: Str,
    pub line: Str,
}

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    pub code: &'static str,
    pub object: Subject,
    /// So many other objects of the same owner have the same cause.
    pub others: u64,
    pub owes: Owes,
    pub args: Vec<(&'static str, Str)>,
    pub proof: Proof,
    pub fixes: Vec<Fix>,
}

impl Diagnosis {
    /// The cause with its words.
    pub fn cause(&self) -> &'static Cause {
        find(self.code).expect("a diagnosis has a code of the registry")
    }
}

/// What a family of causes has found, before it is proved.
pub(crate) struct Finding {
    code: &'static str,
    object: Subject,
    /// Findings of one code and group are told once.
    group: Str,
    owes: Owes,
    args: Vec<(&'static str, Str)>,
    command: String,
    /// What the line that proves it holds, each in turn.
    needles: Vec<Str>,
    fixes: Vec<Fix>,
}

impl Finding {
    fn new(code: &'static str, object: &Object, owes: Owes) -> Finding {
        let group = object.controller_uid().unwrap_or_else(|| Str::from(object.uid()));
        let mut finding = Finding::about(code, Subject::of(object), owes);
        finding.group = group;
        finding
    }

    fn about(code: &'static str, object: Subject, owes: Owes) -> Finding {
        let args = vec![("kind", object.kind.clone()), ("name", object.name.clone())];
        Finding { code, group: object.uid.clone(), object, owes, args, command: String::new(), needles: Vec::new(), fixes: Vec::new() }
    }

    fn arg(mut self, name: &'static str, value: impl Into<Str>) -> Finding {
        self.args.push((name, value.into()));
        self
    }

    /// The command (without `kubectl`, in the object's namespace) and what its line holds.
    fn proved(mut self, command: &str, needles: &[&str]) -> Finding {
        self.command = proof::in_namespace(command, &self.object.namespace);
        self.needles = needles.iter().map(|n| Str::from(*n)).collect();
        self
    }

    fn fix(mut self, fix: Fix) -> Finding {
        self.fixes.push(fix);
        self
    }

    fn command(self, line: &str) -> Finding {
        let line = proof::in_namespace(line, &self.object.namespace);
        self.fix(Fix::Kubectl(Str::from(line)))
    }

    fn yaml(self, field: &str, value: &str) -> Finding {
        self.fix(Fix::Yaml { field: field.into(), value: value.into() })
    }
}

/// All causes that are found in a world now, the one that stands first in the chain first, what only follows from others last.
pub fn diagnose(world: &Cluster) -> Vec<Diagnosis> {
    let sight = Sight::of(world);
    let mut all: Vec<Finding> = Vec::new();
    for family in ALL {
        let found = (family.look)(&sight, &all);
        let known: BTreeSet<Str> = all.iter().map(|f| f.object.uid.clone()).collect();
        all.extend(found.into_iter().filter(|f| f.object.uid.is_empty() || family.follows || !known.contains(&f.object.uid)));
    }
    let mut out: Vec<(Str, Diagnosis)> = Vec::new();
    for finding in all {
        if let Some((_, first)) = out.iter_mut().find(|(group, d)| d.code == finding.code && *group == finding.group) {
            first.others += 1;
            continue;
        }
        let Some(proof) = sight.prove(&finding.command, &finding.needles) else { continue };
        let Finding { code, object, owes, args, fixes, .. } = finding;
        out.push((finding.group, Diagnosis { code, object, others: 0, owes, args, proof, fixes }));
    }
    out.into_iter().map(|(_, d)| d).collect()
}
