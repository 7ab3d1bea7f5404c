//! The one program: in a browser the page, elsewhere the command line.
fn main() {}
