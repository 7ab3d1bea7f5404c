//! The one program: in a browser the page, elsewhere the command line.

#[cfg(target_arch = "wasm32")]
mod exports;

#[cfg(target_arch = "wasm32")]
fn main() {
    loopscope::app::rest::first();
    // Node.js loads the same module to measure the core and to compare it with the native one: there is no page to show there.
    if exports::in_a_page() {
        loopscope::app::run();
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    loopscope::cli::run(std::env::args().skip(1))
}
