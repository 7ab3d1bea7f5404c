//! The reducer: what each message does to the page and, through the engine, to the world.

use super::engine::FRAGMENT;
use super::lesson::{kept, said};
use super::root::App;
use super::ui::{EditTab, Menu, Msg, Sheet, Speed};
use super::{begin, files, keys, store};
use crate::api::Str;
use crate::session::action::Action;
use crate::session::view::{Look, NextKind};
use gloo::timers::callback::Timeout;
use std::rc::Rc;
use yew::prelude::*;

/// Real milliseconds that one slice of work may take.
const SLICE_MS: f64 = 24.0;
/// The run is kept this long after a change, and less often while it runs.
const KEEP_MS: u32 = 500;
const KEEP_RUNNING_MS: u32 = 4000;
/// While running, the live log speaks this seldom.
const SUMMARY_MS: f64 = 2000.0;

fn now_ms() -> f64 {
    web_sys::window().and_then(|w| w.performance()).map_or(0.0, |p| p.now())
}

impl App {
    /// Draws the world anew.
    pub(super) fn refresh(&mut self) {
        let mut page = self.engine.page(&self.look());
        let lost = !self.ui.selected.is_empty() && page.inspector.is_none();
        let turn = !page.attention.is_empty() && page.attention != self.seen;
        self.seen = page.attention.clone();
        if turn || lost || self.ui.selected.is_empty() {
            let first = page.board.trees.iter().find_map(|t| t.root.as_ref().or(t.rows.first().and_then(|r| r.owner.as_ref())));
            self.ui.selected = if turn { page.attention.clone() } else { first.map(|o| o.uid.clone()).unwrap_or_default() };
            self.ui.revision = 0;
            self.ui.beside = false;
            page = self.engine.page(&self.look());
        }
        if let Some(beside) = &page.beside {
            self.placed_beside = Rc::new(self.places_beside.settle(&beside.board));
        }
        if !Rc::ptr_eq(&self.placed.board, &page.board) {
            self.placed = Rc::new(self.places.settle(&page.board));
        }
        let quiet = self.ui.running && now_ms() - self.said_ms < SUMMARY_MS;
        if !quiet && !page.said.is_empty() {
            self.said = self.ui.lang.say(&page.said);
            self.said_ms = now_ms();
        }
        self.page = page;
    }

    fn look(&self) -> Look {
        Look {
            selected: self.ui.selected.clone(),
            beside: self.ui.beside,
            revision: self.ui.revision,
            faults: self.ui.edit_tab == EditTab::Faults,
        }
    }

    /// Whether the page must be drawn again.
    pub(super) fn reduce(&mut self, ctx: &Context<App>, msg: Msg) -> bool {
        match msg {
            Msg::Nothing => return false,
            Msg::Act(action) => self.act(ctx, action),
            Msg::Apply => {
                let text = self.ui.draft.to_string();
                self.act(ctx, Action::Apply { text: text.into() });
                if !self.page.manifest.problems.is_empty() && self.ui.sheet != Sheet::Yaml && narrow() {
                    self.ui.sheet = Sheet::Yaml;
                }
            }
            Msg::Run(on) => self.run(ctx, on),
            Msg::Beat => self.beat(ctx),
            Msg::Slice => self.work(ctx),
            Msg::Keep => {
                self.keep_now();
                return false;
            }
            Msg::Select(uid) => self.select(uid, false),
            Msg::SelectBeside(uid) => self.select(uid, true),
            Msg::Revision(rev) => {
                self.ui.revision = rev;
                self.refresh();
            }
            Msg::Lesson(name) => self.lesson(ctx, &name),
            Msg::ToLesson => self.open_lesson(),
            Msg::Share => self.share(),
            Msg::SaveFile => files::save("run.loopscope", &self.engine.link()),
            Msg::SaveWatch => files::save("watch.jsonl", &self.engine.watch()),
            Msg::Draft(text) => {
                self.ui.draft = text;
                self.keep(ctx);
            }
            Msg::UseImage(name) => {
                self.ui.draft = with_image(&self.ui.draft, &name).into();
                self.ui.edit_tab = super::ui::EditTab::Manifest;
                self.keep(ctx);
            }
            other => return self.show(other),
        }
        true
    }

    fn select(&mut self, uid: Str, beside: bool) {
        self.ui.selected = uid;
        self.ui.beside = beside;
        self.ui.revision = 0;
        self.refresh();
    }

    /// Messages that change nothing but what is shown.
    fn show(&mut self, msg: Msg) -> bool {
        let ui = &mut self.ui;
        match msg {
            Msg::Lang(lang) => {
                ui.lang = lang;
                super::mishap::prepare(lang);
                ui.forgetful |= !store::put(store::LANG, lang.code());
                self.said = String::new();
            }
            Msg::Theme => {
                ui.dark = !ui.dark;
                ui.forgetful |= !store::put(store::THEME, if ui.dark { "dark" } else { "light" });
            }
            Msg::Letters(on) => {
                ui.letters = on;
                store::put(store::LETTERS, if on { "on" } else { "off" });
            }
            Msg::Menu(menu) => ui.menu = menu,
            Msg::Outside { menu, fault, token } => {
                let (a, b, c) = (ui.menu.is_some() && menu, ui.fault_menu.is_some() && fault, ui.token.is_some() && token);
                if a {
                    ui.menu = None;
                    ui.copied = false;
                }
                if b {
                    ui.fault_menu = None;
                }
                if c {
                    ui.token = None;
                }
                return a || b || c;
            }
            Msg::Sheet(sheet) => {
                if ui.sheet != sheet && narrow() {
                    gloo::utils::window().scroll_to_with_x_and_y(0.0, 0.0);
                }
                ui.sheet = sheet;
            }
            Msg::EditTab(tab) => {
                ui.edit_tab = tab;
                if tab == EditTab::Faults {
                    self.refresh();
                }
            }
            Msg::InspectTab(tab) => ui.tab = Some(tab),
            Msg::Token(token) => ui.token = token,
            Msg::FaultMenu(id) => ui.fault_menu = if ui.fault_menu == id { None } else { id },
            Msg::Quiet(open) => ui.quiet_open = open,
            Msg::Drawer(open) => ui.drawer = open,
            Msg::Speed(speed) => ui.speed = speed,
            Msg::OpenEditor => ui.editor_open = true,
            Msg::Find(text) => {
                let fresh = ui.find.is_none() && text.is_some();
                ui.find = text;
                if fresh {
                    ui.sheet = Sheet::Board;
                    keys::focus("find");
                }
            }
            _ => {}
        }
        true
    }

    fn act(&mut self, ctx: &Context<App>, action: Action) {
        if self.page.transport.busy.is_some() && action.is_recorded() {
            return;
        }
        self.ui.menu = None;
        self.ui.fault_menu = None;
        self.ui.token = None;
        self.ui.copied = false;
        let another = matches!(action, Action::LoadScenario { .. } | Action::Open { .. } | Action::OpenLesson { .. } | Action::Reset);
        let begun = matches!(action, Action::NextStep | Action::ResetStep { .. });
        if another || begun || matches!(action, Action::Step | Action::Back | Action::ScrubTo { .. }) {
            self.ui.running = false;
            self.beat = None;
        }
        if action.is_recorded() || another {
            store::put_good(&self.kept_now());
        }
        self.made.0 = if action.is_recorded() { self.made.0 } else { u64::MAX };
        // A lesson keeps its own run.
        let aside = !matches!(action, Action::Reset) && another && self.page.lesson.is_none();
        let own = aside.then(|| self.kept_now());
        let had_run = self.page.timeline.end_step > 0;
        if let Err(text) = self.engine.act(&action) {
            self.said = self.ui.lang.say(&text);
            self.engine.notice(text);
        } else if let Some(own) = own.filter(|_| had_run || matches!(action, Action::Open { .. }) || self.engine.is_lesson()) {
            store::put(store::OWN, &own);
        }
        self.slice();
        if another {
            begin::clean_address();
            self.ui.selected = Default::default();
            self.ui.tab = None;
            self.seen = Default::default();
            self.places = Default::default();
            self.places_beside = Default::default();
        }
        self.refresh();
        if another {
            let m = &self.page.manifest;
            self.ui.draft = if m.offered.is_empty() { m.stored.as_str().into() } else { m.offered.as_str().into() };
        }
        if self.page.lesson.is_some() && (another || begun) {
            self.step_began(another || matches!(action, Action::ResetStep { .. }));
        }
        self.slice_later(ctx);
        self.keep(ctx);
    }

    /// A lesson's step begins: its text stands in the editor, and its panel in front.
    fn step_began(&mut self, anew: bool) {
        let own = self.page.lesson.as_ref().is_some_and(|s| s.stage().editor.is_some());
        if anew || own {
            self.ui.draft = self.page.manifest.offered.as_str().into();
        }
        self.open_lesson();
        keys::focus("lesson");
    }

    fn open_lesson(&mut self) {
        self.ui.edit_tab = EditTab::Lesson;
        if narrow() {
            self.ui.sheet = Sheet::Yaml;
            gloo::utils::window().scroll_to_with_x_and_y(0.0, 0.0);
        }
    }

    /// One of the page's lessons where it was left, or one that a link holds.
    fn lesson(&mut self, ctx: &Context<App>, name: &str) {
        let text = || crate::session::link::unpacked_lesson(name);
        let action = match kept::find(name) {
            Some(kept) => Ok(Action::Open { link: kept.run.into() }),
            None => text().map(|text| Action::OpenLesson { text }),
        };
        match action {
            Ok(action) => self.act(ctx, action),
            Err(why) => {
                self.engine.notice(why);
                self.ui.menu = None;
                self.refresh();
            }
        }
    }

    fn run(&mut self, ctx: &Context<App>, on: bool) {
        if !on {
            self.engine.cancel();
            self.slice = None;
            self.refresh();
        }
        self.ui.running = on;
        self.beat = None;
        if on {
            store::put_good(&self.kept_now());
            self.beat(ctx);
        }
    }

    /// One tick of a run, or, at full speed, as many as fit into a slice.
    fn beat(&mut self, ctx: &Context<App>) {
        if !self.ui.running {
            return;
        }
        let from = now_ms();
        loop {
            let reached = self.engine.is_reached();
            if let Err(why) = self.engine.act(&Action::Tick) {
                self.engine.notice(why);
                self.ui.running = false;
            }
            // A run waits for the reader where a lesson's step is done.
            self.ui.running &= reached || !self.engine.is_reached();
            let more = self.ui.speed == Speed::Most && now_ms() - from < SLICE_MS && self.ui.running;
            if !more || self.engine.at_rest() {
                break;
            }
        }
        self.refresh();
        if self.page.transport.at_rest || matches!(self.page.next.kind, NextKind::Stuck) || self.page.top.past.is_some() {
            self.ui.running = false;
        }
        if self.ui.running {
            let link = ctx.link().clone();
            self.beat = Some(Timeout::new(self.ui.speed.tick_ms(), move || link.send_message(Msg::Beat)));
        }
        self.keep(ctx);
    }

    /// As much of long work as fits into a slice.
    pub(super) fn slice(&mut self) {
        let from = now_ms();
        while self.engine.work() && now_ms() - from < SLICE_MS {}
    }

    pub(super) fn slice_later(&mut self, ctx: &Context<App>) {
        if self.page.transport.busy.is_some() {
            let link = ctx.link().clone();
            self.slice = Some(Timeout::new(0, move || link.send_message(Msg::Slice)));
        }
    }

    fn work(&mut self, ctx: &Context<App>) {
        self.slice();
        self.refresh();
        self.slice_later(ctx);
        self.keep(ctx);
    }

    /// Keeps the run and the text in this browser, a little later: that reads the whole world.
    fn keep(&mut self, ctx: &Context<App>) {
        if self.keep.is_none() && !self.engine.is_fixture() {
            let link = ctx.link().clone();
            let ms = if self.ui.running { KEEP_RUNNING_MS } else { KEEP_MS };
            self.keep = Some(Timeout::new(ms, move || link.send_message(Msg::Keep)));
        }
    }

    fn keep_now(&mut self) {
        self.keep = None;
        if self.page.transport.busy.is_some() {
            return;
        }
        let kept = store::put(store::RUN, &self.kept_now()) && store::put(store::DRAFT, &self.ui.draft);
        self.ui.forgetful |= !kept;
        if let Some(state) = self.page.lesson.clone() {
            self.ui.forgetful |= !kept::put(&state, &self.kept_now());
        }
    }

    /// The newest moment as text, made once for each.
    fn kept_now(&mut self) -> Rc<str> {
        let steps = self.page.timeline.end_step;
        if self.made.0 != steps {
            self.made = (steps, self.engine.kept().into());
        }
        self.made.1.clone()
    }

    fn share(&mut self) {
        let location = gloo::utils::window().location();
        let base = [location.origin().unwrap_or_default(), location.pathname().unwrap_or_default()].concat();
        let link: Rc<str> = [&base, "#", FRAGMENT, &self.engine.link()].concat().into();
        self.ui.copied = copy(&link).is_some();
        self.ui.menu = Some(Menu::Share);
        self.link = Some(link);
    }

    /// What tests and style sheets read from the root element.
    pub(super) fn flags(&self) {
        let document = gloo::utils::document();
        let Some(root) = document.document_element() else { return };
        let set = |name: &str, value: &str| drop(root.set_attribute(name, value));
        let settled = self.page.transport.at_rest && !self.ui.running && self.page.transport.busy.is_none();
        set("lang", self.ui.lang.code());
        set("data-theme", if self.ui.dark { "dark" } else { "light" });
        set("data-ready", "true");
        if settled && self.page.top.step > 0 {
            super::rest::later();
        }
        set("data-settled", if settled { "true" } else { "false" });
        set("data-step", &self.page.top.step.to_string());
        let title = match &self.page.lesson {
            Some(state) => said(self.ui.lang, &state.lesson.title),
            None => self.ui.lang.raw(super::bar::scenario_word(&self.page.top.scenario)),
        };
        document.set_title(&["Loopscope · ", title].concat());
    }
}

/// Whether the phone's sheets are in force.
fn narrow() -> bool {
    gloo::utils::window().match_media("(max-width: 959px)").ok().flatten().is_some_and(|m| m.matches())
}

pub(super) fn copy(text: &str) -> Option<()> {
    let navigator = gloo::utils::window().navigator();
    let there = js_sys::Reflect::get(&navigator, &"clipboard".into()).ok()?;
    if there.is_undefined() {
        return None;
    }
    let done = navigator.clipboard().write_text(text);
    wasm_bindgen_futures::spawn_local(async move { drop(wasm_bindgen_futures::JsFuture::from(done).await) });
    Some(())
}

/// `text` with the first container's image replaced.
fn with_image(text: &str, name: &str) -> String {
    let mut done = false;
    let mut out = String::with_capacity(text.len() + name.len());
    for line in text.split_inclusive('\n') {
        match line.find("image:").filter(|_| !done) {
            Some(at) => {
                done = true;
                out.push_str(&line[..at]);
                out.push_str("image: ");
                out.push_str(name);
                out.push('\n');
            }
            None => out.push_str(line),
        }
    }
    out
}
