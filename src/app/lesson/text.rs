//! A lesson's texts as the page shows them: paragraphs, `code`, and *names of buttons*.

use super::super::words::Lang;
use crate::lessons::Said;
use yew::prelude::*;

/// The text in a language, with its marks.
pub fn said(lang: Lang, said: &Said) -> &str {
    match lang {
        Lang::Ko => &said.ko,
        Lang::En => &said.en,
    }
}

/// One run of text without paragraphs.
pub fn line(lang: Lang, text: &Said) -> Html {
    marked(said(lang, text))
}

/// A text as paragraphs.
pub fn paragraphs(lang: Lang, text: &Said) -> Html {
    let one = |p: &str| html! { <p>{ marked(p) }</p> };
    html! { { for said(lang, text).split("\n\n").map(one) } }
}

/// Without its marks, for labels and titles.
pub fn plain(lang: Lang, text: &Said) -> String {
    said(lang, text).replace(['`', '*'], "")
}

fn marked(text: &str) -> Html {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find(['`', '*']) {
        let mark = if rest[open..].starts_with('`') { '`' } else { '*' };
        let Some(close) = rest[open + 1..].find(mark).map(|n| open + 1 + n) else { break };
        out.push(html! { { rest[..open].to_string() } });
        let inner = rest[open + 1..close].to_string();
        out.push(if mark == '`' {
            html! { <code>{ inner }</code> }
        } else {
            html! { <b>{ inner }</b> }
        });
        rest = &rest[close + 1..];
    }
    out.push(html! { { rest.to_string() } });
    html! { { for out } }
}
