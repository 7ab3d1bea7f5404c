//! One sync of a pod: sandbox, init containers in order, sidecars, containers. Follows upstream `kubelet.go` (`SyncPod`),
//! `kuberuntime/kuberuntime_manager.go` (`computePodActions`, `SyncPod`) and `kuberuntime_container.go`.
//! Left out: ephemeral containers, in-place resizing, restart rules of single containers.

use super::volumes::environment_error;
use super::worker::{Ending, Reason, Step, Turn, Worker};
use crate::api::{Str, Value};
use crate::runtime::{Behaviour, Container, Sandbox};
use crate::util::Time;

/// From the end of the mounts to the sandbox, from a container's creation to its start, and from there to the status.
const CREATE_MS: u64 = 11;
const SHOW_MS: u64 = 13;
/// The work queue's periods: a pod that is well, and one whose sync failed.
const RESYNC_MS: u64 = 60_000;
const RETRY_MS: u64 = 10_000;

/// What a sync is to do.
#[derive(Default)]
pub struct Actions {
    /// Containers to stop, with the reason that the event gives.
    pub stop: Vec<(Str, String)>,
    pub start: Vec<Str>,
}

/// Whether an init container is a sidecar: it has its own `restartPolicy: Always`.
pub fn is_sidecar(container: &Value) -> bool {
    container.get("restartPolicy").as_str() == Some("Always")
}

impl Worker {
    pub fn restart_policy(&self) -> &str {
        self.pod.spec().get("restartPolicy").as_str().unwrap_or("Always")
    }

    /// A container's spec and whether it is an init container.
    pub fn container(&self, name: &str) -> Option<(&Value, bool)> {
        let spec = self.pod.spec();
        let main = spec.get("containers").find("name", name).map(|c| (c, false));
        main.or_else(|| spec.get("initContainers").find("name", name).map(|c| (c, true)))
    }

    /// Whether a container need not run for ever.
    fn runs_to_end(&self, name: &str) -> bool {
        match self.container(name) {
            Some((c, true)) => !is_sidecar(c),
            _ => self.restart_policy() != "Always",
        }
    }

    pub fn behaviour(&self, turn: &Turn<'_>, name: &str, image: &str) -> std::rc::Rc<Behaviour> {
        turn.images.of(image, self.runs_to_end(name))
    }

    /// `SyncPod` up to the wait for volumes.
    #[inline(never)]
    pub fn sync_pod(&mut self, turn: &mut Turn<'_>, at: Time) {
        self.failed = false;
        self.retry = None;
        self.check_deadline(turn, at);
        self.generate(turn, self.visible, at, false);
        if matches!(self.phase, "Failed" | "Succeeded") {
            self.ending = Ending::Wanted;
            self.synced = Some(at.after_ms(1));
            self.wish(at);
            return;
        }
        if self.mount(turn, at) {
            self.run(turn, at.after_ms(6));
        }
    }

    /// Notes when the pod has run longer than its active deadline, and when to look again.
    #[inline(never)]
    fn check_deadline(&mut self, turn: &mut Turn<'_>, at: Time) {
        let Some(seconds) = self.pod.spec().get("activeDeadlineSeconds").as_int() else { return };
        let Some(start) = self.status.get("startTime").as_str().and_then(Time::parse_rfc3339) else {
            self.resync = Some(turn.tick_at(at.after_ms(seconds.unsigned_abs().saturating_mul(1000))));
            return;
        };
        let end = start.after_ms(seconds.unsigned_abs().saturating_mul(1000));
        if end <= at {
            if !self.overdue {
                turn.say("", "Normal", "DeadlineExceeded", super::status::OVERDUE);
            }
            self.overdue = true;
        } else {
            self.resync = Some(turn.tick_at(end));
        }
    }

    /// The rest of `SyncPod`, once the volumes are there: the sandbox, and what the containers need.
    #[inline(never)]
    pub fn run(&mut self, turn: &mut Turn<'_>, at: Time) {
        if turn.sandbox(&self.uid).is_none() {
            let host = self.pod.spec().get("hostNetwork").is_true();
            let ip = if host { Str::default() } else { turn.machine.next_address(&turn.pod_prefix.clone()) };
            turn.machine.put_sandbox(&self.uid, Sandbox { ip, created: at, ..Sandbox::default() }.into());
            self.set_condition("PodReadyToStartContainers", true, at);
        }
        self.start_probes(at);
        let actions = self.actions(turn);
        self.todo = actions.start;
        if actions.stop.is_empty() {
            return self.start_next(turn, at);
        }
        let grace = self.pod.spec().get("terminationGracePeriodSeconds").as_int().unwrap_or(30);
        let mut until = at;
        for (name, why) in actions.stop {
            until = until.max(self.stop_container(turn, &name, at, grace, why));
        }
        self.step = Step::Stop { until: until.after_ms(2) };
    }

    /// What the pod needs, given what was seen at the last listing.
    #[inline(never)]
    fn actions(&self, turn: &Turn<'_>) -> Actions {
        let mut actions = Actions::default();
        if let Some(sidecars) = self.done_but_for_sidecars() {
            actions.stop = sidecars.into_iter().map(|name| (name.clone(), format!("Stopping container {name}"))).collect();
            return actions;
        }
        let empty = Sandbox::default();
        let sandbox = turn.machine.sandbox(&self.uid).map_or(&empty, |s| &**s);
        let spec = self.pod.spec();
        let begun = spec.get("containers").items().iter().any(|c| sandbox.latest(c.get("name").text()).is_some());
        if !self.init_actions(sandbox, begun, &mut actions) {
            return actions;
        }
        for c in spec.get("containers").items() {
            let name = c.get("name").to_str();
            match sandbox.latest(&name) {
                None => actions.start.push(name),
                Some(is) if is.exited(self.visible).is_none() => self.running_actions(c, is, &mut actions),
                Some(is) => {
                    let code = is.exit.as_ref().map_or(0, |e| e.code);
                    if self.restarts_after(code) {
                        actions.start.push(name);
                    }
                }
            }
        }
        actions
    }

    /// The sidecars that run on in a pod whose containers have all come to their end; the last comes first.
    fn done_but_for_sidecars(&self) -> Option<Vec<Str>> {
        let (init, main) = (self.pod.spec().get("initContainers").items(), self.pod.spec().get("containers").items());
        let ended = |c: &Value| {
            let state = self.status.get("containerStatuses").find("name", c.get("name").text());
            let code = state.and_then(|s| s.at(&["state", "terminated", "exitCode"]).as_int());
            code.is_some_and(|code| !self.restarts_after(code))
        };
        if init.is_empty() || !main.iter().all(ended) {
            return None;
        }
        let runs = |name: &Str| self.shown(name).is_some_and(|s| s.running_since.is_some());
        let sidecars: Vec<Str> = init.iter().rev().filter(|c| is_sidecar(c)).map(|c| c.get("name").to_str()).filter(runs).collect();
        (!sidecars.is_empty()).then_some(sidecars)
    }

    /// `RestartPolicy` applied to an exit.
    pub fn restarts_after(&self, code: i64) -> bool {
        match self.restart_policy() {
            "Never" => false,
            "OnFailure" => code != 0,
            _ => true,
        }
    }

    /// Init containers and sidecars; true if the containers may start.
    #[inline(never)]
    fn init_actions(&self, sandbox: &Sandbox, begun: bool, actions: &mut Actions) -> bool {
        for c in self.pod.spec().get("initContainers").items() {
            let name = c.get("name").to_str();
            let sidecar = is_sidecar(c);
            if begun && !sidecar {
                continue;
            }
            match sandbox.latest(&name) {
                None => {
                    actions.start.push(name);
                    return begun;
                }
                Some(is) => match is.exited(self.visible) {
                    None => {
                        self.running_actions(c, is, actions);
                        let started = self.shown(&name).is_some_and(|s| s.started && s.id == is.id);
                        if !(begun || sidecar && started) {
                            return false;
                        }
                    }
                    Some(exit) if sidecar || exit.code != 0 => {
                        if sidecar || self.restart_policy() != "Never" {
                            actions.start.push(name);
                        }
                        if !begun {
                            return false;
                        }
                    }
                    Some(_) => {}
                },
            }
        }
        true
    }

    /// A running container is restarted if its image changed or a probe says so.
    #[inline(never)]
    fn running_actions(&self, spec: &Value, is: &Container, actions: &mut Actions) {
        let name = &is.name;
        let why = if spec.get("image").text() != is.image.as_str() {
            format!("Container {name} definition changed, will be restarted")
        } else if let Some(probe) = self.failed_probe(name, &is.id) {
            format!("Container {name} failed {probe} probe, will be restarted")
        } else {
            return;
        };
        if self.restart_policy() != "Never" || is_sidecar(spec) {
            actions.start.push(name.clone());
        }
        actions.stop.push((name.clone(), why));
    }

    /// Starts the containers that are still to start, until one must be waited for.
    #[inline(never)]
    pub fn start_next(&mut self, turn: &mut Turn<'_>, at: Time) {
        while !self.todo.is_empty() {
            let name = self.todo[0].clone();
            if self.in_restart_backoff(turn, &name, at) {
                self.todo.remove(0);
                continue;
            }
            match self.pull(turn, &name, at) {
                Some(step) => {
                    self.step = step;
                    return;
                }
                None if self.todo.first() == Some(&name) => {
                    self.todo.remove(0);
                    if let Some(started) = self.create(turn, &name, at) {
                        self.step = Step::Start { at: started };
                        if !self.todo.is_empty() {
                            return;
                        }
                        return self.end_sync(turn, started);
                    }
                }
                None => {}
            }
        }
        self.end_sync(turn, at);
    }

    /// `doBackOff`: whether the container has to wait since its last exit; if not, the next wait is longer.
    #[inline(never)]
    fn in_restart_backoff(&mut self, turn: &mut Turn<'_>, name: &Str, at: Time) -> bool {
        let Some(sandbox) = turn.sandbox(&self.uid) else { return false };
        let visible = self.visible;
        let Some(exit) = sandbox.containers.iter().rev().filter(|c| c.name == *name).find_map(|c| c.exited(visible)) else { return false };
        if let Some(end) = self.restarts.until(name, exit.at, at) {
            let delay = super::backoff::go_duration(self.restarts.delay_ms(name));
            let pod = format!("{}_{}({})", self.pod.name(), self.pod.namespace(), self.uid);
            turn.say(self.path(name), "Warning", "BackOff", format!("Back-off restarting failed container {name} in pod {pod}"));
            self.because(name, "CrashLoopBackOff", format!("back-off {delay} restarting failed container={name} pod={pod}").into());
            self.retry_at(end);
            return true;
        }
        self.restarts.next(name, exit.at);
        false
    }

    /// Creates and starts a container whose image is there; when it has started, unless it cannot.
    #[inline(never)]
    pub fn create(&mut self, turn: &mut Turn<'_>, name: &Str, at: Time) -> Option<Time> {
        let (spec, _) = self.container(name)?;
        if let Some(why) = environment_error(turn, self.pod.namespace(), spec) {
            turn.say(self.path(name), "Warning", "Failed", format!("Error: {why}"));
            self.because(name, "CreateContainerConfigError", why.into());
            self.failed = true;
            return None;
        }
        let image = spec.get("image").to_str();
        let behaviour = self.behaviour(turn, name, &image);
        let path = self.path(name);
        turn.say(path.clone(), "Normal", "Created", "Container created");
        turn.say(path, "Normal", "Started", "Container started");
        let attempt = turn.sandbox(&self.uid)?.latest(name).map_or(0, |c| c.attempt + 1);
        let id = self.container_id(turn, name, attempt);
        let started = at.after_ms(behaviour.start_ms.saturating_add(CREATE_MS));
        let container = Container::start(name.clone(), id, image, attempt, started, &behaviour);
        turn.change(&self.uid, |s| s.add(container));
        self.reasons.retain(|r| r.container != *name);
        let slow = self.draw(turn, "show", 0, 8);
        self.publish = Some(started.after_ms(SHOW_MS + slow));
        Some(started)
    }

    fn container_id(&self, turn: &Turn<'_>, name: &str, attempt: i64) -> Str {
        let part = |i: u64| (turn.draw)("container", &format!("{}/{name}", self.uid), attempt.unsigned_abs() * 4 + i, 0, u64::MAX - 1);
        Str::from(format!("{:016x}{:016x}{:016x}{:016x}", part(0), part(1), part(2), part(3)))
    }

    /// The path that an event about a container has.
    pub fn path(&self, name: &str) -> Str {
        let list = if self.container(name).is_some_and(|(_, init)| init) { "initContainers" } else { "containers" };
        Str::from(format!("spec.{list}{{{name}}}"))
    }

    /// Notes why a container waits.
    pub fn because(&mut self, name: &Str, reason: &'static str, message: Str) {
        self.reasons.retain(|r| r.container != *name);
        self.reasons.push(Reason { container: name.clone(), reason, message });
    }

    /// Notes when a back-off ends that keeps this sync from success.
    pub fn retry_at(&mut self, end: Time) {
        self.retry = Some(self.retry.map_or(end, |r| r.min(end)));
    }

    /// The end of a sync: when the work queue brings the pod back. A pod that is well need not come back.
    pub fn end_sync(&mut self, turn: &mut Turn<'_>, at: Time) {
        self.step = Step::Idle;
        self.synced = Some(at);
        let wait = match (self.failed, self.retry) {
            (true, _) => Some(RETRY_MS),
            (false, Some(end)) => Some(end.since_ms(at).clamp(1, RESYNC_MS)),
            (false, None) => None,
        };
        let Some(wait) = wait else { return };
        let jitter = self.draw(turn, "resync", 0, 500);
        let due = turn.tick_at(at.after_ms(wait + wait * jitter / 1000));
        self.resync = Some(self.resync.map_or(due, |r| r.min(due)));
    }
}
