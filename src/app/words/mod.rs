//! The page's words in both languages: static tables, looked up by key.

mod faults;
mod first;
mod more;
mod table;

use crate::api::Str;
use crate::diagnosis::{self, Said};
use crate::session::view::Text;

/// The languages of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lang {
    Ko,
    En,
}

impl Lang {
    pub fn code(self) -> &'static str {
        match self {
            Lang::Ko => "ko",
            Lang::En => "en",
        }
    }

    /// The word of a key as it stands in the table, `{x}` and all; the key itself if there is none.
    pub fn raw(self, key: &'static str) -> &'static str {
        let found = first::WORDS.iter().find(|w| w.0 == key).or_else(|| later(key));
        match (found, self) {
            (Some(w), Lang::Ko) => w.1,
            (Some(w), Lang::En) => w.2,
            (None, _) => key,
        }
    }

    /// The word of a key with every `{name}` filled in; `{name|s}` is an s unless `name` is 1.
    pub fn fill(self, key: &'static str, args: &[(&'static str, Text)]) -> String {
        let mut out = String::new();
        let mut rest = self.raw(key);
        while let Some(open) = rest.find('{') {
            out.push_str(&rest[..open]);
            let Some(close) = rest[open..].find('}').map(|n| open + n) else { break };
            let (name, plural) = rest[open + 1..close].split_once('|').map_or((&rest[open + 1..close], None), |(n, s)| (n, Some(s)));
            match args.iter().find(|a| a.0 == name) {
                Some((_, text)) if plural.is_some() => {
                    if self.say(text) != "1" {
                        out.push_str(plural.unwrap_or(""));
                    }
                }
                Some((_, text)) => out.push_str(&self.say(text)),
                None => out.push_str(&rest[open..=close]),
            }
            rest = &rest[close + 1..];
        }
        out.push_str(rest);
        out
    }

    /// A text of a view in this language.
    pub fn say(self, text: &Text) -> String {
        match text {
            Text::Word(key, args) => self.fill(key, args),
            Text::Said(said, args) => of_a_cause(self, said, args),
            Text::Verbatim(s) => s.to_string(),
        }
    }
}

/// What is said of a cause; nothing is stuck in a first visit.
#[cold]
#[inline(never)]
fn of_a_cause(lang: Lang, said: &Said, args: &[(&'static str, Str)]) -> String {
    diagnosis::fill(said.of(lang == Lang::Ko), args)
}

/// The words that a first visit does not show. A function of its own, so that their table is not a part of the page's first half.
#[cold]
#[inline(never)]
fn later(key: &str) -> Option<&'static (&'static str, &'static str, &'static str)> {
    table::WORDS.iter().chain(more::WORDS).chain(faults::WORDS).find(|w| w.0 == key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn all() -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
        first::WORDS.iter().chain(table::WORDS).chain(more::WORDS).chain(faults::WORDS)
    }

    fn holes(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|s| s.split_once('}')).map(|s| s.0.split('|').next().unwrap_or("")).collect()
    }

    #[test]
    fn every_word_is_there_once_in_both_languages_with_the_same_holes() {
        let mut seen = BTreeSet::new();
        for (key, ko, en) in all() {
            assert!(seen.insert(key), "{key} is there twice");
            assert!(!ko.is_empty() && !en.is_empty(), "{key} is empty in a language");
            assert_eq!(holes(ko), holes(en), "{key}");
        }
    }

    /// The string literals of a source file that look like keys of the table.
    fn keys_in(source: &str) -> Vec<String> {
        let prefixes: BTreeSet<&str> = all().map(|w| w.0.split('.').next().unwrap()).collect();
        let plain = |s: &str| !s.is_empty() && s.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
        source
            .split('"')
            .skip(1)
            .step_by(2)
            .filter(|s| plain(s) && s.split_once('.').is_some_and(|p| prefixes.contains(p.0) && !p.1.is_empty()))
            .map(String::from)
            .collect()
    }

    fn sources(dir: &std::path::Path, out: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(dir).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                sources(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                out.push(path);
            }
        }
    }

    #[test]
    fn every_key_that_the_page_uses_is_in_the_table() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files = Vec::new();
        for room in ["app", "session"] {
            sources(&root.join(room), &mut files);
        }
        let known: BTreeSet<&str> = all().map(|w| w.0).collect();
        let mut used = 0;
        for file in files.iter().filter(|f| !f.ends_with("words/table.rs") && !f.ends_with("words/more.rs")) {
            for key in keys_in(&std::fs::read_to_string(file).unwrap()) {
                assert!(known.contains(key.as_str()), "{} uses {key}, which nobody has written", file.display());
                used += 1;
            }
        }
        assert!(used > 0);
    }

    #[test]
    fn lessons_call_the_pages_buttons_by_their_names() {
        // What stands for a number is no part of the name.
        let bare = |text: &str| text.replace("{n}", "").chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        let (ko, en): (BTreeSet<String>, BTreeSet<String>) = all().map(|w| (bare(w.1), bare(w.2))).unzip();
        let mut named = 0;
        for name in crate::lessons::NAMES {
            let lesson = crate::lessons::named(name).unwrap();
            for step in &lesson.steps {
                for said in [&step.title, &step.text, &step.after].into_iter().chain(&step.hints).chain(step.goals.iter().map(|g| &g.text))
                {
                    for (text, known) in [(&said.ko, &ko), (&said.en, &en)] {
                        for button in text.split('*').skip(1).step_by(2) {
                            assert!(known.contains(&bare(button)), "{name}: no word of the page is \"{button}\"");
                            named += 1;
                        }
                    }
                }
            }
        }
        assert!(named > 0);
    }

    #[test]
    fn every_fact_that_a_loop_notes_can_be_said() {
        let mut files = Vec::new();
        sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/controllers"), &mut files);
        let known: BTreeSet<&str> = all().map(|w| w.0).collect();
        let codes: Vec<String> = files
            .iter()
            .flat_map(|f| keys_in(&std::fs::read_to_string(f).unwrap()))
            .filter(|k| k.starts_with("saw.") || k.starts_with("differs."))
            .collect();
        assert!(!codes.is_empty());
        for code in codes {
            assert!(known.contains(code.as_str()), "nobody has written {code}");
        }
    }

    #[test]
    fn holes_are_filled_with_texts_of_the_same_language() {
        let text = Text::with("flt.for", [("loop", Text::word("w.sc"))]);
        assert_eq!(Lang::Ko.say(&text), "스케줄러 루프에 장애 넣기");
        assert_eq!(Lang::En.say(&text), "Faults for the scheduler loop");
        for (n, expected) in [(1, "1 event waiting"), (2, "2 events waiting")] {
            assert_eq!(Lang::En.fill("st.wire", &[("n", n.into())]), expected);
        }
    }
}
