//! The page. Panels are plain functions of the session's views; nothing here simulates anything.

#[cfg(debug_assertions)]
pub mod fixtures;
pub mod places;
pub mod words;

#[cfg(target_arch = "wasm32")]
mod bar;
#[cfg(target_arch = "wasm32")]
mod begin;
#[cfg(target_arch = "wasm32")]
mod bits;
#[cfg(target_arch = "wasm32")]
mod board;
#[cfg(target_arch = "wasm32")]
mod drawer;
#[cfg(target_arch = "wasm32")]
mod editor;
#[cfg(target_arch = "wasm32")]
mod engine;
#[cfg(target_arch = "wasm32")]
mod files;
#[cfg(target_arch = "wasm32")]
mod icons;
#[cfg(target_arch = "wasm32")]
mod inspector;
#[cfg(target_arch = "wasm32")]
mod keys;
#[cfg(target_arch = "wasm32")]
mod later;
#[cfg(target_arch = "wasm32")]
mod lesson;
#[cfg(target_arch = "wasm32")]
mod loops;
#[cfg(target_arch = "wasm32")]
mod menus;
#[cfg(target_arch = "wasm32")]
mod mishap;
#[cfg(target_arch = "wasm32")]
mod nodes;
#[cfg(target_arch = "wasm32")]
pub mod rest;
#[cfg(target_arch = "wasm32")]
mod root;
#[cfg(target_arch = "wasm32")]
mod start;
#[cfg(target_arch = "wasm32")]
mod store;
#[cfg(target_arch = "wasm32")]
mod strip;
#[cfg(target_arch = "wasm32")]
mod timeline;
#[cfg(target_arch = "wasm32")]
mod transport;
#[cfg(target_arch = "wasm32")]
mod ui;
#[cfg(target_arch = "wasm32")]
mod update;

#[cfg(target_arch = "wasm32")]
pub use start::run;
