//! What kubectl said of a manifest, and the lines that it is about.

use super::view::{Problem, Text};
use crate::api::{Str, yaml};
use std::rc::Rc;

/// One problem an error, each at its line where that can be found.
pub fn problems(text: &str, stderr: &str) -> Vec<Problem> {
    let parsed = yaml::parse(text);
    let mut all = Vec::new();
    for message in messages(stderr) {
        let about = object_of(&message);
        for (n, part) in parts(&message).into_iter().enumerate() {
            let shown = if n == 0 { part.shown } else { part.what.to_string() };
            all.push(located(&parsed, about, part.what, shown));
        }
    }
    all
}

fn located(parsed: &yaml::Parsed, about: Option<(&str, &str)>, what: &str, shown: String) -> Problem {
    let (mut line, mut column, mut help) = (0, 0, None);
    if let Some(error) = parsed.error.as_ref().filter(|e| what.contains(&e.problem)) {
        (line, column) = (error.position.line as u32, error.position.column as u32);
        help = Some(Text::Word(help_key(error.code), Rc::from([("n", Text::from(u64::from(line)))])));
    } else if let Some(start) = field_of(what).and_then(|path| place_of(parsed, about, &path)) {
        (line, column) = start;
    }
    Problem { line, column, message: Str::from(shown), help }
}

/// What kubectl wrote, cut where a new error begins; warnings are no errors.
fn messages(stderr: &str) -> Vec<String> {
    const BEGINNINGS: [&str; 4] = ["Error from server", "error", "The ", "Warning: "];
    let mut all: Vec<String> = Vec::new();
    for line in stderr.lines().filter(|l| !l.trim().is_empty()) {
        match all.last_mut() {
            Some(last) if !BEGINNINGS.iter().any(|b| line.starts_with(b)) => {
                last.push('\n');
                last.push_str(line);
            }
            _ => all.push(line.to_string()),
        }
    }
    all.retain(|m| !m.starts_with("Warning: "));
    all
}

struct Part<'a> {
    what: &'a str,
    shown: String,
}

/// The errors that a message lists, one a bullet. Of one that quotes a whole patch, what comes after it: the console has the rest.
fn parts(message: &str) -> Vec<Part<'_>> {
    let bullets: Vec<&str> = message.lines().filter(|l| l.starts_with("* ")).collect();
    let (head, _) = message.split_once('\n').unwrap_or((message, ""));
    if !bullets.is_empty() {
        return bullets.into_iter().map(|what| Part { what, shown: [head.trim_end(), "\n", what].concat() }).collect();
    }
    let quoted = head.starts_with("error when applying patch") || head.contains(": error when applying patch");
    let what = if quoted { message.lines().last().unwrap_or(message) } else { message };
    let what = what.strip_prefix("for: ").and_then(|w| w.split_once(": ")).map_or(what, |(_, why)| why);
    vec![Part { what, shown: what.to_string() }]
}

/// Kind and name of the object that a message is about: `The Service "web" is invalid`.
fn object_of(message: &str) -> Option<(&str, &str)> {
    let (kind, rest) = message.strip_prefix("The ")?.split_once(" \"")?;
    Some((kind, rest.split('"').next()?))
}

/// The field that an error is about: `unknown field "spec.foo"`, `is invalid: spec.replicas: …`, `* spec.replicas: …`,
/// `Go struct field DeploymentSpec.spec.replicas of type int32`.
fn field_of(what: &str) -> Option<String> {
    if let Some((_, rest)) = what.split_once("unknown field \"") {
        return rest.split('"').next().map(String::from);
    }
    if let Some((_, rest)) = what.split_once("Go struct field ") {
        return rest.split(" of type").next()?.split_once('.').map(|(_, path)| path.to_string());
    }
    let rest = what.strip_prefix("* ").or_else(|| what.split_once(" is invalid: ").map(|(_, rest)| rest))?;
    rest.trim_start_matches('[').split(": ").next().map(String::from)
}

/// Where a field stands: in the document of the object, else in the first that has it.
fn place_of(parsed: &yaml::Parsed, about: Option<(&str, &str)>, path: &str) -> Option<(u32, u32)> {
    let is_about = |d: &yaml::Document| {
        about.is_some_and(|(kind, name)| d.value.get("kind").text() == kind && d.value.at(&["metadata", "name"]).text() == name)
    };
    let places = parsed.documents.iter().rev().filter_map(|d| Some((d.locate(path)?, is_about(d))));
    let (best, _) = places.max_by_key(|(p, about)| (p.exact, *about))?;
    let start = best.key.unwrap_or(best.value).start;
    Some((start.line as u32, start.column as u32))
}

/// The sentence for a kind of mistake.
fn help_key(code: yaml::Code) -> &'static str {
    match code {
        yaml::Code::Tab => "yaml.tab",
        yaml::Code::Indentation => "yaml.indentation",
        yaml::Code::ColonInValue => "yaml.colon",
        yaml::Code::NotClosed => "yaml.open",
        yaml::Code::MustQuote => "yaml.quote",
        yaml::Code::Template => "yaml.template",
        yaml::Code::UnknownAnchor => "yaml.anchor",
        yaml::Code::AliasBomb | yaml::Code::TooDeep | yaml::Code::TooLong => "yaml.large",
        yaml::Code::Binary => "yaml.binary",
        _ => "yaml.other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: three\n  template:\n    spec:\n      containers:\n      - name: a\n      - name: b\n        ports:\n        - containerPort: x\n---\napiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  replicas: 1\n  ports:\n  - port: 99999\n";

    #[test]
    fn every_error_stands_at_its_line() {
        let go = "json: cannot unmarshal string into Go struct field";
        // Name, what kubectl says, line and beginning of each problem.
        type Row<'a> = (&'a str, String, &'a [(u32, &'a str)]);
        let table: [Row; 6] = [
            (
                "a wrong type",
                format!("Error from server (BadRequest): error when creating \"manifest.yaml\": Deployment in version \"v1\" cannot be handled as a Deployment: {go} DeploymentSpec.spec.replicas of type int32"),
                &[(5, "Error from server (BadRequest): error when creating")],
            ),
            ("a wrong type in a list", format!("Error from server (BadRequest): {go} ContainerPort.spec.template.spec.containers.ports.containerPort of type int32"), &[(12, "Error")]),
            (
                "two errors of one object",
                "The Deployment \"web\" is invalid: \n* spec.replicas: Invalid value: 3\n* spec.template.spec.containers[1].name: Required value".into(),
                &[(5, "The Deployment \"web\" is invalid:\n* spec.replicas: Invalid value: 3"), (10, "* spec.template.spec.containers[1].name")],
            ),
            ("the second document", "The Service \"web\" is invalid: spec.replicas: Forbidden: no".into(), &[(18, "The Service")]),
            (
                "a patch that is quoted",
                format!("Error from server (BadRequest): error when applying patch:\n{{\"spec\":{{}}}}\nto:\nResource: \"apps/v1\"\nfor: \"manifest.yaml\": error when patching \"manifest.yaml\": \"\" is invalid: patch: {go} DeploymentSpec.spec.replicas of type int32"),
                &[(5, "error when patching")],
            ),
            ("a warning", "Warning: old\nThe Service \"web\" is invalid: spec.ports[0].port: Invalid value".into(), &[(20, "The Service")]),
        ];
        for (name, stderr, expected) in table {
            let found = problems(TEXT, &stderr);
            assert_eq!(
                found.iter().map(|p| p.line).collect::<Vec<_>>(),
                expected.iter().map(|e| e.0).collect::<Vec<_>>(),
                "{name}: {found:?}"
            );
            for (problem, (_, message)) in found.iter().zip(expected) {
                assert!(problem.message.starts_with(message), "{name}: {}", problem.message);
            }
        }
    }
}
