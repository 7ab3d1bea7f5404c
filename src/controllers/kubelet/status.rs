//! A pod's status out of its spec, its containers and the status before. Follows upstream `kubelet_pods.go`
//! (`generateAPIPodStatus`, `convertToAPIContainerStatuses`, `getPhase`). Left out: allocated devices, in-place resizing.

use super::conditions;
use super::resources::pod_resources;
use super::sync::is_sidecar;
use super::worker::{Shown, Turn, Worker};
use crate::api::{Str, Value};
use crate::runtime::{Container, Sandbox, images::normal};
use crate::util::{Time, draws};
use crate::value;

/// The message of a pod past its active deadline.
pub const OVERDUE: &str = "Pod was active on the node longer than the specified deadline";

/// One container's status with what probes need to know of it.
struct Made {
    status: Value,
    shown: Shown,
}

impl Worker {
    /// Makes the status anew from what the runtime looked like at `visible`, and asks readiness probes that do not pass.
    pub fn generate(&mut self, turn: &Turn<'_>, visible: Time, at: Time, terminal: bool) {
        self.looked = visible;
        self.terminal = terminal;
        self.regenerate(turn, at);
        if !terminal {
            self.ask_unready(at);
        }
    }

    /// As `generate`, without a new look at the runtime.
    pub fn regenerate(&mut self, turn: &Turn<'_>, at: Time) {
        let old = if self.status.is_null() { self.pod.status().clone() } else { self.status.clone() };
        let empty = Sandbox::default();
        let sandbox = turn.machine.sandbox(&self.uid).map_or(&empty, |s| &**s);
        let spec = self.pod.spec();
        let many = |list: &str, init: bool| -> Vec<Made> {
            spec.get(list).items().iter().map(|c| self.container_status(c, sandbox, init, &old)).collect()
        };
        let init = many("initContainers", true);
        let main = many("containers", false);
        let phase = self.compute_phase(&init, &main);
        let mut status = Value::map();
        status.set("observedGeneration", self.pod.generation());
        self.shared_fields(turn, sandbox, &old, &mut status);
        status.set("phase", if self.overdue { "Failed" } else { phase });
        if self.overdue {
            status.set("reason", "DeadlineExceeded");
            status.set("message", OVERDUE);
        }
        let list = |made: &[Made]| made.iter().map(|m| m.status.clone()).collect::<Value>();
        if !init.is_empty() {
            status.set("initContainerStatuses", list(&init));
        }
        status.set("containerStatuses", list(&main));
        let phase = if self.overdue { "Failed" } else { phase };
        let sandbox_ready = sandbox.created <= at && turn.machine.sandbox(&self.uid).is_some_and(|s| !s.stopped);
        let conditions = conditions::of_pod(&self.pod, phase, &status, sandbox_ready, &old, at);
        status.set("conditions", conditions);
        self.phase = phase;
        if matches!(phase, "Failed" | "Succeeded") && !self.terminal {
            self.hold_back(&old, &mut status);
        }
        self.shown = init.into_iter().chain(main).map(|m| m.shown).collect();
        if status != self.status {
            self.status = status;
            self.dirty = true;
        }
    }

    /// A pod whose containers may still run is not finished yet for others.
    #[inline(never)]
    fn hold_back(&self, old: &Value, status: &mut Value) {
        status.set("phase", old.get("phase").as_str().map_or(Value::from("Pending"), Value::str));
        for field in ["reason", "message"] {
            status.remove(field);
            if !old.get(field).is_null() {
                status.set(field, old.get(field));
            }
        }
    }

    #[inline(never)]
    fn shared_fields(&self, turn: &Turn<'_>, sandbox: &Sandbox, old: &Value, status: &mut Value) {
        let host = &turn.config.address;
        status.set("hostIP", host);
        status.set("hostIPs", value!([{"ip": (host)}]));
        let ip = if self.pod.spec().get("hostNetwork").is_true() { host.clone() } else { sandbox.ip.clone() };
        if !ip.is_empty() && sandbox.created <= self.looked {
            status.set("podIP", &ip);
            status.set("podIPs", value!([{"ip": (&ip)}]));
        } else if !old.get("podIP").is_null() {
            status.set("podIP", old.get("podIP"));
            status.set("podIPs", old.get("podIPs"));
        }
        let start = old.get("startTime").as_str().map_or_else(|| Str::from(turn.now.rfc3339()), Str::from);
        status.set("startTime", start);
        for field in ["qosClass", "nominatedNodeName", "ephemeralContainerStatuses", "resize", "resourceClaimStatuses"] {
            if !self.pod.status().get(field).is_null() {
                status.set(field, self.pod.status().get(field));
            }
        }
        pod_resources(&self.pod, self.ending == super::worker::Ending::Done, status);
    }

    #[inline(never)]
    fn container_status(&self, spec: &Value, sandbox: &Sandbox, init: bool, old: &Value) -> Made {
        let name = spec.get("name").to_str();
        let seen: Vec<&Container> =
            sandbox.containers.iter().rev().filter(|c| c.name == name && c.started <= self.looked).take(2).collect();
        let mut shown =
            Shown { name: name.clone(), id: Str::default(), running_since: None, terminated: false, started: false, ready: false };
        let mut status = Value::map();
        status.set("name", &name);
        status.set("lastState", Value::map());
        let mounts = mounts(spec);
        if !mounts.is_empty() {
            status.set("volumeMounts", mounts);
        }
        self.state(spec, &seen, init, &mut status, &mut shown);
        status.set("restartCount", seen.first().map_or(0, |c| c.attempt));
        if let Some(is) = seen.first() {
            let (started, ready) = self.probed(&name, &is.id);
            shown.id = is.id.clone();
            shown.started = shown.running_since.is_some() && (started || init && !is_sidecar(spec));
            shown.ready = shown.running_since.is_some() && ready && (!init || is_sidecar(spec));
            if init && !is_sidecar(spec) && status.at(&["state", "terminated", "exitCode"]).as_int() == Some(0) {
                shown.ready = true;
            }
            runtime_fields(&self.pod, spec, is, &mut status);
        } else {
            status.set("image", spec.get("image"));
            status.set("imageID", "");
            self.restored(&name, old, &mut status);
        }
        status.set("ready", shown.ready);
        status.set("started", shown.started);
        Made { status, shown }
    }

    /// A container that the runtime knows nothing of keeps the count that the status had.
    #[inline(never)]
    fn restored(&self, name: &str, old: &Value, status: &mut Value) {
        let before = ["containerStatuses", "initContainerStatuses"].iter().find_map(|l| old.get(l).find("name", name));
        if let Some(count) = before.and_then(|b| b.get("restartCount").as_int()) {
            status.set("restartCount", count);
        }
    }

    #[inline(never)]
    fn state(&self, spec: &Value, seen: &[&Container], init: bool, status: &mut Value, shown: &mut Shown) {
        // A container of a pod that is to be deleted will not be restarted: it does not wait for anything.
        let reason = self.reasons.iter().find(|r| r.container == shown.name && !self.pod.is_deleting());
        let waiting = |reason: &'static str, message: &Str| {
            let mut w = value!({"reason": (reason)});
            if !message.is_empty() {
                w.set("message", message);
            }
            value!({"waiting": (w)})
        };
        let Some(is) = seen.first() else {
            let has_init = !self.pod.spec().get("initContainers").is_empty();
            let default = if has_init { "PodInitializing" } else { "ContainerCreating" };
            let state = reason.map_or_else(|| waiting(default, &Str::default()), |r| waiting(r.reason, &r.message));
            return status.set("state", state);
        };
        if let Some(exit) = seen.get(1).and_then(|c| terminated(c, self.looked)) {
            status.set("lastState", exit);
        }
        let Some(exit) = terminated(is, self.looked) else {
            shown.running_since = Some(is.started);
            return status.set("state", value!({"running": {"startedAt": (is.started.rfc3339())}}));
        };
        shown.terminated = true;
        let code = is.exit.as_ref().map_or(0, |e| e.code);
        let again = if init { is_sidecar(spec) || code != 0 && self.restart_policy() != "Never" } else { self.restarts_after(code) };
        match reason.filter(|_| again && !self.terminal) {
            Some(r) => {
                status.set("lastState", exit);
                status.set("state", waiting(r.reason, &r.message));
            }
            None => status.set("state", exit),
        }
    }

    /// `getPhase`.
    #[inline(never)]
    fn compute_phase(&self, init: &[Made], main: &[Made]) -> &'static str {
        let specs = self.pod.spec().get("initContainers").items();
        let begun = main.iter().any(|m| !m.shown.id.is_empty());
        let policy = self.restart_policy();
        let mut pending = false;
        for (made, spec) in init.iter().zip(specs) {
            let code = made.status.at(&["state", "terminated", "exitCode"]).as_int();
            let last = made.status.at(&["lastState", "terminated", "exitCode"]).as_int();
            if is_sidecar(spec) {
                pending |= !begun && !made.shown.started;
            } else if code.or(last.filter(|_| !made.status.at(&["state", "waiting"]).is_null())).is_some_and(|c| c != 0) {
                if policy == "Never" {
                    return "Failed";
                }
                pending = true;
            } else {
                pending |= code != Some(0);
            }
        }
        if pending && !begun {
            return "Pending";
        }
        let waits = |m: &&Made| !m.shown.terminated && m.shown.running_since.is_none() && m.status.get("lastState").is_empty();
        if main.iter().any(|m| waits(&m)) {
            return "Pending";
        }
        if main.iter().any(|m| m.shown.running_since.is_some()) {
            return "Running";
        }
        if policy == "Always" && !self.terminal {
            return "Running";
        }
        // A sidecar that runs keeps the pod from being finished.
        if !self.terminal && init.iter().any(|m| m.shown.running_since.is_some()) {
            return "Running";
        }
        let code = |m: &Made| {
            m.status.at(&["state", "terminated", "exitCode"]).as_int().or(m.status.at(&["lastState", "terminated", "exitCode"]).as_int())
        };
        if main.iter().all(|m| code(m) == Some(0)) {
            "Succeeded"
        } else if policy == "Never" || self.terminal {
            "Failed"
        } else {
            "Running"
        }
    }

    /// Whether the init containers have ever come to their end (`hasPodInitialized`).
    fn was_initialized(&self) -> bool {
        let begun = |s: &Value| {
            ["terminated", "running"].iter().any(|state| !s.at(&["state", state]).is_null())
                || !s.at(&["lastState", "terminated"]).is_null()
        };
        let Some(last) = self.status.get("initContainerStatuses").items().last() else { return true };
        let done = |state: &str| last.at(&[state, "terminated", "exitCode"]).as_int() == Some(0);
        self.status.get("containerStatuses").items().iter().any(begun)
            || done("state")
            || done("lastState")
            || last.get("started").is_true()
    }

    /// `TerminatePod`: a container of which nothing is known in the end counts as failed, if it was ever its turn.
    pub fn give_up_unknown(&mut self) {
        let mut lost = false;
        let inits = self.status.get("initContainerStatuses").items();
        let waits = |s: &&Value| !s.at(&["state", "waiting"]).is_null() && s.at(&["lastState", "terminated"]).is_null();
        let reached = inits.len() - inits.iter().rev().take_while(waits).count();
        let main = if self.was_initialized() { usize::MAX } else { 0 };
        for (list, reached) in [("containerStatuses", main), ("initContainerStatuses", reached)] {
            if self.status.get(list).is_null() || reached == 0 {
                continue;
            }
            for status in self.status.entry_at(&[list]).list_mut().iter_mut().take(reached) {
                if !status.at(&["state", "terminated"]).is_null() {
                    continue;
                }
                lost = true;
                status.set(
                    "state",
                    value!({"terminated": {"exitCode": 137_i64, "reason": "ContainerStatusUnknown", "startedAt": null, "finishedAt": null,
                        "message": "The container could not be located when the pod was terminated"}}),
                );
            }
        }
        if !matches!(self.status.get("phase").text(), "Failed" | "Succeeded") {
            self.status.set("phase", "Failed");
            lost = true;
        }
        self.dirty |= lost;
    }

    /// Sets one condition of the present status.
    pub fn set_condition(&mut self, kind: &'static str, is: bool, at: Time) {
        if self.status.is_null() {
            return;
        }
        let conditions = self.status.entry_at(&["conditions"]).list_mut();
        if let Some(c) = conditions.iter_mut().find(|c| c.get("type").text() == kind) {
            let word = if is { "True" } else { "False" };
            if c.get("status").text() != word {
                c.set("status", word);
                c.set("lastTransitionTime", at.rfc3339());
                self.dirty = true;
            }
        }
    }
}

/// What a container that was created shows beside its state.
#[inline(never)]
fn runtime_fields(pod: &crate::api::Object, spec: &Value, is: &Container, status: &mut Value) {
    let full = normal(&is.image);
    let repository = repository(&full);
    status.set("image", full.clone());
    status.set("imageID", Str::of(&[repository, "@sha256:", &digest(&full)]));
    status.set("containerID", Str::of(&["containerd://", &is.id]));
    let resources = spec.get("resources");
    let mut shown = Value::map();
    for field in ["limits", "requests"] {
        if !resources.get(field).is_empty() {
            shown.set(field, resources.get(field));
        }
    }
    status.set("resources", shown);
    if !resources.get("requests").is_empty() {
        status.set("allocatedResources", resources.get("requests"));
    }
    let id = |field: &str| {
        let own = spec.at(&["securityContext", field]).as_int();
        own.or_else(|| pod.spec().at(&["securityContext", field]).as_int()).unwrap_or(0)
    };
    let (uid, gid) = (id("runAsUser"), id("runAsGroup"));
    let mut groups = vec![Value::from(gid)];
    let fs_group = pod.spec().at(&["securityContext", "fsGroup"]).as_int();
    groups.extend(fs_group.map(Value::from));
    groups.extend(pod.spec().at(&["securityContext", "supplementalGroups"]).items().iter().cloned());
    status.set("user", value!({"linux": {"uid": uid, "gid": gid, "supplementalGroups": groups}}));
}

/// An image's name without its tag.
pub fn repository(full: &str) -> &str {
    let slash = full.rfind('/').map_or(0, |i| i + 1);
    full[slash..].find([':', '@']).map_or(full, |i| &full[..slash + i])
}

/// 64 hexadecimal digits that stand for an image.
pub fn digest(full: &str) -> String {
    let mut out = String::with_capacity(64);
    (0..4).for_each(|i| draws::hex(draws::hash(i, full.as_bytes()), 16, &mut out));
    out
}

#[inline(never)]
fn terminated(c: &Container, now: Time) -> Option<Value> {
    let exit = c.exited(now)?;
    Some(value!({"terminated": {
        "exitCode": (exit.code), "reason": (exit.reason), "startedAt": (c.started.rfc3339()),
        "finishedAt": (exit.at.rfc3339()), "containerID": (format!("containerd://{}", c.id))
    }}))
}

fn mounts(spec: &Value) -> Value {
    let one = |m: &Value| {
        let mut shown = Value::map();
        for field in ["name", "mountPath"] {
            shown.set(field, m.get(field));
        }
        if m.get("readOnly").is_true() {
            shown.set("readOnly", true);
            shown.set("recursiveReadOnly", m.get("recursiveReadOnly").as_str().map_or(Value::from("Disabled"), Value::str));
        }
        shown
    };
    spec.get("volumeMounts").items().iter().map(one).collect()
}
