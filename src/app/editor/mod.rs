//! The editor's column: manifest, images, faults. The manifest stands as highlighted text until a person wants to
//! change it; then the real editor arrives.

mod faults;
mod fields;
mod live;
mod putin;
mod side;
mod yaml;

use super::bits::{apply_keys, use_dispatch, use_lang};
use super::icons::{CHECK, LOCK, ic};
use super::ui::{EditTab, Msg};
use crate::session::view::{Choices, Fault, Image, Manifest, Text};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct EditProps {
    pub manifest: Rc<Manifest>,
    pub draft: Rc<str>,
    pub tab: EditTab,
    pub open: bool,
    pub first: bool,
    pub past: bool,
    pub faults: Rc<Vec<Fault>>,
    pub choices: Option<Rc<Choices>>,
    pub images: Rc<Vec<Image>>,
    /// What stands in the lesson's tab, if a lesson is on.
    pub lesson: Option<Html>,
}

#[component]
pub fn Edit(props: &EditProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let shown = if props.tab == EditTab::Lesson && props.lesson.is_none() { EditTab::Manifest } else { props.tab };
    let tab = |t: EditTab, word: &'static str| {
        let chosen = shown == t;
        html! { <button type="button" role="tab" id={["tab-", word].concat()} data-item="" tabindex={if chosen { "0" } else { "-1" }} aria-selected={if chosen { "true" } else { "false" }} onclick={go.on(Msg::EditTab(t))}>{ lang.raw(word) }</button> }
    };
    let body = match shown {
        EditTab::Lesson => props.lesson.clone().unwrap_or_default(),
        EditTab::Manifest if props.open && !props.past => {
            html! { <live::Live text={props.draft.clone()} manifest={props.manifest.clone()} /> }
        }
        EditTab::Manifest => html! { <yaml::Lines text={props.draft.clone()} manifest={props.manifest.clone()} past={props.past} /> },
        EditTab::Images => html! { <side::Images images={props.images.clone()} /> },
        EditTab::Faults => html! { <faults::Faults faults={props.faults.clone()} choices={props.choices.clone()} past={props.past} /> },
    };
    html! {
        <section class="edit" aria-label={lang.raw("ed.manifest")}>
            <div class="ptabs" role="tablist" data-roving="">
                if props.lesson.is_some() { { tab(EditTab::Lesson, "bar.lesson") } }
                { tab(EditTab::Manifest, "ed.manifest") }{ tab(EditTab::Images, "ed.images") }{ tab(EditTab::Faults, "ed.faults") }
            </div>
            { body }
            if shown == EditTab::Manifest { <Foot manifest={props.manifest.clone()} draft={props.draft.clone()} first={props.first} past={props.past} /> }
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct FootProps {
    manifest: Rc<Manifest>,
    draft: Rc<str>,
    first: bool,
    past: bool,
}

/// How many lines of `draft` are not in `stored` at the same place.
fn changed_lines(stored: &str, draft: &str) -> u64 {
    let (mut a, mut b) = (stored.trim_end().lines(), draft.trim_end().lines());
    let mut n = 0;
    loop {
        match (a.next(), b.next()) {
            (None, None) => return n,
            (x, y) if x != y => n += 1,
            _ => {}
        }
    }
}

#[component]
fn Foot(props: &FootProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let failed = !props.manifest.problems.is_empty();
    let changed = changed_lines(&props.manifest.stored, &props.draft);
    let write = (changed > 0 || failed) && !props.past;
    let note = if props.past {
        html! {<>{ ic(LOCK) }{ " " }{ lang.raw("ed.locked") }</>}
    } else if failed {
        let part = &props.manifest.partly;
        html! { <b class="bad">if part.is_empty() { { lang.raw("ed.error.none") } } else { { lang.fill("ed.error.part", &[("what", part.clone().into())]) } }</b> }
    } else if props.first {
        html! { { lang.raw("ed.note") } }
    } else if changed > 0 {
        html! { { lang.say(&Text::with("ed.dirty", [("n", changed.into())])) } }
    } else if let Some((field, value)) = &props.manifest.drift {
        html! { <b>{ lang.fill("ed.drift", &[("field", field.clone().into()), ("value", value.clone().into())]) }</b> }
    } else {
        html! {<>{ ic(CHECK) }{ " " }{ lang.raw("ed.applied") }</>}
    };
    html! {
        <div class="efoot">
            <button type="button" class={classes!("btn", if write { "write" } else { "line" }, props.first.then_some("glow"))} disabled={props.past} onclick={go.on(Msg::Apply)}>{ lang.raw("ed.apply") }<kbd>{ apply_keys() }</kbd></button>
            <span class="dim" role="status">{ note }</span>
        </div>
    }
}
