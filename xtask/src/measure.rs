//! Measurements: size of a first visit, speed beside the peer, determinism. The measuring itself is done by Node.js, on the page's own wasm.

use crate::Outcome;
use crate::shell::{announced, command, root, run, say, target};
use crate::{page, tools};

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

/// Records what a first visit runs, by which the release build is cut in two (`js/split`).
pub fn profile(args: &[&str]) -> Outcome {
    page::for_measuring(args)?;
    let chromium = tools::chromium()?;
    run(command("node")
        .args(["js/split/first-visit.mjs"])
        .arg(target().join("loopscope-whole.wasm"))
        .arg("js/split/first-visit.txt")
        .env("CHROMIUM", chromium))?;
    say("the next build goes by it; commit js/split/first-visit.txt");
    Ok(())
}

fn without_build<'a>(args: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    args.iter().copied().filter(|arg| *arg != "--no-build")
}
