//! What opens from the bar: scenarios, the share link, help.

use super::bits::{apply_keys, bd, slots, use_dispatch, use_lang};
use super::icons::{health_word, hl};
use super::ui::Msg;
use super::{files, store};
use crate::session::action::Action;
use crate::session::link::LINK_MAX_BYTES;
use crate::session::view::{Health, Slots, Writer};
use std::rc::Rc;
use yew::prelude::*;

/// No more than this is read of a file, which may be any.
const RUN_MAX_BYTES: f64 = 4_000_000.0;

/// The scenarios in the menu: name, title, what it shows.
const SCENARIOS: &[(&str, &str, &str)] = &[
    ("first", "scn.one", "scn.one.d"),
    ("rolling", "scn.rolling", "scn.rolling.d"),
    ("lost", "scn.lost", "scn.lost.d"),
    ("stuck", "scn.stuck", "scn.stuck.d"),
    ("big", "scn.big", "scn.big.d"),
    ("edge", "scn.edge", "scn.edge.d"),
    ("conflict", "scn.conflict", "scn.conflict.d"),
];

#[derive(Properties, PartialEq)]
pub struct ScenarioProps {
    pub current: String,
}

#[component]
pub fn ScenarioMenu(props: &ScenarioProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let item = |&(name, title, text): &(&'static str, &'static str, &'static str)| {
        let current = (props.current == name).then_some("true");
        html! {
            <button type="button" role="menuitem" aria-current={current} data-item="" onclick={go.on(Action::LoadScenario { name: name.into() })}>
                <b>{ lang.raw(title) }</b><span>{ lang.raw(text) }</span>
            </button>
        }
    };
    let own = store::get(store::OWN).map(|link| {
        html! { <button type="button" role="menuitem" data-item="" onclick={go.on(Action::Open { link: link.into() })}><b>{ lang.raw("link.own") }</b><span>{ lang.raw("link.own.d") }</span></button> }
    });
    html! { <div class="menu" role="menu" data-roving="" aria-label={lang.raw("bar.scenario")}>{ for SCENARIOS.iter().map(item) }{ own.unwrap_or_default() }</div> }
}

#[derive(Properties, PartialEq)]
pub struct ShareProps {
    pub link: Option<Rc<str>>,
    pub copied: bool,
}

#[component]
pub fn SharePanel(props: &ShareProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let link = props.link.clone().unwrap_or_default();
    let long = link.len() > LINK_MAX_BYTES;
    let chosen = {
        let go = go.clone();
        Callback::from(move |e: Event| {
            let go = go.clone();
            let input: web_sys::HtmlInputElement = e.target_unchecked_into();
            files::read(input.files(), RUN_MAX_BYTES, move |link| go.send(Action::Open { link: link.into() }));
        })
    };
    html! {
        <div class="menu help shr" role="dialog" aria-label={lang.raw("bar.share")}>
            <p class="mid">{ lang.raw(if long { "bar.long" } else { "bar.linknote" }) }</p>
            if !long {
                <input class="m" readonly=true value={link.to_string()} aria-label={lang.raw("bar.share")} />
            }
            <p class="acts2">
                if !long { <button type="button" class="btn line" onclick={go.on(Msg::Share)}>{ lang.raw(if props.copied { "bar.copied" } else { "bar.copy" }) }</button> }
                <button type="button" class="btn line" onclick={go.on(Msg::SaveFile)}>{ lang.raw("bar.file") }</button>
            </p>
            <p class="acts2">
                <label class="btn line"><input class="vh" type="file" accept={files::RUN} onchange={chosen} />{ lang.raw("bar.open") }</label>
                <button type="button" class="btn line" onclick={go.on(Msg::SaveWatch)}>{ lang.raw("bar.watch") }</button>
            </p>
        </div>
    }
}

#[derive(Properties, PartialEq)]
pub struct HelpProps {
    pub letters: bool,
}

#[component]
pub fn HelpPanel(props: &HelpProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    use Writer::*;
    let who = |w: Writer| html! { <li>{ bd(lang, w, "") }<span>{ if w == Me { [lang.raw("strip.you"), " · kubectl"].concat() } else { lang.say(&w.name()) } }</span></li> };
    let shape = |h: Health| html! { <li>{ hl(lang, h) }<span>{ lang.raw(health_word(h)) }</span></li> };
    let keys = [
        ("S", "tp.step"),
        ("⇧S", "loop.into"),
        ("B", "tp.back"),
        ("T", "tp.tick"),
        ("Space", "tp.run"),
        (apply_keys(), "ed.apply"),
        ("1–9", "key.loop"),
        ("D", "wire.drop"),
        ("X", "loop.stop"),
        ("F", "past.fork"),
        ("`", "key.kubectl"),
        ("/", "key.find"),
    ];
    let key = |&(k, w): &(&'static str, &'static str)| html! { <li><kbd class="key">{ k }</kbd>{ lang.raw(w) }</li> };
    html! {
        <div class="menu help" role="dialog" aria-label={lang.raw("bar.help")}>
            <section><h3>{ lang.raw("hp.rule") }</h3><p class="big2">{ slots(lang, Slots { wanted: 3, filled: 2, half: 0, over: 0 }) }<span>{ lang.raw("hp.fill") }</span></p></section>
            <section><h3>{ lang.raw("hp.who") }</h3><ul class="who8">{ for [Me, De, Rs, Sc, Ku, Hp, Ar, Gc].into_iter().map(who) }</ul></section>
            <section><h3>{ lang.raw("hp.health") }</h3><ul class="who8">{ for [Health::Ok, Health::Going, Health::Stuck, Health::Gone, Health::Wanted].into_iter().map(shape) }</ul></section>
            <section><h3>{ lang.raw("hp.keys") }</h3><ul class="keys2">{ for keys.iter().map(key) }</ul>
                <label class="sw"><input type="checkbox" role="switch" checked={!props.letters} onchange={let go = go.clone(); let on = props.letters; move |_| go.send(Msg::Letters(!on))} /><span>{ lang.raw("bar.keysoff") }</span></label>
            </section>
        </div>
    }
}
