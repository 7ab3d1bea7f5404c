//! One person's run: what they can do, and the views that the page draws. Names neither yew nor web-sys.

pub mod action;
pub mod view;
