//! Our own icons on a 16-unit grid, and the shapes of health.

use super::words::Lang;
use crate::session::view::Health;
use yew::prelude::*;

/// An icon: outlines, then filled shapes.
#[derive(Clone, Copy, PartialEq)]
pub struct Icon(&'static str, &'static str);

pub const LOOP: Icon = Icon("M13 6.2A5.5 5.5 0 1 0 13.4 9M13.6 2.6v3.8H9.8", "");
pub const STEP: Icon = Icon("M3.5 3v10", "M6.5 3.4v9.2L13 8z");
pub const INTO: Icon = Icon("M8 2v7.5M4.8 6.6 8 9.8l3.2-3.2", "M6.8 13a1.2 1.2 0 1 0 2.4 0 1.2 1.2 0 1 0-2.4 0z");
pub const STOP: Icon =
    Icon("", "M5.2 4h5.6A1.2 1.2 0 0 1 12 5.2v5.6a1.2 1.2 0 0 1-1.2 1.2H5.2A1.2 1.2 0 0 1 4 10.8V5.2A1.2 1.2 0 0 1 5.2 4z");
pub const START: Icon = Icon("", "M4.5 3.2v9.6L12.5 8z");
pub const FAULT: Icon = Icon("M9.2 1.8 3.8 9h3.4l-.6 5.2L12.2 7H8.7z", "");
pub const BACK: Icon = Icon("M12.5 3v10M9.5 3.4v9.2L3 8z", "");
pub const FORWARD: Icon = Icon("M3.5 3v10M6.5 3.4v9.2L13 8z", "");
pub const FIRST: Icon = Icon("M3 3v10M12.5 3.4v9.2L5.6 8z", "");
pub const RUN: Icon = Icon("", "M3 3.4v9.2L8.2 8zM8.4 3.4v9.2L13.6 8z");
pub const PAUSE: Icon = Icon("M5.5 3.5v9M10.5 3.5v9", "");
pub const TICK: Icon = Icon("M2.4 8a5.6 5.6 0 1 0 11.2 0A5.6 5.6 0 1 0 2.4 8zM8 4.8V8l2.2 1.4", "");
pub const SHARE: Icon = Icon("M8 10V2.2M5 4.8l3-2.8 3 2.8M4.2 7.4H3v6.4h10V7.4h-1.2", "");
pub const THEME: Icon = Icon("M2.4 8a5.6 5.6 0 1 0 11.2 0A5.6 5.6 0 1 0 2.4 8z", "M8 2.4a5.6 5.6 0 0 1 0 11.2z");
pub const CHEV: Icon = Icon("m4.5 6.5 3.5 3 3.5-3", "");
pub const UP: Icon = Icon("m4.5 9.5 3.5-3 3.5 3", "");
pub const CROSS: Icon = Icon("m4.5 4.5 7 7m0-7-7 7", "");
pub const GO: Icon = Icon("M3 8h9M8.8 4.4 12.4 8l-3.6 3.6", "");
pub const TWICE: Icon = Icon("M2.5 5h8M7.8 2.2 10.6 5 7.8 7.8M5.5 11h8M10.8 8.2l2.8 2.8-2.8 2.8", "");
pub const ASLEEP: Icon = Icon("M4 11.2h8M5.2 11V7.2a2.8 2.8 0 0 1 5.6 0V11M7 13.4h2M2.8 2.8l10.4 10.4", "");
pub const RELIST: Icon = Icon("M2.8 4h7M2.8 8h5M2.8 12h4M13.4 10.2a2.6 2.6 0 1 1-.9-2.2M13.6 6.2v2.1h-2.1", "");
pub const FORK: Icon = Icon(
    "M2.4 8a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 1 0-3.2 0zM10.4 4a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 1 0-3.2 0zM10.4 12a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 1 0-3.2 0zM5.6 8c3.4 0 2.6-4 4.8-4M5.6 8c3.4 0 2.6 4 4.8 4",
    "",
);
pub const LOCK: Icon = Icon(
    "M5 7.2h6a1.4 1.4 0 0 1 1.4 1.4V12a1.4 1.4 0 0 1-1.4 1.4H5A1.4 1.4 0 0 1 3.6 12V8.6A1.4 1.4 0 0 1 5 7.2zM5.4 7V5.2a2.6 2.6 0 0 1 5.2 0V7",
    "",
);
pub const CHECK: Icon = Icon("m3.5 8.4 3 3 6-6.6", "");

/// The icon as a picture that says nothing by itself.
pub fn ic(icon: Icon) -> Html {
    html! {
        <svg class="ic" viewBox="0 0 16 16" aria-hidden="true">
            if !icon.0.is_empty() { <path d={icon.0} /> }
            if !icon.1.is_empty() { <path d={icon.1} fill="currentColor" stroke="none" /> }
        </svg>
    }
}

/// The class of a health.
pub fn tone(health: Health) -> &'static str {
    match health {
        Health::Ok => "ok",
        Health::Going => "go",
        Health::Stuck => "stuck",
        Health::Gone => "gone",
        Health::Wanted => "want",
    }
}

/// The name of a health.
pub fn health_word(health: Health) -> &'static str {
    match health {
        Health::Ok => "health.ok",
        Health::Going => "health.go",
        Health::Stuck => "health.stuck",
        Health::Gone => "health.gone",
        Health::Wanted => "health.want",
    }
}

/// Health as a shape, with its name for those who hear it.
pub fn hl(lang: Lang, health: Health) -> Html {
    let ring = "M1.8 8a6.2 6.2 0 1 0 12.4 0A6.2 6.2 0 1 0 1.8 8z";
    let shape = match health {
        Health::Ok => html! {<>
            <circle cx="8" cy="8" r="7" fill="currentColor" />
            <path d="m4.7 8.3 2.3 2.3 4.3-4.8" stroke="var(--cut,var(--surface))" stroke-width="1.9" />
        </>},
        Health::Going => html! {<>
            <path d={ring} stroke="currentColor" stroke-width="1.6" />
            <path d="M8 1.8a6.2 6.2 0 0 1 0 12.4z" fill="currentColor" />
        </>},
        Health::Stuck => html! {<>
            <path d="M8 .8 15.6 14.6H.4z" fill="currentColor" />
            <path d="M8 5.6v4.2M8 11.6v1.5" stroke="var(--cut,var(--surface))" stroke-width="1.8" />
        </>},
        Health::Gone => html! { <path d={ring} stroke="currentColor" stroke-width="1.6" stroke-dasharray="1.6 2.6" /> },
        Health::Wanted => {
            html! { <rect x="2" y="2" width="12" height="12" rx="3" stroke="currentColor" stroke-width="1.5" stroke-dasharray="3 2.4" /> }
        }
    };
    html! { <svg class={classes!("hl", tone(health))} viewBox="0 0 16 16" role="img" aria-label={lang.raw(health_word(health))}>{ shape }</svg> }
}
