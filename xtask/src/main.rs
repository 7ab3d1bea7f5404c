//! The project's own commands: serve, build, test, size, bench, determinism.

mod schema;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["schema", dir] => schema::run(dir.as_ref()),
        _ => Err("usage: cargo xtask schema DIR".into()),
    };
    if let Err(message) = done {
        eprintln!("{message}");
        std::process::exit(1);
    }
}
