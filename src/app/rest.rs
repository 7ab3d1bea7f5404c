//! The program's second half. A release build is cut in two by what a first visit runs (`js/split`); the second module is fetched
//! a moment after the first run has settled, or at once where the flow needs it.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/js/src/rest.js")]
extern "C" {
    fn begin(exports: &JsValue);
    #[wasm_bindgen(js_name = fetchLater)]
    fn fetch_later();
    #[wasm_bindgen(js_name = loadRest)]
    fn load_rest();
}

/// Says where the first half is; comes before anything else.
pub fn first() {
    begin(&wasm_bindgen::exports());
}

/// Fetches the second half in a moment: a first visit has come to rest.
pub fn later() {
    fetch_later();
}

/// Has the second half, whatever it costs. The build finds this import by its name and lets every stub call it.
pub fn now() {
    load_rest();
}
