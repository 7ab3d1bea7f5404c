//! Tables and descriptions, to the letter as a real kubectl printed them of the same objects (`tests/kubectl/README.md`).

use loopscope::api::selector::Selector;
use loopscope::api::{Answer, Listing, Object, Request, Status, Value, Verb, json};
use loopscope::client::Transport;
use loopscope::kubectl::{self, Files, Progress};
use loopscope::util::Time;
use std::path::Path;

/// Objects that can be read and not written.
struct Still {
    now: Time,
    objects: Vec<(String, Object)>,
}

fn fits(object: &Object, field: &str) -> bool {
    let (path, wanted, value) = match field.split_once("!=") {
        Some((path, value)) => (path, false, value),
        None => field.split_once('=').map_or((field, true, ""), |(path, value)| (path, true, value)),
    };
    let steps: Vec<&str> = path.split('.').collect();
    (object.at(&steps).text() == value) == wanted
}

impl Transport for Still {
    fn send(&mut self, request: Request) -> Result<Answer, Status> {
        let of_kind = self.objects.iter().filter(|(resource, _)| *resource == request.resource.0.as_str()).map(|(_, o)| o);
        let mut there = of_kind.filter(|o| request.namespace.is_empty() || o.namespace() == request.namespace.as_str());
        if request.verb == Verb::Get {
            let found = there.find(|o| o.name() == request.name.as_str()).cloned();
            return found.map(Answer::Object).ok_or_else(|| Status::not_found(&request.resource.0, &request.name));
        }
        assert_eq!(request.verb, Verb::List, "nothing is written here");
        let labels = Selector::parse(&request.list.label_selector).map_err(Status::bad_request)?;
        let fields: Vec<&str> = request.list.field_selector.split(',').filter(|f| !f.is_empty()).collect();
        let items = there.filter(|o| labels.matches(o.labels()) && fields.iter().all(|f| fits(o, f))).cloned().collect();
        Ok(Answer::List(Listing { items, ..Listing::default() }))
    }

    fn now(&self) -> Time {
        self.now
    }
}

fn read(path: &Path) -> Value {
    json::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn what_is_printed_is_what_was_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kubectl");
    let mut seen = 0;
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        seen += 1;
        let case = read(&path);
        let args: Vec<String> = case.get("args").items().iter().map(|a| a.text().to_string()).collect();
        let objects = case.get("objects").items().iter();
        let objects = objects.map(|o| (o.get("resource").text().to_string(), Object(o.get("object").clone()))).collect();
        let mut still = Still { now: Time(u64::try_from(case.get("now_ms").int()).unwrap()), objects };
        let Progress::Done(out) = kubectl::start(&args, &Files::default(), None, &mut still) else {
            panic!("{args:?} waits");
        };
        if out.stdout != case.get("stdout").text() {
            wrong.push(format!(
                "{}: {args:?}\n--- recorded\n{}\n--- printed\n{}{}",
                path.display(),
                case.get("stdout").text(),
                out.stdout,
                out.stderr
            ));
        }
    }
    assert!(seen > 10, "the cases are there");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
