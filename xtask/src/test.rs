//! Everything that must hold, cheapest first. Later steps run although earlier ones failed, so that one run shows all that is wrong.

use crate::shell::{command, root, say, watched};
use crate::{Outcome, page, tools};
use std::process::Command;
use std::time::{Duration, Instant};

const WASM: &str = "wasm32-unknown-unknown";

struct Step {
    name: &'static str,
    took: Duration,
    passed: u32,
    failed: u32,
}

/// Runs every check; `--fast` leaves out the release build and Chromium.
pub fn run(args: &[&str]) -> Outcome {
    let fast = args.contains(&"--fast");
    if let Some(other) = args.iter().find(|arg| **arg != "--fast") {
        return Err(format!("test knows only --fast, not {other:?}"));
    }
    let begun = Instant::now();
    tools::for_page()?;
    let chromium = if fast { String::new() } else { tools::chromium()? };

    let cargo = |words: &str| {
        let mut cargo = command("cargo");
        cargo.args(words.split(' '));
        cargo
    };
    let mut steps = vec![
        step("formatting", &mut cargo("fmt --all --check")),
        step("lints, native", &mut cargo("clippy --quiet --workspace --all-targets -- -D warnings")),
        step("lints, wasm", &mut cargo(&format!("clippy --quiet --target {WASM} --all-targets -- -D warnings"))),
        step("tests, native", &mut cargo("test --quiet --workspace --no-fail-fast")),
        step(
            "tests, wasm",
            cargo(&format!("test --target {WASM} --test wasm"))
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner"),
        ),
        step("scripts", command("node").args(["--test", "--test-reporter=spec", "js/"])),
    ];
    if !fast {
        let building = Instant::now();
        let built = page::release(&[]);
        if let Err(why) = &built {
            say(why);
        }
        steps.push(Step {
            name: "release build",
            took: building.elapsed(),
            passed: u32::from(built.is_ok()),
            failed: u32::from(built.is_err()),
        });
        if built.is_ok() {
            steps.push(step("Chromium", command("node").args(["--test", "--test-reporter=spec", "e2e/"]).env("CHROMIUM", chromium)));
        }
    }
    report(&steps, begun.elapsed())
}

fn step(name: &'static str, command: &mut Command) -> Step {
    say(format!("{name} …"));
    let begun = Instant::now();
    let (mut passed, mut failed) = (0, 0);
    let outcome = watched(command.current_dir(root()), |line| {
        let (ok, bad) = counted(line);
        passed += ok;
        failed += bad;
    });
    // A step without tests of its own counts as one check; so does a failure that no test reported.
    match &outcome {
        Ok(()) if passed == 0 => passed = 1,
        Err(why) => {
            say(why);
            failed = failed.max(1);
        }
        Ok(()) => {}
    }
    Step { name, took: begun.elapsed(), passed, failed }
}

/// What a closing line of cargo's or Node's test runner counts: passed, failed.
fn counted(line: &str) -> (u32, u32) {
    let number = |text: Option<&str>| text.and_then(|t| t.trim().rsplit(' ').next()?.parse().ok()).unwrap_or(0);
    if let Some(rest) = line.strip_prefix("test result: ") {
        let mut parts = rest.split(';');
        let passed = number(parts.next().and_then(|p| p.strip_suffix(" passed")));
        return (passed, number(parts.next().and_then(|p| p.strip_suffix(" failed"))));
    }
    let after = |word| line.strip_prefix("# ").or(line.strip_prefix("ℹ ")).and_then(|l| l.strip_prefix(word));
    (number(after("pass ")), number(after("fail ")))
}

fn report(steps: &[Step], took: Duration) -> Outcome {
    println!();
    for s in steps {
        println!("{} {:<14} {:>5.0} s", if s.failed == 0 { "ok    " } else { "FAILED" }, s.name, s.took.as_secs_f64());
    }
    let (passed, failed) = steps.iter().fold((0, 0), |(p, f), s| (p + s.passed, f + s.failed));
    println!("all in {:.0} s", took.as_secs_f64());
    println!("{passed} passed, {failed} failed");
    let names: Vec<&str> = steps.iter().filter(|s| s.failed > 0).map(|s| s.name).collect();
    if names.is_empty() { Ok(()) } else { Err(format!("failed: {}", names.join("; "))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_of_the_runners_are_counted() {
        let rows = [
            ("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s", (12, 0)),
            ("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out", (3, 2)),
            ("# pass 7", (7, 0)),
            ("ℹ fail 4", (0, 4)),
            ("# tests 11", (0, 0)),
            ("running 3 tests", (0, 0)),
        ];
        for (line, want) in rows {
            assert_eq!(counted(line), want, "{line}");
        }
    }
}
