//! A run as a link: version, seed, scenario and actions, with a hash of the state they lead to, compressed, as text for a URL.

use super::Session;
use super::action::Action;
use super::view::Text;
use crate::api::Str;
use crate::util::draws::hash;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

/// The version of the core: a link made by another one is played again and compared by its hash.
pub const CORE: &str = env!("CARGO_PKG_VERSION");
/// Above this a file is offered instead of a link, in bytes.
pub const LINK_MAX_BYTES: usize = 8_192;
/// A link is hostile input: no more than this is unpacked, or played.
const UNPACKED_MAX_BYTES: usize = 4_000_000;
const ACTIONS_MAX: usize = 200_000;
const SUM_BYTES: usize = 3;

/// What a link holds.
#[derive(Debug, Serialize, Deserialize)]
struct Saved {
    core: String,
    scenario: String,
    seed: u64,
    /// Equal actions in a row are written once, with their number.
    actions: Vec<(u32, Action)>,
    hash: u64,
    /// The text of a lesson that is not the page's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lesson: Option<String>,
}

impl Session {
    /// This run as text for the fragment of a link.
    pub fn link(&self) -> String {
        encode(&miniz_oxide::deflate::compress_to_vec(self.kept().as_bytes(), 9))
    }

    /// This run as plain text, for a place where its length is no matter; opened as a link is.
    pub fn kept(&self) -> String {
        let saved = Saved {
            core: CORE.to_string(),
            scenario: self.start().scenario.to_string(),
            seed: self.start().seed,
            actions: runs(self.actions()),
            hash: self.newest().world.digest(),
            lesson: self.own_lesson().map(|text| text.to_string()),
        };
        serde_json::to_string(&saved).expect("a run can be written")
    }

    /// What was written up to the moment looked at, as the recordings' `watch.jsonl`.
    pub fn watch(&self) -> String {
        let lines = crate::scenario::watch::lines(&self.moment().world);
        lines.iter().map(|line| serde_json::to_string(line).expect("a value can be written") + "\n").collect()
    }

    /// The run of a link, played again; its start, with a notice, if it does not lead where it says.
    ///
    /// # Errors
    /// The link is damaged.
    pub fn open(link: &str) -> Result<Session, Text> {
        let mut session = Session::unfold(link)?;
        session.finish();
        Ok(session)
    }

    /// The run of a link at its start, with its actions still to be played: see `work`.
    ///
    /// # Errors
    /// The link is damaged.
    pub fn unfold(link: &str) -> Result<Session, Text> {
        let damaged = || Text::word("err.link");
        let link = link.trim();
        let text = if link.starts_with('{') { Some(link.as_bytes().to_vec()) } else { unpacked(link) };
        let saved: Saved = text.and_then(|text| serde_json::from_slice(&text).ok()).ok_or_else(damaged)?;
        let count = saved.actions.iter().try_fold(0_usize, |sum, (n, _)| sum.checked_add(*n as usize));
        if count.is_none_or(|n| n > ACTIONS_MAX) || saved.actions.iter().any(|(_, a)| !a.is_recorded()) {
            return Err(damaged());
        }
        let mut session = match &saved.lesson {
            Some(text) => Session::lesson_with(text, saved.seed)?,
            None => Session::begin(&saved.scenario, saved.seed),
        };
        session.play(saved.actions, saved.hash, &saved.core);
        Ok(session)
    }
}

fn runs(actions: &[Action]) -> Vec<(u32, Action)> {
    let mut out: Vec<(u32, Action)> = Vec::new();
    for action in actions {
        match out.last_mut() {
            Some((n, last)) if last == action => *n += 1,
            _ => out.push((1, action.clone())),
        }
    }
    out
}

/// A lesson's text as a link's fragment holds it.
pub fn packed_lesson(text: &str) -> String {
    encode(&miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 9))
}

/// The lesson's text in a fragment: packed, or the name of one of the page's own.
///
/// # Errors
/// It is damaged, or too long.
pub fn unpacked_lesson(link: &str) -> Result<Str, Text> {
    if let Some(text) = crate::lessons::text_of(link) {
        return Ok(Str::fixed(text));
    }
    let text = unpacked(link.trim()).and_then(|bytes| String::from_utf8(bytes).ok());
    text.map(Str::from).ok_or_else(|| Text::word("err.link"))
}

/// base64 for URLs, with a checksum of three bytes in front.
fn encode(bytes: &[u8]) -> String {
    let sum = hash(0, bytes).to_be_bytes();
    let all: Vec<u8> = sum[..SUM_BYTES].iter().chain(bytes).copied().collect();
    URL_SAFE_NO_PAD.encode(all)
}

fn unpacked(link: &str) -> Option<Vec<u8>> {
    miniz_oxide::inflate::decompress_to_vec_with_limit(&decode(link)?, UNPACKED_MAX_BYTES).ok()
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let mut all = URL_SAFE_NO_PAD.decode(text).ok()?;
    if all.len() < SUM_BYTES {
        return None;
    }
    let bytes = all.split_off(SUM_BYTES);
    (hash(0, &bytes).to_be_bytes()[..SUM_BYTES] == all[..]).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(core: &str, hash: u64) -> String {
        let actions = vec![(3, Action::Tick)];
        let saved = Saved { core: core.to_string(), scenario: "stuck".to_string(), seed: 7, actions, hash, lesson: None };
        encode(&miniz_oxide::deflate::compress_to_vec(&serde_json::to_vec(&saved).unwrap(), 9))
    }

    #[test]
    fn a_link_that_leads_elsewhere_says_so_and_opens_its_own_start() {
        for (core, said) in [(CORE, "link.astray"), ("0.0.0", "link.other")] {
            let session = Session::open(&saved(core, 1)).unwrap();
            assert_eq!(session.start(), &super::super::Start { scenario: "stuck".into(), seed: 7 });
            assert!(session.actions().is_empty());
            assert!(matches!(session.notice(), Some(Text::Word(key, _)) if *key == said), "{:?}", session.notice());
        }
    }

    #[test]
    fn what_is_encoded_is_decoded_and_damage_is_seen() {
        for bytes in [&b""[..], b"a", b"ab", b"abc", b"\x00\xff\x10\x20"] {
            let text = encode(bytes);
            assert_eq!(decode(&text).as_deref(), Some(bytes));
            let mut damaged = text.into_bytes();
            damaged[1] = if damaged[1] == b'A' { b'B' } else { b'A' };
            assert_eq!(decode(&String::from_utf8(damaged).unwrap()), None);
        }
        assert_eq!(decode("!"), None);
    }
}
