//! The timeline: a lane a writer, the curve of wanted and ready, a head to drag into the past. Many marks become density.
//! A few SVG paths a lane, however many marks; a slider and a table say the same to those who do not see it.

use super::bits::{bd, decimal, seconds, thousands, use_dispatch, use_lang};
use super::words::Lang;
use crate::session::action::Action;
use crate::session::beside::Kind;
use crate::session::view::{Beside, Mark, MarkKind, Span, Timeline, Writer};
use std::fmt::Write;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct TimelineProps {
    pub view: Rc<Timeline>,
    /// Its curve is drawn over the own one.
    pub beside: Option<Rc<Beside>>,
    pub first: bool,
    pub past: bool,
}

/// The newest moment stands this far along, so that what comes has room.
const HEAD_AT: f64 = 0.765;
/// What is drawn of a run before any time has passed, and the least after that.
const SPAN_MS: (u64, u64) = (2_000, 100);
/// More marks than this are drawn as density.
const MARKS_MAX: usize = 400;
const CELLS: usize = 96;
/// The lanes drawn when nothing has happened yet.
const EMPTY_LANES: [Writer; 5] = [Writer::Me, Writer::De, Writer::Rs, Writer::Sc, Writer::Ku];

/// Where simulated time is drawn: a share of the width.
#[derive(Clone, Copy, PartialEq)]
struct Scale {
    total_ms: f64,
}

impl Scale {
    fn of(t: &Timeline) -> Scale {
        let span_ms = if t.end_ms == 0 { SPAN_MS.0 } else { t.end_ms.max(SPAN_MS.1) };
        Scale { total_ms: span_ms as f64 / HEAD_AT }
    }

    /// Per cent of the width.
    fn x(self, ms: u64) -> f64 {
        ms as f64 / self.total_ms * 100.0
    }
}

#[component]
pub fn TimelinePanel(props: &TimelineProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let axis_ref = use_node_ref();
    if props.first {
        let lane = |w: &Writer| html! { <div class="ln" data-w={w.hue()}>{ bd(lang, *w, "s o") }<span class="track"></span></div> };
        return html! { <section class="tl" aria-label={lang.raw("tl.title")}><div class="tlbody none"><div class="curve"></div>{ for EMPTY_LANES.iter().map(lane) }<div class="axis"></div><p class="dim">{ lang.raw("tl.empty") }</p></div></section> };
    }
    let t = props.view.clone();
    let scale = Scale::of(&t);
    let to_step = {
        let (t, go, axis) = (t.clone(), go.clone(), axis_ref.clone());
        move |client_x: i32| {
            let Some(e) = axis.cast::<web_sys::Element>() else { return };
            let rect = e.get_bounding_client_rect();
            let share = (f64::from(client_x) - rect.left()) / rect.width().max(1.0);
            let ms = (share * scale.total_ms).max(0.0) as u64;
            let step = step_at(&t, ms);
            if step >= t.end_step {
                go.send(Action::Now);
            } else if step != t.now_step {
                go.send(Action::ScrubTo { step });
            }
        }
    };
    let down = {
        let to_step = to_step.clone();
        Callback::from(move |e: PointerEvent| {
            if let Some(el) = e.current_target().and_then(|t| wasm_bindgen::JsCast::dyn_into::<web_sys::Element>(t).ok()) {
                let _ = el.set_pointer_capture(e.pointer_id());
            }
            to_step(e.client_x());
        })
    };
    let drag = Callback::from(move |e: PointerEvent| {
        if e.buttons() & 1 == 1 {
            to_step(e.client_x());
        }
    });
    let dense = t.marks.len() > MARKS_MAX;
    let now = ["left:calc(1.875rem + (100% - 1.875rem) * ", &decimal(scale.x(t.now_ms)), " / 100)"].concat();
    let lane = |w: &Writer| html! { <div key={w.letters()} class="ln" data-w={w.hue()}>{ bd(lang, *w, "s") }<Lane writer={*w} marks={t.marks.clone()} spans={if *w == Writer::Me { t.spans.clone() } else { Rc::default() }} total_ms={scale.total_ms} {dense} /></div> };
    html! {
        <section class="tl" aria-label={lang.raw("tl.title")}>
            <div class={classes!("tlbody", props.past.then_some("ispast"))} onpointerdown={down} onpointermove={drag}>
                { curve(lang, &t, props.beside.as_deref(), scale) }
                { for t.lanes.iter().map(lane) }
                <div class="axis m" ref={axis_ref} aria-hidden="true">{ ticks(scale) }</div>
                <div class="fut" style={now.clone()}></div>
                <div class="head" style={now} role="slider" tabindex="0" aria-label={lang.raw("tl.title")} aria-valuemin="0" aria-valuemax={t.end_step.to_string()} aria-valuenow={t.now_step.to_string()} aria-valuetext={[&lang.fill("tl.step", &[("n", t.now_step.into())]), ", ", &seconds(t.now_ms), "s"].concat()} onkeydown={slide(&t, &go)}>
                    <span class="m">if props.past { { seconds(t.now_ms) }{ "s" } } else { { lang.raw("tl.now") }{ " · " }{ seconds(t.now_ms) }{ "s" } }</span>
                </div>
            </div>
            <Twin marks={t.marks.clone()} />
        </section>
    }
}

/// The step that was done at `ms`.
fn step_at(t: &Timeline, ms: u64) -> u64 {
    if ms >= t.end_ms {
        return t.end_step;
    }
    let after = t.marks.partition_point(|m| m.time_ms <= ms);
    after.checked_sub(1).map_or(0, |i| t.marks[i].step)
}

fn slide(t: &Rc<Timeline>, go: &super::bits::Dispatch) -> Callback<KeyboardEvent> {
    let (t, go) = (t.clone(), go.clone());
    Callback::from(move |e: KeyboardEvent| {
        let step = match e.key().as_str() {
            "ArrowLeft" | "ArrowDown" => t.now_step.saturating_sub(1),
            "ArrowRight" | "ArrowUp" => t.now_step + 1,
            "PageUp" => t.now_step + 10,
            "PageDown" => t.now_step.saturating_sub(10),
            "Home" => 0,
            "End" => t.end_step,
            _ => return,
        };
        e.prevent_default();
        e.stop_propagation();
        go.send(if step >= t.end_step { Action::Now } else { Action::ScrubTo { step } });
    })
}

fn curve(lang: Lang, t: &Timeline, beside: Option<&Beside>, scale: Scale) -> Html {
    let c = &*t.curve;
    let there = beside.map_or(&[][..], |b| &b.curve.ready);
    let top = c.wanted.iter().chain(&c.ready).chain(there).map(|p| p.1).max().unwrap_or(1).max(1) as f64;
    let y = |n: u64| 40.0 - n as f64 * 34.0 / top;
    let points = |list: &[(u64, u64)], end: f64| {
        let mut out = String::new();
        let mut before = 0;
        for &(ms, n) in list {
            let x = decimal(scale.x(ms));
            out.push_str(&[&x, ",", &decimal(y(before)), " ", &x, ",", &decimal(y(n)), " "].concat());
            before = n;
        }
        [&out, &decimal(end), ",", &decimal(y(before))].concat()
    };
    let end = scale.x(t.end_ms);
    let wanted = ["0,40 ", &points(&c.wanted, 100.0)].concat();
    let ready = ["0,44 0,40 ", &points(&c.ready, end), &[" ", &decimal(end), ",44"].concat()].concat();
    let other = beside.map(|b| {
        let line = ["0,40 ", &points(&b.curve.ready, scale.x(b.time_ms).min(100.0))].concat();
        html! { <polyline class="besidel" points={line} /> }
    });
    let last = |list: &[(u64, u64)]| list.iter().rev().find(|p| p.0 <= t.now_ms).map_or(0, |p| p.1);
    html! {
        <div class="curve">
            <svg viewBox="0 0 100 44" preserveAspectRatio="none" aria-hidden="true"><polygon class="area" points={ready} /><polyline class="wantl" points={wanted} />{ other.unwrap_or_default() }</svg>
            <span class="cl w">{ lang.raw("tl.desired") }{ " " }{ thousands(last(&c.wanted)) }</span>
            <span class={classes!("cl", "r", (end > 40.0).then_some("far"))} style={["left:", &decimal(end + 0.8), "%"].concat()}>{ lang.raw("tl.ready") }{ " " }{ thousands(last(&c.ready)) }if let Some(b) = beside { { " · " }{ lang.raw(if b.kind == Kind::Twin { "beside.edge" } else { "beside.branch" }) }{ " " }{ thousands(b.ready.ready) } }</span>
        </div>
    }
}

fn ticks(scale: Scale) -> Html {
    const STEPS_MS: [u64; 15] = [20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000];
    let step = STEPS_MS.into_iter().find(|s| scale.total_ms / *s as f64 <= 9.0).unwrap_or(3_600_000);
    let count = (scale.total_ms * 0.97 / step as f64) as u64;
    let label = |ms: u64| {
        if ms == 0 {
            "0".to_string()
        } else if step < 1000 {
            [&ms.to_string(), "ms"].concat()
        } else {
            [&(ms / 1000).to_string(), "s"].concat()
        }
    };
    (0..=count).map(|i| html! { <span style={["left:", &decimal(scale.x(i * step)), "%"].concat()}>{ label(i * step) }</span> }).collect()
}

#[derive(Properties, PartialEq)]
struct LaneProps {
    writer: Writer,
    marks: Rc<Vec<Mark>>,
    /// Faults that lasted, on the lane of who put them in.
    spans: Rc<Vec<Span>>,
    total_ms: f64,
    dense: bool,
}

/// One lane as a handful of paths.
#[component]
fn Lane(props: &LaneProps) -> Html {
    let own = props.marks.iter().filter(|m| m.writer == props.writer);
    let scale = Scale { total_ms: props.total_ms };
    if props.dense {
        return density(own, scale, lasting(&props.spans, scale));
    }
    let (mut writes, mut syncs) = (String::new(), String::new());
    let mut crosses = Vec::new();
    for m in own {
        let x = decimal(scale.x(m.time_ms));
        match m.kind {
            MarkKind::Write => writes.push_str(&["M", &x, " 5v5"].concat()),
            MarkKind::Sync => syncs.push_str(&["M", &x, " 7.5v0"].concat()),
            MarkKind::Ended(_) => {}
            MarkKind::Conflict | MarkKind::Fault | MarkKind::Once(_) | MarkKind::Began(_) => {
                crosses.push(html! { <i class="c" style={["left:", &x, "%"].concat()}></i> })
            }
        }
    }
    html! {
        <span class="track">
            <svg viewBox="0 0 100 15" preserveAspectRatio="none" aria-hidden="true"><path class="tw" d={writes} /><path class="ts" d={syncs.clone()} /><path class="tsi" d={syncs} /></svg>
            { lasting(&props.spans, scale) }
            { for crosses }
        </span>
    }
}

/// How long faults were in force: a line, with a tick where one ended.
fn lasting(spans: &[Span], scale: Scale) -> Html {
    if spans.is_empty() {
        return Html::default();
    }
    let line = |s: &Span| ["M", &decimal(scale.x(s.from_ms)), " 13H", &decimal(scale.x(s.to_ms)), "v-4"].concat();
    let d: String = spans.iter().map(line).collect();
    html! { <svg viewBox="0 0 100 15" preserveAspectRatio="none" aria-hidden="true"><path class="tf" {d} /></svg> }
}

fn density<'a>(own: impl Iterator<Item = &'a Mark>, scale: Scale, lasting: Html) -> Html {
    let mut cells = [0u32; CELLS];
    for m in own {
        let i = (scale.x(m.time_ms) / 100.0 * CELLS as f64) as usize;
        if let Some(c) = cells.get_mut(i) {
            *c += 1;
        }
    }
    let most = cells.iter().copied().max().unwrap_or(0).max(1);
    let mut paths = [const { String::new() }; 4];
    for (i, c) in cells.iter().enumerate().filter(|c| *c.1 > 0) {
        let level = ((*c * 4).div_ceil(most).clamp(1, 4) - 1) as usize;
        let _ = write!(paths[level], "M{i} 3h.92v9h-.92z");
    }
    let one = |(i, d): (usize, String)| html! { <path class="td" d={d} opacity={["0.3", "0.5", "0.75", "1"][i]} /> };
    html! { <span class="track"><svg viewBox="0 0 96 15" preserveAspectRatio="none" aria-hidden="true">{ for paths.into_iter().enumerate().map(one) }</svg>{ lasting }</span> }
}

#[derive(Properties, PartialEq)]
struct TwinProps {
    marks: Rc<Vec<Mark>>,
}

/// Rows of the table twin.
const ROWS_MAX: usize = 30;

#[component]
fn Twin(props: &TwinProps) -> Html {
    let lang = use_lang();
    let row = |m: &Mark| {
        let kind = match m.kind {
            MarkKind::Write => lang.raw("tl.write").to_string(),
            MarkKind::Sync => lang.raw("tl.sync").to_string(),
            MarkKind::Conflict => lang.raw("tl.conflict").to_string(),
            MarkKind::Fault => lang.raw("tl.fault").to_string(),
            MarkKind::Once(what) => lang.fill("fp.once", &[("what", what.into())]),
            MarkKind::Began(what) => lang.fill("fp.began", &[("what", what.into())]),
            MarkKind::Ended(what) => lang.fill("fp.ended", &[("what", what.into())]),
        };
        html! { <tr><td>{ m.step }</td><td>{ seconds(m.time_ms) }{ "s" }</td><td>{ lang.say(&m.writer.name()) }</td><td>{ kind }</td></tr> }
    };
    html! { <table class="vh"><caption>{ lang.raw("tl.table") }</caption><tbody>{ for props.marks.iter().rev().take(ROWS_MAX).map(row) }</tbody></table> }
}
