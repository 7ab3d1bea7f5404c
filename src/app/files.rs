//! Files of the person's own machine: read when chosen or dropped, offered to be kept.

use wasm_bindgen::{JsCast, JsValue};

/// The name ends as the runs that the page saves.
pub const RUN: &str = ".loopscope";

/// Reads the first of the files, as much of it as `max_bytes`, and hands its text on.
pub fn read(files: Option<web_sys::FileList>, max_bytes: f64, then: impl FnOnce(String) + 'static) {
    let Some(part) = files.and_then(|f| f.item(0)).and_then(|f| f.slice_with_f64_and_f64(0.0, max_bytes).ok()) else { return };
    wasm_bindgen_futures::spawn_local(async move {
        if let Ok(text) = wasm_bindgen_futures::JsFuture::from(part.text()).await {
            then(text.as_string().unwrap_or_default());
        }
    });
}

/// Offers a text as a file of that name. Where the browser cannot, nothing happens.
pub fn save(name: &str, text: &str) {
    let _ = offer(name, text);
}

fn offer(name: &str, text: &str) -> Result<(), JsValue> {
    let parts = js_sys::Array::of1(&JsValue::from_str(text));
    let blob = web_sys::Blob::new_with_str_sequence(&parts)?;
    let url = web_sys::Url::create_object_url_with_blob(&blob)?;
    let a: web_sys::HtmlAnchorElement = gloo::utils::document().create_element("a")?.unchecked_into();
    a.set_href(&url);
    a.set_download(name);
    a.click();
    web_sys::Url::revoke_object_url(&url)
}
