//! The project's own commands: serve, build, test, size, bench, determinism.
fn main() {}
