//! `loopscope kubectl --state FILE`: one command against a cluster that a file keeps as seed and actions.

use super::files;
use crate::api::Str;
use crate::session::action::Action;
use crate::session::view::Text;
use crate::session::{Session, catalog};
use std::path::Path;

/// Runs one command and appends it to the file.
///
/// # Errors
/// What is wrong with the words or the file; the command's own failure is its exit code.
pub fn run(words: &[&str]) -> Result<i32, String> {
    let mut state = None;
    let mut advance_ms = 0;
    let mut args: Vec<&str> = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--state" if state.is_none() => state = Some(Path::new(*rest.next().ok_or("--state wants a file")?)),
            "--advance" if args.is_empty() => advance_ms = super::duration_ms(rest.next().ok_or("--advance wants a time, as 5s")?)?,
            other => args.push(other),
        }
    }
    let path = state.ok_or("--state FILE is wanted: the file that keeps the run")?;
    if args.is_empty() && advance_ms == 0 {
        return Err("a kubectl command is wanted after --state FILE, as get pods; or --advance TIME".to_string());
    }
    let mut session = if path.exists() {
        Session::open(&files::read(path)?).map_err(|_| format!("{}: not a run of this program, or damaged", path.display()))?
    } else {
        Session::begin("first", catalog::SEED)
    };
    if advance_ms > 0 {
        act(&mut session, &Action::Advance { ms: advance_ms })?;
    }
    let mut exit = 0;
    if !args.is_empty() {
        act(&mut session, &command(&args)?)?;
        if let Some(entry) = session.newest().console.last() {
            exit = i32::from(entry.failed);
            if entry.failed { eprint!("{}", entry.output) } else { super::say(entry.output.trim_end_matches('\n')) }
        }
    }
    std::fs::write(path, session.link()).map_err(|e| format!("{}: {e}", path.display()))?;
    if session.newest().world.is_full() {
        return Err(super::run::full(&session.newest().world));
    }
    Ok(exit)
}

fn act(session: &mut Session, action: &Action) -> Result<(), String> {
    session.act(action).map_err(|why| match why {
        Text::Verbatim(why) => why.to_string(),
        _ if session.newest().world.is_full() => super::run::full(&session.newest().world),
        Text::Word(code, _) => code.to_string(),
        other => format!("{other:?}"),
    })
}

/// The command with the files that its `-f` names and what `-f -` reads, whose texts the run must hold.
fn command(args: &[&str]) -> Result<Action, String> {
    let mut files: Vec<(Str, Str)> = Vec::new();
    for path in paths(args) {
        if path == "-" {
            files.push((Str::fixed("-"), files::read_input()?.into()));
        } else if !path.starts_with("http://") && !path.starts_with("https://") {
            files.extend(manifests(path)?);
        }
    }
    Ok(Action::KubectlFiles { words: args.iter().map(|a| (*a).into()).collect(), files })
}

/// What `-f` names. To `logs`, `-f` is another flag.
fn paths<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let own: Vec<&'a str> = args.iter().copied().take_while(|a| *a != "--").collect();
    let verb = own.iter().find(|a| !a.starts_with('-'));
    let mut all: Vec<&'a str> = Vec::new();
    for (i, arg) in own.iter().enumerate() {
        let long = arg.strip_prefix("--filename=").or_else(|| own.get(i + 1).copied().filter(|_| *arg == "--filename"));
        let short = || match arg.strip_prefix("-f")? {
            "" => own.get(i + 1).copied(),
            value => Some(value.strip_prefix('=').unwrap_or(value)),
        };
        let value = long.or_else(|| if verb == Some(&"logs") { None } else { short() });
        all.extend(value.into_iter().flat_map(|v| v.split(',')));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// A file, or the manifests in a folder, by the names under which kubectl looks for them.
fn manifests(path: &str) -> Result<Vec<(Str, Str)>, String> {
    let plain = path.strip_prefix("./").unwrap_or(path);
    let place = Path::new(path);
    if !place.is_dir() {
        return Ok(vec![(plain.into(), files::read(place)?.into())]);
    }
    let folder = plain.trim_end_matches('/');
    let prefix = if matches!(folder, "" | ".") { String::new() } else { format!("{folder}/") };
    let mut all = Vec::new();
    for entry in std::fs::read_dir(place).map_err(|e| format!("{path}: {e}"))? {
        let file = entry.map_err(|e| format!("{path}: {e}"))?.path();
        if file.is_file() && file.extension().is_some_and(|e| e == "yaml" || e == "yml" || e == "json") {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            all.push((format!("{prefix}{name}").into(), files::read(&file)?.into()));
        }
    }
    all.sort();
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_command_are_found_however_they_are_written() {
        let table: [(&str, &[&str]); 9] = [
            ("apply -f a.yaml", &["a.yaml"]),
            ("apply -fa.yaml", &["a.yaml"]),
            ("apply -f=a.yaml", &["a.yaml"]),
            ("apply --filename a.yaml", &["a.yaml"]),
            ("apply --filename=a.yaml -f b.yaml", &["a.yaml", "b.yaml"]),
            ("apply -f a.yaml,b.yaml", &["a.yaml", "b.yaml"]),
            ("apply -f -", &["-"]),
            ("logs -f web", &[]),
            ("exec web -- tail -f x", &[]),
        ];
        for (line, expected) in table {
            assert_eq!(paths(&line.split(' ').collect::<Vec<_>>()), expected, "{line}");
        }
    }
}
