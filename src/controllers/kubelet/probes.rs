//! Startup, readiness and liveness probes. Follows upstream `pkg/kubelet/prober/{worker,prober,prober_manager}.go`.
//! A probe whose answer cannot change is not asked: its next instant is the one at which it would change.

use super::worker::{Ending, Turn, Worker};
use crate::api::{Str, Value};
use crate::runtime::Container;
use crate::util::Time;

/// From a status to the answer of the probe that it sets off.
const MANUAL_MS: u64 = 9;

const ERRORED: &str = "probe errored and resulted in unknown state: rpc error: code =";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Startup,
    Readiness,
    Liveness,
}

impl Kind {
    /// As events write it.
    fn title(self) -> &'static str {
        match self {
            Kind::Startup => "Startup",
            Kind::Readiness => "Readiness",
            Kind::Liveness => "Liveness",
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Kind::Startup => "startup",
            Kind::Readiness => "readiness",
            Kind::Liveness => "liveness",
        }
    }
}

/// One probe of one container.
#[derive(Clone, Debug)]
pub struct Probe {
    pub container: Str,
    pub kind: Kind,
    period_ms: u64,
    delay_ms: u64,
    failures: i64,
    successes: i64,
    /// Ticks come every period from here.
    anchor: Time,
    /// Up to when ticks were handled.
    asked: Time,
    /// To be asked at this instant beside its ticks.
    manual: Option<Time>,
    /// The container that it asks.
    id: Str,
    last: Option<bool>,
    run: i64,
    /// What it last found, past its threshold.
    pub result: Option<bool>,
    /// A container that is to be restarted is not asked again.
    on_hold: bool,
}

impl Probe {
    fn new(container: &Value, kind: Kind, spec: &Value, at: Time) -> Probe {
        let seconds = |key: &str, default: i64| spec.get(key).as_int().unwrap_or(default).max(0).unsigned_abs().saturating_mul(1000);
        Probe {
            container: container.get("name").to_str(),
            kind,
            period_ms: seconds("periodSeconds", 10).max(1000),
            delay_ms: seconds("initialDelaySeconds", 0),
            failures: spec.get("failureThreshold").as_int().unwrap_or(3).max(1),
            successes: spec.get("successThreshold").as_int().unwrap_or(1).max(1),
            anchor: at,
            asked: Time(at.0.saturating_sub(1)),
            manual: None,
            id: Str::default(),
            last: None,
            run: 0,
            result: None,
            on_hold: false,
        }
    }

    /// The first tick at or after `at` that was not handled yet.
    fn tick(&self, at: Time) -> Time {
        let at = at.max(self.asked.after_ms(1));
        let periods = at.since_ms(self.anchor).div_ceil(self.period_ms);
        self.anchor.after_ms(periods * self.period_ms)
    }

    /// Up to `now` a probe that passes would have gone on to pass: its ticks until then need not be asked.
    pub fn skip_to(&mut self, now: Time) {
        if self.is_settled(true) {
            self.skip(now);
        }
    }

    /// Forgets the ticks up to `now`.
    pub fn skip(&mut self, now: Time) {
        self.asked = self.asked.max(now);
    }

    fn is_settled(&self, answer: bool) -> bool {
        self.result == Some(answer) && self.last == Some(answer)
    }
}

const FIELDS: [(&str, Kind); 3] = [("startupProbe", Kind::Startup), ("readinessProbe", Kind::Readiness), ("livenessProbe", Kind::Liveness)];

fn field(kind: Kind) -> &'static str {
    FIELDS.iter().find(|f| f.1 == kind).map_or("", |f| f.0)
}

impl Worker {
    /// `probeManager.AddPod`.
    #[inline(never)]
    pub fn start_probes(&mut self, at: Time) {
        if self.probing {
            return;
        }
        self.probing = true;
        let spec = self.pod.spec();
        let sidecars = spec.get("initContainers").items().iter().filter(|c| super::sync::is_sidecar(c));
        let mut probes = Vec::new();
        for c in spec.get("containers").items().iter().chain(sidecars) {
            for (name, kind) in FIELDS {
                if !c.get(name).is_null() {
                    probes.push(Probe::new(c, kind, c.get(name), at));
                }
            }
        }
        self.probes = probes;
    }

    /// Whether a probe asked for the restart of this container: which.
    pub fn failed_probe(&self, name: &str, id: &str) -> Option<&'static str> {
        let restart = |p: &&Probe| p.kind != Kind::Readiness && p.container == *name && p.id == *id && p.result == Some(false);
        self.probes.iter().find(restart).map(|p| p.kind.word())
    }

    /// Whether a running container has started and is ready, given its probes.
    pub fn probed(&self, name: &str, id: &str) -> (bool, bool) {
        let of = |kind: Kind| self.probes.iter().find(|p| p.kind == kind && p.container == *name);
        let passes = |kind: Kind| of(kind).is_none_or(|p| p.id == *id && p.result == Some(true));
        let started = passes(Kind::Startup);
        (started, started && passes(Kind::Readiness))
    }

    /// When the next probe is due that may say something new.
    pub fn next_probe(&self, turn: &Turn<'_>) -> Option<Time> {
        self.probes.iter().filter_map(|p| self.probe_due(turn, p)).min()
    }

    fn probe_due(&self, turn: &Turn<'_>, p: &Probe) -> Option<Time> {
        let shown = self.shown(&p.container)?;
        let Some(since) = shown.running_since else { return self.lapse_due(p, &shown.id) };
        if p.manual.is_some() {
            return p.manual;
        }
        let held = p.on_hold && shown.id == p.id;
        let gated = shown.started == (p.kind == Kind::Startup);
        if held || gated || (p.id == shown.id && p.kind == Kind::Startup && p.result == Some(true)) {
            return None;
        }
        let earliest = p.tick(since.after_ms(p.delay_ms));
        if !(shown.id == p.id && p.is_settled(true)) {
            return Some(earliest);
        }
        // It passes: the next tick that matters is the first at which it fails.
        let sandbox = turn.machine.sandbox(&self.uid)?;
        let (spec, _) = self.container(&p.container)?;
        let probe = spec.get(field(p.kind));
        let all = !probe.get("httpGet").is_null() || !probe.get("tcpSocket").is_null();
        let asked = sandbox.containers.iter().filter(|c| c.id == p.id || all && c.exited(turn.now).is_none());
        let changes = asked.filter_map(|c| self.changes(turn, c, earliest)).min()?;
        Some(p.tick(changes))
    }

    /// What passed fails at the next tick after its container ended.
    fn lapse_due(&self, p: &Probe, id: &str) -> Option<Time> {
        let lapses = p.result == Some(true) && !p.on_hold && p.id == *id;
        lapses.then(|| p.tick(self.synced.unwrap_or_default()))
    }

    /// The first instant from `from` on at which a container's probes fail, as far as is known now.
    fn changes(&self, turn: &Turn<'_>, c: &Container, from: Time) -> Option<Time> {
        let behaviour = self.behaviour(turn, &c.name, &c.image);
        if behaviour.fails_probe(from.since_ms(c.started)).is_some() {
            return Some(from);
        }
        let fails = behaviour.liveness_fails_after_ms.map(|ms| c.started.after_ms(ms + 1).max(from));
        [fails, c.exit.as_ref().map(|e| e.at.max(from))].into_iter().flatten().min()
    }

    /// While the containers are being stopped, exec readiness probes are still asked at their ticks, and are cut short.
    pub fn next_cut_probe(&self) -> Option<Time> {
        self.probes.iter().filter(|p| self.is_cut(p)).map(|p| p.tick(Time(0))).min()
    }

    fn is_cut(&self, p: &Probe) -> bool {
        let exec = self.container(&p.container).is_some_and(|(c, _)| !c.at(&["readinessProbe", "exec"]).is_null());
        p.kind == Kind::Readiness && exec && self.shown(&p.container).is_some_and(|s| s.running_since.is_some() && s.started)
    }

    #[inline(never)]
    pub fn cut_probes(&mut self, turn: &mut Turn<'_>, at: Time) {
        for i in 0..self.probes.len() {
            if self.is_cut(&self.probes[i]) && self.probes[i].tick(Time(0)) <= at {
                self.probes[i].asked = at;
                let path = self.path(&self.probes[i].container);
                turn.say(path, "Warning", "Unhealthy", format!("Readiness {ERRORED} Canceled desc = context canceled"));
            }
        }
    }

    /// Asks the probes that are due at `at`.
    #[inline(never)]
    pub fn probe(&mut self, turn: &mut Turn<'_>, at: Time) {
        for i in 0..self.probes.len() {
            if self.probe_due(turn, &self.probes[i]).is_some_and(|due| due <= at) {
                self.ask(turn, i, at);
            }
        }
    }

    /// A new status of a pod whose readiness probe has not passed is a reason to ask soon; its ticks then count from here.
    #[inline(never)]
    pub fn ask_unready(&mut self, at: Time) {
        for i in 0..self.probes.len() {
            let p = &self.probes[i];
            let Some(shown) = self.shown(&p.container) else { continue };
            if p.kind == Kind::Readiness && shown.running_since.is_some() && shown.started && !shown.ready {
                let p = &mut self.probes[i];
                (p.anchor, p.asked, p.manual) = (at, at, Some(at.after_ms(MANUAL_MS)));
            }
        }
    }

    /// `doProbe`.
    #[inline(never)]
    fn ask(&mut self, turn: &mut Turn<'_>, i: usize, at: Time) {
        let mut p = self.probes[i].clone();
        (p.asked, p.manual) = (at, None);
        let Some(shown) = self.shown(&p.container).cloned() else { return };
        if p.id != shown.id {
            p.id = shown.id.clone();
            p.on_hold = false;
            p.result = match p.kind {
                Kind::Startup => None,
                Kind::Readiness => Some(false),
                Kind::Liveness => Some(true),
            };
            if p.kind != Kind::Liveness {
                self.wish(at.after_ms(2));
            }
        }
        if shown.running_since.is_none() {
            if p.result == Some(true) {
                p.result = Some(false);
                self.wish(at.after_ms(2));
            }
            self.probes[i] = p;
            return;
        }
        let ready_to_ask =
            !p.on_hold && shown.running_since.is_some_and(|s| at.since_ms(s) >= p.delay_ms) && shown.started != (p.kind == Kind::Startup);
        if !ready_to_ask {
            self.probes[i] = p;
            return;
        }
        let there = turn.machine.sandbox(&self.uid).is_some_and(|s| s.containers.iter().any(|c| c.id == p.id));
        let answer = if there { self.answer(turn, &p, at) } else { None };
        let Some(answer) = answer else {
            if there {
                let title = p.kind.title();
                turn.say(
                    self.path(&p.container),
                    "Warning",
                    "Unhealthy",
                    format!("{title} {ERRORED} NotFound desc = container \"{}\" is not running", p.id),
                );
            }
            self.probes[i] = p;
            return;
        };
        let passes = answer.is_none();
        if let Some(why) = answer {
            turn.say(self.path(&p.container), "Warning", "Unhealthy", format!("{} probe failed: {why}", p.kind.title()));
        }
        p.run = if p.last == Some(passes) { p.run + 1 } else { 1 };
        p.last = Some(passes);
        let enough = p.run >= if passes { p.successes } else { p.failures };
        let changed = enough && p.result != Some(passes);
        if enough {
            p.result = Some(passes);
            if p.kind != Kind::Readiness && !passes {
                p.on_hold = true;
                p.run = 0;
            }
        }
        let kind = p.kind;
        self.probes[i] = p;
        if changed && self.ending == Ending::No {
            // The status manager hears of readiness and start at once, the pod's sync follows.
            if kind != Kind::Liveness {
                self.regenerate(turn, at);
            }
            self.wish(at.after_ms(2));
        }
    }

    /// What a probe finds: nothing if it passes, else why not; none if a command finds no container to run in.
    fn answer(&self, turn: &Turn<'_>, p: &Probe, at: Time) -> Option<Option<String>> {
        let sandbox = turn.machine.sandbox(&self.uid)?;
        let is = sandbox.containers.iter().find(|c| c.id == p.id)?;
        let (spec, _) = self.container(&p.container)?;
        let probe = spec.get(field(p.kind));
        let fails = |c: &Container| self.behaviour(turn, &c.name, &c.image).fails_probe(at.since_ms(c.started));
        let over = is.exited(at).is_some();
        if !probe.get("exec").is_null() {
            return (!over).then(|| fails(is).map(|why| format!("{why}\n")));
        }
        let lenient = turn.images.lenient;
        let up = !over
            && if lenient {
                fails(is).is_none()
            } else {
                sandbox.containers.iter().filter(|c| c.is_running(at)).all(|c| fails(c).is_none())
            };
        let http = probe.get("httpGet");
        let target = if http.is_null() { probe.get("tcpSocket") } else { http };
        if target.is_null() {
            let port = probe.at(&["grpc", "port"]).int();
            let seconds = probe.get("timeoutSeconds").as_int().unwrap_or(1);
            let text = format!("timeout: failed to connect service \"{}:{port}\" within {seconds}s: context deadline exceeded", sandbox.ip);
            return Some((!(lenient && up)).then_some(text));
        }
        let (port, declared) = port(spec, target.get("port"));
        if up && (declared || lenient) {
            return Some(None);
        }
        let host = target.get("host").as_str().unwrap_or(&sandbox.ip);
        let refused = format!("dial tcp {host}:{port}: connect: connection refused");
        if http.is_null() {
            return Some(Some(refused));
        }
        let scheme = http.get("scheme").as_str().unwrap_or("HTTP").to_ascii_lowercase();
        let path = http.get("path").as_str().unwrap_or("/");
        let slash = if path.starts_with('/') { "" } else { "/" };
        Some(Some(format!("Get \"{scheme}://{host}:{port}{slash}{path}\": {refused}")))
    }
}

/// The number of a port that a probe names, and whether the container declares it.
fn port(container: &Value, named: &Value) -> (i64, bool) {
    let ports = container.get("ports").items();
    let found = match named {
        Value::Str(name) => ports.iter().find(|p| p.get("name").text() == name.as_str()),
        other => ports.iter().find(|p| p.get("containerPort").int() == other.int()),
    };
    let number = found.map_or_else(|| named.as_int().or_else(|| named.text().parse().ok()).unwrap_or(0), |p| p.get("containerPort").int());
    let tcp = found.is_some_and(|p| p.get("protocol").as_str().unwrap_or("TCP") == "TCP");
    (number, tcp)
}
