//! `loopscope record`: plays scenarios and writes what happened in the format of recordings of a real cluster.

use super::files;
use crate::api::Value;
use crate::cluster::Cluster;
use crate::scenario::{Player, Scenario, watch};
use crate::session::catalog;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Records the scenarios of the folders DIR into OUT.
///
/// # Errors
/// What is wrong with the words or the files.
pub fn run(words: &[&str]) -> Result<(), String> {
    let mut out = None;
    let mut folders: Vec<&Path> = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match *word {
            "--out" => out = Some(PathBuf::from(rest.next().ok_or("--out wants a folder")?)),
            folder => folders.push(Path::new(folder)),
        }
    }
    let out = out.ok_or("--out is wanted")?;
    for folder in folders {
        let path = folder.join("scenario.yaml");
        let scenario = Scenario::parse(&files::read(&path)?).map_err(|e| format!("{}: {e}", path.display()))?;
        let world = Cluster::boot(&scenario.config(catalog::SEED).map_err(|e| format!("{}: {e}", path.display()))?);
        let mut player = Player::new(world, files::beside(&path)?);
        let steps = player.play(&scenario);
        if player.world.is_full() {
            return Err(format!("{}: {}", path.display(), super::run::full(&player.world)));
        }
        let name = if scenario.name.is_empty() {
            folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
        } else {
            scenario.name.to_string()
        };
        let target = out.join(name);
        std::fs::create_dir_all(&target).map_err(|e| e.to_string())?;
        write(&target.join("steps.jsonl"), &steps)?;
        write(&target.join("watch.jsonl"), &watch::lines(&player.world))?;
    }
    Ok(())
}

fn write(path: &Path, lines: &[Value]) -> Result<(), String> {
    let named = |e: std::io::Error| format!("{}: {e}", path.display());
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).map_err(named)?);
    for line in lines {
        serde_json::to_writer(&mut file, line).map_err(|e| e.to_string())?;
        file.write_all(b"\n").map_err(named)?;
    }
    file.flush().map_err(named)
}
