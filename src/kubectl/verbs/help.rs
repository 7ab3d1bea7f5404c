//! What works here: `kubectl help`, and `--help` after a verb. The real texts are manuals; these are lists.

use super::{REFUSED, SETS, first_word};
use crate::kubectl::flags::{Flag, Takes};

/// The answer to a command that asks for help; none if it does not.
pub fn help(args: &[String]) -> Option<String> {
    let own: Vec<&str> = args.iter().map(String::as_str).take_while(|a| *a != "--").collect();
    let first = own.get(first_word(args)).copied();
    let asked = first == Some("help") || own.iter().any(|a| matches!(*a, "--help" | "-h"));
    if !asked {
        return None;
    }
    let words: Vec<&str> = own.into_iter().filter(|a| !a.starts_with('-') && *a != "help").collect();
    let Some(verb) = words.first() else { return Some(overview()) };
    let two = words.get(1).map(|second| format!("{verb} {second}"));
    let known = || SETS.iter().flat_map(|set| set.iter());
    let found = known().find(|v| Some(v.words) == two.as_deref()).or_else(|| known().find(|v| v.words == *verb));
    if let Some(v) = found {
        let flags: Vec<String> = (v.flags)().iter().map(written).collect();
        let flags = if flags.is_empty() { String::new() } else { format!("\n\nFlags:\n  {}", flags.join("\n  ")) };
        return Some(format!("Usage:\n  kubectl {} [NAME | TYPE NAME | -f FILE] [flags]{flags}\n", v.words));
    }
    let group: Vec<&str> = known().map(|v| v.words).filter(|w| w.split(' ').next() == Some(verb)).collect();
    if !group.is_empty() {
        return Some(format!("Usage:\n  kubectl {}\n", group.join("\n  kubectl ")));
    }
    let refused = REFUSED.iter().find(|(word, _)| word == verb);
    refused.map(|(word, why)| format!("kubectl {word} does not work here: {why}\n")).or_else(|| Some(overview()))
}

fn overview() -> String {
    let mut words: Vec<&str> = SETS.iter().flat_map(|set| set.iter()).map(|v| v.words).collect();
    words.sort_unstable();
    let refused: Vec<&str> = REFUSED.iter().map(|(word, _)| *word).collect();
    format!(
        "kubectl controls the simulated cluster. What works here:\n  {}\n\nNot here: {}.\n\nUse \"kubectl VERB --help\" for the flags of a \
         verb.\n",
        words.join("\n  "),
        refused.join(", ")
    )
}

fn written((name, short, takes): &Flag) -> String {
    let value = match takes {
        Takes::Bool => "",
        Takes::Int => "=N",
        Takes::Duration => "=TIME",
        _ => "=TEXT",
    };
    if *short == ' ' { format!("--{name}{value}") } else { format!("-{short}, --{name}{value}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_help_is_told_what_works() {
        let table = [
            ("help", Some("rollout status")),
            ("--help", Some("Not here: ")),
            ("-h", Some("api-resources")),
            ("get --help", Some("-o, --output=TEXT")),
            ("help get", Some("-w, --watch")),
            ("rollout --help", Some("kubectl rollout undo")),
            ("rollout status --help", Some("kubectl rollout status")),
            ("edit --help", Some("does not work here")),
            ("nonsense --help", Some("What works here")),
            ("get pods", None),
            ("exec web -- ls --help", None),
            ("get pod help", None),
        ];
        for (line, holds) in table {
            let args: Vec<String> = line.split(' ').map(String::from).collect();
            match (help(&args), holds) {
                (None, None) => {}
                (Some(text), Some(part)) => assert!(text.contains(part), "{line}: {text}"),
                (told, _) => panic!("{line}: {told:?}"),
            }
        }
    }
}
