//! The style sheet of what a first visit does not show: lessons, the form for faults, a world beside. Fetched with the first of them.

/// Has the style sheet fetched, once. A page in one file has it already.
pub fn wanted() -> Option<()> {
    let document = gloo::utils::document();
    let meta = document.query_selector("meta[name=loopscope-later]").ok()??;
    let link = document.create_element("link").ok()?;
    link.set_attribute("rel", "stylesheet").ok()?;
    link.set_attribute("href", &[&*meta.get_attribute("content")?, ".css"].concat()).ok()?;
    document.head()?.append_child(&link).ok()?;
    meta.remove();
    Some(())
}
