//! The lesson beside the board: what to reach, the question before the step, checks, hints, and the way back to any step.

use super::super::bits::{Dispatch, use_dispatch, use_lang};
use super::super::icons::{FIRST, GO, hl, ic};
use super::super::ui::{Menu, Msg};
use super::super::words::Lang;
use super::text::{line, paragraphs, plain};
use crate::lessons::{Choice, Goal, State, Want};
use crate::session::action::Action;
use crate::session::view::Health;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct PanelProps {
    pub state: Rc<State>,
    pub past: bool,
    /// What stands in the editor is not what is stored.
    pub dirty: bool,
    /// This browser keeps nothing.
    pub forgetful: bool,
}

#[component]
pub fn LessonPanel(props: &PanelProps) -> Html {
    super::super::later::wanted();
    let (lang, go) = (use_lang(), use_dispatch());
    let s = &*props.state;
    let scroll = use_node_ref();
    {
        let scroll = scroll.clone();
        // A step begins at its top; what was seen stands at its end.
        use_effect_with((s.at, s.is_reached()), move |(_, reached)| {
            if let Some(e) = scroll.cast::<web_sys::Element>() {
                e.set_scroll_top(if *reached { e.scroll_height() } else { 0 });
            }
        });
    }
    let stage = s.stage();
    let key = [&*s.lesson.id, &s.at.to_string()].concat();
    html! {
        <div class="task" data-lesson={s.lesson.id.to_string()} data-at={(s.at + 1).to_string()} data-reached={s.reached.to_string()} data-done={if s.is_done() { "true" } else { "false" }}>
            <div class="tscroll" ref={scroll}>
                <Steps state={props.state.clone()} />
                <h2 id="lesson" tabindex="-1">{ plain(lang, &stage.title) }</h2>
                <div class="goal">{ paragraphs(lang, &stage.text) }</div>
                { question(lang, &go, s, props.past) }
                if stage.apply && props.dirty && !s.is_reached() {
                    <p class="go"><button type="button" class={classes!("btn", "write", (!s.asks()).then_some("glow"))} disabled={s.asks() || props.past} onclick={go.on(Msg::Apply)}>{ lang.raw("ed.apply") }</button><span class="dim">{ lang.raw(if s.asks() { "le.locked" } else { "ed.note" }) }</span></p>
                }
                <section class="checks" aria-label={lang.raw("le.checks")}><h3>{ lang.raw("le.checks") }</h3><ul>{ for stage.goals.iter().enumerate().map(|(n, g)| html! { <Check key={n} state={props.state.clone()} {n} reached={n < s.reached} goal={Rc::new(g.clone())} past={props.past} /> }) }</ul></section>
                if s.broken && !s.is_reached() { <p class="ht bad" role="status">{ lang.raw("le.broken") }</p> }
                if s.is_reached() { { after(lang, s) } } else { <Hints {key} state={props.state.clone()} /> }
            </div>
            <Foot state={props.state.clone()} past={props.past} forgetful={props.forgetful} />
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct StateProps {
    state: Rc<State>,
}

/// The steps: outlines that fill. Each that was reached leads back to its own beginning.
#[component]
fn Steps(props: &StateProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let s = &*props.state;
    let step = |n: usize| {
        let class = if n < s.at || n == s.at && s.is_reached() {
            "f"
        } else if n == s.at {
            "on"
        } else {
            ""
        };
        let label = lang.fill("le.reset", &[("n", (n as u64 + 1).into())]);
        html! { <li><button type="button" {class} aria-current={(n == s.at).then_some("step")} aria-label={label.clone()} title={label} disabled={n > s.at} onclick={go.on(Action::ResetStep { step: n as u64 })}></button></li> }
    };
    let (a, b) = (s.at as u64 + 1, s.lesson.steps.len() as u64);
    html! { <div class="prog"><ol>{ for (0..s.lesson.steps.len()).map(step) }</ol><b class="num">{ lang.fill("le.of", &[("a", a.into()), ("b", b.into())]) }</b><span class="dim">{ plain(lang, &s.lesson.title) }</span></div> }
}

fn question(lang: Lang, go: &Dispatch, s: &State, past: bool) -> Html {
    let Some(q) = &s.stage().question else { return Html::default() };
    let mark = |c: &Choice| s.predicted.as_ref().is_some_and(|p| *p == c.name);
    let shown = s.is_reached();
    let one = |c: &Choice| option(lang, go, c, mark(c), s.predicted.is_some() || past, shown && c.right);
    html! {
        <fieldset class="pred"><legend>{ line(lang, &q.text) }</legend>
            { for q.choices.iter().map(one) }
            if s.asks() { <p class="dim">{ lang.raw("le.sure") }</p> }
        </fieldset>
    }
}

/// One choice: pressed when it is the one that was made.
fn option(lang: Lang, go: &Dispatch, c: &Choice, on: bool, disabled: bool, right: bool) -> Html {
    let pressed = if on { "true" } else { "false" };
    let answer = Action::Answer { text: c.name.clone() };
    html! {
        <button type="button" class="opt" aria-pressed={pressed} data-answer={c.name.to_string()} {disabled} onclick={go.on(answer)}>
            <i></i><span>{ line(lang, &c.text) }if on { <small>{ lang.raw("le.chosen") }</small> }if right { <small class="yes">{ lang.raw("le.right") }</small> }</span>
        </button>
    }
}

#[derive(Properties, PartialEq)]
struct CheckProps {
    state: Rc<State>,
    goal: Rc<Goal>,
    n: usize,
    reached: bool,
    past: bool,
}

#[component]
fn Check(props: &CheckProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let typed = use_node_ref();
    let s = &*props.state;
    let open = props.n == s.reached && !s.asks();
    let answer = match &props.goal.want {
        Want::World { .. } => Html::default(),
        _ if !open => Html::default(),
        Want::Choose(choices) => {
            let missed = choices.iter().find(|c| s.missed.as_ref().is_some_and(|m| *m == c.name));
            html! {<>
                { for choices.iter().map(|c| option(lang, &go, c, missed == Some(c), props.past, false)) }
                if let Some(why) = missed { <p class="ht" role="status">{ why.why.as_ref().map_or_else(|| html! { { lang.raw("le.wrong") } }, |w| line(lang, w)) }</p> }
            </>}
        }
        Want::Type(_) => {
            let send = {
                let (go, typed) = (go.clone(), typed.clone());
                Callback::from(move |e: SubmitEvent| {
                    e.prevent_default();
                    if let Some(input) = typed.cast::<web_sys::HtmlInputElement>() {
                        go.send(Action::Answer { text: input.value().into() });
                    }
                })
            };
            html! {<>
                <form class="type" onsubmit={send}><input ref={typed} class="m" maxlength="200" spellcheck="false" autocapitalize="off" autocomplete="off" aria-label={plain(lang, &props.goal.text)} disabled={props.past} /><button type="submit" class="btn line" disabled={props.past}>{ lang.raw("le.check") }</button></form>
                if s.missed.is_some() { <p class="ht" role="status">{ lang.raw("le.wrong") }</p> }
            </>}
        }
    };
    let (shape, word) = if props.reached { (Health::Ok, "le.yes") } else { (Health::Wanted, "le.no") };
    html! { <li class={classes!(props.reached.then_some("done"))}><span aria-hidden="true">{ hl(lang, shape) }</span><div><span class="vh">{ lang.raw(word) }{ ": " }</span>{ line(lang, &props.goal.text) }{ answer }</div></li> }
}

/// What was seen, and after the last step the code for who teaches.
fn after(lang: Lang, s: &State) -> Html {
    html! {
        <div class="ht" role="status">
            { paragraphs(lang, &s.stage().after) }
            if s.is_done() { <p class="code"><b>{ lang.raw("le.code") }</b>{ " " }<code>{ s.code.to_string() }</code></p> }
        </div>
    }
}

/// Three hints that open in their order.
#[component]
fn Hints(props: &StateProps) -> Html {
    let lang = use_lang();
    let open = use_state(|| 0usize);
    let hint = |n: usize| {
        let word = ["le.h1", "le.h2", "le.h3"][n];
        let shown = n < *open;
        let flip = {
            let open = open.clone();
            Callback::from(move |_: MouseEvent| open.set(if shown { n } else { n + 1 }))
        };
        html! { <button type="button" class="btn line" aria-expanded={if shown { "true" } else { "false" }} aria-controls="hint" disabled={n > *open} onclick={flip}><b class="str" aria-hidden="true">{ ["●○○", "●●○", "●●●"][n] }</b>{ lang.raw(word) }</button> }
    };
    let text = match open.checked_sub(1) {
        Some(n) => html! { <div class="ht">{ paragraphs(lang, &props.state.stage().hints[n]) }</div> },
        None => html! { <p class="dim">{ lang.raw("le.h0") }</p> },
    };
    html! { <section class="hints"><h3>{ lang.raw("le.hint") }</h3><div class="hs">{ for (0..3).map(hint) }</div><div id="hint" aria-live="polite">{ text }</div></section> }
}

#[derive(Properties, PartialEq)]
struct FootProps {
    state: Rc<State>,
    past: bool,
    forgetful: bool,
}

#[component]
fn Foot(props: &FootProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let s = &*props.state;
    let ready = s.is_reached() && !props.past;
    let reset = lang.fill("le.reset", &[("n", (s.at as u64 + 1).into())]);
    html! {
        <footer class="tfoot">
            <button type="button" class="btn line" disabled={props.past} onclick={go.on(Action::ResetStep { step: s.at as u64 })}>{ ic(FIRST) }{ reset }</button>
            <span class="grow"></span>
            if s.is_last() {
                <button type="button" class="btn line" disabled={!ready} onclick={go.on(Msg::Menu(Some(Menu::Lesson)))}>{ lang.raw("le.others") }</button>
            } else {
                <button type="button" class={classes!("btn", "line", "nextb", ready.then_some("glow"))} disabled={!ready} onclick={go.on(Action::NextStep)}>{ lang.raw("le.next") }{ ic(GO) }</button>
            }
            <p class="dim">{ lang.raw(if props.forgetful { "le.lost" } else { "le.kept" }) }</p>
        </footer>
    }
}

/// The step in one line, for a phone's board: it leads to the lesson.
#[component]
pub fn LessonLine(props: &PanelProps) -> Html {
    super::super::later::wanted();
    let (lang, go) = (use_lang(), use_dispatch());
    let s = &*props.state;
    let goals = s.stage().goals.len();
    let text = if s.asks() {
        lang.raw("le.locked").to_string()
    } else {
        s.next_goal().map_or_else(|| lang.raw(if s.is_done() { "le.done" } else { "le.next" }).to_string(), |g| plain(lang, &g.text))
    };
    let (a, b) = (s.at as u64 + 1, s.lesson.steps.len() as u64);
    html! {
        <button type="button" class="lline" onclick={go.on(Msg::ToLesson)}>
            <b class="num">{ lang.fill("le.of", &[("a", a.into()), ("b", b.into())]) }</b><span>{ text }</span>
            <span class="slots" aria-hidden="true">{ for (0..goals).map(|n| html! { <i class={classes!((n < s.reached).then_some("f"))}></i> }) }</span>
        </button>
    }
}
