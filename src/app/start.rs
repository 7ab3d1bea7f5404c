//! The page's start: mounts the root component.

/// Mounts the page; the program's entry in a browser.
pub fn run() {
    super::mishap::watch();
    let mount = gloo::utils::document().get_element_by_id("app").expect("index.html has the mount point");
    mount.set_inner_html("");
    yew::Renderer::<super::root::App>::with_root(mount).render();
}
