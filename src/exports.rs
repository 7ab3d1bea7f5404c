//! What Node.js calls on the page's own wasm: the core measured, and compared with the native one.

use loopscope::measure;
use loopscope::session::Session;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;

thread_local! {
    static MEASURED: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// Makes the world that `bench_up` measures. It stays until the next one, as the page's world stays.
#[wasm_bindgen]
pub fn bench_boot(nodes: u32) {
    MEASURED.set(Some(measure::boot(nodes)));
}

/// One Deployment of `replicas` from apply to all Ready: a `measure::Measured` as JSON.
#[wasm_bindgen]
pub fn bench_up(replicas: u32) -> Result<String, String> {
    MEASURED.with_borrow_mut(|session| measure::bring_up(session.as_mut().ok_or("bench_boot comes first")?, replicas)).map(|m| m.to_json())
}

/// The digest of one scenario's records; `files` is a JSON object from file name to text.
#[wasm_bindgen]
pub fn run_digest(files: &str, seed: u64) -> Result<String, String> {
    measure::digest_scenario(files, seed)
}

/// The digest of one random run's records.
#[wasm_bindgen]
pub fn random_digest(seed: u64) -> Result<String, String> {
    measure::digest_random(seed)
}

/// Whether there is a page to show.
pub fn in_a_page() -> bool {
    js_sys::Reflect::has(&js_sys::global(), &"document".into()).unwrap_or(false)
}
