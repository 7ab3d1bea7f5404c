//! A lesson as data, and how its YAML is read. `docs/lessons.md` describes it for who writes one. Lessons come from files and links of
//! strangers, so everything is limited, and what is not known is refused.

use super::moves::{self, Move};
use super::read::{At, Problem, Reader};
use super::want::{self, Want};
use crate::api::{Str, Value};
use crate::scenario::format::config_of;
use crate::util::Order;
use std::collections::BTreeMap;

/// A lesson's text may be this long.
pub const LESSON_MAX_BYTES: usize = 96 << 10;
const STAGES_MAX: usize = 24;
const GOALS_MAX: usize = 8;
const CHOICES_MAX: usize = 6;
const MOVES_MAX: usize = 30;
const FILES_MAX: usize = 20;
const FILE_MAX_BYTES: usize = 20_000;
const NODES_MAX: usize = 20;
const TRIES_MAX: usize = 8;

/// A text in both languages. `code` stands in backquotes, a button's name between two stars.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    pub ko: Str,
    pub en: Str,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    pub id: Str,
    pub title: Said,
    /// One sentence: what is to be reached.
    pub about: Said,
    pub start: Start,
    /// What commands of `setup` and of solutions may read, by name.
    pub files: BTreeMap<String, String>,
    pub steps: Vec<Stage>,
    /// The text that this was read from.
    pub source: Str,
}

/// The world and the editor's text before the first step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// The name of a scenario of the page's menu; empty if the lesson brings its own cluster.
    pub scenario: Str,
    /// Nodes and images, as in a scenario file.
    pub cluster: Value,
    pub moves: Vec<Move>,
    pub editor: Option<Str>,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    pub title: Said,
    pub text: Said,
    /// Put into the editor when the step begins.
    pub editor: Option<Str>,
    /// The button Apply stands beside the text.
    pub apply: bool,
    /// What happens to the world when the step begins.
    pub setup: Vec<Move>,
    /// Asked before anything may be done; not graded.
    pub question: Option<Question>,
    pub goals: Vec<Goal>,
    /// A nudge, where to look, what to do.
    pub hints: [Said; 3],
    /// What was seen, once all goals are reached.
    pub after: Said,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub text: Said,
    pub choices: Vec<Choice>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub name: Str,
    pub text: Said,
    pub right: bool,
    /// Said when it was chosen and is not right.
    pub why: Option<Said>,
}

/// One check. It is looked at once those before it were reached, and stays reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    pub text: Said,
    pub want: Want,
    /// Ways to reach it, played from where the goal before it was reached.
    pub solutions: Vec<Vec<Move>>,
    /// What must not reach it.
    pub wrong: Vec<Vec<Move>>,
    pub line: usize,
}

impl Lesson {
    /// Reads a lesson.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the text.
    pub fn parse(text: &str) -> Result<Lesson, Vec<Problem>> {
        if text.len() > LESSON_MAX_BYTES {
            let message = format!("the lesson is {} bytes long, the limit is {LESSON_MAX_BYTES}", text.len());
            return Err(vec![Problem { line: 1, field: String::new(), message }]);
        }
        let (mut r, root) = Reader::new(text).map_err(|p| vec![p])?;
        r.fields(&root, &["lesson", "title", "about", "start", "files", "steps"]);
        let lesson = Lesson {
            id: r.name(&root.get("lesson")),
            title: r.said(&root.get("title")),
            about: r.said(&root.get("about")),
            files: files(&mut r, &root.get("files")),
            start: start(&mut r, &root.get("start")),
            steps: r.list(&root.get("steps"), 1, STAGES_MAX).iter().map(|at| stage(&mut r, at)).collect(),
            source: text.into(),
        };
        if r.problems.is_empty() {
            return Ok(lesson);
        }
        r.problems.sort();
        Err(r.problems)
    }
}

fn files(r: &mut Reader, at: &At) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    if at.value.entries().len() > FILES_MAX {
        r.wrong(at, format!("at most {FILES_MAX} files are read"));
        return files;
    }
    for (name, text) in at.value.entries() {
        match text.as_str() {
            Some(text) if text.len() <= FILE_MAX_BYTES => drop(files.insert(name.to_string(), text.to_string())),
            Some(_) => r.wrong(&at.get(name), format!("a file has at most {FILE_MAX_BYTES} bytes")),
            None => r.wrong(&at.get(name), "wants the file's text"),
        }
    }
    files
}

fn start(r: &mut Reader, at: &At) -> Start {
    r.fields(at, &["scenario", "cluster", "steps", "editor"]);
    let (scenario, cluster) = (at.get("scenario"), at.get("cluster"));
    if scenario.is_there() == cluster.is_there() {
        r.wrong(at, "wants either scenario or cluster");
    }
    if cluster.is_there() {
        r.fields(&cluster, &["nodes", "images"]);
        if r.list(&cluster.get("nodes"), 1, NODES_MAX).is_empty() || cluster.get("images").value.entries().len() > FILES_MAX {
            r.wrong(&cluster, format!("wants 1 to {NODES_MAX} nodes and at most {FILES_MAX} images"));
        } else if let Err(why) = config_of(&cluster.value, 0, true) {
            r.wrong(&cluster, why);
        }
        let mut names: Vec<Str> = cluster.get("nodes").items().map(|n| n.get("name").value.to_str()).collect();
        names.order();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            r.wrong(&cluster.get("nodes"), "two nodes have the same name");
        }
    }
    Start {
        scenario: if scenario.is_there() { r.name(&scenario) } else { Str::default() },
        cluster: cluster.value,
        moves: moves_of(r, &at.get("steps")),
        editor: editor(r, &at.get("editor")),
    }
}

fn editor(r: &mut Reader, at: &At) -> Option<Str> {
    let text = at.value.as_str().map(Str::from);
    if at.is_there() && text.as_ref().is_none_or(|t| t.len() > FILE_MAX_BYTES) {
        r.wrong(at, format!("wants a text of at most {FILE_MAX_BYTES} bytes"));
    }
    text
}

fn stage(r: &mut Reader, at: &At) -> Stage {
    r.fields(at, &["title", "text", "editor", "apply", "setup", "question", "goals", "hints", "after"]);
    let hints = at.get("hints");
    r.fields(&hints, &["nudge", "where", "do"]);
    let question = at.get("question");
    Stage {
        title: r.said(&at.get("title")),
        text: r.said(&at.get("text")),
        editor: editor(r, &at.get("editor")),
        apply: matches!(at.get("apply").value, Value::Bool(true)),
        setup: moves_of(r, &at.get("setup")),
        question: question.is_there().then(|| {
            r.fields(&question, &["text", "choices"]);
            Question { text: r.said(&question.get("text")), choices: choices(r, &question.get("choices")) }
        }),
        goals: r.list(&at.get("goals"), 1, GOALS_MAX).iter().map(|g| goal(r, g)).collect(),
        hints: ["nudge", "where", "do"].map(|name| r.said(&hints.get(name))),
        after: r.said(&at.get("after")),
    }
}

/// Two or more choices with different names, of which one is right.
pub(super) fn choices(r: &mut Reader, at: &At) -> Vec<Choice> {
    let mut all: Vec<Choice> = Vec::new();
    for item in r.list(at, 2, CHOICES_MAX) {
        r.fields(&item, &["name", "text", "right", "why"]);
        let why = item.get("why");
        let right = matches!(item.get("right").value, Value::Bool(true));
        let choice =
            Choice { name: r.name(&item.get("name")), text: r.said(&item.get("text")), right, why: why.is_there().then(|| r.said(&why)) };
        if all.iter().any(|c| c.name == choice.name) {
            r.wrong(&item.get("name"), "is the name of another choice");
        }
        all.push(choice);
    }
    if all.iter().filter(|c| c.right).count() != 1 {
        r.wrong(at, "wants one choice with `right: true`");
    }
    all
}

fn goal(r: &mut Reader, at: &At) -> Goal {
    r.fields(at, &["text", "if", "never", "choose", "type", "solution", "others", "wrong"]);
    let want = want::read(r, at);
    let answered = !matches!(want, Want::World { .. });
    let mut tries = |name: &str, least: usize| -> Vec<Vec<Move>> {
        r.list(&at.get(name), least, TRIES_MAX).iter().map(|one| moves_of(r, one)).collect()
    };
    // A choice brings its own wrong answers.
    let wrong = tries("wrong", usize::from(!answered));
    let mut solutions = tries("others", 0);
    let solution = at.get("solution");
    match solution.value {
        Value::List(_) => solutions.insert(0, moves_of(r, &solution)),
        _ => r.wrong(&solution, "wants the list of steps that reach this goal"),
    }
    Goal { text: r.said(&at.get("text")), want, solutions, wrong, line: r.line(&at.path) }
}

fn moves_of(r: &mut Reader, at: &At) -> Vec<Move> {
    let items = r.list(at, 0, MOVES_MAX);
    items
        .iter()
        .filter_map(|item| match moves::read(&item.value) {
            Ok(step) => Some(step),
            Err(why) => {
                r.wrong(item, why);
                None
            }
        })
        .collect()
}
