//! The page's lessons, played: every solution reaches its goal, no wrong answer does. What the checker finds in lessons that are
//! wrong, and how a run keeps what a lesson's reader did.
#![cfg(not(target_arch = "wasm32"))]

use loopscope::lessons::{self, State, check};
use loopscope::session::action::Action;
use loopscope::session::{Session, catalog, link};
use std::rc::Rc;

fn ground(name: &str, seed: u64) -> Option<check::Ground> {
    catalog::ENTRIES.iter().find(|e| e.name == name)?;
    let session = Session::begin(name, seed);
    Some(check::Ground { world: session.newest().world.clone(), editor: session.offered() })
}

fn problems(text: &str) -> Vec<String> {
    let found = check::check(text, &ground, catalog::SEED).err().unwrap_or_default();
    found.iter().map(|p| p.to_string()).collect()
}

#[test]
fn the_pages_lessons_can_be_finished_as_they_say_and_not_otherwise() {
    for name in lessons::NAMES {
        let found = problems(lessons::text_of(name).unwrap());
        assert!(found.is_empty(), "static/lessons/{name}.yaml:\n{}", found.join("\n"));
        assert_eq!(*lessons::named(name).unwrap().id, *name);
    }
}

/// A small lesson that is right.
const SMALL: &str = r#"
lesson: small
title: {ko: 작다, en: Small}
about: {ko: 하나, en: One}
start: {scenario: first}
files: {one.yaml: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n"}
steps:
- title: {ko: 하나, en: One}
  text: {ko: 하나, en: One}
  goals:
  - text: {ko: 있다, en: There}
    if: cm/one .metadata.name=one
    solution: [{kubectl: apply -f one.yaml}]
    wrong:
    - [{kubectl: get cm}]
  hints:
    nudge: {ko: 가, en: a}
    where: {ko: 나, en: b}
    do: {ko: 다, en: c}
  after: {ko: 끝, en: End}
"#;

#[test]
fn what_is_wrong_with_a_lesson_is_named_with_its_line() {
    assert_eq!(problems(SMALL), Vec::<String>::new());
    let rows = [
        ("about: {ko: 하나, en: One}", "about: {ko: 하나}", "line 4: about.en: is missing"),
        ("about: {ko: 하나, en: One}", "about: {ko: 하나, en: ''}", "line 4: about.en: wants text"),
        ("title: {ko: 작다, en: Small}", "title: Small", "line 3: title: wants fields: ko, en"),
        ("lesson: small", "lesson: Small One", "line 2: lesson: wants at most 60 small letters, digits and dashes"),
        (
            "  after:",
            "  colour: red\n  after:",
            "line 20: steps[0].colour: unknown field; known are title, text, editor, apply, setup, question, goals, hints, after",
        ),
        ("cm/one .metadata.name=one", "cmap/one .metadata.name=one", "line 12: steps[0].goals[0].if: unknown kind \"cmap\""),
        ("cm/one .metadata.name=one", "cm/one shiny", "line 12: steps[0].goals[0].if: unknown test \"shiny\""),
        (
            "cm/one .metadata.name=one",
            "{stopped: loop:dance}",
            "line 12: steps[0].goals[0].if: no loop or process is called \"loop:dance\"",
        ),
        ("cm/one .metadata.name=one", "{pods: {labels: a=b}}", "line 12: steps[0].goals[0].if: pods: wants count: a number"),
        (
            "{kubectl: apply -f one.yaml}",
            "{dance: 1}",
            "line 13: steps[0].goals[0].solution[0]: unknown step \"dance\"; known are kubectl, until, timeout, wait, image, component, node, fault, step, tick, settle, answer",
        ),
        (
            "{kubectl: apply -f one.yaml}",
            "{wait: 1e7}",
            "line 13: steps[0].goals[0].solution[0]: waits 10000000 s, at most 600 are allowed",
        ),
        ("{kubectl: get cm}", "{kubectl: apply -f one.yaml}", "line 11: steps[0].goals[0].wrong[0]: this wrong answer reaches the goal"),
        (
            "{kubectl: apply -f one.yaml}",
            "{kubectl: get cm}",
            "line 11: steps[0].goals[0].solution: does not reach the goal: Holds(\"cm/one .metadata.name=one\") does not hold then",
        ),
        ("cm/one .metadata.name=one", "pod count=0", "line 11: steps[0].goals[0]: holds before its step begins"),
        ("{scenario: first}", "{scenario: nowhere}", "line 5: start.scenario: no scenario of the menu is called \"nowhere\""),
        ("{scenario: first}", "{}", "line 5: start: wants either scenario or cluster"),
        ("{scenario: first}", "{cluster: {nodes: [{name: a}, {name: a}]}}", "line 5: start.cluster.nodes: two nodes have the same name"),
        ("{scenario: first}", "{cluster: {nodes: [{name: a, cpu: lots}]}}", "line 5: start.cluster: node a: cpu: "),
        ("steps:\n- title", "steps:\n\t- title", "line 8: "),
        ("title: {ko: 작다, en: Small}", "title: {ko: 작다, en: Small}\ntitle: {ko: 크다, en: Large}", "line 4: title: is there twice"),
    ];
    for (from, to, expected) in rows {
        assert!(SMALL.contains(from), "{from}");
        let found = problems(&SMALL.replace(from, to));
        assert!(found.iter().any(|p| p.starts_with(expected)), "{to}\n expected {expected}\n found {found:#?}");
    }
}

#[test]
fn hostile_texts_are_refused_and_nothing_breaks() {
    let deep = "a: ".to_string() + &"[".repeat(50_000);
    let long = format!("lesson: x\n# {}", "y".repeat(200_000));
    let many = SMALL.replace("- [{kubectl: get cm}]", &"- [{kubectl: get cm}]\n    ".repeat(100));
    let bomb = "a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c]\nlesson: x";
    for text in ["", "x", "- a", "{}", "lesson: [1]", "steps: 3", "\u{0}", &deep, &long, &many, bomb, "lesson: x\n---\nlesson: y"] {
        assert!(!problems(text).is_empty(), "{}", &text[..text.len().min(60)]);
        assert!(Session::lesson(text).is_err());
    }
    for fragment in ["", "x", "AAAA", "....", "nowhere"] {
        assert!(link::unpacked_lesson(fragment).is_err(), "{fragment}");
    }
}

fn state(session: &Session) -> Rc<State> {
    session.newest().course.as_ref().expect("a lesson is on").state().clone()
}

fn act(session: &mut Session, actions: &[Action]) {
    for action in actions {
        session.act(action).unwrap_or_else(|why| panic!("{action:?}: {why:?}"));
    }
}

fn answer(text: &'static str) -> Action {
    Action::Answer { text: text.into() }
}

#[test]
fn nothing_can_be_done_before_the_prediction_and_a_step_can_be_begun_again() {
    let mut session = Session::begin("lesson:what-apply-does", catalog::SEED);
    let apply = Action::Apply { text: session.offered() };
    assert!(session.act(&apply).is_err(), "the question stands");
    assert!(session.act(&Action::NextStep).is_err());
    act(&mut session, &[answer("three"), apply]);
    assert!(state(&session).is_reached());
    act(&mut session, &[Action::NextStep, answer("pods"), Action::Step]);
    assert_eq!((state(&session).at, state(&session).reached), (1, 1));
    let kept = session.kept();
    act(&mut session, &[Action::Back]);
    assert_eq!(state(&session).reached, 0, "what is taken back was never reached");
    act(&mut session, &[Action::ResetStep { step: 1 }]);
    assert_eq!((state(&session).at, state(&session).predicted.is_none()), (1, true));
    assert_eq!(session.actions().len(), 3, "the first step stays");
    act(&mut session, &[Action::ResetStep { step: 0 }]);
    assert_eq!((state(&session).at, session.actions().len()), (0, 0));
    let again = Session::open(&kept).unwrap();
    assert_eq!((state(&again).at, state(&again).reached), (1, 1), "a link holds how far one is");
}

#[test]
fn goals_count_in_their_order_and_a_finished_lesson_has_its_code() {
    let mut session = Session::begin("lesson:dead-controller", catalog::SEED);
    let stop = Action::StopLoop { loop_id: "replicaset".into() };
    let start = Action::StartLoop { loop_id: "replicaset".into() };
    let apply = Action::Apply { text: session.offered() };
    act(&mut session, &[answer("gone"), stop, Action::NextStep, answer("v2"), start.clone()]);
    assert!(state(&session).broken, "the loop ran while it must not");
    act(&mut session, &[Action::ResetStep { step: 1 }, answer("v2"), apply, Action::Settle]);
    act(&mut session, &[Action::NextStep, answer("queue")]);
    assert!(state(&session).missed.is_some());
    act(&mut session, &[answer("board"), Action::NextStep, answer("replay"), start, Action::Settle]);
    let done = state(&session);
    assert!(done.is_done());
    assert!(lessons::code_is_of("dead-controller", &done.code.to_lowercase()));
    assert!(!lessons::code_is_of("what-apply-does", &done.code) && !lessons::code_is_of("dead-controller", "AAAA-AAAA"));
}

#[test]
fn a_lesson_of_somebody_else_travels_in_the_link_and_can_begin_again() {
    let fragment = link::packed_lesson(SMALL);
    let mut session = Session::lesson(&link::unpacked_lesson(&fragment).unwrap()).unwrap();
    act(&mut session, &[Action::Kubectl { line: "kubectl create configmap one".into() }]);
    assert!(state(&session).is_done());
    let opened = Session::open(&session.link()).unwrap();
    assert_eq!(state(&opened).code, state(&session).code);
    act(&mut session, &[Action::Reset]);
    assert_eq!((state(&session).lesson.id.to_string(), state(&session).reached), ("small".to_string(), 0));
    let named = link::unpacked_lesson("dead-controller").unwrap();
    assert_eq!(*Session::lesson(&named).unwrap().start().scenario, *"lesson:dead-controller");
}

#[test]
fn the_guides_template_is_a_lesson() {
    let guide = std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/lessons.md")).unwrap();
    let template = guide.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the guide has a template");
    assert_eq!(problems(template), Vec::<String>::new());
}
