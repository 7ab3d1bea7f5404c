//! Lessons on the page: the panel beside the board, the line above it on a phone, the menu, and what this browser keeps of them.

pub mod kept;
mod menu;
mod panel;
mod text;

pub use menu::LessonMenu;
pub use panel::{LessonLine, LessonPanel};
pub use text::said;
