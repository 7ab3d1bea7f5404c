//! The small parts that every panel uses: badges, slots, buttons with an icon, and the two contexts.

use super::icons::{Icon, ic};
use super::ui::Msg;
use super::words::Lang;
use crate::session::view::{Slots, Text, Writer};
use yew::prelude::*;

/// The one way in which a panel changes anything.
#[derive(Clone, PartialEq)]
pub struct Dispatch(pub Callback<Msg>);

impl Dispatch {
    /// A click handler that sends `msg`.
    pub fn on(&self, msg: impl Into<Msg>) -> Callback<MouseEvent> {
        let (send, msg) = (self.0.clone(), msg.into());
        Callback::from(move |_: MouseEvent| send.emit(msg.clone()))
    }

    pub fn send(&self, msg: impl Into<Msg>) {
        self.0.emit(msg.into());
    }
}

/// The language that a panel speaks.
#[hook]
pub fn use_lang() -> Lang {
    use_context::<Lang>().unwrap_or(Lang::Ko)
}

/// The dispatcher.
#[hook]
pub fn use_dispatch() -> Dispatch {
    use_context::<Dispatch>().unwrap_or_else(|| Dispatch(Callback::noop()))
}

/// A writer's badge: its hue and two letters, never one without the other. `extra`: s small, o outline, l large.
pub fn bd(lang: Lang, writer: Writer, extra: &'static str) -> Html {
    html! { <b class={classes!("bd", extra.split(' ').map(Classes::from).collect::<Classes>())} data-w={writer.hue()} title={lang.say(&writer.name())}>{ writer.letters() }</b> }
}

/// The keys that apply the manifest, as this machine's keyboard has them.
pub fn apply_keys() -> &'static str {
    let platform = web_sys::window().and_then(|w| w.navigator().platform().ok()).unwrap_or_default();
    if platform.starts_with("Mac") || platform.starts_with("iP") { "⌘↵" } else { "Ctrl ↵" }
}

/// A length or share with two decimals: integers alone, as a first visit needs no other way to write fractions.
pub fn decimal(x: f64) -> String {
    let hundredths = (x * 100.0).round() as i64;
    let sign = if hundredths < 0 { "-" } else { "" };
    let (whole, part) = (hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100);
    if part == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part:02}") }
}

/// Outline is spec, fill is status. Above twelve the picture would not be read: the meter is drawn elsewhere.
pub fn slots(lang: Lang, s: Slots) -> Html {
    let total = (s.wanted + s.over).min(12);
    let label = lang.fill("a11y.ready", &[("a", s.wanted.into()), ("b", s.filled.into())]);
    let cell = |i: u64| {
        let class = if i < s.filled {
            "f"
        } else if i < s.filled + s.half {
            "h"
        } else if i >= s.wanted {
            "o"
        } else {
            ""
        };
        html! { <i class={class}></i> }
    };
    html! { <span class="slots" role="img" aria-label={label}>{ for (0..total).map(cell) }</span> }
}

/// A number with its thousands apart.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// Milliseconds as seconds with one decimal.
pub fn seconds(ms: u64) -> String {
    let tenths = ms / 100;
    let mut out = (tenths / 10).to_string();
    out.push('.');
    out.push_str(&(tenths % 10).to_string());
    out
}

/// A square button with an icon and a name. `why` explains a disabled one.
pub fn square(lang: Lang, class: &'static str, icon: Icon, name: &Text, why: Option<&'static str>, onclick: Callback<MouseEvent>) -> Html {
    let mut label = lang.say(name);
    if let Some(why) = why {
        label.push_str(": ");
        label.push_str(lang.raw(why));
    }
    html! { <button type="button" class={class} aria-label={label.clone()} title={label} disabled={why.is_some()} {onclick}>{ ic(icon) }</button> }
}
