//! `loopscope random`: plays random runs on all processors and judges each; a run that fails is told with its seed and a link
//! that replays it.

use crate::session::random::{Outcome, judge};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

const RUNS: u64 = 100;

/// Plays the runs of the seeds from `--seed` on.
///
/// # Errors
/// What is wrong with the words, or how many runs failed.
pub fn run(args: &[&str]) -> Result<(), String> {
    let (mut runs, mut seed, mut json) = (RUNS, 1, false);
    let mut threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match *word {
            "--runs" => runs = number(word, words.next())?,
            "--seed" => seed = number(word, words.next())?,
            "--threads" => threads = number(word, words.next())?.clamp(1, 64),
            "--json" => json = true,
            other => return Err(format!("unknown word {other:?}")),
        }
    }
    #[expect(clippy::disallowed_methods, reason = "how long it took is what the person at the command line wants to know")]
    let began = Instant::now();
    let (outcomes, records, acted) = play(seed, runs, threads);
    let seconds = began.elapsed().as_secs_f64();
    let failed = outcomes.len();
    if json {
        let list: Vec<_> = outcomes.iter().map(|o| serde_json::json!({"seed": o.seed, "problems": o.problems, "link": o.link})).collect();
        let all = serde_json::json!({
            "runs": runs, "seed": seed, "threads": threads, "seconds": seconds, "records": records, "acted": acted, "failed": list
        });
        super::say(&all.to_string());
    } else {
        for o in &outcomes {
            super::say(&format!("seed {}: {}\n#{}", o.seed, o.problems.join("; "), o.link.as_deref().unwrap_or_default()));
        }
        super::say(&format!("{runs} runs in {seconds:.1} s: {records} steps, faults acted {acted} times, {failed} failed"));
    }
    if failed == 0 { Ok(()) } else { Err(format!("{failed} of {runs} runs failed")) }
}

/// The runs that failed, in order of their seeds, and what all of them did.
fn play(seed: u64, runs: u64, threads: u64) -> (Vec<Outcome>, u64, u64) {
    let next = AtomicU64::new(0);
    let (records, acted) = (AtomicU64::new(0), AtomicU64::new(0));
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let nth = next.fetch_add(1, Ordering::Relaxed);
                    if nth >= runs {
                        return;
                    }
                    let outcome = judge(seed.wrapping_add(nth));
                    records.fetch_add(outcome.records, Ordering::Relaxed);
                    acted.fetch_add(outcome.acted, Ordering::Relaxed);
                    if !outcome.problems.is_empty() {
                        failed.lock().expect("nobody panics while holding it").push(outcome);
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().expect("all threads have ended");
    failed.sort_by_key(|o| o.seed);
    (failed, records.into_inner(), acted.into_inner())
}

fn number(word: &str, value: Option<&&str>) -> Result<u64, String> {
    value.and_then(|v| v.parse().ok()).ok_or_else(|| format!("{word} wants a number"))
}
