//! Cases: one manifest, or one list of commands, on a fresh world; what was answered and what is stored then.

use super::format::{FormatError, Step};
use super::player::Player;
use crate::api::{Str, Value};
use crate::cluster::Cluster;
use crate::value;
use std::collections::BTreeMap;

/// Conditions that setup waits for are given up after this long.
const SETUP_TIMEOUT_MS: u64 = 20_000;
/// From a setup to the case itself.
const AFTER_SETUP_MS: u64 = 1_000;
/// A fresh world rests this long before its first command.
const BEFORE_MS: u64 = 1_100;

/// The world of each case: two nodes, images that pull at once and run.
pub fn cluster() -> Value {
    let node = |name: &'static str| value!({"name": name, "cpu": "4", "memory": "8Gi", "pods": 110_i64});
    value!({"nodes": [(node("node-a")), (node("node-b"))]})
}

/// A case on its world.
pub struct Case(Player);

impl Case {
    /// `files`: what the commands may read, by path.
    pub fn new(world: Cluster, files: BTreeMap<String, String>) -> Case {
        let mut player = Player::new(world, files);
        player.pass(BEFORE_MS);
        Case(player)
    }

    /// Applies a manifest after making what it needs (`ns:NAME`; `crd:NAME` from `definitions`), and looks at what is stored.
    pub fn manifest(mut self, name: &str, needs: &str, definitions: &str) -> Vec<Value> {
        for need in needs.split_whitespace() {
            if let Some(namespace) = need.strip_prefix("ns:") {
                self.0.kubectl("setup", &Str::from(format!("create namespace {namespace}")));
            } else if let Some(definition) = need.strip_prefix("crd:") {
                self.0.kubectl("setup", &Str::from(format!("apply --server-side -f {definitions}")));
                let condition = Str::from(format!("crd/{definition} Established"));
                self.0.step(&Step::Until { condition, timeout_ms: SETUP_TIMEOUT_MS });
            }
        }
        self.0.kubectl("kubectl", &Str::from(format!("apply -f {name}")));
        self.0.kubectl("stored", &Str::from(format!("get -f {name} -o json --ignore-not-found")));
        self.0.records().to_vec()
    }

    /// Applies `setup` if there is one, then the manifest.
    pub fn apply(mut self, setup: Option<&str>, name: &str) -> Vec<Value> {
        if let Some(setup) = setup {
            self.0.kubectl("setup", &Str::from(format!("apply -f {setup}")));
            self.0.pass(AFTER_SETUP_MS);
        }
        self.0.kubectl("kubectl", &Str::from(format!("apply -f {name}")));
        self.0.records().to_vec()
    }

    /// Runs the lines of a list of commands: `kubectl ...`, or a step as in a scenario; `#` begins a comment.
    ///
    /// # Errors
    /// A line that is no step.
    pub fn commands(mut self, lines: &str) -> Result<Vec<Value>, FormatError> {
        for (i, line) in lines.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            match line.strip_prefix("kubectl ") {
                Some(args) => self.0.kubectl("kubectl", &Str::from(args)),
                None => {
                    let step = Step::parse(&super::format::read(line)?).map_err(|why| FormatError::Step { step: i + 1, why })?;
                    self.0.step(&step);
                }
            }
        }
        Ok(self.0.records().to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::format::config_of;

    fn world() -> Cluster {
        Cluster::boot(&config_of(&cluster(), 1, false).unwrap())
    }

    #[test]
    fn a_manifest_is_applied_and_read_back() {
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\ndata: {k: v}\n";
        let files = BTreeMap::from([("a.yaml".to_string(), map.to_string())]);
        let steps = Case::new(world(), files).manifest("a.yaml", "ns:shop", "");
        let words: Vec<(&str, i64)> = steps.iter().map(|s| (s.get("step").text(), s.get("exit").int())).collect();
        assert_eq!(words, [("setup", 0), ("kubectl", 0), ("stored", 0)]);
        assert!(steps[2].get("stdout").text().contains("\"k\": \"v\""));
    }

    #[test]
    fn a_list_of_commands_is_run_and_a_wrong_line_is_named() {
        let steps = Case::new(world(), BTreeMap::new()).commands("# nothing\nkubectl get pods\nwait: 1\n").unwrap();
        assert_eq!(steps.iter().map(|s| s.get("step").text()).collect::<Vec<_>>(), ["kubectl", "wait"]);
        let wrong = Case::new(world(), BTreeMap::new()).commands("dance: yes\n").unwrap_err();
        assert_eq!(wrong.to_string(), "step 1: unknown step \"dance\"");
    }

    #[test]
    fn what_came_before_a_quota_was_counted_is_counted() {
        let both = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\napiVersion: v1\nkind: ResourceQuota\n\
                    metadata: {name: one, namespace: shop}\nspec: {hard: {configmaps: '3'}}\n";
        let files = BTreeMap::from([("both.yaml".to_string(), both.to_string())]);
        let lines = "kubectl apply -f both.yaml\nwait: 1\nkubectl get quota one -n shop -o jsonpath={.status.used.configmaps}\n";
        let steps = Case::new(world(), files).commands(lines).unwrap();
        assert_eq!(steps.last().unwrap().get("stdout").text(), "1", "its certificate");
    }

    #[test]
    fn a_quota_lets_in_again_what_has_room() {
        let quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: one, namespace: shop}\nspec: {hard: {pods: '1'}}\n";
        let files = BTreeMap::from([("quota.yaml".to_string(), quota.to_string())]);
        let lines = "kubectl create namespace shop\nkubectl apply -f quota.yaml\nwait: 1\nkubectl run a --image=a:1 -n shop\n\
                     kubectl run b --image=b:1 -n shop\nkubectl delete pod a -n shop\nwait: 1\nkubectl run b --image=b:1 -n shop\n";
        let steps = Case::new(world(), files).commands(lines).unwrap();
        let exits: Vec<i64> = steps.iter().filter(|s| s.get("step").text() == "kubectl").map(|s| s.get("exit").int()).collect();
        assert_eq!(exits, [0, 0, 0, 1, 0, 0]);
        let refusal = "pods \"b\" is forbidden: exceeded quota: one, requested: pods=1, used: pods=1, limited: pods=1";
        assert!(steps.iter().any(|s| s.get("stderr").text().contains(refusal)));
    }
}
