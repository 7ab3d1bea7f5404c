//! The page's root: the state, one reducer, and the panels in reading order.

use super::bar::Bar;
use super::bits::{Dispatch, use_dispatch, use_lang};
use super::board::{BesidePanel, BoardPanel, SQUARES_MAX};
use super::drawer::Drawer;
use super::editor::Edit;
use super::engine::Engine;
use super::inspector::Inspect;
use super::lesson::{LessonLine, LessonPanel};
use super::loops::Loops;
use super::nodes::NodesPanel;
use super::strip::Strip;
use super::timeline::TimelinePanel;
use super::transport::TransportPanel;
use super::ui::{Menu, Msg, Sheet, Ui};
use super::words::Lang;
use super::{begin, keys, places};
use crate::api::Str;
use crate::session::view::Page;
use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use yew::prelude::*;

/// The root component.
pub struct App {
    pub(super) engine: Engine,
    pub(super) ui: Ui,
    pub(super) page: Rc<Page>,
    pub(super) places: places::Places,
    pub(super) placed: Rc<places::Placed>,
    pub(super) places_beside: places::Places,
    pub(super) placed_beside: Rc<places::Placed>,
    pub(super) link: Option<Rc<str>>,
    /// The object that the inspector turned to by itself last.
    pub(super) seen: Str,
    /// What the live log says.
    pub(super) said: String,
    pub(super) said_ms: f64,
    pub(super) beat: Option<Timeout>,
    pub(super) slice: Option<Timeout>,
    pub(super) keep: Option<Timeout>,
    /// The newest link made, and after how many actions.
    pub(super) made: (u64, Rc<str>),
    _listeners: Vec<EventListener>,
    shared: Rc<RefCell<(Ui, Rc<Page>)>>,
    go: Dispatch,
}

impl Component for App {
    type Message = Msg;
    type Properties = ();

    fn create(ctx: &Context<App>) -> App {
        let go = Dispatch(ctx.link().callback(|m: Msg| m));
        let (engine, ui) = begin::open();
        let shared = Rc::new(RefCell::new((ui.clone(), Rc::new(Page::default()))));
        let listeners = listen(&go, &shared);
        let mut app = App {
            engine,
            ui,
            page: Rc::default(),
            places: places::Places::default(),
            placed: Rc::default(),
            places_beside: places::Places::default(),
            placed_beside: Rc::default(),
            link: None,
            seen: Str::default(),
            said: String::new(),
            said_ms: 0.0,
            beat: None,
            slice: None,
            keep: None,
            made: (u64::MAX, "".into()),
            _listeners: listeners,
            shared,
            go,
        };
        super::mishap::prepare(app.ui.lang);
        app.slice();
        app.refresh();
        app.slice_later(ctx);
        if app.page.lesson.is_some() {
            app.ui.edit_tab = super::ui::EditTab::Lesson;
        }
        if app.ui.draft.is_empty() {
            let m = app.page.manifest.clone();
            app.ui.draft = if m.stored.is_empty() { m.offered.as_str().into() } else { m.stored.as_str().into() };
        }
        app
    }

    fn update(&mut self, ctx: &Context<App>, msg: Msg) -> bool {
        let drawn = self.reduce(ctx, msg);
        *self.shared.borrow_mut() = (self.ui.clone(), self.page.clone());
        drawn
    }

    fn rendered(&mut self, _ctx: &Context<App>, first: bool) {
        self.flags();
        if first {
            *self.shared.borrow_mut() = (self.ui.clone(), self.page.clone());
        }
    }

    fn view(&self, ctx: &Context<App>) -> Html {
        let (p, ui, lang) = (&*self.page, &self.ui, self.ui.lang);
        let past = p.top.past.is_some();
        let first = p.top.first;
        let dirty = !ui.draft.is_empty() && ui.draft.trim_end() != p.manifest.stored.trim_end();
        let state = if first {
            "first"
        } else if p.ready.wanted > SQUARES_MAX as u64 {
            "big"
        } else {
            "run"
        };
        let link = ctx.link().clone();
        let outside = Callback::from(move |e: MouseEvent| {
            let Some(at) = e.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok()) else { return };
            let inside = |selector| at.closest(selector).ok().flatten().is_some();
            link.send_message(Msg::Outside { menu: !inside(".menuw"), fault: !inside(".card"), token: !inside(".tokw") });
        });
        html! {
            <ContextProvider<Lang> context={lang}><ContextProvider<Dispatch> context={self.go.clone()}>
            <div class={classes!("lab", past.then_some("past"), p.lesson.is_some().then_some("inles"))} data-sheet={ui.sheet.code()} data-state={state} onclick={outside}>
                <a class="skip" href="#board">{ lang.raw("a11y.skip") }</a>
                <Bar top={p.top.clone()} menu={ui.menu} letters={ui.letters} copied={ui.copied} lesson={p.lesson.clone()} link={self.link.clone().filter(|_| ui.menu == Some(Menu::Share))} />
                <Strip next={p.next.clone()} stations={p.strip.clone()} ready={p.ready} />
                <main class="cols">
                    <Edit manifest={p.manifest.clone()} draft={ui.draft.clone()} tab={ui.edit_tab} open={ui.editor_open} {first} {past} faults={p.faults.clone()} choices={p.choices.clone()} images={p.images.clone()} lesson={p.lesson.as_ref().map(|s| html! { <LessonPanel state={s.clone()} {past} {dirty} forgetful={ui.forgetful} /> })} />
                    <div class="stage">
                        if let Some(s) = &p.lesson { <LessonLine state={s.clone()} {past} {dirty} forgetful={ui.forgetful} /> }
                        if let Some(notice) = &p.top.notice { <p class="notice" role="status">{ lang.say(notice) }</p> }
                        <Loops loss={p.top.loss.clone()} loops={p.loops.clone()} quiet={p.quiet.clone()} quiet_open={ui.quiet_open} {past} fault_menu={ui.fault_menu.clone()} token={ui.token.clone()} />
                        { self.boards(first) }
                        <NodesPanel nodes={p.nodes.clone()} />
                    </div>
                    <Inspect view={p.inspector.clone()} tab={ui.tab} revision={ui.revision} {past} />
                </main>
                <footer class="dock">
                    <TransportPanel view={p.transport.clone()} top={p.top.clone()} kind={p.next.kind} running={ui.running} speed={ui.speed} />
                    <TimelinePanel view={p.timeline.clone()} beside={p.beside.clone()} {first} {past} />
                </footer>
                <Drawer console={p.console.clone()} open={ui.drawer} {past} />
                <Tabs sheet={ui.sheet} lesson={p.lesson.is_some()} />
                <div class="vh" role="log" aria-live="polite" aria-label={lang.raw("a11y.log")}>{ self.said.clone() }</div>
            </div>
            </ContextProvider<Dispatch>></ContextProvider<Lang>>
        }
    }
}

impl App {
    /// The board, and the one of the world beside if there is one.
    fn boards(&self, first: bool) -> Html {
        let (ui, beside) = (&self.ui, self.page.beside.clone());
        let selected = |there: bool| if ui.beside == there { ui.selected.clone() } else { Str::default() };
        let own = html! { <BoardPanel board={self.placed.clone()} {first} selected={selected(false)} find={ui.find.clone()} beside={beside.clone()} /> };
        let Some(beside) = beside else { return own };
        html! { <div class="boards">{ own }<BesidePanel {beside} board={self.placed_beside.clone()} selected={selected(true)} past={self.page.top.past.is_some()} /></div> }
    }
}

#[derive(Properties, PartialEq)]
struct TabsProps {
    sheet: Sheet,
    lesson: bool,
}

/// The phone's sheets.
#[component]
fn Tabs(props: &TabsProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let tab = |(sheet, word): (Sheet, &'static str)| html! { <button type="button" aria-current={if props.sheet == sheet { "true" } else { "false" }} onclick={go.on(Msg::Sheet(sheet))}>{ lang.raw(word) }</button> };
    let all = [
        (Sheet::Board, "ph.board"),
        (Sheet::Loops, "ph.loops"),
        (Sheet::Yaml, if props.lesson { "bar.lesson" } else { "ph.yaml" }),
        (Sheet::Inspect, "ph.inspect"),
        (Sheet::More, "ph.more"),
    ];
    html! { <nav class="tabs" aria-label="Loopscope">{ for all.into_iter().map(tab) }</nav> }
}

/// The page's own listeners: keys, links pasted into the address, the tab being hidden.
fn listen(go: &Dispatch, shared: &Rc<RefCell<(Ui, Rc<Page>)>>) -> Vec<EventListener> {
    let (document, window) = (gloo::utils::document(), gloo::utils::window());
    let keys = {
        let (go, shared) = (go.clone(), shared.clone());
        EventListener::new_with_options(&document, "keydown", EventListenerOptions::enable_prevent_default(), move |e| {
            let Some(e) = e.dyn_ref::<web_sys::KeyboardEvent>().filter(|e| !e.default_prevented()) else { return };
            let msg = {
                let state = shared.borrow();
                keys::meaning(e, &state.0, &state.1)
            };
            if let Some(msg) = msg {
                keys::handled(e, msg, &go);
            }
        })
    };
    let hash = {
        let go = go.clone();
        EventListener::new(&window, "hashchange", move |_| {
            if let Some(link) = begin::fragment() {
                go.send(crate::session::action::Action::Open { link: link.into() });
            } else if let Some(name) = begin::lesson() {
                go.send(Msg::Lesson(name.into()));
            }
        })
    };
    let hidden = {
        let go = go.clone();
        EventListener::new(&window, "pagehide", move |_| go.send(Msg::Keep))
    };
    vec![keys, hash, hidden]
}
