//! The nodes: outline is capacity, fill is requests. Above a dozen they become tiles.

use super::bits::{decimal, thousands, use_dispatch, use_lang};
use super::icons::{hl, tone};
use super::ui::Msg;
use super::words::Lang;
use crate::session::view::{Count, Health, Node, Nodes};
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct NodesProps {
    pub nodes: Rc<Nodes>,
}

/// Nodes above this number are drawn as tiles of squares.
const CARDS_MAX: usize = 12;

/// Thousandths of a cpu as Kubernetes people write them: 750m is 0.75.
fn cpu(milli: u64) -> String {
    let mut out = (milli / 1000).to_string();
    let rest = milli % 1000;
    if rest > 0 {
        let digits = (1000 + rest).to_string();
        out.push('.');
        out.push_str(digits[1..].trim_end_matches('0'));
    }
    out
}

#[component]
pub fn NodesPanel(props: &NodesProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let n = &props.nodes;
    if n.list.len() > CARDS_MAX {
        return many(lang, n);
    }
    let card = |node: &Node| {
        let share = (node.used_milli * 1000).checked_div(node.cpu_milli).unwrap_or(0).min(1000) as f64 / 10.0;
        html! {
            <li key={node.name.to_string()} class={classes!(node.down.then_some("down"))}>
                <button type="button" class="nh" onclick={go.on(Msg::Select(node.uid.clone()))}><b class="m">{ node.name.to_string() }</b>
                    <span class="m dim">{ if node.down { lang.raw("nodes.down").to_string() } else { ["cpu ", &cpu(node.used_milli), "/", &cpu(node.cpu_milli)].concat() } }</span></button>
                <span class="cap"><i style={["width:", &decimal(share), "%"].concat()}></i></span>
                <span class="np">{ pods(lang, node) }</span>
            </li>
        }
    };
    html! {
        <section class="nodes" aria-label={lang.raw("nodes.title")}>
            <header class="sh"><h2>{ lang.raw("nodes.title") }</h2><span>{ lang.raw("nodes.note") }</span></header>
            <ul class="nlist">{ for n.list.iter().map(card) }</ul>
        </section>
    }
}

fn pods(lang: Lang, node: &Node) -> Html {
    if node.pods.is_empty() {
        return html! { <span class="dim m">{ "—" }</span> };
    }
    if node.pods.len() > 4 {
        let square = |(uid, name, health): &(crate::api::Str, crate::api::Str, Health)| html! { <u key={uid.to_string()} class={tone(*health)} title={name.to_string()}></u> };
        return html! { <span class="sq24" role="img" aria-label={["Pod ", &node.pods.len().to_string()].concat()}>{ for node.pods.iter().map(square) }</span> };
    }
    node.pods
        .iter()
        .map(|(uid, name, health)| html! { <span key={uid.to_string()} class="m">{ hl(lang, *health) }{ name.to_string() }</span> })
        .collect()
}

fn many(lang: Lang, n: &Nodes) -> Html {
    let total: usize = n.list.iter().map(|x| x.pods.len()).sum();
    let title = lang.fill("nodes.many", &[("a", thousands(n.list.len() as u64).into()), ("b", thousands(total as u64).into())]);
    let tile = |node: &Node| {
        let square = |(_, _, health): &(crate::api::Str, crate::api::Str, Health)| html! { <u class={tone(*health)}></u> };
        html! { <i class={classes!("nt", node.down.then_some("down"))} key={node.name.to_string()}>{ for node.pods.iter().map(square) }</i> }
    };
    let count = |c: &Count| html! { <span>{ hl(lang, c.health) }<b class="num">{ thousands(c.count) }</b></span> };
    html! {
        <section class="nodes" aria-label={lang.raw("nodes.title")}>
            <header class="sh"><h2>{ lang.raw("nodes.title") }</h2><span>{ title.clone() }</span><span class="grow"></span><span class="keys">{ for n.counts.iter().map(count) }</span></header>
            <div class="grid1k" role="img" aria-label={title}>{ for n.list.iter().map(tile) }</div>
        </section>
    }
}
