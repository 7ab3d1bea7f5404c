//! The world beside: the edge-triggered twin of the same history, or the branch that a fork left. Its board, and what tells the
//! two apart.

use super::super::bits::{Dispatch, slots, thousands, use_dispatch, use_lang};
use super::super::icons::hl;
use super::super::places::Placed;
use super::super::words::Lang;
use super::tree::Trees;
use crate::api::Str;
use crate::session::action::Action;
use crate::session::beside::Kind;
use crate::session::view::{Beside, Health, Ready, Slots, Text};
use std::rc::Rc;
use yew::prelude::*;

/// More pods than this are a number.
const SLOTS_MAX: u64 = 12;

#[derive(Properties, PartialEq)]
pub struct BesideProps {
    pub beside: Rc<Beside>,
    pub board: Rc<Placed>,
    pub selected: Str,
    pub past: bool,
}

#[component]
pub fn BesidePanel(props: &BesideProps) -> Html {
    super::super::later::wanted();
    let (lang, go) = (use_lang(), use_dispatch());
    let b = &*props.beside;
    let word = if b.kind == Kind::Twin { "beside.edge" } else { "beside.branch" };
    html! {
        <section class="board beside" aria-label={lang.raw(word)}>
            <header class="sh">
                { title(lang, word) }<span class="grow"></span>
                { meter(lang, b.ready) }
                <span class="m rev">{ "rev " }<b>{ thousands(b.board.rev) }</b></span>
            </header>
            if b.kind == Kind::Twin { { said(lang, &b.said.1, b.wrong.1) } } else { { branch(lang, &go, props.past) } }
            <Trees board={props.board.clone()} selected={props.selected.clone()} find={None::<Rc<str>>} beside={true} />
        </section>
    }
}

/// The title of the own board, where the other one must be told apart from it.
pub fn own(lang: Lang, b: &Beside) -> Option<Html> {
    Some(title(lang, if b.kind == Kind::Twin { "beside.level" } else { "beside.this" }))
}

/// What the own ReplicaSet loop says, beside what the twin's says.
pub fn own_said(lang: Lang, b: &Beside) -> Html {
    if b.kind == Kind::Twin { said(lang, &b.said.0, b.wrong.0) } else { Html::default() }
}

fn title(lang: Lang, word: &'static str) -> Html {
    let english = Lang::En.raw(word);
    html! {<><h2>{ lang.raw(word) }</h2>if lang == Lang::Ko && english.contains("-triggered") { <span class="m" lang="en">{ english }</span> }</>}
}

fn said(lang: Lang, text: &Text, wrong: bool) -> Html {
    html! { <p class={classes!("says", wrong.then_some("bad"))}>{ hl(lang, if wrong { Health::Stuck } else { Health::Ok }) }{ lang.say(text) }</p> }
}

fn meter(lang: Lang, r: Ready) -> Html {
    let small = r.wanted <= SLOTS_MAX;
    let label = lang.fill("a11y.ready", &[("a", r.wanted.into()), ("b", r.ready.into())]);
    html! { <span role="img" aria-label={label}>if small { { slots(lang, Slots { wanted: r.wanted, filled: r.ready, half: r.half, over: r.ready.saturating_sub(r.wanted) }) } } else { { r.ready }{ "/" }{ r.wanted } }</span> }
}

fn branch(lang: Lang, go: &Dispatch, past: bool) -> Html {
    html! {
        <p class="acts2">
            <button type="button" class="btn sm line" disabled={past} onclick={go.on(Action::SwapBranch)}>{ lang.raw("beside.swap") }</button>
            <button type="button" class="btn sm line" onclick={go.on(Action::CloseBranch)}>{ lang.raw("beside.close") }</button>
        </p>
    }
}
