//! Kubernetes objects as one shared dynamic value, and the words of the API: kinds, requests, answers.

pub mod base64;
pub mod disruption;
pub mod json;
mod literal;
pub mod object;
mod pairs;
pub mod patch;
pub mod quantity;
pub mod request;
pub mod resource;
pub mod schema;
pub mod scheme;
pub mod selector;
mod serial;
pub mod status;
pub mod str;
pub mod usage;
pub mod value;
pub mod yaml;

pub use object::Object;
pub use pairs::each_pair;
pub use quantity::Quantity;
pub use request::{Answer, DeleteOptions, ListOptions, Listing, PatchType, Propagation, Request, Subresource, Verb};
pub use resource::{ObjectKey, Resource};
pub use schema::Schema;
pub use scheme::{KindInfo, Kinds};
pub use selector::Selector;
pub use status::Status;
pub use str::Str;
pub use value::{List, Map, Value};
