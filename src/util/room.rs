//! Memory taken from the browser in few large steps. Each step makes its garbage collector look at all it has, and the allocator
//! by itself asks for 64 KB at a time: thousands of steps for a large world.

/// So much is asked for at a time.
#[cfg(target_arch = "wasm32")]
const STEP_BYTES: usize = 8 << 20;

/// Makes sure that so much can be allocated without a step: what is freed again stays the program's. Pages that nobody has
/// written to cost nothing.
#[cfg(target_arch = "wasm32")]
pub fn keep_ahead() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(STEP_BYTES)));
}

/// Elsewhere the allocator takes large steps by itself.
#[cfg(not(target_arch = "wasm32"))]
pub fn keep_ahead() {}
