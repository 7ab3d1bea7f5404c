//! JSON as Go reads and writes it: kubectl's `-o json`, what requests carry, and the decoder's messages.

mod read;
mod write;

pub use read::{Fault, parse, parse_prefix};
pub use write::{quote, quote_go, write_compact, write_pretty};
