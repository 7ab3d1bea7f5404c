//! The page: served while one works on it, built for release, finished by Trunk's hook.

use crate::Outcome;
use crate::shell::{announced, command, root, run, say, target};
use crate::tools;
use std::time::Instant;

const BUNDLE: &str = "dist/loopscope.html";

/// Builds and shows the page; ends with Ctrl-C.
pub fn serve(args: &[&str]) -> Outcome {
    tools::for_page()?;
    say("building the page: about a minute the first time, about 10 s after a change");
    say("it is up when http://127.0.0.1:8080/ answers; Ctrl-C ends");
    run(command("trunk").arg("serve").args(args))
}

/// Makes dist/ anew.
pub fn build(args: &[&str]) -> Outcome {
    tools::for_page()?;
    release(args)
}

/// The release build alone, for callers that have looked for the tools already.
pub fn release(args: &[&str]) -> Outcome {
    let begun = Instant::now();
    say("building dist/ (about a minute the first time)");
    run(command("trunk").args(["build", "--release"]).args(args))?;
    say(format!("dist/ is ready, built in {:.0} s: copy it to any folder of any static host", begun.elapsed().as_secs_f64()));
    Ok(())
}

/// Trunk calls this between building and publishing; the work needs esbuild, so Node.js does it.
pub fn finish() -> Outcome {
    tools::node()?;
    tools::npm(&root())?;
    let staging = std::env::var("TRUNK_STAGING_DIR").map_err(|_| "finish-page is Trunk's hook: use `cargo xtask build`")?;
    run(command("node").arg("js/finish.mjs").arg(staging).arg(target()))
}

/// Makes one HTML file of dist/.
pub fn bundle(args: &[&str]) -> Outcome {
    for_measuring(args)?;
    tools::npm(&root())?;
    run(command("node").args(["js/bundle.mjs", "dist", BUNDLE]))?;
    say(format!("{BUNDLE} is ready: it opens from a disk, without a server or a network"));
    Ok(())
}

/// dist/ as the measurements want it: built now unless `--no-build` is among the words.
pub fn for_measuring(args: &[&str]) -> Outcome {
    if !args.contains(&"--no-build") {
        tools::for_page()?;
        // Trunk prints its progress on standard output, where a measurement's figures must be alone.
        return announced(
            "building dist/ (about a minute the first time)",
            command("trunk").args(["build", "--release"]).stdout(std::io::stderr()),
        );
    }
    if root().join("dist/index.html").exists() { Ok(()) } else { Err("there is no dist/: leave out --no-build".into()) }
}
