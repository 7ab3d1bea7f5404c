//! What the page opens with: a link in the address, else the run kept in this browser, else the first scenario.

use super::engine::{Engine, FRAGMENT};
use super::ui::{EditTab, Sheet, Speed, Ui};
use super::words::Lang;
use super::{mishap, store};
use crate::api::Str;
use crate::session::view::Text;

/// The share link in the address's fragment.
pub fn fragment() -> Option<String> {
    let hash = web_sys::window()?.location().hash().ok()?;
    hash.strip_prefix('#')?.strip_prefix(FRAGMENT).map(str::to_string)
}

/// The lesson in the address's fragment: packed, or a name.
pub fn lesson() -> Option<String> {
    let hash = web_sys::window()?.location().hash().ok()?;
    hash.strip_prefix("#lesson=").map(str::to_string)
}

/// The value of a parameter of the address, "" if it has none.
fn query(name: &str) -> Option<String> {
    let search = web_sys::window()?.location().search().ok()?;
    let params = web_sys::UrlSearchParams::new_with_str(&search).ok()?;
    params.get(name)
}

/// Takes fragment and parameters out of the address, so that a reload opens what was kept.
pub fn clean_address() {
    let Some(window) = web_sys::window() else { return };
    if let (Ok(history), Ok(path)) = (window.history(), window.location().pathname()) {
        let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&path));
    }
}

/// The engine and the page's state at the start.
pub fn open() -> (Engine, Ui) {
    let lang = match query("lang").or_else(|| store::get(store::LANG)).as_deref() {
        Some("ko") => Lang::Ko,
        Some(_) => Lang::En,
        None => browser_lang(),
    };
    let dark = match query("theme").or_else(|| store::get(store::THEME)).as_deref() {
        Some(theme) => theme == "dark",
        None => prefers_dark(),
    };
    let mut ui = Ui {
        lang,
        dark,
        sheet: Sheet::Board,
        edit_tab: EditTab::Manifest,
        tab: None,
        selected: Str::default(),
        beside: false,
        revision: 0,
        menu: None,
        fault_menu: None,
        token: None,
        quiet_open: false,
        drawer: false,
        speed: Speed::One,
        running: false,
        letters: store::get(store::LETTERS).as_deref() != Some("off"),
        find: None,
        draft: "".into(),
        editor_open: false,
        copied: false,
        forgetful: false,
    };
    let engine = choose(&mut ui);
    (engine, ui)
}

fn choose(ui: &mut Ui) -> Engine {
    #[cfg(debug_assertions)]
    if let Some(name) = query("fixture") {
        return Engine::fixture(&name);
    }
    if query(mishap::FRESH).is_some() {
        store::forget(store::RUN);
        store::forget(store::DRAFT);
        clean_address();
        return Engine::start("first");
    }
    if query(mishap::REOPEN).is_some() {
        clean_address();
        ui.draft = store::get(store::DRAFT).unwrap_or_default().into();
        return store::good().and_then(|link| Engine::open(&link).ok()).unwrap_or_else(|| Engine::start("first"));
    }
    if let Some(name) = lesson() {
        clean_address();
        return opened(ui, Engine::lesson(&name));
    }
    if let Some(link) = fragment() {
        clean_address();
        return opened(ui, Engine::open(&link));
    }
    kept(ui).unwrap_or_else(|| Engine::start("first"))
}

/// What a link led to; if it is damaged, the visitor's own run, and why.
fn opened(ui: &mut Ui, there: Result<Engine, Text>) -> Engine {
    there.inspect(|_| set_aside()).unwrap_or_else(|why| {
        let mut engine = kept(ui).unwrap_or_else(|| Engine::start("first"));
        engine.notice(why);
        engine
    })
}

/// The visitor's own run makes room for a link's, and can be had again from the menu.
fn set_aside() {
    if let Some(own) = store::get(store::RUN) {
        store::put(store::OWN, &own);
    }
}

/// The run and the text that this browser keeps.
fn kept(ui: &mut Ui) -> Option<Engine> {
    let engine = store::get(store::RUN).and_then(|link| Engine::open(&link).ok())?;
    ui.draft = store::get(store::DRAFT).unwrap_or_default().into();
    Some(engine)
}

fn browser_lang() -> Lang {
    let korean = web_sys::window().and_then(|w| w.navigator().language()).is_some_and(|l| l.starts_with("ko"));
    if korean { Lang::Ko } else { Lang::En }
}

fn prefers_dark() -> bool {
    web_sys::window().and_then(|w| w.match_media("(prefers-color-scheme: dark)").ok().flatten()).is_some_and(|m| m.matches())
}
