//! The page's start: mounts the root component.

use yew::prelude::*;

/// Mounts the page; the program's entry in a browser.
pub fn run() {
    let mount = gloo::utils::document().get_element_by_id("app").expect("index.html has the mount point");
    yew::Renderer::<Page>::with_root(mount).render();
}

#[component]
fn Page() -> Html {
    html! { <main><h1>{ "Loopscope" }</h1></main> }
}
