//! `scenario.yaml`: name, cluster, steps.

use crate::api::{Str, Value, yaml};
use crate::cluster::{Config, Fault, NODES_MAX, Node};
use crate::runtime::{Behaviour, Images};

/// A condition that does not come true is given up after this long.
/// What each step prints is kept until the end.
const STEPS_MAX: usize = 10_000;
const UNTIL_TIMEOUT_S: f64 = 90.0;

#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    #[error("the scenario is not YAML: {0}")]
    Yaml(#[from] yaml::Error),
    #[error("step {step}: {why}")]
    Step { step: usize, why: String },
    #[error("cluster: {0}")]
    Cluster(String),
}

/// A start state and what is done to it.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub name: Str,
    pub about: Str,
    pub cluster: Value,
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Kubectl(Str),
    Capture(Vec<Str>),
    Until {
        condition: Str,
        timeout_ms: u64,
    },
    Expect(Str),
    Wait {
        ms: u64,
        written: Value,
    },
    Image(Value),
    Component {
        stop: bool,
        name: Str,
    },
    AddNode(Value),
    RemoveNode(Str),
    Fault {
        written: Value,
    },
    /// A step that this simulator has no part for (`git`, `metrics`): written down, nothing happens.
    Other {
        step: Str,
        written: Value,
    },
}

impl Scenario {
    /// Reads the text of a `scenario.yaml`.
    ///
    /// # Errors
    /// What is wrong, and in which step (from 1).
    pub fn parse(text: &str) -> Result<Scenario, FormatError> {
        let v = read(text)?;
        let count = v.get("steps").items().len();
        if count > STEPS_MAX {
            return Err(FormatError::Step {
                step: STEPS_MAX + 1,
                why: format!("a scenario has at most {STEPS_MAX} steps, this one {count}"),
            });
        }
        let steps = v.get("steps").items().iter().enumerate();
        let steps = steps.map(|(i, s)| Step::parse(s).map_err(|why| FormatError::Step { step: i + 1, why }));
        Ok(Scenario {
            name: v.get("name").to_str(),
            about: v.get("about").to_str(),
            cluster: v.get("cluster").clone(),
            steps: steps.collect::<Result<_, _>>()?,
        })
    }

    /// The world that the scenario starts from: unknown images run for ever, as in the recordings.
    ///
    /// # Errors
    /// A node or an image that cannot be read.
    pub fn config(&self, seed: u64) -> Result<Config, FormatError> {
        config_of(&self.cluster, seed, false).map_err(FormatError::Cluster)
    }
}

/// The value of a YAML text of one document.
pub(super) fn read(text: &str) -> Result<Value, FormatError> {
    let mut parsed = yaml::parse(text);
    match parsed.error {
        Some(error) => Err(error.into()),
        None => Ok(parsed.documents.pop().map(|d| d.value).unwrap_or_default()),
    }
}

/// Nodes and images as `cluster` in a scenario names them.
///
/// # Errors
/// What cannot be read.
pub fn config_of(cluster: &Value, seed: u64, lenient: bool) -> Result<Config, String> {
    let listed = cluster.get("nodes");
    if !listed.is_null() && listed.as_list().is_none() {
        return Err("\"nodes\" must be a list".to_string());
    }
    let count = cluster.get("nodes").items().len();
    if count > NODES_MAX {
        return Err(format!("{count} nodes are more than the {NODES_MAX} that are simulated"));
    }
    let nodes = cluster.get("nodes").items().iter().map(Node::parse).collect::<Result<Vec<_>, _>>()?;
    let images = Images::from_value(cluster.get("images"), lenient)?;
    Ok(Config { seed, nodes, images, edge_triggered: *cluster.get("edgeTriggered") == Value::Bool(true) })
}

impl Step {
    /// Reads one step.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(v: &Value) -> Result<Step, String> {
        let text = |key: &str| v.get(key).as_str().map(Str::from);
        if let Some(args) = text("kubectl") {
            return Ok(Step::Kubectl(args));
        }
        if let Some(condition) = text("until") {
            let seconds = number(v.get("timeout")).unwrap_or(UNTIL_TIMEOUT_S);
            return Ok(Step::Until { condition, timeout_ms: milliseconds(seconds)? });
        }
        if let Some(condition) = text("expect") {
            return Ok(Step::Expect(condition));
        }
        if let Some(seconds) = number(v.get("wait")) {
            return Ok(Step::Wait { ms: milliseconds(seconds)?, written: v.get("wait").clone() });
        }
        let (key, what) = match v.entries() {
            [(key, what)] => (key.clone(), what.clone()),
            _ => return Err(format!("one of kubectl, until, expect, wait, capture, image, component, node, fault is wanted, not {v:?}")),
        };
        match key.as_str() {
            "capture" => Ok(Step::Capture(what.items().iter().map(Value::to_str).collect())),
            "image" => {
                for (_, options) in what.entries() {
                    Behaviour::parse(options)?;
                }
                Ok(Step::Image(what))
            }
            "component" => match what.entries() {
                [(verb, name)] if verb == "stop" || verb == "start" => Ok(Step::Component { stop: verb == "stop", name: name.to_str() }),
                _ => Err("component wants {stop: NAME} or {start: NAME}".to_string()),
            },
            "node" if !what.get("add").is_null() => Ok(Step::AddNode(what.get("add").clone())),
            "node" if !what.get("remove").is_null() => Ok(Step::RemoveNode(what.get("remove").to_str())),
            "fault" => {
                // Placeholders are filled in later; the form can be checked now.
                fault(&filled(&what))?;
                Ok(Step::Fault { written: what })
            }
            "git" | "metrics" => Ok(Step::Other { step: key, written: what }),
            other => Err(format!("unknown step \"{other}\"")),
        }
    }
}

/// A step waits no longer than this, in seconds: a year.
const WAIT_MAX_S: f64 = 31_536_000.0;

fn milliseconds(seconds: f64) -> Result<u64, String> {
    if (0.0..=WAIT_MAX_S).contains(&seconds) {
        return Ok((seconds * 1000.0) as u64);
    }
    Err(format!("a wait is from 0 to {WAIT_MAX_S} seconds long, not {seconds}"))
}

pub(super) fn number(v: &Value) -> Option<f64> {
    match v {
        Value::Int(n) => Some(*n as f64),
        Value::Float(f) => Some(*f),
        _ => None,
    }
}

/// What a fault step does.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultStep {
    Begin(Fault),
    /// `clear: DOCUMENT`: ends the faults that are as this document says.
    End(Fault),
    /// `clear`: ends all.
    EndAll,
}

/// Reads a fault step, its placeholders filled in.
///
/// # Errors
/// What is wrong with it.
pub fn fault(v: &Value) -> Result<FaultStep, String> {
    if v.as_str() == Some("clear") {
        return Ok(FaultStep::EndAll);
    }
    match v.entries() {
        [(key, like)] if key == "clear" => Fault::parse(like).map(FaultStep::End),
        _ => Fault::parse(v).map(FaultStep::Begin),
    }
}

/// A fault step as it may look when its placeholders are filled in.
fn filled(v: &Value) -> Value {
    match v {
        Value::Str(s) => Value::from(without_placeholders(s)),
        Value::Map(m) => m.iter().map(|(k, v)| (k.clone(), filled(v))).collect(),
        other => other.clone(),
    }
}

fn without_placeholders(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('@') {
        let end = after.find(')').filter(|_| after.contains('('));
        out.push_str(before);
        out.push_str(if end.is_some() { "x" } else { "@" });
        rest = end.map_or(after, |end| &after[end + 1..]);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_read_and_a_wrong_step_is_named() {
        let s = Scenario::parse("name: x\ncluster: {nodes: []}\nsteps:\n  - kubectl: get pods\n  - until: deploy/web Available\n    timeout: 5\n  - wait: 0.5\n  - fault: {lostOnWire: kube-scheduler, about: pod/a}\n").unwrap();
        assert_eq!(s.steps[1], Step::Until { condition: Str::from("deploy/web Available"), timeout_ms: 5000 });
        assert_eq!(s.steps.len(), 4);
        let wrong = Scenario::parse("name: x\nsteps:\n  - kubectl: a\n  - dance: yes\n").unwrap_err();
        assert_eq!(wrong.to_string(), "step 2: unknown step \"dance\"");
    }
}
