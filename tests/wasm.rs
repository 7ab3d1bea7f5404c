//! What must come out in wasm, under Node.js, exactly as it does natively: the same tests run on both sides.
//! Whole runs are compared by `cargo xtask determinism`.

use loopscope::api::Value;
use loopscope::util::{Draws, draws};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn a_draw_is_the_same_everywhere() {
    let all = Draws::new(7);
    let rows = [("web", 0, "ldfmbcs586"), ("web", 1, "dmzcxtcvmf"), ("웹", 0, "5pz5kw8g9b")];
    let drawn = rows.map(|(object, nth, _)| draws::suffix(all.at("name", object, nth), 10));
    assert_eq!(drawn, rows.map(|(_, _, want)| want));
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn numbers_are_read_and_written_the_same_everywhere() {
    for text in ["0.1", "1e+21", "-0.0", "9007199254740993", "9223372036854775807", "1.7976931348623157e+308", "5e-324"] {
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&value).unwrap(), text);
    }
}
