//! The menu of lessons: the page's own with how far one is, those opened from files, and the way to open another.

use super::super::bits::{Dispatch, use_dispatch, use_lang};
use super::super::icons::hl;
use super::super::ui::Msg;
use super::super::words::Lang;
use super::kept::{self, Kept};
use super::text::{plain, said};
use crate::api::Str;
use crate::lessons::{NAMES, named};
use crate::session::action::Action;
use crate::session::view::Health;
use wasm_bindgen::JsCast;
use yew::prelude::*;

/// So much of a file is read; a lesson is shorter.
const READ_MAX_BYTES: f64 = 200_000.0;

#[derive(Properties, PartialEq)]
pub struct MenuProps {
    /// The lesson that is open.
    pub current: Option<Str>,
}

#[component]
pub fn LessonMenu(props: &MenuProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    super::super::later::wanted();
    let begun = kept::all();
    let current = |id: &str| props.current.as_ref().is_some_and(|c| **c == *id).then_some("true");
    let item = |id: &'static str| {
        let lesson = named(id)?;
        let kept = begun.iter().find(|k| k.id == id && !k.own);
        Some(html! {
            <button type="button" class="lz" aria-current={current(id)} data-item="" onclick={go.on(Msg::Lesson(id.into()))}>
                { far(lang, kept) }<b>{ plain(lang, &lesson.title) }</b><span>{ said(lang, &lesson.about).to_string() }</span>
            </button>
        })
    };
    let own = |k: &Kept| {
        let title = if lang == Lang::Ko { &k.title.0 } else { &k.title.1 };
        html! { <button type="button" class="lz" data-item="" onclick={go.on(Action::Open { link: k.run.as_str().into() })}>{ far(lang, Some(k)) }<b>{ title.clone() }</b><span>{ lang.raw("le.own") }</span></button> }
    };
    let chosen = {
        let go = go.clone();
        Callback::from(move |e: Event| {
            let input = e.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok());
            read(input.and_then(|i| i.files()), &go);
        })
    };
    let dropped = {
        let go = go.clone();
        Callback::from(move |e: DragEvent| {
            e.prevent_default();
            read(e.data_transfer().and_then(|d| d.files()), &go);
        })
    };
    let over = Callback::from(|e: DragEvent| e.prevent_default());
    html! {
        <div class="menu lmenu" role="dialog" data-roving="" aria-label={lang.raw("bar.lesson")} ondrop={dropped} ondragover={over}>
            { for NAMES.into_iter().filter_map(item) }
            { for begun.iter().filter(|k| k.own).map(own) }
            <label class="btn line"><input class="vh" type="file" accept=".yaml,.yml" data-item="" onchange={chosen} />{ lang.raw("le.open") }</label>
            <p class="foot dim">{ lang.raw("le.open.d") }</p>
        </div>
    }
}

/// How far one is in a lesson: a shape and a word.
fn far(lang: Lang, kept: Option<&Kept>) -> Html {
    let (shape, word) = match kept {
        Some(k) if k.done => (Health::Ok, lang.raw("le.done").to_string()),
        Some(k) => (Health::Going, lang.fill("le.at", &[("a", (k.at as u64 + 1).into()), ("b", (k.of as u64).into())])),
        None => (Health::Wanted, lang.raw("le.new").to_string()),
    };
    html! { <em><span aria-hidden="true">{ hl(lang, shape) }</span>{ word }</em> }
}

/// Reads the first of the files and opens it as a lesson.
fn read(files: Option<web_sys::FileList>, go: &Dispatch) {
    let go = go.clone();
    super::super::files::read(files, READ_MAX_BYTES, move |text| go.send(Action::OpenLesson { text: text.into() }));
}
