//! The board: every object as a tree of owners, each in its place from birth to death.

mod beside;
mod big;
mod tree;

pub use beside::BesidePanel;

use super::bits::{thousands, use_dispatch, use_lang};
use super::ui::Msg;
use super::words::Lang;
use crate::api::Str;
use crate::session::view::{Beside, Board};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct BoardProps {
    pub board: Rc<super::places::Placed>,
    pub first: bool,
    pub selected: Str,
    /// What the person searches for.
    pub find: Option<Rc<str>>,
    pub beside: Option<Rc<Beside>>,
}

/// Rows with more pods than this are bars of counts.
pub const SQUARES_MAX: usize = 300;

#[component]
pub fn BoardPanel(props: &BoardProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let placed = &*props.board;
    let board: &Board = &placed.board;
    let find = props.find.clone().map(|text| {
        let go = go.clone();
        let oninput = Callback::from(move |e: InputEvent| {
            let input: web_sys::HtmlInputElement = e.target_unchecked_into();
            go.send(Msg::Find(Some(input.value().into())));
        });
        html! { <input class="m find" type="search" id="find" value={text.to_string()} placeholder={lang.raw("board.find")} aria-label={lang.raw("board.find")} {oninput} /> }
    });
    html! {
        <section class="board" id="board" aria-label={lang.raw("board.title")} tabindex="-1">
            <header class="sh">
                { props.beside.as_deref().and_then(|b| beside::own(lang, b)).unwrap_or_else(|| html! {<><h2>{ lang.raw("board.title") }</h2><span>{ "etcd · " }{ lang.raw("board.note") }</span></>}) }<span class="grow"></span>
                { find.unwrap_or_default() }
                <span class="m rev">{ "rev " }<b>{ thousands(board.rev) }</b></span>
            </header>
            { props.beside.as_deref().map(|b| beside::own_said(lang, b)).unwrap_or_default() }
            if props.first { { welcome(lang, &go) } } else { <tree::Trees board={props.board.clone()} selected={props.selected.clone()} find={props.find.clone()} /> }
        </section>
    }
}

fn welcome(lang: Lang, go: &super::bits::Dispatch) -> Html {
    let lines = lang.raw("first.h").split('\n').enumerate().map(|(i, l)| html! {<>if i > 0 { <br /> }{ l }</>});
    html! {
        <div class="welcome">
            <h3>{ for lines }</h3>
            <p>{ lang.raw("first.p") }</p>
            <ol>
                <li><button type="button" onclick={go.on(Msg::Apply)}><b class="num">{ "1" }</b>{ lang.raw("first.1") }</button></li>
                <li><b class="num">{ "2" }</b>{ lang.raw("first.2") }</li>
                <li><b class="num">{ "3" }</b>{ lang.raw("first.3") }</li>
            </ol>
        </div>
    }
}
