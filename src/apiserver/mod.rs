//! The API server: etcd, the request pipeline, and what it does to each kind.

pub mod admission;
pub mod managed;
pub mod registry;
