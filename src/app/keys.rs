//! The keyboard: one listener for the page. Single letters are off while somebody types, and can be turned off for good.

use super::bits::Dispatch;
use super::ui::{Msg, Sheet, Ui};
use crate::session::action::Action;
use crate::session::view::{LoopCard, LoopState, Page};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

/// What a key means now, if anything.
pub fn meaning(e: &KeyboardEvent, ui: &Ui, page: &Page) -> Option<Msg> {
    let key = e.key();
    if (e.ctrl_key() || e.meta_key()) && key == "Enter" {
        return Some(Msg::Apply);
    }
    let at = focused();
    if let Some(step) = arrow(&key) {
        return at.as_ref().filter(|a| !typing(a)).and_then(|a| rove(a, step)).map(|()| Msg::Nothing);
    }
    if key == "Escape" {
        return Some(escape(ui, page, at.as_ref()));
    }
    if e.ctrl_key() || e.meta_key() || e.alt_key() || !ui.letters || at.as_ref().is_some_and(typing) {
        return None;
    }
    letter(&key, e.shift_key(), at.as_ref(), ui, page)
}

fn escape(ui: &Ui, page: &Page, at: Option<&Element>) -> Msg {
    if ui.menu.is_some() {
        return Msg::Menu(None);
    }
    if ui.fault_menu.is_some() {
        return Msg::FaultMenu(None);
    }
    if ui.token.is_some() {
        return Msg::Token(None);
    }
    if ui.find.is_some() {
        return Msg::Find(None);
    }
    let at_prompt = at.is_some_and(|a| a.id() == "kubectl");
    if at.is_some_and(typing) {
        blur();
        if !at_prompt {
            return Msg::Nothing;
        }
    }
    if ui.drawer {
        return Msg::Drawer(false);
    }
    if page.top.past.is_some() && !at_prompt { Action::Now.into() } else { Msg::Nothing }
}

fn letter(key: &str, shift: bool, at: Option<&Element>, ui: &Ui, page: &Page) -> Option<Msg> {
    let past = page.top.past.is_some();
    let live = !past && !page.top.first;
    let on_button = at.is_some_and(|a| a.tag_name() == "BUTTON" || a.tag_name() == "INPUT");
    Some(match key {
        "s" if live => Action::Step.into(),
        "S" if live && shift => Action::StepInto { loop_id: "".into() }.into(),
        "b" if !past && page.transport.can_back => Action::Back.into(),
        "t" if live => Action::Tick.into(),
        " " if live && !on_button => Msg::Run(!ui.running),
        "d" if !past => event_under(at?)?,
        "x" if !past => power_under(at?, page)?.into(),
        "f" if past => Action::Fork.into(),
        "`" => {
            focus("kubectl");
            Msg::Sheet(Sheet::More)
        }
        "/" => Msg::Find(Some("".into())),
        "?" => Msg::Menu(Some(super::ui::Menu::Help)),
        _ => {
            let n: usize = key.parse().ok()?;
            let card = page.loops.iter().chain(page.quiet.iter()).nth(n.checked_sub(1)?)?;
            focus_loop(&card.id);
            Msg::Sheet(Sheet::Loops)
        }
    })
}

/// How the event that has the focus may be lost: a choice of two, the first of which gets the focus.
fn event_under(at: &Element) -> Option<Msg> {
    let name = closest(at, "[data-event]")?.get_attribute("data-event")?;
    focus("lose");
    Some(Msg::Token(Some(name.into())))
}

/// Stopping or starting the loop that has the focus.
fn power_under(at: &Element, page: &Page) -> Option<Action> {
    let id = closest(at, "[data-loop]")?.get_attribute("data-loop")?;
    let card: &LoopCard = page.loops.iter().chain(page.quiet.iter()).find(|l| l.id == *id.as_str())?;
    let loop_id = card.id.clone();
    Some(if card.state == LoopState::Stopped { Action::StartLoop { loop_id } } else { Action::StopLoop { loop_id } })
}

fn arrow(key: &str) -> Option<i32> {
    match key {
        "ArrowRight" | "ArrowDown" => Some(1),
        "ArrowLeft" | "ArrowUp" => Some(-1),
        _ => None,
    }
}

/// Moves the focus to the next item of the group around `at`.
fn rove(at: &Element, step: i32) -> Option<()> {
    let items = closest(at, "[data-roving]")?.query_selector_all("[data-item]").ok()?;
    let count = items.length() as i32;
    let here = (0..count).find(|i| items.item(*i as u32).is_some_and(|n| n.is_same_node(Some(at))))?;
    let next: HtmlElement = items.item((here + step).rem_euclid(count) as u32)?.dyn_into().ok()?;
    next.focus().ok()
}

fn closest(at: &Element, selector: &str) -> Option<Element> {
    at.closest(selector).ok().flatten()
}

fn focused() -> Option<Element> {
    let mut at = gloo::utils::document().active_element()?;
    while let Some(inner) = at.shadow_root().and_then(|r| r.active_element()) {
        at = inner;
    }
    Some(at)
}

/// Whether a letter typed here is text.
fn typing(at: &Element) -> bool {
    let text = at.tag_name() == "INPUT" && at.get_attribute("type").is_none_or(|t| t != "checkbox");
    text || at.tag_name() == "TEXTAREA" || at.tag_name() == "SELECT" || at.get_attribute("contenteditable").is_some_and(|v| v == "true")
}

fn blur() {
    if let Some(e) = gloo::utils::document().active_element().and_then(|e| e.dyn_into::<HtmlElement>().ok()) {
        let _ = e.blur();
    }
}

/// Puts the focus on an element by its id, after the page has been drawn.
pub fn focus(id: &'static str) {
    gloo::timers::callback::Timeout::new(0, move || {
        if let Some(e) = gloo::utils::document().get_element_by_id(id).and_then(|e| e.dyn_into::<HtmlElement>().ok()) {
            let _ = e.focus();
        }
    })
    .forget();
}

/// Scrolls to a loop's card and puts the focus on it.
pub fn focus_loop(id: &str) {
    let selector = ["[data-loop=\"", id, "\"] .card"].concat();
    gloo::timers::callback::Timeout::new(0, move || {
        if let Some(e) = gloo::utils::document().query_selector(&selector).ok().flatten().and_then(|e| e.dyn_into::<HtmlElement>().ok()) {
            let _ = e.focus();
        }
    })
    .forget();
}

/// Listens for the whole page; `Dispatch` and the state are read anew at each key.
pub fn handled(e: &KeyboardEvent, msg: Msg, go: &Dispatch) {
    e.prevent_default();
    if msg != Msg::Nothing {
        go.send(msg);
    }
}
