//! Deployments with their ReplicaSets and pods, and the objects beside them, as a tree for eyes, ears and arrow keys.

use super::super::bits::{bd, slots, use_dispatch, use_lang};
use super::super::icons::{hl, tone};
use super::super::places::{Place, Placed};
use super::super::ui::Msg;
use super::super::words::Lang;
use super::big::{Counts, Squares};
use crate::api::Str;
use crate::session::view::{Health, Kid, Obj, Row, Tree};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TreesProps {
    pub board: Rc<Placed>,
    pub selected: Str,
    pub find: Option<Rc<str>>,
    /// It is the world beside.
    #[prop_or_default]
    pub beside: bool,
}

/// What every object needs to draw itself.
struct Pen<'a> {
    lang: Lang,
    go: super::super::bits::Dispatch,
    selected: &'a str,
    find: Option<&'a str>,
    beside: bool,
    /// The first object can be reached with Tab when none is selected.
    entry: Option<Str>,
}

impl Pen<'_> {
    fn pressed(&self, uid: &str) -> &'static str {
        if !uid.is_empty() && self.selected == uid { "true" } else { "false" }
    }

    fn select(&self, uid: &Str) -> Callback<MouseEvent> {
        self.go.on(if self.beside { Msg::SelectBeside(uid.clone()) } else { Msg::Select(uid.clone()) })
    }

    fn tab(&self, uid: &Str) -> &'static str {
        if self.entry.as_ref() == Some(uid) { "0" } else { "-1" }
    }

    fn hidden(&self, kind: &str, name: &str) -> Option<&'static str> {
        let text = self.find.filter(|t| !t.is_empty())?;
        (!name.contains(text) && !kind.eq_ignore_ascii_case(text)).then_some("unlike")
    }
}

#[component]
pub fn Trees(props: &TreesProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let board = &props.board.board;
    if board.trees.is_empty() && board.others.is_empty() {
        return html! { <p class="bempty dim">{ lang.raw("board.empty") }</p> };
    }
    let known = board
        .trees
        .iter()
        .flat_map(|t| {
            t.root
                .iter()
                .map(|o| &o.uid)
                .chain(t.rows.iter().flat_map(|r| r.owner.iter().map(|o| &o.uid).chain(r.pods.iter().map(|p| &p.uid))))
        })
        .chain(board.others.iter().map(|o| &o.uid));
    let mut entry = None;
    for uid in known {
        if entry.is_none() || *uid == props.selected {
            entry = Some(uid.clone());
        }
        if *uid == props.selected {
            break;
        }
    }
    let pen = Pen { lang, go, selected: &props.selected, find: props.find.as_deref(), beside: props.beside, entry };
    let mut at = 0;
    let trees: Html = board
        .trees
        .iter()
        .map(|t| {
            let rows = &props.board.rows[at..at + t.rows.len()];
            at += t.rows.len();
            tree(&pen, t, rows)
        })
        .collect();
    html! {
        <div class="trees" role="tree" aria-label={lang.raw("board.title")} data-roving="">
            { trees }
            if !board.others.is_empty() {
                <ul class="others" role="group" aria-label={lang.raw("board.others")}>{ for board.others.iter().map(|o| html! { <li key={o.uid.to_string()} role="none">{ obj(&pen, o) }</li> }) }</ul>
            }
        </div>
    }
}

fn tree(pen: &Pen, t: &Tree, places: &[Vec<Place>]) -> Html {
    let one = if t.rows.len() < 2 { "n1" } else { "n2" };
    let key = t.root.as_ref().or(t.rows.first().and_then(|r| r.owner.as_ref())).map_or_else(String::new, |o| o.uid.to_string());
    let rows = t.rows.iter().zip(places).map(|(r, p)| row(pen, r, p));
    match &t.root {
        Some(root) => {
            html! { <div {key} class={classes!("tree", one)} role="none"><div class="dep" role="none">{ obj(pen, root) }</div><ul class="rss" role="group">{ for rows }</ul></div> }
        }
        None => html! { <div {key} class="tree bare" role="none"><ul class="rss" role="group">{ for rows }</ul></div> },
    }
}

fn row(pen: &Pen, r: &Row, places: &[Place]) -> Html {
    let owner = match &r.owner {
        Some(o) => obj(pen, o),
        None => html! { <p class="orphans dim">{ pen.lang.raw("board.orphans") }</p> },
    };
    let key = r.owner.as_ref().map_or_else(String::new, |o| o.uid.to_string());
    let pods = if !r.counts.is_empty() {
        html! { <Counts counts={Rc::new(r.counts.clone())} /> }
    } else if places.len() > 12 {
        html! { <Squares pods={Rc::new(r.pods.clone())} places={Rc::new(places.to_vec())} selected={Str::from(pen.selected)} beside={pen.beside} /> }
    } else {
        html! { <ul class="pods" role="group">{ for places.iter().enumerate().map(|(i, p)| place(pen, r, i, p)) }</ul> }
    };
    html! { <li {key} class="rsrow" role="none">{ owner }{ pods }</li> }
}

fn place(pen: &Pen, r: &Row, nth: usize, place: &Place) -> Html {
    match place {
        Place::Pod(i) => pod(pen, &r.pods[*i]),
        Place::Wanted => {
            html! { <li key={nth} class="pod want" role="none">{ hl(pen.lang, Health::Wanted) }<span><b>{ pen.lang.raw("board.want") }</b></span></li> }
        }
        Place::Space => html! { <li key={nth} class="pod space" role="none" aria-hidden="true"></li> },
    }
}

fn pod(pen: &Pen, p: &Kid) -> Html {
    let lang = pen.lang;
    let label = ["Pod ", p.name.as_str(), ", ", p.word.as_str(), ", ", lang.raw(super::super::icons::health_word(p.health))].concat();
    html! {
        <li key={p.uid.to_string()} class={classes!("pod", tone(p.health), pen.hidden("Pod", &p.name))} data-w={p.writer.map(|w| w.hue())} role="none">
            <button type="button" role="treeitem" aria-selected={pen.pressed(&p.uid)} tabindex={pen.tab(&p.uid)} data-item="" data-uid={p.uid.to_string()} title={label} onclick={pen.select(&p.uid)}>
                { hl(lang, p.health) }<span><b class="m">{ p.short.to_string() }</b><small>{ p.word.to_string() }</small></span>
                <small class="m rv">{ p.rev }</small>{ p.writer.map(|w| bd(lang, w, "s pw")).unwrap_or_default() }
            </button>
        </li>
    }
}

fn obj(pen: &Pen, o: &Obj) -> Html {
    let lang = pen.lang;
    let count = o.slots.map(|s| {
        let ready = if o.word.is_empty() { String::new() } else { [" ", o.word.as_str()].concat() };
        html! { <>if s.wanted <= 5 { { slots(lang, s) } }<span class="m"><b>{ s.filled }{ "/" }{ s.wanted }</b>{ ready }</span></> }
    });
    html! {
        <button type="button" role="treeitem" class={classes!("obj", o.next.then_some("next"), o.deleting.then_some("gone"), pen.hidden(&o.kind, &o.name))} data-w={o.writer.map(|w| w.hue())} aria-selected={pen.pressed(&o.uid)} tabindex={pen.tab(&o.uid)} data-item="" data-uid={o.uid.to_string()} onclick={pen.select(&o.uid)}>
            <span class="k">{ o.kind.to_string() }{ o.tag.as_ref().map(|t| [" · ", &lang.say(t)].concat()).unwrap_or_default() }<span class="grow"></span><span class="m rv">{ o.rev }</span></span>
            <b class="m nm">{ o.name.to_string() }</b>
            if count.is_some() || !o.note.is_empty() { <span class="q">{ count.unwrap_or_default() }<span class="m dim img">{ o.note.to_string() }</span></span> }
            if !o.conditions.is_empty() { <span class="cs">{ for o.conditions.iter().map(|(h, c)| html! { <span>{ hl(lang, *h) }{ c.to_string() }</span> }) }</span> }
            { o.writer.map(|w| bd(lang, w, "s lw")).unwrap_or_default() }
        </button>
    }
}
