//! The tools that the commands need: found, installed, or named exactly.

use crate::Outcome;
use crate::shell::{announced, answer, command, root, say};
use std::path::Path;

const TARGET: &str = "wasm32-unknown-unknown";
/// Later ones want a newer Rust than `rust-version` in Cargo.toml.
const TRUNK: &str = "0.21.14";

/// What builds the page: the wasm target, Trunk, wasm-bindgen of the locked version, the npm packages.
pub fn for_page() -> Outcome {
    node()?;
    target()?;
    wasm_bindgen()?;
    trunk()?;
    npm(&root())
}

/// Node.js 20 or later.
pub fn node() -> Outcome {
    let found = answer("node", &["--version"]);
    let major = found.as_deref().and_then(|v| v.trim_start_matches('v').split('.').next()?.parse::<u32>().ok());
    match major {
        Some(major) if major >= 20 => Ok(()),
        _ => Err(format!(
            "Node.js 20 or later is needed (found: {}). On Debian: apt-get install nodejs npm",
            found.as_deref().unwrap_or("none")
        )),
    }
}

fn target() -> Outcome {
    let sysroot = answer("rustc", &["--print", "sysroot"]).ok_or("rustc is not on the PATH; see https://rustup.rs")?;
    if Path::new(&sysroot).join("lib/rustlib").join(TARGET).exists() {
        return Ok(());
    }
    if answer("rustup", &["--version"]).is_none() {
        return Err(format!(
            "Rust's target {TARGET} is missing and there is no rustup to add it: install your system's package for it (Debian: libstd-rust-dev-wasm32)"
        ));
    }
    announced(&format!("adding Rust's target {TARGET} (about 10 s)"), command("rustup").args(["target", "add", TARGET]))
}

/// wasm-bindgen's program must be of exactly the version that the crate is locked to.
pub fn wasm_bindgen() -> Outcome {
    let wanted = locked("wasm-bindgen")?;
    let has = |program| answer(program, &["--version"]).is_some_and(|v| v.split_whitespace().nth(1) == Some(&wanted));
    if has("wasm-bindgen") && has("wasm-bindgen-test-runner") {
        return Ok(());
    }
    install("wasm-bindgen-cli", &wanted, false, "about 3 minutes on two cores")
}

fn trunk() -> Outcome {
    let minor = TRUNK.rsplit_once('.').map_or(TRUNK, |(minor, _)| minor);
    if answer("trunk", &["--version"]).and_then(|v| v.split_whitespace().nth(1).map(|n| n.starts_with(minor))) == Some(true) {
        return Ok(());
    }
    install("trunk", TRUNK, true, "about 6 minutes on two cores")
}

fn install(package: &str, version: &str, locked: bool, takes: &str) -> Outcome {
    let mut cargo = command("cargo");
    cargo.args(["install", package, "--version", version, "--force"]);
    if locked {
        cargo.arg("--locked");
    }
    // The tools' own release profiles optimise for hours of use; here building them is the slow part.
    cargo
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1");
    announced(&format!("installing {package} {version} with cargo, once ({takes})"), &mut cargo)
}

/// The npm packages of `folder` by its lock file; nothing is done when they are there.
pub fn npm(folder: &Path) -> Outcome {
    let lock =
        std::fs::read(folder.join("package-lock.json")).map_err(|e| format!("{}: {e}", folder.join("package-lock.json").display()))?;
    let stamp = folder.join("node_modules/.installed-from");
    if std::fs::read(&stamp).is_ok_and(|was| was == lock) {
        return Ok(());
    }
    if answer("npm", &["--version"]).is_none() {
        return Err("npm is needed beside Node.js. On Debian: apt-get install npm".into());
    }
    let place = folder.strip_prefix(root()).unwrap_or(folder);
    let place = if place.as_os_str().is_empty() { Path::new(".") } else { place };
    announced(
        &format!("installing the npm packages of {}/package-lock.json (about 10 s)", place.display()),
        command("npm").args(["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]).current_dir(folder),
    )?;
    std::fs::write(&stamp, lock).map_err(|e| format!("{}: {e}", stamp.display()))
}

/// The Chromium that tests and measurements use: `CHROMIUM`, or the first one on the PATH.
pub fn chromium() -> Outcome<String> {
    let given = std::env::var("CHROMIUM").ok();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = given.iter().map(String::as_str).chain(names).find(|name| answer(name, &["--version"]).is_some());
    let name = found.ok_or("Chromium is needed. On Debian: apt-get install chromium. Elsewhere set CHROMIUM to its program")?;
    let whole = if name.contains('/') { Some(name.to_string()) } else { answer("which", &[name]) };
    let whole = whole.ok_or_else(|| format!("cannot tell where {name} lies"))?;
    say(format!("using {whole}"));
    Ok(whole)
}

/// The version of a package in Cargo.lock.
fn locked(package: &str) -> Outcome<String> {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).map_err(|e| format!("Cargo.lock: {e}"))?;
    version_in(&lock, package).ok_or_else(|| format!("Cargo.lock names no {package}"))
}

fn version_in(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    Some(lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_version_is_found_by_the_whole_name() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.80\"\n\n[[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(version_in(lock, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(version_in(lock, "wasm"), None);
    }
}
