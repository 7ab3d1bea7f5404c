//! Measurements: size of a first visit, speed beside the peer, determinism. The measuring itself is done by Node.js, on the page's own wasm.

use crate::Outcome;
use crate::shell::{announced, command, root, run};
use crate::{page, tools};
use std::path::PathBuf;

/// What Chromium fetches from navigation until the page says it has settled.
pub fn size(args: &[&str]) -> Outcome {
    page::for_measuring(args)?;
    tools::npm(&root())?;
    let chromium = tools::chromium()?;
    run(command("node").arg("e2e/size.mjs").args(without_build(args)).env("CHROMIUM", chromium))
}

/// CPU, memory and writes on both sides, in one run.
pub fn bench(args: &[&str]) -> Outcome {
    page::for_measuring(args)?;
    if !args.contains(&"--quick") {
        tools::npm(&root().join("benches/webernetes"))?;
    }
    run(command("node").arg("benches/bench.mjs").args(without_build(args)))
}

/// The same runs on both sides; the native side is the development build that the tests use, with overflow checks.
pub fn determinism(args: &[&str]) -> Outcome {
    page::for_measuring(args)?;
    announced("building the command line", command("cargo").args(["build", "--quiet", "--bin", "loopscope"]).stdout(std::io::stderr()))?;
    run(command("node").arg("benches/determinism.mjs").args(without_build(args)).env("LOOPSCOPE", target().join("debug/loopscope")))
}

/// Where cargo builds: relative paths count from the project's folder, where every command runs.
fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

fn without_build<'a>(args: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    args.iter().copied().filter(|arg| *arg != "--no-build")
}
