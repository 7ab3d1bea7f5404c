//! The command line: the same core as the page's, for tests, teachers and comparisons with a real cluster.

mod digest;

use std::process::ExitCode;

const HELP: &str = "\
loopscope run SCENARIO [--output table|yaml|events|records] [--until TIME]
loopscope kubectl --state FILE [--advance TIME] ARGS...
loopscope record DIR... --out OUT
loopscope cases (manifests|bad) SRC INDEX --out FILE
loopscope digest [DIR...] [--random N] [--seed N]

SCENARIO is a folder, a scenario.yaml, or a plain manifest.
";

/// Runs one command; `args` without the program's own name. Messages go to standard error, exit code 1 is a failure, 2 a wrong command line.
pub fn run(args: impl Iterator<Item = String>) -> ExitCode {
    let words: Vec<String> = args.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        // SEAM: run, kubectl, record, cases.
        ["digest", rest @ ..] => digest::run(rest),
        [] | ["help" | "--help" | "-h", ..] => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        [other, ..] => {
            eprintln!("loopscope: no command {other:?}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("loopscope: {why}");
            ExitCode::FAILURE
        }
    }
}
