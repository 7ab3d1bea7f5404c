//! The bar: which scenario, how to share, language, brightness, help. In the past it says so and offers the way out.

use super::bits::{seconds, use_dispatch, use_lang};
use super::icons::{CHEV, FORK, LOOP, SHARE, THEME, TICK, ic};
use super::lesson::{LessonMenu, said};
use super::menus::{HelpPanel, ScenarioMenu, SharePanel};
use super::ui::{Menu, Msg};
use super::words::Lang;
use crate::session::action::Action;
use crate::session::view::Top;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct BarProps {
    pub top: Rc<Top>,
    pub menu: Option<Menu>,
    pub letters: bool,
    pub copied: bool,
    /// The lesson that is on.
    pub lesson: Option<Rc<crate::lessons::State>>,
    /// The share link, when its panel is open.
    pub link: Option<Rc<str>>,
}

/// The word for a scenario's name.
pub fn scenario_word(name: &str) -> &'static str {
    match name {
        "rolling" => "scn.rolling",
        "lost" => "scn.lost",
        "stuck" => "scn.stuck",
        "big" => "scn.big",
        "edge" => "scn.edge",
        "conflict" => "scn.conflict",
        _ => "scn.one",
    }
}

#[component]
pub fn Bar(props: &BarProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let brand = html! { <h1 class="brand">{ ic(LOOP) }<span>{ "Loopscope" }</span></h1> };
    if let Some(ago) = props.top.past {
        return html! {
            <header class="bar">
                { brand }
                <p class="pastmsg">
                    { ic(TICK) }<b>{ lang.raw("past.h") }</b>
                    <span class="m">{ "rev " }{ props.top.rev }{ " · t " }{ seconds(props.top.time_ms) }{ "s · " }{ lang.fill("past.ago", &[("n", ago.into())]) }</span>
                    <span class="wide">{ lang.raw("past.p") }</span>
                </p>
                <button type="button" class="btn line inv" onclick={go.on(Action::Fork)}>{ ic(FORK) }{ lang.raw("past.fork") }</button>
                <button type="button" class="btn time inv2" onclick={go.on(Action::Now)}>{ lang.raw("past.now") }</button>
            </header>
        };
    }
    let toggle = |menu: Menu| go.on(Msg::Menu(if props.menu == Some(menu) { None } else { Some(menu) }));
    let open = |menu: Menu| if props.menu == Some(menu) { "true" } else { "false" };
    let pressed = |l: Lang| if lang == l { "true" } else { "false" };
    html! {
        <header class="bar">
            { brand }
            <span class="menuw">
                <button type="button" class="btn q pick" aria-haspopup="menu" aria-expanded={open(Menu::Scenario)} onclick={toggle(Menu::Scenario)}>
                    if props.lesson.is_some() { <b>{ lang.raw("bar.scenario") }</b> } else { <span class="dim lab-w">{ lang.raw("bar.scenario") }</span><b>{ lang.raw(scenario_word(&props.top.scenario)) }</b> }{ ic(CHEV) }
                </button>
                if props.menu == Some(Menu::Scenario) { <ScenarioMenu current={props.top.scenario.to_string()} /> }
            </span>
            <span class="menuw">
                <button type="button" class="btn q pick" aria-haspopup="dialog" aria-expanded={open(Menu::Lesson)} onclick={toggle(Menu::Lesson)}>
                    if let Some(l) = &props.lesson { <span class="dim">{ lang.raw("bar.lesson") }</span><b class="ttl">{ said(lang, &l.lesson.title).to_string() }</b> } else { <b>{ lang.raw("bar.lesson") }</b> }{ ic(CHEV) }
                </button>
                if props.menu == Some(Menu::Lesson) { <LessonMenu current={props.lesson.as_ref().map(|l| l.lesson.id.clone())} /> }
            </span>
            <span class="grow"></span>
            <span class="dim tag m">{ "seed " }{ props.top.seed }</span>
            <span class="menuw">
                <button type="button" class="btn q share" aria-label={lang.raw(if props.copied { "bar.copied" } else { "bar.share" })} aria-haspopup="dialog" aria-expanded={open(Menu::Share)} onclick={if props.menu == Some(Menu::Share) { go.on(Msg::Menu(None)) } else { go.on(Msg::Share) }}>
                    { ic(SHARE) }<span>{ lang.raw(if props.copied { "bar.copied" } else { "bar.share" }) }</span>
                </button>
                if props.menu == Some(Menu::Share) { <SharePanel link={props.link.clone()} copied={props.copied} /> }
            </span>
            <span class="seg" role="group" aria-label={lang.raw("bar.lang")}>
                <button type="button" lang="ko" aria-pressed={pressed(Lang::Ko)} onclick={go.on(Msg::Lang(Lang::Ko))}>{ "한국어" }</button>
                <button type="button" lang="en" aria-label="EN, English" aria-pressed={pressed(Lang::En)} onclick={go.on(Msg::Lang(Lang::En))}>{ "EN" }</button>
            </span>
            <button type="button" class="btn q sq" aria-label={lang.raw("bar.theme")} title={lang.raw("bar.theme")} onclick={go.on(Msg::Theme)}>{ ic(THEME) }</button>
            <span class="menuw">
                <button type="button" class="btn q sq help" aria-haspopup="dialog" aria-expanded={open(Menu::Help)} aria-label={lang.raw("bar.help")} title={lang.raw("bar.help")} onclick={toggle(Menu::Help)}><b>{ "?" }</b></button>
                if props.menu == Some(Menu::Help) { <HelpPanel letters={props.letters} /> }
            </span>
        </header>
    }
}
