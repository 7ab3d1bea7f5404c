//! What is said of a cause, in both languages. `{name}` stands for an argument of the diagnosis.

use crate::api::Str;

/// One text in Korean and English.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    pub ko: &'static str,
    pub en: &'static str,
}

impl Said {
    /// The text in Korean, or else in English.
    pub fn of(self, korean: bool) -> &'static str {
        if korean { self.ko } else { self.en }
    }
}

/// A text with its arguments filled in; an argument that is not there stays as it is written.
pub fn fill(text: &str, args: &[(&'static str, Str)]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let Some(close) = rest[open..].find('}').map(|n| open + n) else { break };
        match args.iter().find(|a| a.0 == &rest[open + 1..close]) {
            Some((_, value)) => out.push_str(value),
            None => out.push_str(&rest[open..=close]),
        }
        rest = &rest[close + 1..];
    }
    out.push_str(rest);
    out
}
