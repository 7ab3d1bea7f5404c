//! One node's images, sandboxes and containers as a value. Nothing here waits: a container knows from its start when
//! it will exit, so its state at any instant is a function of time.

use super::images::{Behaviour, normal};
use crate::api::Str;
use crate::util::Time;
use crate::util::Tree;
use std::rc::Rc;

/// How a container ends, or ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Exit {
    pub at: Time,
    pub code: i64,
    /// `Completed`, `Error` or `OOMKilled`
    pub reason: &'static str,
}

/// One container, from its creation on.
#[derive(Clone, Debug)]
pub struct Container {
    pub name: Str,
    /// 64 hexadecimal digits
    pub id: Str,
    /// As the pod's spec says it.
    pub image: Str,
    /// How many of this name were there before.
    pub attempt: i64,
    pub started: Time,
    pub exit: Option<Exit>,
    pub log: Vec<Str>,
}

impl Container {
    /// A container that starts at `started`; its exit is known if its image has a timer.
    pub fn start(name: Str, id: Str, image: Str, attempt: i64, started: Time, behaviour: &Behaviour) -> Container {
        let exit = match (behaviour.oom_after_ms, behaviour.exit_code) {
            (Some(ms), _) => Some(Exit { at: started.after_ms(ms), code: 137, reason: "OOMKilled" }),
            (None, Some(code)) => {
                let reason = if code == 0 { "Completed" } else { "Error" };
                Some(Exit { at: started.after_ms(behaviour.exit_after_ms), code, reason })
            }
            (None, None) => None,
        };
        let log = if behaviour.log.is_empty() { vec![Str::from(format!("started {image}"))] } else { behaviour.log.clone() };
        Container { name, id, image, attempt, started, exit, log }
    }

    /// Whether it has started and not exited at `now`.
    pub fn is_running(&self, now: Time) -> bool {
        self.started <= now && self.exited(now).is_none()
    }

    /// Its end, if that has come at `now`.
    pub fn exited(&self, now: Time) -> Option<&Exit> {
        self.exit.as_ref().filter(|e| e.at <= now)
    }

    /// Sends SIGTERM at `now`, SIGKILL `grace_ms` later, and says when it is gone.
    pub fn stop(&mut self, now: Time, grace_ms: u64, behaviour: &Behaviour) -> Time {
        let end = if behaviour.stop_ms > grace_ms {
            Exit { at: now.after_ms(grace_ms), code: 137, reason: "Error" }
        } else {
            Exit { at: now.after_ms(behaviour.stop_ms), code: 0, reason: "Completed" }
        };
        match &self.exit {
            Some(own) if own.at <= end.at => own.at.max(now),
            _ => {
                let at = end.at;
                self.exit = Some(end);
                at
            }
        }
    }

    /// SIGKILL at `now`.
    pub fn kill(&mut self, now: Time) {
        if self.exited(now).is_none() {
            self.exit = Some(Exit { at: now, code: 137, reason: "Error" });
        }
    }
}

/// A pod's sandbox with its containers, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct Sandbox {
    /// "" for a pod on the host's network
    pub ip: Str,
    pub created: Time,
    pub stopped: bool,
    pub containers: Vec<Container>,
}

impl Sandbox {
    /// The newest container of a name.
    pub fn latest(&self, name: &str) -> Option<&Container> {
        self.containers.iter().rev().find(|c| c.name == *name)
    }

    pub fn latest_mut(&mut self, name: &str) -> Option<&mut Container> {
        self.containers.iter_mut().rev().find(|c| c.name == *name)
    }

    /// The container of a name before the newest.
    pub fn before(&self, name: &str) -> Option<&Container> {
        self.containers.iter().rev().filter(|c| c.name == *name).nth(1)
    }

    /// Adds a container and forgets all but the newest dead one of its name.
    pub fn add(&mut self, container: Container) {
        let newest = self.latest(&container.name).map(|c| c.attempt);
        self.containers.retain(|c| c.name != container.name || Some(c.attempt) == newest);
        self.containers.push(container);
    }
}

/// A node's images and containers. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    pulled: Tree<Str, Time>,
    /// Pulls go one after another: until when the puller is busy.
    puller_free: Time,
    last_address: u64,
    /// By the pod's uid.
    sandboxes: Tree<Str, Rc<Sandbox>>,
}

impl Machine {
    /// Whether an image is there at `now`.
    pub fn has_image(&self, reference: &str, now: Time) -> bool {
        self.pulled.get(normal(reference).as_str()).is_some_and(|at| *at <= now)
    }

    /// The images that are there at `now`, by full reference.
    pub fn images(&self, now: Time) -> impl Iterator<Item = &Str> {
        self.pulled.iter().filter(move |(_, at)| **at <= now).map(|(r, _)| r)
    }

    /// Begins to pull: when the pull itself begins and when it ends. The image is there at its end unless it fails.
    pub fn pull(&mut self, reference: &str, now: Time, behaviour: &Behaviour, overhead_ms: u64) -> (Time, Time) {
        let begin = self.puller_free.max(now);
        let full = Str::from(normal(reference));
        let end = begin.after_ms(behaviour.pull_ms.saturating_add(overhead_ms));
        self.puller_free = end;
        if behaviour.pull_error.is_none() && !self.has_image(&full, end) {
            self.pulled.insert_mut(full, end);
        }
        (begin, end)
    }

    /// The next address of the node's range, one after another as the host-local plugin gives them.
    pub fn next_address(&mut self, prefix: &str) -> Str {
        self.last_address = self.last_address % 253 + 1;
        Str::from(format!("{prefix}.{}", self.last_address + 1))
    }

    pub fn sandbox(&self, uid: &str) -> Option<&Rc<Sandbox>> {
        self.sandboxes.get(uid)
    }

    pub fn put_sandbox(&mut self, uid: &Str, sandbox: Rc<Sandbox>) {
        self.sandboxes.insert_mut(uid.clone(), sandbox);
    }

    pub fn remove_sandbox(&mut self, uid: &str) {
        self.sandboxes.remove_mut(uid);
    }

    /// The pods' uids and sandboxes.
    pub fn sandboxes(&self) -> impl Iterator<Item = (&Str, &Rc<Sandbox>)> {
        self.sandboxes.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_ends_by_its_own_timer_by_sigterm_or_by_sigkill() {
        let own = Behaviour { exit_code: Some(3), exit_after_ms: 2000, ..Behaviour::default() };
        let slow = Behaviour { stop_ms: 5000, ..Behaviour::default() };
        for (name, behaviour, stop_at, grace, expected) in [
            ("by itself before the stop", &own, Time(3000), 30_000, (Time(2000), 3)),
            ("SIGTERM in time", &slow, Time(1000), 30_000, (Time(6000), 0)),
            ("past its grace", &slow, Time(1000), 2000, (Time(3000), 137)),
        ] {
            let mut c = Container::start("a".into(), "1".into(), "a:1".into(), 0, Time(0), behaviour);
            c.stop(stop_at, grace, behaviour);
            let exit = c.exit.clone().unwrap();
            assert_eq!((exit.at, exit.code), expected, "{name}");
            assert!(!c.is_running(exit.at), "{name}");
        }
    }

    #[test]
    fn pulls_wait_for_one_another_and_a_failed_one_leaves_nothing() {
        let mut m = Machine::default();
        let second = Behaviour { pull_ms: 1000, ..Behaviour::default() };
        let lost = Behaviour { pull_error: Some(super::super::PullError::NotFound), ..Behaviour::default() };
        assert_eq!(m.pull("a", Time(0), &second, 0), (Time(0), Time(1000)));
        assert_eq!(m.pull("b", Time(10), &second, 0), (Time(1000), Time(2000)));
        m.pull("c", Time(10), &lost, 0);
        assert!(m.has_image("docker.io/library/a:latest", Time(1000)) && !m.has_image("a", Time(999)));
        assert!(!m.has_image("c", Time(9000)));
    }
}
