//! The project's own commands. `cargo xtask` alone lists them.

mod measure;
mod page;
mod schema;
mod shell;
mod test;
mod tools;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask COMMAND

  serve           installs what is missing, then shows the page at http://127.0.0.1:8080/ and rebuilds it on every change
  build           makes dist/, the release build that runs from any folder of any static host
  bundle          makes dist/loopscope.html, the whole page in one file that opens from a disk (--no-build: of dist/ as it is)
  test            everything that must hold: formatting, lints, native and wasm tests, the release build, tests in a real Chromium
  size            what a first visit fetches, compressed (--json: one line; --no-build: measure dist/ as it is)
  bench           CPU, memory and writes for 1,000 and 10,000 pods, beside the peer (--json; --quick: without the peer; --no-build)
  determinism     the same runs native and as wasm, compared byte for byte (--json; --runs N; --no-build)
  profile         records anew what a first visit runs, by which the release build is cut in two: when `size` has grown (--no-build)
  schema DIR      makes the table of Kubernetes' schemas again from the OpenAPI documents in DIR
  finish-page     Trunk's hook: bundles the editor and writes the content security policy
";

/// Why a command ended early, already worded for the person who typed it.
pub type Outcome<T = ()> = Result<T, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[&str]) -> Outcome {
    std::env::set_current_dir(shell::root()).map_err(|e| format!("cannot enter the project's folder: {e}"))?;
    match words {
        ["serve", rest @ ..] => page::serve(rest),
        ["build", rest @ ..] => page::build(rest),
        ["bundle", rest @ ..] => page::bundle(rest),
        ["finish-page"] => page::finish(),
        ["test", rest @ ..] => test::run(rest),
        ["size", rest @ ..] => measure::size(rest),
        ["bench", rest @ ..] => measure::bench(rest),
        ["determinism", rest @ ..] => measure::determinism(rest),
        ["profile", rest @ ..] => measure::profile(rest),
        ["schema", dir] => schema::run(dir.as_ref()),
        ["schema", ..] => Err("schema DIR: the folder of the API's OpenAPI documents".into()),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        [other, ..] => Err(format!("no command {other:?}\n\n{HELP}")),
    }
}
