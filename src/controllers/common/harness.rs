//! A small server and process for the tests of loops.
