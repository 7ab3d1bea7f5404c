//! What the browser remembers: the run as its link, language, brightness, the text in the editor. Every access may be denied
//! (a frame, a private window), and then nothing is kept and nothing breaks.

use web_sys::Storage;

pub const RUN: &str = "loopscope.run";
pub const DRAFT: &str = "loopscope.draft";
/// What the visitor was doing before a link was opened.
pub const OWN: &str = "loopscope.own";
pub const LANG: &str = "loopscope.lang";
pub const THEME: &str = "loopscope.theme";
pub const LETTERS: &str = "loopscope.letters";
/// The run before its last action, of this tab alone.
const GOOD: &str = "loopscope.good";

fn local() -> Option<Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}

fn session() -> Option<Storage> {
    web_sys::window()?.session_storage().ok().flatten()
}

/// What was kept under `key`.
pub fn get(key: &str) -> Option<String> {
    local()?.get_item(key).ok().flatten()
}

/// Keeps `value`; says whether it could.
pub fn put(key: &str, value: &str) -> bool {
    local().is_some_and(|s| s.set_item(key, value).is_ok())
}

pub fn forget(key: &str) {
    if let Some(s) = local() {
        let _ = s.remove_item(key);
    }
}

/// Remembers the run as it is before an action that may go wrong.
pub fn put_good(link: &str) {
    if let Some(s) = session() {
        let _ = s.set_item(GOOD, link);
    }
}

pub fn good() -> Option<String> {
    session()?.get_item(GOOD).ok().flatten()
}
