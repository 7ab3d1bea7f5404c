//! The page. Panels are plain functions of the session's views; nothing here simulates anything.

#[cfg(target_arch = "wasm32")]
mod start;
pub mod words;

#[cfg(target_arch = "wasm32")]
pub use start::run;
