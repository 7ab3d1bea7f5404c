//! The page's lessons, played: every solution reaches its goal, no wrong answer does. And what the checker finds in lessons that are wrong.
#![cfg(not(target_arch = "wasm32"))]

use loopscope::lessons::{self, Problem, check};
use loopscope::session::{Session, catalog};

fn ground(name: &str, seed: u64) -> Option<check::Ground> {
    catalog::ENTRIES.iter().find(|e| e.name == name)?;
    let session = Session::begin(name, seed);
    Some(check::Ground { world: session.newest().world.clone(), editor: session.offered() })
}

fn problems(text: &str) -> Vec<Problem> {
    check::check(text, &ground, catalog::SEED).err().unwrap_or_default()
}

#[test]
fn the_pages_lessons_can_be_finished_as_they_say_and_not_otherwise() {
    for (name, text) in lessons::ALL {
        let found: Vec<String> = problems(text).iter().map(|p| p.to_string()).collect();
        assert!(found.is_empty(), "static/lessons/{name}.yaml:\n{}", found.join("\n"));
        assert_eq!(*lessons::named(name).unwrap().id, **name);
    }
}
