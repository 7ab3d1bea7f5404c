//! Command line flags, read as pflag reads them.

use super::fault::Fault;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// a truth value; `--name` alone is true
    Bool,
    /// a value, in the same word or the next
    Text,
    /// a value that must be a whole number
    Int,
    /// a length of time
    Duration,
    /// a value in the same word, or this one
    Optional(&'static str),
}

/// A flag: long name, short name (or a space), what it takes.
pub type Flag = (&'static str, char, Takes);

const GLOBAL: &[Flag] = &[
    ("namespace", 'n', Takes::Text),
    ("context", ' ', Takes::Text),
    ("cluster", ' ', Takes::Text),
    ("user", ' ', Takes::Text),
    ("kubeconfig", ' ', Takes::Text),
    ("server", 's', Takes::Text),
    ("as", ' ', Takes::Text),
    ("v", 'v', Takes::Text),
    ("request-timeout", ' ', Takes::Text),
    ("cache-dir", ' ', Takes::Text),
    ("insecure-skip-tls-verify", ' ', Takes::Bool),
    ("warnings-as-errors", ' ', Takes::Bool),
    ("help", 'h', Takes::Bool),
];

/// The flags and words of one command.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    values: BTreeMap<&'static str, Vec<String>>,
    pub args: Vec<String>,
    /// How many of `args` stood before `--`; all if there was none.
    pub before_dash: usize,
    /// Whether the command checks manifests before it sends them.
    pub validates: bool,
}

impl Flags {
    /// The last value given, or "".
    pub fn text(&self, name: &str) -> &str {
        self.values.get(name).and_then(|v| v.last()).map_or("", String::as_str)
    }

    /// Every value given, in order.
    pub fn all(&self, name: &str) -> &[String] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    /// Every value given, split at commas.
    pub fn list(&self, name: &str) -> Vec<String> {
        self.all(name).iter().flat_map(|v| v.split(',')).filter(|v| !v.is_empty()).map(String::from).collect()
    }

    pub fn given(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    pub fn is_set(&self, name: &str) -> bool {
        self.or(name, false)
    }

    /// A truth value with a default.
    pub fn or(&self, name: &str, default: bool) -> bool {
        if self.given(name) { truth(self.text(name)).unwrap_or(default) } else { default }
    }

    pub fn int(&self, name: &str) -> Option<i64> {
        self.text(name).parse().ok()
    }

    /// A length of time in milliseconds.
    pub fn duration_ms(&self, name: &str) -> Option<u64> {
        duration_ms(self.text(name)).and_then(|ms| u64::try_from(ms).ok())
    }

    pub fn has_negative_duration(&self, name: &str) -> bool {
        duration_ms(self.text(name)).is_some_and(|ms| ms < 0)
    }
}

fn truth(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// Go's `time.ParseDuration`, in milliseconds; a bare number is seconds. Negative ones keep their sign.
pub fn duration_ms(text: &str) -> Option<i64> {
    if let Ok(seconds) = text.parse::<i64>() {
        return seconds.checked_mul(1000);
    }
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut total = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let unit_end = rest.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(rest.len());
        let unit = match &rest[..unit_end] {
            "ms" => 1.0,
            "s" => 1000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            "us" | "µs" => 0.001,
            "ns" => 0.000_001,
            _ => return None,
        };
        total += number * unit;
        rest = &rest[unit_end..];
    }
    Some(if negative { -(total as i64) } else { total as i64 })
}

/// Reads `words` by the flags of a command and the global ones.
///
/// # Errors
/// A flag is not known, lacks its value, or has one of a wrong form.
pub fn parse(command: &str, own: &'static [Flag], words: &[String]) -> Result<Flags, Fault> {
    let wrong = |text: String| Fault::Text(format!("{text}\nSee 'kubectl {command} --help' for usage."));
    let mut flags = Flags::default();
    let mut rest = words.iter();
    let known = || own.iter().chain(GLOBAL);
    flags.validates = known().any(|f| f.0 == "validate");
    let mut dashed = None;
    while let Some(word) = rest.next() {
        if word == "--" {
            dashed = Some(flags.args.len());
            flags.args.extend(rest.by_ref().cloned());
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(n, v)| (n, Some(v.to_string())));
            let flag = known().find(|f| f.0 == name).ok_or_else(|| wrong(format!("unknown flag: --{name}")))?;
            let value = value
                .or_else(|| alone(flag.2))
                .or_else(|| rest.next().cloned())
                .ok_or_else(|| wrong(format!("flag needs an argument: --{name}")))?;
            add(&mut flags, *flag, value).map_err(wrong)?;
        } else if word.len() > 1 && word.starts_with('-') {
            let mut letters = &word[1..];
            while let Some(letter) = letters.chars().next() {
                letters = &letters[letter.len_utf8()..];
                let flag = known()
                    .find(|f| f.1 == letter && letter != ' ')
                    .ok_or_else(|| wrong(format!("unknown shorthand flag: '{letter}' in {word}")))?;
                let value = if let Some(given) = letters.strip_prefix('=') {
                    letters = "";
                    given.to_string()
                } else if let Some(value) = alone(flag.2) {
                    value
                } else if letters.is_empty() {
                    rest.next().cloned().ok_or_else(|| wrong(format!("flag needs an argument: '{letter}' in {word}")))?
                } else {
                    std::mem::take(&mut letters).to_string()
                };
                add(&mut flags, *flag, value).map_err(wrong)?;
            }
        } else {
            flags.args.push(word.clone());
        }
    }
    flags.before_dash = dashed.unwrap_or(flags.args.len());
    Ok(flags)
}

fn alone(takes: Takes) -> Option<String> {
    match takes {
        Takes::Bool => Some("true".to_string()),
        Takes::Optional(value) => Some(value.to_string()),
        Takes::Text | Takes::Int | Takes::Duration => None,
    }
}

fn add(flags: &mut Flags, (name, short, takes): Flag, value: String) -> Result<(), String> {
    let shown = if short == ' ' { format!("--{name}") } else { format!("-{short}, --{name}") };
    let invalid = |why: String| Err(format!("invalid argument {value:?} for {shown:?} flag: {why}"));
    match takes {
        Takes::Bool if truth(&value).is_none() => return invalid(format!("strconv.ParseBool: parsing {value:?}: invalid syntax")),
        Takes::Int if value.parse::<i64>().is_err() => return invalid(format!("strconv.ParseInt: parsing {value:?}: invalid syntax")),
        Takes::Duration if duration_ms(&value).is_none() => return invalid(format!("time: invalid duration {value:?}")),
        _ => {}
    }
    flags.values.entry(name).or_default().push(value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: &[Flag] = &[
        ("output", 'o', Takes::Text),
        ("watch", 'w', Takes::Bool),
        ("replicas", ' ', Takes::Int),
        ("cascade", ' ', Takes::Optional("background")),
    ];

    fn read(line: &str) -> Result<Flags, Fault> {
        parse("get", FLAGS, &super::super::split(line).unwrap())
    }

    #[test]
    fn flags_are_read_as_pflag_reads_them() {
        let table = [
            ("pod -o wide", "wide"),
            ("-owide pod", "wide"),
            ("pod --output=wide", "wide"),
            ("-wo wide pod", "wide"),
            ("pod -o=wide", "wide"),
        ];
        for (line, value) in table {
            let flags = read(line).unwrap();
            assert_eq!((flags.text("output"), flags.args.as_slice()), (value, &["pod".to_string()][..]), "{line}");
        }
        let flags = read("pod --cascade --watch=false a- -- -x").unwrap();
        assert_eq!((flags.text("cascade"), flags.is_set("watch"), flags.before_dash), ("background", false, 2));
        assert_eq!(flags.args, ["pod", "a-", "-x"]);
    }

    #[test]
    fn a_wrong_flag_is_named() {
        let table = [
            ("--bogus", "unknown flag: --bogus"),
            ("-z", "unknown shorthand flag: 'z' in -z"),
            ("--replicas", "flag needs an argument: --replicas"),
            ("--replicas=x", "invalid argument \"x\" for \"--replicas\" flag: strconv.ParseInt: parsing \"x\": invalid syntax"),
        ];
        for (line, text) in table {
            assert_eq!(read(line).unwrap_err(), Fault::Text(format!("{text}\nSee 'kubectl get --help' for usage.")), "{line}");
        }
    }

    #[test]
    fn durations_are_those_of_go() {
        for (text, ms) in [
            ("5s", Some(5000)),
            ("1m30s", Some(90_000)),
            ("90", Some(90_000)),
            ("0.5s", Some(500)),
            ("-1s", Some(-1000)),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(duration_ms(text), ms, "{text}");
        }
    }
}
