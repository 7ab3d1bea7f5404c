//! `loopscope lesson`: checks lessons, makes links of them, and tells whether a completion code is one of a lesson.

use super::files;
use crate::lessons::{self, Lesson, check};
use crate::session::{Session, catalog, link};
use std::path::{Path, PathBuf};

const USE: &str = "lesson check FILE|DIR..., lesson link FILE, or lesson code FILE CODE";

/// Does what the words say.
///
/// # Errors
/// What is wrong with the words, the files or the lessons.
pub fn run(words: &[&str]) -> Result<(), String> {
    match words {
        ["check", paths @ ..] if !paths.is_empty() => check_all(paths),
        ["link", path] => {
            let text = checked(Path::new(path)).map_err(|found| found.join("\n"))?.source.clone();
            let packed = link::packed_lesson(&text);
            super::say(&format!("#lesson={packed}"));
            if packed.len() > link::LINK_MAX_BYTES {
                eprintln!("loopscope: the link has {} bytes, and some programs cut it; the file itself can be opened, too", packed.len());
            }
            Ok(())
        }
        ["code", path, code] => {
            let lesson = Lesson::parse(&files::read(Path::new(path))?).map_err(|problems| format!("{path}: {}", problems[0]))?;
            if lessons::code_is_of(&lesson.id, code) {
                super::say(&format!("{code} is a completion code of {}", lesson.id));
                return Ok(());
            }
            Err(format!("{code} is no completion code of {}", lesson.id))
        }
        _ => Err(format!("wanted: {USE}")),
    }
}

fn check_all(paths: &[&str]) -> Result<(), String> {
    let mut wrong = Vec::new();
    let mut count = 0;
    for path in paths {
        for file in lessons_at(Path::new(path))? {
            count += 1;
            match checked(&file) {
                Ok(lesson) => {
                    let goals: usize = lesson.steps.iter().map(|s| s.goals.len()).sum();
                    super::say(&format!("{}: {} steps, {goals} goals: fine", file.display(), lesson.steps.len()));
                }
                Err(found) => wrong.extend(found),
            }
        }
    }
    match (wrong.len(), count) {
        (_, 0) => Err("no lesson there: lessons are files that end in .yaml".to_string()),
        (0, _) => Ok(()),
        (n, _) => Err(format!("{n} problem{} in {count} lesson{}\n{}", plural(n), plural(count), wrong.join("\n"))),
    }
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// A file, or the lessons of a folder by name.
fn lessons_at(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = std::fs::read_dir(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut all: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "yaml" || e == "yml")).collect();
    all.sort();
    Ok(all)
}

/// Plays a lesson; what is wrong, as `FILE:LINE: FIELD: MESSAGE`.
fn checked(file: &Path) -> Result<std::rc::Rc<Lesson>, Vec<String>> {
    let text = files::read(file).map_err(|why| vec![why])?;
    check::check(&text, &ground, catalog::SEED).map_err(|problems| {
        let field = |p: &lessons::Problem| if p.field.is_empty() { String::new() } else { format!("{}: ", p.field) };
        problems.iter().map(|p| format!("{}:{}: {}{}", file.display(), p.line, field(p), p.message)).collect()
    })
}

/// The world of a scenario of the menu, as the page begins it.
fn ground(name: &str, seed: u64) -> Option<check::Ground> {
    catalog::ENTRIES.iter().find(|e| e.name == name)?;
    let session = Session::begin(name, seed);
    Some(check::Ground { world: session.newest().world.clone(), editor: session.offered() })
}
