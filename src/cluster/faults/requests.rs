//! Requests that fail, and answers that come late or never. Follows client-go `rest/with_retry.go` for 429: the client waits
//! as long as `Retry-After` says (the API server says one second) and sends the request again, ten times at the most.

use super::document::{Form, Reader, seconds, written};
use super::{Family, Fault, Rules, names_loop, verb_name};
use crate::api::{Request, Status, Str, Value};
use crate::cluster::Cluster;

/// client-go's `maxRetries`, and the `Retry-After` of the API server.
const RETRIES_MAX: u32 = 10;
const RETRY_AFTER_MS: u64 = 1_000;
const VERBS: [&str; 7] = ["get", "list", "create", "update", "patch", "delete", "deletecollection"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailWith {
    Conflict,
    TooManyRequests,
    Internal,
    /// The time is over before anything was written.
    Timeout,
    /// The write was committed; its answer is lost.
    LostAnswer,
}

pub const FAMILY: Family = Family {
    forms: &[Form { key: "fail", fields: &["verb", "kind", "with", "committed", "seconds", "times"], read }],
    write,
    begin: |world, fault| match fault {
        Fault::Fail { of, .. } => super::lasts(world.loop_for(of)),
        _ => None,
    },
    end: |_: &mut Cluster, _| {},
};

fn read(r: &Reader<'_>) -> Result<Fault, String> {
    let verb = r.name_or("verb", "")?;
    if !(verb.is_empty() || VERBS.contains(&verb.as_str())) {
        return Err(r.wrong("verb", &format!("one of {}", VERBS.join(", "))));
    }
    let committed = match r.field("committed") {
        Value::Null => false,
        Value::Bool(b) => *b,
        _ => return Err(r.wrong("committed", "true or false")),
    };
    let with = match (r.field("with").as_int(), r.field("with").text()) {
        (Some(409), _) => FailWith::Conflict,
        (Some(429), _) => FailWith::TooManyRequests,
        (Some(500), _) => FailWith::Internal,
        (None, "timeout") if committed => FailWith::LostAnswer,
        (None, "timeout") => FailWith::Timeout,
        _ => return Err(r.wrong("with", "409, 429, 500 or timeout")),
    };
    let times_out = matches!(with, FailWith::Timeout | FailWith::LostAnswer);
    for field in ["committed", "seconds"] {
        if !times_out && !r.field(field).is_null() {
            return Err(format!("fail: \"{field}\" is for with: timeout"));
        }
    }
    let (times, late_ms) = (r.count("times", 1)?, r.ms("seconds")?.unwrap_or(0));
    Ok(Fault::Fail { of: r.own()?, verb, resource: r.kind_if_any()?, with, times, late_ms })
}

fn write(fault: &Fault) -> Option<Value> {
    let Fault::Fail { of, verb, resource, with, times, late_ms } = fault else { return None };
    let code = match with {
        FailWith::Conflict => Value::Int(409),
        FailWith::TooManyRequests => Value::Int(429),
        FailWith::Internal => Value::Int(500),
        FailWith::Timeout | FailWith::LostAnswer => Value::str("timeout"),
    };
    Some(written([
        ("fail", Value::Str(of.clone())),
        ("verb", if verb.is_empty() { Value::Null } else { Value::Str(verb.clone()) }),
        ("kind", resource.as_ref().map_or(Value::Null, |r| Value::Str(r.0.clone()))),
        ("with", code),
        ("committed", if *with == FailWith::LostAnswer { Value::Bool(true) } else { Value::Null }),
        ("seconds", if *late_ms == 0 { Value::Null } else { seconds(*late_ms) }),
        ("times", Value::Int(*times as i64)),
    ]))
}

/// A request on its way, and whose it is.
pub struct Asked<'a> {
    pub of: &'a str,
    pub process: &'a str,
    pub node: &'a str,
    pub request: &'a Request,
    /// How often the server has answered it with 429 so far.
    pub tries: u32,
}

/// What becomes of a request.
pub enum OnRequest {
    /// It reaches the server, and its answer the loop.
    Goes,
    Refused(Status),
    /// The client sends it again after so many milliseconds.
    Again(u64),
    /// The loop learns nothing for so many milliseconds, and then that the time is over. `commits`: the server does it.
    TimesOut {
        status: Status,
        commits: bool,
        late_ms: u64,
    },
}

impl Rules {
    /// What the rules do to a request; a rule counts down by it.
    #[inline(never)]
    pub fn on_request(&mut self, asked: &Asked<'_>) -> OnRequest {
        let Asked { request, .. } = asked;
        let fits = |fault: &Fault| match fault {
            Fault::Fail { of, verb, resource, .. } => {
                names_loop(of, asked.of, asked.process, asked.node)
                    && (verb.is_empty() || verb.as_str() == verb_name(request.verb))
                    && resource.as_ref().is_none_or(|r| *r == request.resource)
            }
            _ => false,
        };
        let Some(place) = self.iter().position(|r| fits(&r.fault)) else { return OnRequest::Goes };
        let rule = &mut self.all_mut()[place];
        let Fault::Fail { with, times, late_ms, .. } = &mut rule.fault else { unreachable!("only Fail fits") };
        let (with, late_ms) = (*with, *late_ms);
        *times -= 1;
        let over = *times == 0;
        let rule = rule.clone();
        self.acted(&rule, said(request));
        if over {
            self.end(rule.id);
        }
        let timed_out =
            || Status::timeout("the server was unable to return a response in the time allotted, but may still be processing the request");
        match with {
            FailWith::Conflict => OnRequest::Refused(Status::conflict(&request.resource.0, &request.name)),
            FailWith::TooManyRequests if asked.tries < RETRIES_MAX => OnRequest::Again(RETRY_AFTER_MS),
            FailWith::TooManyRequests => OnRequest::Refused(Status::too_many_requests(
                "the server has received too many requests and has asked us to try again later",
            )),
            FailWith::Internal => OnRequest::Refused(Status::internal("etcdserver: request timed out")),
            FailWith::Timeout => OnRequest::TimesOut { status: timed_out(), commits: false, late_ms },
            FailWith::LostAnswer => OnRequest::TimesOut { status: timed_out(), commits: true, late_ms },
        }
    }
}

/// `create pods default/web-1`, as marks name a request.
pub fn said(request: &Request) -> Str {
    let name = crate::api::ObjectKey::new(request.namespace.clone(), request.name.clone()).joined();
    Str::from(format!("{} {} {name}", verb_name(request.verb), request.resource))
}

/// What a client says when the server cannot be reached.
pub fn no_route() -> Status {
    Status::other(503, "", "dial tcp 172.18.0.1:6443: connect: no route to host")
}
