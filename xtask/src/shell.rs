//! Running other programs: where, with which PATH, and saying so.

use crate::Outcome;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The project's folder, wherever the command was typed.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project").to_path_buf()
}

/// One line of progress, on standard error so that `--json` output stays alone on standard output.
pub fn say(text: impl AsRef<str>) {
    eprintln!("xtask: {}", text.as_ref());
}

/// `program` with the project's own tools first on its PATH.
pub fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env("PATH", path()).current_dir(root());
    // `cargo run` set these for xtask; a nested cargo must not take them for its own.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

fn path() -> OsString {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from).unwrap_or_else(|| home.join(".cargo"));
    let own = [root().join("node_modules/.bin"), cargo_home.join("bin")];
    let given = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(own.into_iter().chain(std::env::split_paths(&given))).unwrap_or(given)
}

/// What `program` prints, or nothing if it is not there or fails.
pub fn answer(program: &str, args: &[&str]) -> Option<String> {
    let out = command(program).args(args).stderr(Stdio::null()).output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_string())
}

/// Runs to the end; a failure is an error that names the program and its first words.
pub fn run(command: &mut Command) -> Outcome {
    let what = words(command);
    let status = command.status().map_err(|e| format!("cannot start `{what}`: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{what}` failed ({status})")) }
}

/// Runs to the end, says what for and afterwards how long it took.
pub fn announced(what: &str, command: &mut Command) -> Outcome {
    say(what);
    let begun = Instant::now();
    run(command)?;
    say(format!("done in {:.0} s", begun.elapsed().as_secs_f64()));
    Ok(())
}

/// Runs to the end and shows each line of standard output to `each` as it comes.
pub fn watched(command: &mut Command, mut each: impl FnMut(&str)) -> Outcome {
    let what = words(command);
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|e| format!("cannot start `{what}`: {e}"))?;
    let stdout = child.stdout.take().expect("piped above");
    for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        each(&line);
    }
    let status = child.wait().map_err(|e| format!("`{what}`: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{what}` failed ({status})")) }
}

fn words(command: &Command) -> String {
    let args = command.get_args().map(|a| a.to_string_lossy().into_owned());
    std::iter::once(command.get_program().to_string_lossy().into_owned()).chain(args).take(6).collect::<Vec<_>>().join(" ")
}

/// Where cargo builds: relative paths count from the project's folder, where every command runs.
pub fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}
