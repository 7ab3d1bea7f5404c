//! The end of containers and pods. Follows upstream `kubelet.go` (`SyncTerminatingPod`, `SyncTerminatedPod`),
//! `kuberuntime/kuberuntime_container.go` (`killContainer`) and `kuberuntime_termination_order.go`.
//! Left out: hooks that ask over HTTP fail in reality and here do nothing; exec hooks end at once.

use super::sync::is_sidecar;
use super::worker::{Ending, Step, Turn, Worker};
use crate::api::{Str, Value};
use crate::util::Time;

/// From the first status of an ending pod to the last, at least.
const END_MS: u64 = 14;
/// What is left for SIGTERM after a long hook.
const LEAST_GRACE_S: i64 = 2;

impl Worker {
    /// Stops one container and says when it is gone.
    #[inline(never)]
    pub fn stop_container(&mut self, turn: &mut Turn<'_>, name: &str, at: Time, grace_s: i64, why: String) -> Time {
        let Some(is) = turn.sandbox(&self.uid).and_then(|s| s.latest(name).cloned()) else { return at };
        if is.exited(at).is_some() {
            return at;
        }
        turn.say(self.path(name), "Normal", "Killing", why);
        let behaviour = self.behaviour(turn, name, &is.image);
        let hook_s = self.pre_stop_s(name).min(grace_s.max(0));
        let left_s = if hook_s > 0 { (grace_s - hook_s).max(LEAST_GRACE_S) } else { grace_s.max(0) };
        let signal = at.after_ms(hook_s.unsigned_abs().saturating_mul(1000));
        let mut gone = at;
        turn.change(&self.uid, |s| {
            if let Some(c) = s.latest_mut(name) {
                gone = c.stop(signal, left_s.unsigned_abs().saturating_mul(1000), &behaviour);
            }
        });
        gone
    }

    /// How long the hook before SIGTERM takes.
    fn pre_stop_s(&self, name: &str) -> i64 {
        self.container(name).map_or(0, |(c, _)| c.at(&["lifecycle", "preStop", "sleep", "seconds"]).int().max(0))
    }

    /// The grace that the pod's containers get.
    fn grace_s(&self) -> i64 {
        let asked = self.pod.meta().get("deletionGracePeriodSeconds").as_int();
        asked.or_else(|| self.pod.spec().get("terminationGracePeriodSeconds").as_int()).unwrap_or(30)
    }

    /// `SyncTerminatingPod`: stops what runs, sidecars last and in reverse order.
    #[inline(never)]
    pub fn end(&mut self, turn: &mut Turn<'_>, at: Time) {
        self.ending = Ending::Stopping;
        self.todo.clear();
        self.publish = None;
        self.generate(turn, self.visible, at, false);
        self.probes.retain(|p| p.kind == super::probes::Kind::Readiness);
        self.probes.iter_mut().for_each(|p| p.skip(at));
        let grace = self.grace_s();
        let mut until = at;
        let running = self.running(turn, at, false);
        for name in running {
            until = until.max(self.stop_container(turn, &name, at, grace, format!("Stopping container {name}")));
        }
        let mut sidecars = self.running(turn, at, true);
        sidecars.reverse();
        for name in sidecars {
            let left = grace - i64::try_from(until.since_ms(at) / 1000).unwrap_or(grace);
            until = self.stop_container(turn, &name, until, left.max(LEAST_GRACE_S), format!("Stopping container {name}")).max(until);
        }
        self.step = Step::End { until: until.max(at).after_ms(if until > at { 3 } else { END_MS }) };
    }

    fn running(&self, turn: &Turn<'_>, at: Time, sidecars: bool) -> Vec<Str> {
        let Some(sandbox) = turn.machine.sandbox(&self.uid) else { return Vec::new() };
        let spec = self.pod.spec();
        let wanted = |c: &&Value, init: bool| (init && is_sidecar(c)) == sidecars;
        let init = spec.get("initContainers").items().iter().filter(|c| wanted(c, true));
        let main = spec.get("containers").items().iter().filter(|c| wanted(c, false));
        let all: Vec<&Value> = init.chain(main).collect();
        let names = all.into_iter().map(|c| c.get("name").to_str());
        names.filter(|n| sandbox.latest(n).is_some_and(|c| c.exited(at).is_none())).collect()
    }

    /// All containers have ended.
    #[inline(never)]
    pub fn ended(&mut self, turn: &mut Turn<'_>, at: Time) {
        if turn.sandbox(&self.uid).is_some() {
            turn.change(&self.uid, |s| s.stopped = true);
        }
        self.ending = Ending::Stopped;
        self.reasons.clear();
        self.probes.clear();
        self.seen = at;
        self.synced = Some(at);
        self.generate(turn, at, at, true);
        self.wish(at);
    }

    /// `SyncTerminatedPod`: the last status; its cgroup is gone by now, and with it what was read from there.
    #[inline(never)]
    pub fn finish(&mut self, turn: &mut Turn<'_>, at: Time) {
        self.ending = Ending::Done;
        self.synced = Some(at);
        self.generate(turn, at, at, true);
        self.give_up_unknown();
    }

    /// The pod is to end: a sync that waits for volumes is cut short, any other goes on to its end.
    pub fn interrupt(&mut self, at: Time) {
        if matches!(self.step, Step::Mount { .. }) {
            self.step = Step::Idle;
            self.synced = Some(at);
        }
        self.interrupted = Some((at, self.trigger.is_some()));
        self.wish(at);
    }

    /// A sync that already waits for the runtime's next listing comes first, and comes to nothing; the end then waits for the
    /// listing after that. Probes are cut short from now on.
    pub fn hold_end(&mut self, turn: &Turn<'_>) {
        let Some((at, wished)) = self.interrupted.take() else { return };
        self.probes.iter_mut().for_each(|p| p.skip(at));
        let allowed = self.synced.map(|s| turn.relist_after(s)).filter(|_| wished && matches!(self.step, Step::Idle));
        if let Some(until) = allowed.into_iter().chain(self.second).find(|until| *until > at) {
            self.synced = Some(until.after_ms(2));
        }
    }
}
