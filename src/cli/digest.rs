//! `loopscope digest`: one line a run, its name and the digest of its records, to be compared with what the page's wasm says.

use crate::measure;
use std::collections::BTreeMap;
use std::path::Path;

/// Scenario folders first, then `--random N` drawn runs from `--seed` on.
pub fn run(args: &[&str]) -> Result<(), String> {
    let (mut folders, mut random, mut seed) = (Vec::new(), 0, 1);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match *word {
            "--random" => random = number(word, words.next())?,
            "--seed" => seed = number(word, words.next())?,
            folder => folders.push(Path::new(folder)),
        }
    }
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        super::say(&format!("{name} {}", measure::digest_scenario(&files(folder)?, seed).unwrap_or_else(refused)));
    }
    for nth in 0..random {
        super::say(&format!("random-{} {}", seed + nth, measure::digest_random(seed + nth).unwrap_or_else(refused)));
    }
    Ok(())
}

// A scenario that cannot be played is an answer, too, and must be the same one on both sides.
fn refused(why: String) -> String {
    format!("refused: {why}")
}

fn number(word: &str, value: Option<&&str>) -> Result<u64, String> {
    value.and_then(|v| v.parse().ok()).ok_or_else(|| format!("{word} wants a number"))
}

/// The text files of a scenario's folder as a JSON object.
fn files(folder: &Path) -> Result<String, String> {
    let problem = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        if path.extension().is_some_and(|e| e == "yaml" || e == "json") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.insert(name, std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?);
        }
    }
    Ok(serde_json::to_string(&files).expect("text serialises"))
}
