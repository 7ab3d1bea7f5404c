//! What a goal wants: conditions over the world as scenarios have them, with what lessons need beside those, or an answer.

use super::format::{Choice, choices};
use super::read::{At, Reader};
use crate::api::resource::PODS;
use crate::api::selector::Selector;
use crate::api::{Str, Value};
use crate::cluster::Cluster;
use crate::scenario::conditions;
use crate::util::Order;

const TESTS_MAX: usize = 8;
const ANSWERS_MAX: usize = 12;

#[derive(Clone, Debug, PartialEq)]
pub enum Want {
    /// All of `all` hold now, and none of `never` held at the end of any action since the step began.
    World { all: Vec<Test>, never: Vec<Test> },
    /// The right one of these was chosen.
    Choose(Vec<Choice>),
    /// One of these was typed; upper and lower case are the same.
    Type(Vec<Str>),
}

/// One condition over the world.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// As `until` and `expect` of scenarios.
    Holds(Str),
    /// A loop (`loop:replicaset`) or a process (`kube-scheduler`) is stopped.
    Stopped(Str),
    /// It runs.
    Running(Str),
    /// The objects of a target are the very ones that were there when the step began, and there is one at least.
    Untouched(Str),
    /// So many pods with these labels run this image.
    Pods {
        labels: Str,
        image: Str,
        count: usize,
    },
    Not(Box<Test>),
}

impl Test {
    /// Whether it holds now; `began` is the world when the step began.
    pub fn holds(&self, world: &Cluster, began: &Cluster) -> bool {
        match self {
            Test::Holds(condition) => conditions::holds(world, condition),
            Test::Stopped(name) => runs(world, name) == Some(false),
            Test::Running(name) => runs(world, name) == Some(true),
            Test::Untouched(target) => uids(world, target).is_some_and(|now| !now.is_empty() && Some(now) == uids(began, target)),
            Test::Pods { labels, image, count } => pods(world, labels, image) == *count,
            Test::Not(test) => !test.holds(world, began),
        }
    }
}

/// Whether all loops of a name, or a process, run; nothing if there are none.
fn runs(world: &Cluster, name: &str) -> Option<bool> {
    match name.strip_prefix("loop:") {
        Some(name) => {
            let mut all = world.loops_named(name).map(|id| world.the_loop(id).running && world.process(id.process).running).peekable();
            all.peek()?;
            Some(all.all(|running| running))
        }
        None => world.process_named(name).map(|id| world.process(id).running),
    }
}

fn uids(world: &Cluster, target: &str) -> Option<Vec<Str>> {
    let mut all: Vec<Str> = conditions::select(world, target)?.iter().map(|o| o.meta().get("uid").to_str()).collect();
    all.order();
    Some(all)
}

fn pods(world: &Cluster, labels: &str, image: &str) -> usize {
    let Ok(selector) = Selector::parse(labels) else { return 0 };
    let of_image = |spec: &Value| image.is_empty() || spec.get("containers").items().iter().any(|c| c.get("image").text() == image);
    world.etcd().list(&PODS, "default").filter(|p| selector.matches(p.labels()) && of_image(p.spec())).count()
}

/// What a goal wants.
pub(super) fn read(r: &mut Reader, at: &At) -> Want {
    let (world, choose, typed) = (at.get("if"), at.get("choose"), at.get("type"));
    match (world.is_there(), choose.is_there(), typed.is_there()) {
        (true, false, false) => Want::World { all: tests(r, &world), never: tests(r, &at.get("never")) },
        (false, true, false) => Want::Choose(choices(r, &choose)),
        (false, false, true) => Want::Type(r.list(&typed, 1, ANSWERS_MAX).iter().map(|t| r.text(t)).collect()),
        _ => {
            r.wrong(at, "wants one of if, choose and type");
            Want::World { all: Vec::new(), never: Vec::new() }
        }
    }
}

/// One condition, or a list of them.
fn tests(r: &mut Reader, at: &At) -> Vec<Test> {
    match at.value {
        Value::Null => Vec::new(),
        Value::List(_) => r.list(at, 1, TESTS_MAX).iter().filter_map(|t| test(r, t)).collect(),
        _ => test(r, at).into_iter().collect(),
    }
}

fn test(r: &mut Reader, at: &At) -> Option<Test> {
    match one(&at.value) {
        Ok(test) => Some(test),
        Err(why) => {
            r.wrong(at, why);
            None
        }
    }
}

fn one(v: &Value) -> Result<Test, String> {
    if let Some(condition) = v.as_str() {
        conditions::check(condition)?;
        return Ok(Test::Holds(condition.into()));
    }
    let [(key, inner)] = v.entries() else {
        return Err("wants a condition, or one of stopped, running, untouched, pods, not".to_string());
    };
    match (key.as_str(), inner.as_str()) {
        ("stopped", Some(name)) => Ok(Test::Stopped(part(name)?)),
        ("running", Some(name)) => Ok(Test::Running(part(name)?)),
        ("untouched", Some(target)) => conditions::check_target(target).map(|()| Test::Untouched(target.into())),
        ("not", _) if inner.get("not").is_null() => one(inner).map(|t| Test::Not(Box::new(t))),
        ("pods", None) => {
            if let Some((key, _)) = inner.entries().iter().find(|(k, _)| !["labels", "image", "count"].contains(&k.as_str())) {
                return Err(format!("pods: unknown field \"{key}\"; known are labels, image, count"));
            }
            let count = inner.get("count").as_int().and_then(|n| usize::try_from(n).ok()).ok_or("pods: wants count: a number")?;
            let labels = inner.get("labels").to_str();
            Selector::parse(&labels)?;
            Ok(Test::Pods { labels, image: inner.get("image").to_str(), count })
        }
        _ => Err(format!("unknown condition \"{key}\"; known are stopped, running, untouched, pods, not")),
    }
}

/// A loop's or a process's name that can exist.
fn part(name: &str) -> Result<Str, String> {
    let known = match name.strip_prefix("loop:") {
        Some(name) => crate::cluster::is_loop(name),
        None => name == "kube-controller-manager" || name == "kube-scheduler" || name.starts_with("kubelet:"),
    };
    if known { Ok(name.into()) } else { Err(format!("no loop or process is called \"{name}\"")) }
}
