//! How much one world may hold. Its whole history stays in memory, so it has to end somewhere: then nothing moves any more, and
//! whoever asks is told why. Ten thousand pods from apply to Ready take about 100,000 writes and a gigabyte.

use super::Cluster;

/// Writes to etcd.
pub(super) const WRITES_MAX: u64 = 250_000;
/// Steps.
const RECORDS_MAX: usize = 1_500_000;
/// Nodes at the start: what upstream is tested with.
pub const NODES_MAX: usize = 5_000;

impl Cluster {
    /// Lets this world hold no more than so many writes.
    pub fn limit_writes(&mut self, writes: u64) {
        self.writes_max = writes.min(WRITES_MAX);
    }

    /// Whether the history is as long as it may become: nothing happens by itself any more.
    pub fn is_full(&self) -> bool {
        self.etcd().revision() >= self.writes_max || self.records.len() >= RECORDS_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Str;
    use crate::cluster::{Activity, Config, UserAction, Verdict};
    use crate::value;

    #[test]
    fn a_world_that_asks_for_too_much_ends_instead_of_growing_for_ever() {
        let mut world = Cluster::boot(&Config::default());
        world.limit_writes(world.etcd().revision() + 1_500);
        let manifest = value!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {
                "replicas": 2147483647_i64, "selector": {"matchLabels": {"app": "web"}},
                "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "web"}]}}
            }
        });
        let text = Str::from(serde_json::to_string(&manifest).unwrap());
        let words = ["apply", "-f", "f.json"].map(Str::fixed).to_vec();
        world.step(Activity::User(UserAction::Kubectl { words, files: vec![(Str::fixed("f.json"), text)] }));
        let until = world.now().after_ms(3_600_000);
        assert_eq!(world.run_until_settled(until), Verdict::Full);
        let records = world.records().len();
        world.run_until(until);
        world.tick();
        assert!(world.is_full() && world.records().len() < records + 50, "nothing goes on by itself");
        assert!(world.etcd().revision() < 5_000, "one sync more than the limit at most: {}", world.etcd().revision());
    }
}
