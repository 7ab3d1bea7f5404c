//! When the core panics all the same: a plain panel outside of the page's own tree, with the way back to the run before its
//! last action. It uses links alone, as nothing of the program can be trusted any more.

use super::store;
use super::words::Lang;
use wasm_bindgen::JsCast;

/// Opens the run that was kept before the last action.
pub const REOPEN: &str = "reopen";
/// Forgets everything kept.
pub const FRESH: &str = "fresh";

/// Takes over what happens at a panic.
pub fn watch() {
    std::panic::set_hook(Box::new(|info| {
        let text = info.to_string();
        web_sys::console::error_1(&text.as_str().into());
        show(&text);
    }));
}

fn show(text: &str) -> Option<()> {
    let document = web_sys::window()?.document()?;
    if document.get_element_by_id("mishap").is_some() {
        return None;
    }
    let root = document.document_element()?;
    let lang = if root.get_attribute("lang").as_deref() == Some("en") { Lang::En } else { Lang::Ko };
    let panel = document.create_element("section").ok()?;
    panel.set_attribute("id", "mishap").ok()?;
    panel.set_attribute("role", "alertdialog").ok()?;
    panel.set_attribute("aria-label", lang.raw("err.title")).ok()?;
    let add = |tag: &str, text: &str, href: Option<&str>| {
        let e = document.create_element(tag).ok()?;
        e.set_text_content(Some(text));
        if let Some(href) = href {
            e.set_attribute("href", href).ok()?;
            e.set_attribute("class", if href.ends_with(REOPEN) { "btn time" } else { "btn line" }).ok()?;
        }
        panel.append_child(&e).ok()
    };
    add("h2", lang.raw("err.title"), None);
    add("p", lang.raw("err.text"), None);
    add("pre", text, None);
    if store::good().is_some() {
        add("a", lang.raw("err.reopen"), Some(&["?", REOPEN].concat()));
    }
    add("a", lang.raw("err.fresh"), Some(&["?", FRESH].concat()));
    document.body()?.append_child(&panel).ok()?;
    let link = panel.query_selector("a").ok().flatten()?;
    link.dyn_into::<web_sys::HtmlElement>().ok()?.focus().ok()
}
