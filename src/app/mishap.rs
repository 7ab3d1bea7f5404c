//! When the core breaks all the same: a plain panel outside of the page's own tree, with the way back to the run before its
//! last action. It stands ready and hidden from the start, in the page's language, as after a trap nothing of the program can be
//! trusted: a few lines of script in index.html show it then. A panic shows it from here, with its message.

use super::words::Lang;

/// Opens the run that was kept before the last action.
pub const REOPEN: &str = "reopen";
/// Forgets everything kept.
pub const FRESH: &str = "fresh";

/// Takes over what happens at a panic.
pub fn watch() {
    yew::set_custom_panic_hook(Box::new(|info| {
        super::rest::now();
        let text = info.to_string();
        web_sys::console::error_1(&text.as_str().into());
        show(&text);
    }));
}

/// Puts the panel into the document, hidden, in a language.
pub fn prepare(lang: Lang) -> Option<()> {
    let document = web_sys::window()?.document()?;
    if let Some(old) = document.get_element_by_id("mishap") {
        old.remove();
    }
    let panel = document.create_element("section").ok()?;
    for (name, value) in [("id", "mishap"), ("hidden", ""), ("role", "alertdialog"), ("aria-label", lang.raw("err.title"))] {
        panel.set_attribute(name, value).ok()?;
    }
    let add = |tag: &str, text: &str, class: &str, href: &str| {
        let e = document.create_element(tag).ok()?;
        e.set_text_content(Some(text));
        e.set_attribute("class", class).ok()?;
        if !href.is_empty() {
            e.set_attribute("href", &["?", href].concat()).ok()?;
        }
        panel.append_child(&e).ok()
    };
    add("h2", lang.raw("err.title"), "", "");
    add("p", lang.raw("err.text"), "", "");
    add("pre", "", "", "");
    add("a", lang.raw("err.reopen"), "btn time", REOPEN);
    add("a", lang.raw("err.fresh"), "btn line", FRESH);
    document.body()?.append_child(&panel).ok()?;
    Some(())
}

fn show(text: &str) -> Option<()> {
    let panel = web_sys::window()?.document()?.get_element_by_id("mishap")?;
    panel.query_selector("pre").ok()??.set_text_content(Some(text));
    panel.remove_attribute("hidden").ok()
}
