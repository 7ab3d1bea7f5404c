//! An object's YAML between revisions, and who owns which field.

use super::super::bits::{bd, square, use_dispatch, use_lang};
use super::super::icons::{BACK, FORWARD};
use super::super::ui::Msg;
use super::status::diff_lines;
use crate::session::view::{Inspector, Owner, Sign, Text};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct YamlProps {
    pub view: Rc<Inspector>,
    /// The revision looked at; 0 for the newest.
    pub revision: u64,
}

#[component]
pub fn Yaml(props: &YamlProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let v = &*props.view;
    let at = v.revisions.iter().position(|r| *r == props.revision).unwrap_or(v.revisions.len().saturating_sub(1));
    let older = at.checked_sub(1).map(|i| v.revisions[i]);
    let newer = v.revisions.get(at + 1).copied();
    let here = v.revisions.get(at).copied().unwrap_or(v.rev);
    let changed = v.yaml.iter().filter(|l| l.sign == Sign::Added).count();
    let button = |icon, word, to: Option<u64>| {
        let why = if to.is_none() { Some("in.norevs") } else { None };
        square(lang, "btn sm line sq", icon, &Text::word(word), why, go.on(Msg::Revision(to.unwrap_or(0))))
    };
    html! {<>
        <div class="revs">
            { button(BACK, "in.older", older) }{ button(FORWARD, "in.newer", newer) }
            <span class="m">if let Some(o) = older { { o }{ " → " } }<b>{ here }</b></span><span class="grow"></span><span class="dim">{ lang.raw("in.diff") }{ " " }{ changed }</span>
        </div>
        <pre class="diff full" tabindex="0">{ diff_lines(&v.yaml) }</pre>
        <p class="legend dim">{ lang.raw("in.legend") }</p>
    </>}
}

#[derive(Properties, PartialEq)]
pub struct OwnersProps {
    pub view: Rc<Inspector>,
}

#[component]
pub fn Owners(props: &OwnersProps) -> Html {
    let lang = use_lang();
    let one = |o: &Owner| {
        html! { <li data-w={o.writer.hue()}>{ bd(lang, o.writer, "") }<span><b class="m">{ o.field.to_string() }</b><br /><span class="m dim">{ o.manager.to_string() }{ " · " }{ o.operation.to_string() }</span></span></li> }
    };
    html! {<>
        <p class="gap">{ lang.raw("own.h") }</p>
        <ul class="owners">{ for props.view.owners.iter().map(one) }</ul>
        <p class="legend dim">{ lang.raw("own.note") }</p>
    </>}
}
