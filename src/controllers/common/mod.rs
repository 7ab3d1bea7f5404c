//! What several loops of the controller manager share. Follows upstream's `pkg/controller` (controller_utils.go,
//! controller_ref_manager.go) and `pkg/api/v1/pod`.

pub mod claim;
pub mod conditions;
pub mod expectations;
pub mod hash;
pub mod pod;

use crate::api::{Answer, Object, Request, Status, Str};
use crate::client::{Stop, Sync};

/// The field manager that every loop of the controller manager writes as.
pub const MANAGER: Str = Str::fixed("kube-controller-manager");

/// Sends a request that must succeed.
///
/// # Errors
/// The refusal, or `Halted`.
pub fn send(sync: &mut Sync<'_>, request: Request) -> Result<Object, Stop> {
    sync.request(request.by(MANAGER)).map(Answer::object)
}

/// Sends a request whose refusal is the caller's matter.
///
/// # Errors
/// Only `Halted`.
pub fn attempt(sync: &mut Sync<'_>, request: Request) -> Result<Result<Object, Status>, Stop> {
    match sync.request(request.by(MANAGER)) {
        Ok(answer) => Ok(Ok(answer.object())),
        Err(Stop::Failed(status)) => Ok(Err(status)),
        Err(halted) => Err(halted),
    }
}

/// Whether a create was refused because its namespace is going away.
pub fn is_namespace_terminating(status: &Status) -> bool {
    status.details.get("causes").find("reason", "NamespaceTerminating").is_some()
}

/// A number as a fact's argument.
pub fn num(n: i64) -> Str {
    Str::from(n.to_string())
}

/// A difference as a fact's argument: `+2`, `-1`.
pub fn signed(n: i64) -> Str {
    Str::from(format!("{n:+}"))
}
