//! The manifest as highlighted lines: tone only, a writer's edge where a field was last written, problems under their line.

use super::super::bits::{use_dispatch, use_lang};
use super::super::ui::Msg;
use crate::session::view::{Manifest, Problem};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct LinesProps {
    pub text: Rc<str>,
    pub manifest: Rc<Manifest>,
    pub past: bool,
}

/// Lines drawn at most: the rest is behind the real editor.
const LINES_MAX: usize = 400;

#[component]
pub fn Lines(props: &LinesProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let m = &*props.manifest;
    let stored: Vec<&str> = m.stored.lines().collect();
    let line = |(i, text): (usize, &str)| {
        let n = i as u32 + 1;
        let problems: Vec<&Problem> = m.problems.iter().filter(|p| p.line == n).collect();
        let edited = !m.stored.is_empty() && stored.get(i) != Some(&text);
        let writer = if edited { None } else { m.writers.iter().find(|w| w.0 == n).map(|w| w.1) };
        html! {<>
            <li key={n} class={classes!((!problems.is_empty()).then_some("bad"), edited.then_some("ed"))} data-w={writer.map(|w| w.hue())} title={writer.map(|w| lang.say(&w.name()))}>
                <span class="ln" aria-hidden="true">{ n }</span><code>{ highlight(text) }</code>
            </li>
            { for problems.into_iter().map(|p| lint(lang, p)) }
        </>}
    };
    let open = (!props.past).then(|| go.on(Msg::OpenEditor));
    let key = {
        let (go, past) = (go.clone(), props.past);
        Callback::from(move |e: KeyboardEvent| {
            if e.key() == "Enter" && !past && !e.ctrl_key() && !e.meta_key() {
                e.prevent_default();
                go.send(Msg::OpenEditor);
            }
        })
    };
    html! {
        <div class="yamlw" onpointerenter={|_: PointerEvent| super::live::warm()}>
            { for m.problems.iter().filter(|p| p.line == 0).map(|p| html! { <ul class="yaml top">{ lint(lang, p) }</ul> }) }
            <ol class="yaml" tabindex="0" aria-label={["deployment.yaml. ", lang.raw("ed.open")].concat()} onclick={open} onkeydown={key}>
                { for props.text.lines().take(LINES_MAX).enumerate().map(line) }
            </ol>
        </div>
    }
}

pub fn lint(lang: super::super::words::Lang, p: &Problem) -> Html {
    html! {
        <li class="lint" role="alert"><p><code>{ p.message.to_string() }</code></p>if let Some(help) = &p.help { <p>{ lang.say(help) }</p> }</li>
    }
}

/// One line with its key, its colon and its value apart.
pub fn highlight(line: &str) -> Html {
    if let Some(rest) = line.strip_prefix('\t') {
        return html! {<><u class="tab">{ "⇥" }</u>{ highlight(rest.trim_start()) }</>};
    }
    if line.trim_start().starts_with('#') {
        return html! { <span class="yp">{ line.to_string() }</span> };
    }
    let colon = line.char_indices().find(|&(i, c)| c == ':' && line[i + 1..].chars().next().is_none_or(|n| n == ' '));
    match colon {
        Some((i, _)) => {
            html! {<><span class="yk">{ line[..i].to_string() }</span><span class="yp">{ ":" }</span><span class="yv">{ line[i + 1..].to_string() }</span></>}
        }
        None => html! { <span class="yv">{ line.to_string() }</span> },
    }
}
