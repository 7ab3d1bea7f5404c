//! Two writers of one Deployment, in both orders, on real loops: the 409 is the recorded one, the loop comes back by itself, a
//! person has to read again.

use loopscope::api::{Str, Value, json};
use loopscope::cluster::Verdict;
use loopscope::scenario::fill;
use loopscope::scenes::conflict::{Conflict, Writer, jpa};
use loopscope::session::Session;
use loopscope::session::action::Action;

const RECORDED: &str = include_str!("recorded.jsonl");
const JPA: &str = include_str!("jpa.txt");
const WORDS: &str = "Operation cannot be fulfilled on deployments.apps \"web\": the object has been modified; please apply your changes to the latest version and try again";

fn begun() -> Session {
    Session::begin("conflict", 42)
}

fn act(session: &mut Session, action: Action) {
    assert_eq!(session.act(&action), Ok(()), "{action:?}");
}

fn kubectl(session: &mut Session, line: &str) -> Str {
    act(session, Action::Kubectl { line: Str::from(line) });
    session.moment().console.last().unwrap().output.clone()
}

/// `kubectl replace -f web.yaml`, the file being what the editor holds at the start: the object as read, with 5 replicas.
fn replace(session: &mut Session, file: &str) -> Str {
    let (words, files) = (["replace", "-f", "web.yaml"].map(Str::fixed).to_vec(), vec![(Str::fixed("web.yaml"), Str::from(file))]);
    act(session, Action::KubectlFiles { words, files });
    session.moment().console.last().unwrap().output.clone()
}

fn seen(session: &Session) -> Conflict {
    Conflict::of(&session.moment().world)
}

/// (version sent, accepted)
fn writes(of: &Writer) -> Vec<(u64, bool)> {
    of.writes.iter().map(|w| (w.version, w.answer.is_ok())).collect()
}

fn recorded(command: &str) -> Value {
    let lines = RECORDED.lines().map(|l| json::parse(l).unwrap());
    lines.into_iter().find(|l| l.get("command").text().starts_with(command)).unwrap()
}

#[test]
fn both_have_read_one_version_and_the_loop_waits_with_its_write() {
    let session = begun();
    let both = seen(&session);
    assert_eq!((both.the_loop.read, both.me.read), (both.version, both.version));
    assert_eq!((both.the_loop.writes.len(), both.me.writes.len()), (0, 0));
    assert!(session.offered().contains(&format!("resourceVersion: \"{}\"", both.version)), "{}", session.offered());
}

#[test]
fn the_second_writer_gets_the_recorded_answer_and_gets_there_after_reading_again() {
    for loop_first in [true, false] {
        let mut session = begun();
        let (file, read) = (session.offered(), seen(&session).version);
        let said = if loop_first {
            act(&mut session, Action::Step);
            replace(&mut session, &file)
        } else {
            let said = replace(&mut session, &file);
            act(&mut session, Action::Step);
            said
        };
        let both = seen(&session);
        let (first, second) = if loop_first { (&both.the_loop, &both.me) } else { (&both.me, &both.the_loop) };
        assert_eq!((writes(first), writes(second)), (vec![(read, true)], vec![(read, false)]));
        assert_eq!(second.refusal().unwrap(), WORDS);
        assert_eq!(both.version, read + 1);
        if loop_first {
            let words = recorded("replace").get("stderr").text().replace("stale-deployment.yaml", "web.yaml");
            assert_eq!(*said, *words);
            kubectl(&mut session, "get deployment web -o yaml");
            let world = &session.moment().world;
            let again = file.replace(&format!("\"{read}\""), &fill(world, "\"@read(deployment/web)\""));
            assert_eq!(replace(&mut session, &again), "deployment.apps/web replaced\n");
        } else {
            assert_eq!(said, "deployment.apps/web replaced\n");
        }
        act(&mut session, Action::Settle);
        let world = &session.moment().world;
        let both = seen(&session);
        let second = if loop_first { &both.me } else { &both.the_loop };
        assert_eq!(writes(second)[..2], [(read, false), (read + 1, true)], "{second:?}");
        assert_eq!(world.clone().run_until_settled(world.now().after_ms(60_000)), Verdict::Converged);
        assert!(fill(world, "@pod(app=web#4)").starts_with("web-"), "five replicas");
    }
}

#[test]
fn the_loop_that_was_refused_comes_back_by_itself_with_back_off() {
    let mut session = begun();
    let file = session.offered();
    replace(&mut session, &file);
    act(&mut session, Action::Step);
    let world = &session.moment().world;
    let of = world.loops_named("deployment").next().unwrap();
    let (due, key) = world.the_loop(of).queue.waiting().next().unwrap();
    assert_eq!((due.since_ms(world.now()) < 20, &**key), (true, "default/web"));
}

#[test]
fn in_the_lab_apply_is_refused_as_well_if_the_manifest_holds_an_old_version() {
    let mut session = begun();
    let text = session.offered();
    act(&mut session, Action::Step);
    act(&mut session, Action::Apply { text: text.clone() });
    let moment = session.moment();
    assert!(moment.problems[0].message.ends_with(WORDS), "{:?}", moment.problems);
    assert_ne!(moment.stored, text);
}

#[test]
fn the_words_are_those_of_a_real_cluster() {
    for command in ["replace", "patch"] {
        let recorded = recorded(command);
        assert!(recorded.get("stderr").text().trim_end().ends_with(WORDS), "{command}");
    }
}

#[test]
fn the_words_of_jpa_are_those_of_a_real_run() {
    assert!(JPA.contains(&format!("Hibernate: {}\n", jpa::SQL)));
    assert!(JPA.contains(&format!("org.springframework.orm.{}: {}\n", jpa::EXCEPTION, jpa::MESSAGE)));
    assert!(jpa::MESSAGE.contains(jpa::SQL));
}
