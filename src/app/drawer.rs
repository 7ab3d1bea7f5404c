//! The kubectl line. Its output slides over the page, never pushes it; verbatim, selectable.

use super::bits::{square, use_dispatch, use_lang};
use super::icons::{CHEV, UP};
use super::ui::Msg;
use crate::session::action::Action;
use crate::session::view::{Entry, Text};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct DrawerProps {
    pub console: Rc<Vec<Entry>>,
    pub open: bool,
    pub past: bool,
}

/// Entries drawn; older ones stay in the run.
const SHOWN_MAX: usize = 40;

#[component]
pub fn Drawer(props: &DrawerProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let line = use_node_ref();
    let out = use_node_ref();
    let back = use_mut_ref(|| 0usize);
    let open = props.open && !props.console.is_empty();
    {
        let out = out.clone();
        use_effect_with((open, props.console.clone()), move |_| {
            if let Some(e) = out.cast::<web_sys::Element>() {
                e.set_scroll_top(e.scroll_height());
            }
        });
    }
    let onkeydown = {
        let (go, line, console, past) = (go.clone(), line.clone(), props.console.clone(), props.past);
        Callback::from(move |e: KeyboardEvent| {
            let Some(input) = line.cast::<web_sys::HtmlInputElement>() else { return };
            match e.key().as_str() {
                "Enter" if !past && !e.is_composing() => {
                    let text = input.value();
                    if !text.trim().is_empty() {
                        input.set_value("");
                        *back.borrow_mut() = 0;
                        go.send(Msg::Drawer(true));
                        go.send(Action::Kubectl { line: text.trim().into() });
                    }
                }
                key @ ("ArrowUp" | "ArrowDown") => {
                    e.prevent_default();
                    let mut nth = back.borrow_mut();
                    *nth = if key == "ArrowUp" { (*nth + 1).min(console.len()) } else { nth.saturating_sub(1) };
                    let text = console.len().checked_sub(*nth).and_then(|i| console.get(i)).map_or("", |e| e.line.as_str());
                    input.set_value(text);
                }
                _ => {}
            }
        })
    };
    let last = props.console.last();
    let peek = last.filter(|_| !open).map(|e| {
        let text = if e.running {
            lang.raw("kc.waiting").to_string()
        } else {
            e.output.trim_end().lines().last().unwrap_or("").trim().to_string()
        };
        html! { <span class={classes!("m", "peek", if e.failed { "bad" } else { "dim" })}>{ text }</span> }
    });
    let entry = |(i, e): (usize, &Entry)| html! {<>if i > 0 { { "\n\n" } }<span class="dim">{ "$ " }{ e.line.to_string() }</span>{ "\n" }<span class={classes!(e.failed.then_some("bad"))}>{ e.output.trim_end().to_string() }</span></>};
    let skip = props.console.len().saturating_sub(SHOWN_MAX);
    let word = if open { "kc.shut" } else { "kc.open" };
    html! {
        <section class="drawer" aria-label={lang.raw("kc.title")}>
            if open { <pre class="kout" ref={out} tabindex="0" role="log" aria-live="off">{ for props.console.iter().skip(skip).enumerate().map(entry) }</pre> }
            <div class="kline">
                <b class="m" aria-hidden="true">{ "$" }</b>
                <input id="kubectl" ref={line} class="m" placeholder={["kubectl  —  ", lang.raw("kc.hint")].concat()} disabled={props.past} spellcheck="false" autocapitalize="off" autocomplete="off" aria-label="kubectl" {onkeydown} />
                { peek.unwrap_or_default() }
                { square(lang, "btn sm q sq", if open { CHEV } else { UP }, &Text::word(word), None, go.on(Msg::Drawer(!props.open))) }
            </div>
        </section>
    }
}
