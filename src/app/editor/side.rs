//! The images that one can use, and how each behaves.

use super::super::bits::{use_dispatch, use_lang};
use super::super::icons::hl;
use super::super::ui::Msg;
use crate::session::view::Image;
use std::rc::Rc;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct ImagesProps {
    pub images: Rc<Vec<Image>>,
}

#[component]
pub fn Images(props: &ImagesProps) -> Html {
    let (lang, go) = (use_lang(), use_dispatch());
    let image = |i: &Image| {
        let go = go.clone();
        let name = i.name.clone();
        let put = Callback::from(move |_: MouseEvent| go.send(Msg::UseImage(name.clone())));
        html! {
            <li key={i.name.to_string()}>{ hl(lang, i.health) }<span><b class="m">{ i.name.to_string() }</b><br /><span class="mid">{ lang.say(&i.note) }</span></span><button type="button" class="btn sm q" onclick={put}>{ lang.raw("img.use") }</button></li>
        }
    };
    html! {
        <div class="side">
            <p class="dim">{ lang.raw("img.note") }</p>
            <ul class="imgs">{ for props.images.iter().map(image) }</ul>
            <p class="dim">{ lang.raw("img.edit") }</p>
        </div>
    }
}
