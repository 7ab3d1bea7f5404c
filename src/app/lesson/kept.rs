//! What this browser keeps of lessons: for each one that was begun, how far it is and its run. The run holds everything else.

use super::super::store;
use crate::lessons::State;
use serde::{Deserialize, Serialize};

const KEY: &str = "loopscope.lessons";
/// The lessons used last are kept.
const KEPT_MAX: usize = 12;

/// One lesson that was begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    pub id: String,
    /// It is not one of the page's.
    pub own: bool,
    /// In Korean and English.
    pub title: (String, String),
    /// The step, from 0, and how many there are.
    pub at: usize,
    pub of: usize,
    pub done: bool,
    /// As `Session::kept` writes it.
    pub run: String,
}

/// Every lesson that was begun, the newest first.
pub fn all() -> Vec<Kept> {
    store::get(KEY).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Where one of the page's lessons was left.
pub fn find(id: &str) -> Option<Kept> {
    all().into_iter().find(|k| k.id == id && !k.own)
}

/// Keeps how far a lesson is; says whether it could.
pub fn put(state: &State, run: &str) -> bool {
    let lesson = &state.lesson;
    let own = crate::lessons::name_of(&lesson.source).is_none();
    let title = (lesson.title.ko.to_string(), lesson.title.en.to_string());
    let id = lesson.id.to_string();
    let mut kept = all();
    kept.retain(|k| k.id != id || k.own != own);
    kept.insert(0, Kept { id, own, title, at: state.at, of: lesson.steps.len(), done: state.is_done(), run: run.to_string() });
    kept.truncate(KEPT_MAX);
    serde_json::to_string(&kept).is_ok_and(|text| store::put(KEY, &text))
}
