//! Two writers who have read one version, and the same in JPA below them, in step.

use super::super::bits::bd;
use super::super::icons::hl;
use super::super::words::Lang;
use crate::cluster::Cluster;
use crate::scenes::conflict::{Conflict, Turn, Writer, jpa};
use crate::session::view::{Health, Text, Writer as Who};
use yew::prelude::*;

/// The picture of a world of the scenario `conflict`.
pub fn picture(lang: Lang, world: &Cluster) -> Html {
    let both = Conflict::of(world);
    let put = html! {<><span class="m">{ "PUT …/web/status" }</span><span class="m wide">{ "observedGeneration: 2" }</span></>};
    let replace = html! {<><span class="m">{ "kubectl replace -f web.yaml" }</span><span class="m wide">{ "replicas: 5" }</span></>};
    html! {
        <div class="pcon">
            { card(lang, Who::De, lang.fill("pc.loop", &[]), &both.the_loop, put) }
            <div class="ob"><span class="m">{ "Deployment web" }</span><b class="m">{ both.version }</b><span class="dim">{ "resourceVersion" }</span></div>
            { card(lang, Who::Me, lang.fill("pc.me", &[]), &both.me, replace) }
            { message(lang, &both) }
            { of_jpa(lang, &both) }
        </div>
    }
}

fn card(lang: Lang, who: Who, name: String, writer: &Writer, request: Html) -> Html {
    let refused = writer.turn() == Turn::Refused;
    let answer = writer.shown().map(|write| match &write.answer {
        Ok(made) => html! {<>{ hl(lang, Health::Ok) }<b class="m">{ "200" }</b>{ " → " }<b class="m">{ made }</b></>},
        Err(_) => html! {<>{ hl(lang, Health::Stuck) }<b class="m">{ "409" }</b>{ " Conflict" }</>},
    });
    html! {
        <div class={classes!("card", refused.then_some("lose"))}>
            <header>{ bd(lang, who, "") }<b>{ name }</b></header>
            <p>{ lang.raw("pc.read") }{ " " }<b class="m">{ writer.shown().map_or(writer.read, |w| w.version) }</b></p>
            <p class="rq">{ request }</p>
            <p class={classes!("an", refused.then_some("no"))}>{ answer }</p>
        </div>
    }
}

fn message(lang: Lang, both: &Conflict) -> Html {
    let refusal = [&both.the_loop, &both.me].into_iter().filter(|w| w.turn() == Turn::Refused).find_map(Writer::refusal);
    if let Some(words) = refusal {
        return html! { <p class="ms no m" lang="en">{ words.to_string() }</p> };
    }
    let word = match (both.the_loop.turn(), both.me.turn()) {
        (Turn::Again, _) => lang.fill("pc.again.loop", &[]),
        (_, Turn::Again) => lang.fill("pc.again.me", &[]),
        _ => lang.fill("pc.ask", &[("n", Text::Verbatim(both.version.to_string().into()))]),
    };
    html! { <p class="ms">{ word }</p> }
}

/// What the same two writes are in JPA: the row's version, how many rows the update hit, and what comes of none.
fn of_jpa(lang: Lang, both: &Conflict) -> Html {
    let rows = |writer: &Writer| {
        let (version, hit) = match writer.turn() {
            Turn::Waits => ("version=0", None),
            Turn::First => ("version=0 → ", Some("pc.one")),
            Turn::Refused => ("version=0 → ", Some("pc.none")),
            Turn::Again => ("version=1 → ", Some("pc.one")),
        };
        let refused = writer.turn() == Turn::Refused;
        html! { <span class={classes!("row", refused.then_some("no"))}><span class="m">{ version }</span>{ hit.map(|w| lang.raw(w)) }</span> }
    };
    let turns = [both.the_loop.turn(), both.me.turn()];
    let below = if turns.contains(&Turn::Refused) {
        // The message begins with what counts; the rest is left out where there is no room.
        let (first, rest) = jpa::MESSAGE.split_once(" [").unwrap_or((jpa::MESSAGE, ""));
        html! { <p class="m ex" lang="en"><b>{ jpa::EXCEPTION }</b>{ ": " }{ first }<span class="wide">{ " [" }{ rest }</span></p> }
    } else {
        let caller = turns.contains(&Turn::Again);
        html! {<>
            <p class={classes!("m", "sql", caller.then_some("wide"))} lang="en">{ jpa::SQL }</p>
            if caller { <p class="ex">{ lang.raw("pc.caller") }{ " " }<code>{ "@Retryable" }</code></p> }
        </>}
    };
    html! { <div class="jpa" title={jpa::VERSIONS}><b>{ "JPA " }<span class="m">{ "@Version" }</span></b>{ rows(&both.the_loop) }{ rows(&both.me) }{ below }</div> }
}
