//! A form for a new fault: one list by what is hit, then only the fields that the chosen one needs.

use super::super::bits::{use_dispatch, use_lang};
use super::super::words::Lang;
use crate::session::action::Action;
use crate::session::view::Choices;
use crate::session::view::forms::{Answers, Field, Form, From, GROUPS, answered, chosen, document, nth, options, who};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PutInProps {
    pub choices: Rc<Choices>,
    pub past: bool,
}

#[component]
pub fn PutIn(props: &PutInProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let (place, answers) = (use_state(|| 0_usize), use_state(Answers::new));
    let form = nth(*place);
    let choices = props.choices.clone();
    let choose = {
        let place = place.clone();
        Callback::from(move |e: Event| place.set(value_of(&e).parse().unwrap_or(0)))
    };
    let answer = {
        let answers = answers.clone();
        Callback::from(move |(field, value): (&'static str, String)| {
            let mut all = (*answers).clone();
            all.retain(|a| a.0 != field);
            all.push((field, value));
            answers.set(all);
        })
    };
    let send = {
        let (go, choices, answers) = (go.clone(), choices.clone(), answers.clone());
        Callback::from(move |e: SubmitEvent| {
            e.prevent_default();
            go.send(Action::Fault { document: document(form, &choices, &answers) });
        })
    };
    let one = Shown { lang, form, choices: &choices, answers: &answers, answer, place: *place };
    html! {
        <form class="putin" aria-labelledby="putin" onsubmit={send}>
            <h2 id="putin">{ lang.raw("fp.title") }</h2>
            <label><span>{ lang.raw("tl.fault") }</span><select id="fault" onchange={choose}>{ groups(lang, *place) }</select></label>
            <p class="mid">{ lang.raw(form.says) }</p>
            { for form.fields.iter().map(|f| one.field(f)) }
            if let Some(refused) = &choices.refused { <p class="m bad" role="status">{ lang.say(refused) }</p> }
            <p><button type="submit" class="btn line" disabled={props.past}>{ lang.raw("fp.put") }</button></p>
        </form>
    }
}

fn value_of(e: &Event) -> String {
    e.target_unchecked_into::<web_sys::HtmlSelectElement>().value()
}

/// All forms, by what they hit.
fn groups(lang: Lang, place: usize) -> Html {
    let mut n = 0;
    let mut option = |f: &Form| {
        n += 1;
        html! { <option value={(n - 1).to_string()} selected={n - 1 == place}>{ lang.raw(f.word) }</option> }
    };
    let mut all = Vec::new();
    for (group, forms) in GROUPS {
        all.push(html! { <optgroup label={lang.raw(group)}>{ for forms.iter().map(&mut option) }</optgroup> });
    }
    all.into_iter().collect()
}

/// The chosen form with what was answered so far.
struct Shown<'a> {
    lang: Lang,
    form: &'static Form,
    choices: &'a Choices,
    answers: &'a Answers,
    answer: Callback<(&'static str, String)>,
    place: usize,
}

impl Shown<'_> {
    fn field(&self, field: &'static Field) -> Html {
        match field {
            Field::Pick(name, from) => self.pick(name, *from),
            Field::Number(name, default) => self.number(name, default),
            _ => Html::default(),
        }
    }

    fn pick(&self, name: &'static str, from: From) -> Html {
        let lang = self.lang;
        let who = who(self.form, self.choices, self.answers);
        let options = options(from, self.choices, &who);
        let now = chosen(from, &options, answered(self.answers, name));
        let answer = self.answer.clone();
        let onchange = Callback::from(move |e: Event| answer.emit((name, value_of(&e))));
        let word = match from {
            From::Process | From::Leader => "fp.f.process",
            From::Loop => "fp.f.loop",
            From::Kind => "fp.f.kind",
            From::About => "fp.f.object",
            From::Node => "fp.f.node",
            From::Registry => "fp.f.registry",
            From::Container => "fp.f.container",
            From::Verb => "fp.f.verb",
            From::Restart => "fp.f.restart",
        };
        // What a person did not choose reads as words.
        let text = |o: &str| match (from, o) {
            (From::Verb, "") => lang.raw("fp.any").to_string(),
            (From::Registry, "*") => lang.raw("fp.all").to_string(),
            (From::Restart, "never") => lang.raw("fp.never").to_string(),
            (From::Restart, n) => [n, " s"].concat(),
            _ => o.to_string(),
        };
        let option = |o: &crate::api::Str| html! { <option value={o.to_string()} selected={*o == now}>{ text(o) }</option> };
        let key = [&self.place.to_string(), name, &who].concat();
        html! {
            <label {key}><span>{ lang.raw(word) }</span>
                if options.is_empty() { <span class="dim">{ lang.raw("fp.nothing") }</span> } else { <select name={name} class="m" {onchange}>{ for options.iter().map(option) }</select> }
            </label>
        }
    }

    fn number(&self, name: &'static str, default: &'static str) -> Html {
        let lang = self.lang;
        let answer = self.answer.clone();
        let oninput = Callback::from(move |e: InputEvent| {
            let input: web_sys::HtmlInputElement = e.target_unchecked_into();
            answer.emit((name, input.value()));
        });
        let word = match name {
            "for" => "fp.f.for",
            "times" => "fp.f.times",
            "afterWrite" => "fp.f.after",
            _ => "fp.f.seconds",
        };
        let value = answered(self.answers, name).unwrap_or(default).to_string();
        let whole = matches!(name, "times" | "afterWrite");
        let hint = if name == "for" { lang.raw("fp.until.ended") } else { "" };
        html! {
            <label key={[&self.place.to_string(), name].concat()}><span>{ lang.raw(word) }</span><input name={name} class="m num" type="text" inputmode={if whole { "numeric" } else { "decimal" }} placeholder={hint} autocomplete="off" {value} {oninput} /></label>
        }
    }
}
