//! The faults that one can put in: what each asks for, and the document that the answers make.

use super::Choices;
use crate::api::{Resource, Str, Value};

/// From where a field's value is chosen.
#[derive(Clone, Copy, PartialEq)]
pub enum From {
    Process,
    /// A process that has a leader.
    Leader,
    Loop,
    /// A kind that the process watches.
    Kind,
    /// An object of such a kind, or of one that the loop hears of.
    About,
    Node,
    Registry,
    Container,
    Verb,
    Restart,
}

/// One field of a document.
pub enum Field {
    Pick(&'static str, From),
    /// With what it begins; where that is "", it may be missing.
    Number(&'static str, &'static str),
    Text(&'static str, &'static str),
    Code(&'static str, i64),
    Yes(&'static str),
}

pub struct Form {
    pub word: &'static str,
    /// What happens in reality, in one sentence.
    pub says: &'static str,
    pub fields: &'static [Field],
}

const PROCESS: From = From::Process;
const FOR: Field = Field::Number("for", "");

const fn form(word: &'static str, says: &'static str, fields: &'static [Field]) -> Form {
    Form { word, says, fields }
}

/// By what they hit.
pub const GROUPS: &[(&str, &[Form])] = {
    use Field::*;
    &[
        (
            "fp.g.wire",
            &[
                form("fp.freeze", "fp.freeze.d", &[Pick("freeze", PROCESS), Pick("kind", From::Kind), FOR]),
                form("flt.lost", "fp.lost.d", &[Pick("lostOnWire", PROCESS), Pick("about", From::About), FOR]),
                form("fp.delay", "fp.delay.d", &[Pick("delay", PROCESS), Pick("about", From::About), Number("seconds", "5"), FOR]),
                form(
                    "fp.duplicate",
                    "fp.duplicate.d",
                    &[Pick("duplicate", PROCESS), Pick("about", From::About), Number("seconds", "1"), FOR],
                ),
                form("flt.next", "fp.next.d", &[Pick("next", PROCESS), Pick("kind", From::Kind)]),
                form("flt.late", "fp.late.d", &[Pick("next", PROCESS), Pick("kind", From::Kind), Number("seconds", "5")]),
                form("flt.cut", "fp.cut.d", &[Pick("disconnect", PROCESS), Pick("kind", From::Kind)]),
                form("flt.relist", "fp.relist.d", &[Pick("relist", PROCESS), Pick("kind", From::Kind)]),
                form("flt.resync", "fp.resync.d", &[Pick("resync", PROCESS), Pick("kind", From::Kind)]),
            ],
        ),
        ("fp.g.loop", &[form("flt.wake", "fp.wake.d", &[Pick("lostWakeUp", From::Loop), Pick("about", From::About), FOR])]),
        (
            "fp.g.request",
            &[
                form(
                    "fp.fail409",
                    "fp.fail409.d",
                    &[Pick("fail", From::Loop), Pick("verb", From::Verb), Code("with", 409), Number("times", "1")],
                ),
                form(
                    "fp.fail429",
                    "fp.fail429.d",
                    &[Pick("fail", From::Loop), Pick("verb", From::Verb), Code("with", 429), Number("times", "3")],
                ),
                form(
                    "fp.fail500",
                    "fp.fail500.d",
                    &[Pick("fail", From::Loop), Pick("verb", From::Verb), Code("with", 500), Number("times", "1")],
                ),
                form(
                    "fp.timeout",
                    "fp.timeout.d",
                    &[
                        Pick("fail", From::Loop),
                        Pick("verb", From::Verb),
                        Text("with", "timeout"),
                        Number("seconds", "30"),
                        Number("times", "1"),
                    ],
                ),
                form(
                    "fp.committed",
                    "fp.committed.d",
                    &[
                        Pick("fail", From::Loop),
                        Pick("verb", From::Verb),
                        Text("with", "timeout"),
                        Yes("committed"),
                        Number("seconds", "30"),
                        Number("times", "1"),
                    ],
                ),
            ],
        ),
        (
            "fp.g.process",
            &[
                form("fp.crash", "fp.crash.d", &[Pick("crash", From::Loop), Number("afterWrite", "1"), Pick("restart", From::Restart)]),
                form("fp.leaders", "fp.leaders.d", &[Pick("twoLeaders", From::Leader), FOR]),
            ],
        ),
        (
            "fp.g.node",
            &[
                form("fp.cutoff", "fp.cutoff.d", &[Pick("node", From::Node), Text("is", "cutOff"), FOR]),
                form("flt.node", "fp.down.d", &[Pick("node", From::Node), Text("is", "down")]),
                form("fp.kill", "fp.kill.d", &[Pick("kill", From::Container)]),
            ],
        ),
        (
            "fp.g.etcd",
            &[
                form("fp.slow", "fp.slow.d", &[Text("etcd", "slow"), Number("seconds", "2"), FOR]),
                form("fp.compact", "fp.compact.d", &[Text("etcd", "compact")]),
            ],
        ),
        ("fp.g.registry", &[form("fp.registry", "fp.registry.d", &[Pick("registry", From::Registry), Text("is", "down"), FOR])]),
    ]
};

/// A form by its place among all.
pub fn nth(n: usize) -> &'static Form {
    GROUPS.iter().flat_map(|g| g.1).nth(n).unwrap_or(&GROUPS[0].1[0])
}

/// What was chosen or typed, by field; a field that was not touched has its default.
pub type Answers = Vec<(&'static str, String)>;

/// What can be chosen for a field. `who` is the process or loop that the form names.
pub fn options(from: From, choices: &Choices, who: &str) -> Vec<Str> {
    let kinds = || -> &[Resource] {
        let of = choices.processes.iter().chain(&choices.loops).find(|p| p.0 == *who);
        of.map_or(&[], |p| &p.1)
    };
    let names = |list: &[(Str, Vec<Resource>)]| list.iter().map(|p| p.0.clone()).collect();
    let fixed = |list: &[&'static str]| list.iter().map(|t| Str::fixed(t)).collect();
    match from {
        From::Process => names(&choices.processes),
        From::Leader => fixed(&["kube-controller-manager", "kube-scheduler"]),
        From::Loop => names(&choices.loops),
        From::Kind => kinds().iter().map(|r| r.0.clone()).collect(),
        From::About => choices.objects.iter().filter(|o| kinds().contains(&o.0)).map(|o| o.1.clone()).collect(),
        From::Node => choices.nodes.clone(),
        From::Registry => choices.registries.clone(),
        From::Container => choices.containers.clone(),
        From::Verb => fixed(&["", "create", "update", "patch", "delete"]),
        From::Restart => fixed(&["1", "5", "30", "never"]),
    }
}

/// Which option is chosen: what a person chose, if it is there still, or what is asked for most.
pub fn chosen(from: From, options: &[Str], answered: Option<&str>) -> Str {
    let usual = |o: &&Str| match from {
        From::Process => *o == "kube-controller-manager",
        From::Loop => *o == "replicaset",
        From::Kind => *o == "pods",
        From::About => o.contains("/pods/"),
        _ => true,
    };
    let there = options.iter().find(|o| answered == Some(o.as_str()));
    there.or_else(|| options.iter().find(usual)).or(options.first()).cloned().unwrap_or_default()
}

/// The form's process or loop as it is chosen.
pub fn who(form: &Form, choices: &Choices, answers: &Answers) -> Str {
    match form.fields.first() {
        Some(Field::Pick(name, from)) => chosen(*from, &options(*from, choices, ""), answered(answers, name)),
        _ => Str::default(),
    }
}

/// What was answered for a field. The process or loop is one answer, whatever field names it.
pub fn answered<'a>(answers: &'a Answers, field: &str) -> Option<&'a str> {
    answers.iter().find(|a| a.0 == field).map(|a| a.1.as_str())
}

/// A number if it is one; what is wrong with another text the world says.
fn number(text: &str) -> Value {
    match (text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(n), _) => Value::Int(n),
        (_, Ok(f)) => Value::Float(f),
        _ => Value::from(text.to_string()),
    }
}

/// The document that the answers make.
pub fn document(form: &Form, choices: &Choices, answers: &Answers) -> Value {
    let who = who(form, choices, answers);
    let mut out = Value::map();
    for field in form.fields {
        match field {
            Field::Text(name, text) => out.set(*name, Value::str(*text)),
            Field::Code(name, code) => out.set(*name, Value::Int(*code)),
            Field::Yes(name) => out.set(*name, Value::Bool(true)),
            Field::Number(name, default) => {
                let text = answered(answers, name).unwrap_or(default).trim();
                if !text.is_empty() {
                    out.set(*name, number(text));
                }
            }
            Field::Pick(name, from) => {
                let value = chosen(*from, &options(*from, choices, &who), answered(answers, name));
                match (from, value.split_once('/')) {
                    (From::Verb, _) if value.is_empty() => {}
                    (From::Restart, _) => out.set(*name, number(&value)),
                    (From::Container, Some((namespace, container))) => {
                        out.set(*name, Value::from(container.to_string()));
                        out.set("namespace", Value::from(namespace.to_string()));
                    }
                    _ => out.set(*name, Value::Str(value)),
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Fault;
    use crate::session::Session;
    use crate::session::action::Action;
    use crate::session::view::{Look, page};

    #[test]
    fn every_form_makes_a_document_that_the_world_takes() {
        let mut session = Session::begin("rolling", 0);
        let _ = session.act(&Action::Settle);
        let look = Look { faults: true, ..Look::default() };
        for (n, form) in GROUPS.iter().flat_map(|g| g.1).enumerate() {
            let choices = page(&session, &look).choices.expect("they are asked for");
            let document = document(nth(n), &choices, &Answers::new());
            let fault = Fault::parse(&document).unwrap_or_else(|e| panic!("{}: {e}", form.word));
            let _ = session.act(&Action::Fault { document });
            let seen = page(&session, &look);
            assert_eq!(seen.choices.as_ref().and_then(|c| c.refused.clone()), None, "{}", form.word);
            if fault.lasts() {
                let last = seen.faults.iter().rev().find_map(|f| f.rule.as_ref()).expect("it is in the list");
                assert_eq!(*last.document, *crate::api::json::write_compact(&fault.document()), "{}", form.word);
                let _ = session.act(&Action::EndFault { fault: last.id });
                assert!(page(&session, &look).faults.iter().all(|f| f.rule.is_none()), "{} has ended", form.word);
            } else if let Fault::NodeDown(node) = fault {
                let _ = session.act(&Action::NodeUp { node });
                let _ = session.act(&Action::Settle);
            }
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_worlds_words() {
        let mut session = Session::begin("rolling", 0);
        let look = Look { faults: true, ..Look::default() };
        let choices = page(&session, &look).choices.unwrap();
        let document = document(&GROUPS[0].1[0], &choices, &vec![("for", "soon".to_string())]);
        let _ = session.act(&Action::Fault { document });
        let refused = page(&session, &look).choices.unwrap().refused.clone().expect("it is refused");
        assert_eq!(refused, "freeze: \"for\" wants a number of seconds from 0 to 86400".into());
    }
}
