//! The API server: one door to etcd. Decodes, defaults, admits, validates, locks optimistically, keeps field managers.
//! It never reads the time by itself (each request comes with its instant) and never knows who calls
//! beyond the field manager that a request names.

pub mod admission;
pub mod crd;
pub mod decode;
mod delete;
pub mod etcd;
mod events;
mod eviction;
mod hooks;
pub mod managed;
mod read;
pub mod registry;
mod subresource;
#[cfg(test)]
mod tests;
mod watch;
mod write;

pub use etcd::{Change, Commit, Etcd};
pub use watch::{Filter, WatchEvent};

use crate::api::schema::{self, Schema};
use crate::api::scheme::{KindInfo, Kinds};
use crate::api::{Answer, Request, Resource, Status, Subresource, Value, Verb};
use crate::util::{Draws, Time};

/// The server with its store. Cheap to clone.
#[derive(Clone)]
pub struct ApiServer {
    pub etcd: Etcd,
    kinds: Kinds,
    customs: crd::Customs,
    draws: Draws,
}

impl ApiServer {
    pub fn new(seed: u64) -> ApiServer {
        ApiServer { etcd: Etcd::default(), kinds: Kinds::built_in(), customs: crd::Customs::default(), draws: Draws::new(seed) }
    }

    /// The kinds that are served, custom ones included.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// The custom kinds among them, with their schemas.
    pub fn customs(&self) -> &crd::Customs {
        &self.customs
    }

    /// The schema of an object of any kind that is served.
    pub fn schema_of(&self, resource: &Resource, object: &Value) -> Option<Schema> {
        let built_in = || schema::of_type(object.get("apiVersion").text(), object.get("kind").text());
        self.customs.schema_of(resource, object).or_else(built_in)
    }

    /// Answers one request that arrives at `now`.
    ///
    /// # Errors
    /// The Status that Kubernetes would answer.
    pub fn handle(&mut self, request: &Request, now: Time) -> Result<Answer, Status> {
        let info = self.info(&request.resource)?;
        if request.resource == events::NEW_EVENTS && hooks::writes(request.verb) {
            return self.write_new_event(request, &info, now).map(Answer::Object);
        }
        match (request.verb, request.subresource) {
            (Verb::Get, None | Some(Subresource::Status)) => self.get(request).map(Answer::Object),
            (Verb::Get, Some(Subresource::Scale)) => self.get_scale(request).map(Answer::Object),
            (Verb::List, _) => self.list(request).map(Answer::List),
            (Verb::Create, Some(Subresource::Binding)) => self.bind(request, now).map(Answer::Object),
            (Verb::Create, Some(Subresource::Eviction)) => self.evict(request, now).map(Answer::Object),
            (Verb::Create, _) => self.create(request, &info, now).map(Answer::Object),
            (Verb::Update | Verb::Patch(_), Some(Subresource::Scale)) => self.write_scale(request, &info, now).map(Answer::Object),
            (Verb::Update, _) => self.update(request, &info, now).map(Answer::Object),
            (Verb::Patch(kind), _) => self.patch(request, kind, &info, now).map(Answer::Object),
            (Verb::Delete, _) => self.delete(request, &info, now).map(Answer::Object),
            (Verb::DeleteCollection, _) => self.delete_collection(request, &info, now).map(Answer::List),
            (Verb::Get, Some(_)) => {
                Err(Status::other(405, "MethodNotAllowed", "the server does not allow this method on the requested resource"))
            }
        }
    }

    fn info(&self, resource: &Resource) -> Result<KindInfo, Status> {
        self.kinds
            .by_resource(resource)
            .cloned()
            .ok_or_else(|| Status::other(404, "NotFound", "the server could not find the requested resource"))
    }
}
