//! The command line: the same core as the page's, for tests, teachers and comparisons with a real cluster.

mod cases;
mod diagnose;
mod digest;
mod files;
mod kubectl;
mod lesson;
mod random;
mod record;
mod run;

use std::process::ExitCode;

const HELP: &str = "\
loopscope run SCENARIO [--output table|yaml|events|records] [--until TIME]
loopscope diagnose (SCENARIO | --state FILE) [--lang en|ko] [--output text|json] [--until TIME]
loopscope explain [CODE] [--lang en|ko] [--output text|json]
loopscope kubectl --state FILE [--advance TIME] ARGS...
loopscope lesson check FILE|DIR...
loopscope lesson link FILE
loopscope lesson code FILE CODE
loopscope record DIR... --out OUT
loopscope cases (manifests|bad) SRC INDEX --out FILE
loopscope measure REPLICAS NODES
loopscope random [--runs N] [--seed N] [--threads N] [--json]
loopscope digest [DIR...] [--random N] [--seed N]

SCENARIO is a folder, a scenario.yaml, or a plain manifest.
";

/// Runs one command; `args` without the program's own name. Messages go to standard error, exit code 1 is a failure, 2 a wrong command line.
pub fn run(args: impl Iterator<Item = String>) -> ExitCode {
    let words: Vec<String> = args.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["run", rest @ ..] => run::run(rest),
        ["diagnose", rest @ ..] => diagnose::diagnose(rest),
        ["explain", rest @ ..] => diagnose::explain(rest),
        ["measure", replicas, nodes] => measure(replicas, nodes),
        ["measure", ..] => Err("measure wants REPLICAS and NODES: loopscope measure 100 3".to_string()),
        ["lesson", rest @ ..] => lesson::run(rest),
        ["record", rest @ ..] => record::run(rest),
        ["kubectl", rest @ ..] => match kubectl::run(rest) {
            Ok(0) => Ok(()),
            Ok(_) => return ExitCode::FAILURE,
            Err(why) => Err(why),
        },
        ["cases", rest @ ..] => cases::run(rest),
        ["digest", rest @ ..] => digest::run(rest),
        ["random", rest @ ..] => random::run(rest),
        [] | ["help" | "--help" | "-h", ..] => {
            say(HELP.trim_end());
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

/// Milliseconds of a time as `30s`, `5m`, `1h`, `250ms` or seconds.
fn duration_ms(text: &str) -> Result<u64, String> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len()));
    let scale = match unit {
        "ms" => 1.0,
        "s" | "" => 1000.0,
        "m" => 60_000.0,
        "h" => 3_600_000.0,
        _ => return Err(format!("{text:?} is no time: write 30s, 5m or 250ms")),
    };
    let n: f64 = number.parse().map_err(|_| format!("{text:?} is no time: write 30s, 5m or 250ms"))?;
    const YEAR_MS: f64 = 31_536_000_000.0;
    if n * scale > 400.0 * YEAR_MS {
        return Err(format!("{text:?} is longer than four hundred years"));
    }
    Ok((n * scale) as u64)
}

/// Brings up a Deployment as the benchmark does and prints what it took in writes and simulated time.
fn measure(replicas: &str, nodes: &str) -> Result<(), String> {
    use crate::measure;
    let number = |text: &str| text.parse::<u32>().map_err(|_| format!("{text:?} is no number"));
    let nodes = number(nodes)?;
    if nodes as usize > crate::cluster::NODES_MAX {
        return Err(format!("{nodes} nodes are more than the {} that are simulated", crate::cluster::NODES_MAX));
    }
    say(&measure::bring_up(&mut measure::boot(nodes), number(replicas)?)?.to_json());
    Ok(())
}

/// Prints lines. Whoever reads them may have heard enough (`| head`): then the rest is for nobody.
fn say(lines: &str) {
    use std::io::Write as _;
    if !lines.is_empty() {
        let _ = writeln!(std::io::stdout(), "{lines}");
    }
}
