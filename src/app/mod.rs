//! The page. Panels are plain functions of the session's views; nothing here simulates anything.

pub mod words;
