//! What the declarative loop is compared with: a script that updates three plain machines, in four steps each, as a person
//! would write it. It lives through the history of a cluster and is hit by the same faults: it begins when a manifest is
//! applied, its process dies when kube-controller-manager does, and its machines are up and down as the nodes are.
//!
//! No strawman: each step is right, an error ends the script, a machine that comes back starts its service, and whoever runs
//! the script again gets every machine to the new version. What it lacks is a record of how far it got.

use crate::api::resource::{DEPLOYMENTS, PODS};
use crate::api::{Object, Value};
use crate::cluster::{Activity, Cluster, Detail, Fault, Phase, StepRecord, UserAction};
use crate::util::{Order, Time};

pub const MACHINES: usize = 3;
const MANAGER: &str = "kube-controller-manager";
/// A new process answers its health check after this long, as the image that the cluster runs.
const READY_MS: u64 = 3_000;
/// The script asks so often, and gives up after so long.
const ASK_MS: u64 = 1_000;
const PATIENCE_MS: u64 = 60_000;

/// A step of the script, as it is done to each machine in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    Stop,
    Copy,
    Start,
    Health,
}

impl Line {
    pub const ALL: [Line; 4] = [Line::Stop, Line::Copy, Line::Start, Line::Health];

    /// The command, as it stands in the script.
    pub fn text(self) -> &'static str {
        match self {
            Line::Stop => "ssh $m systemctl stop app",
            Line::Copy => "scp app-v2.jar $m:/srv/app.jar",
            Line::Start => "ssh $m systemctl start app",
            Line::Health => "until curl -fs $m/health; do sleep 1; done",
        }
    }

    /// How long the command takes; the last one asks again after that.
    fn ms(self) -> u64 {
        match self {
            Line::Start => 200,
            _ => ASK_MS,
        }
    }

    fn next(self) -> Option<Line> {
        Line::ALL.into_iter().find(|l| *l > self)
    }
}

/// What a jar holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    V1,
    V2,
}

/// A machine. Its service starts with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    pub up: bool,
    pub jar: Version,
    /// The version that runs, and when it answers its health check.
    process: Option<(Version, Time)>,
}

impl Machine {
    /// The version that answers now.
    pub fn serves(&self, now: Time) -> Option<Version> {
        self.process.filter(|(_, ready)| *ready <= now).map(|(version, _)| version)
    }

    fn start(&mut self, at: Time) {
        self.process = Some((self.jar, at.after_ms(READY_MS)));
    }

    fn power(&mut self, up: bool, at: Time) {
        if self.up != up {
            self.up = up;
            self.process = None;
            if up {
                self.start(at);
            }
        }
    }
}

/// Where the script is. Nothing but its own process knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    Idle,
    At {
        machine: usize,
        line: Line,
    },
    /// Its process died; this line was never finished.
    Died {
        machine: usize,
        line: Line,
    },
    /// The machine did not answer, and the script ended with an error.
    Failed {
        machine: usize,
        line: Line,
    },
    Done,
}

/// The script and its machines at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    pub machines: [Machine; MACHINES],
    pub runner: Runner,
    /// How often somebody has run it.
    pub runs: u32,
    pub now: Time,
    /// When the line that it is at has been done.
    due: Time,
    /// When it began to ask for health.
    asked: Time,
}

/// What befalls the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Somebody runs it.
    Run,
    /// Its process dies.
    Die,
    /// A machine goes down, or comes back.
    Power { machine: usize, up: bool },
}

impl Script {
    /// Three machines that run the first version.
    pub fn new(at: Time) -> Script {
        let machine = Machine { up: true, jar: Version::V1, process: Some((Version::V1, at)) };
        Script { machines: [machine; MACHINES], runner: Runner::Idle, runs: 0, now: at, due: at, asked: at }
    }

    /// The script beside a cluster, after the same history. The first thing applied is the version that runs already.
    pub fn beside(world: &Cluster) -> Script {
        let mut script = Script::new(world.epoch());
        let mut applied = 0;
        for record in world.records() {
            let Some(event) = event_of(world, record) else { continue };
            if event == Event::Run {
                applied += 1;
                if applied == 1 {
                    continue;
                }
            }
            script.pass(record.at);
            script.befall(event);
        }
        script.pass(world.now());
        script
    }

    pub fn befall(&mut self, event: Event) {
        match (event, self.runner) {
            // Who starts it twice waits for the first one, as it takes a lock.
            (Event::Run, Runner::At { .. }) => {}
            (Event::Run, _) => {
                self.runs += 1;
                self.go_to(0, Line::Stop);
            }
            (Event::Die, Runner::At { machine, line }) => self.runner = Runner::Died { machine, line },
            (Event::Die, _) => {}
            (Event::Power { machine, up }, _) => {
                if let Some(m) = self.machines.get_mut(machine) {
                    m.power(up, self.now);
                }
            }
        }
    }

    /// Lets time pass.
    pub fn pass(&mut self, until: Time) {
        while let Runner::At { machine, line } = self.runner {
            if self.due > until {
                break;
            }
            self.now = self.due;
            self.finish(machine, line);
        }
        self.now = self.now.max(until);
    }

    fn go_to(&mut self, machine: usize, line: Line) {
        self.runner = Runner::At { machine, line };
        self.due = self.now.after_ms(line.ms());
        self.asked = self.now;
    }

    fn finish(&mut self, machine: usize, line: Line) {
        let now = self.now;
        let m = &mut self.machines[machine];
        if !m.up {
            self.runner = Runner::Failed { machine, line };
            return;
        }
        match line {
            Line::Stop => m.process = None,
            Line::Copy => m.jar = Version::V2,
            Line::Start => m.start(now),
            Line::Health if m.serves(now).is_none() => {
                if now.since_ms(self.asked) >= PATIENCE_MS {
                    self.runner = Runner::Failed { machine, line };
                }
                self.due = now.after_ms(ASK_MS);
                return;
            }
            Line::Health => {}
        }
        match line.next() {
            Some(next) => self.go_to(machine, next),
            None if machine + 1 < MACHINES => self.go_to(machine + 1, Line::Stop),
            None => self.runner = Runner::Done,
        }
    }

    /// How many machines answer with a version.
    pub fn serving(&self, version: Version) -> usize {
        self.machines.iter().filter(|m| m.serves(self.now) == Some(version)).count()
    }
}

/// A pod of the cluster beside the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pod {
    pub version: Version,
    pub ready: bool,
}

/// Both halves of the picture: the script, and the loops' cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Halves {
    pub script: Script,
    /// Oldest first, without those that are going.
    pub pods: Vec<Pod>,
    /// The version that the Deployment's spec asks for, and how many.
    pub wanted: (Version, u64),
    /// kube-controller-manager runs.
    pub alive: bool,
}

impl Halves {
    pub fn of(world: &Cluster) -> Halves {
        let live = world.etcd().list(&PODS, "default").filter(|p| !p.is_deleting());
        let mut pods: Vec<&Object> = live.collect();
        pods.order_by_key(|p| (p.meta().get("creationTimestamp").to_str(), p.meta().get("name").to_str()));
        let pods = pods.into_iter().map(|p| Pod { version: version_of(p.spec()), ready: p.condition_is_true("Ready") }).collect();
        let deployment = world.etcd().list(&DEPLOYMENTS, "default").next();
        let wanted = deployment
            .map_or((Version::V1, 0), |d| (version_of(d.spec().at(&["template", "spec"])), d.spec().get("replicas").int().unsigned_abs()));
        let alive = world.process_named(MANAGER).is_some_and(|id| world.process(id).running);
        Halves { script: Script::beside(world), pods, wanted, alive }
    }

    /// How many pods of a version are ready.
    pub fn ready(&self, version: Version) -> usize {
        self.pods.iter().filter(|p| p.ready && p.version == version).count()
    }
}

fn version_of(spec: &Value) -> Version {
    let image = spec.get("containers").items().first().map_or("", |c| c.get("image").text());
    if image.ends_with(":v1") { Version::V1 } else { Version::V2 }
}

/// What a step of the cluster is for the script beside it.
fn event_of(world: &Cluster, record: &StepRecord) -> Option<Event> {
    match (&record.activity, &record.detail) {
        (_, Detail::Command { line, exit: Some(0), .. }) => line.starts_with("apply ").then_some(Event::Run),
        (Activity::User(UserAction::StopProcess(name)), _) => (*name == MANAGER).then_some(Event::Die),
        (Activity::User(UserAction::Fault(fault)), Detail::None) => match fault.inner() {
            Fault::NodeDown(name) => machine_of(name).map(|machine| Event::Power { machine, up: false }),
            Fault::NodeUp(name) => machine_of(name).map(|machine| Event::Power { machine, up: true }),
            _ => None,
        },
        (_, Detail::Synced(sync)) => {
            let died = record.faults.iter().any(|m| m.key == "crash" && m.phase == Phase::Acted);
            (died && world.process(sync.of.process).name == *MANAGER).then_some(Event::Die)
        }
        _ => None,
    }
}

/// `node-1` is the first machine.
fn machine_of(node: &str) -> Option<usize> {
    node.strip_prefix("node-")?.parse::<usize>().ok()?.checked_sub(1)
}
