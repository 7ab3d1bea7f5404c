//! Whatever was done to the world and in whatever order things happened: once the faults have ended, it settles, every
//! Deployment has the pods that it wants, no pod is leaked, and every cache says what etcd says.

use loopscope::api::resource::{PODS, REPLICA_SETS};
use loopscope::cluster::{Cluster, Verdict};
use loopscope::scenario::random::Run;

const RUNS: u64 = 100;

fn stale_caches(world: &Cluster) -> Vec<String> {
    let mut stale = Vec::new();
    for process in world.processes().filter(|p| p.running) {
        for (resource, wire) in process.wires.iter() {
            let real: Vec<_> = world.etcd().list(resource, "").filter(|o| wire.filter.matches(o)).collect();
            let cache = process.caches.of(resource);
            if real.len() != cache.len() || real.iter().any(|o| cache.by_key(&o.key()).map(|c| c.revision()) != Some(o.revision())) {
                stale.push(format!("{} {resource}: {} cached, {} stored", process.name, cache.len(), real.len()));
            }
        }
    }
    stale
}

fn leaked(world: &Cluster) -> Vec<String> {
    let owned = |o: &&loopscope::api::Object| {
        let uid = o.controller_uid().unwrap_or_default();
        world.etcd().list(&REPLICA_SETS, "").any(|r| r.uid() == uid.as_str())
    };
    world.etcd().list(&PODS, "").filter(|p| !owned(p)).map(|p| p.name().to_string()).collect()
}

#[test]
fn every_random_run_converges_once_its_faults_have_ended() {
    let mut wrong = Vec::new();
    for seed in 1..=RUNS {
        let mut run = Run::new(seed);
        let verdict = run.play();
        let (stale, leaked) = (stale_caches(&run.world), leaked(&run.world));
        if verdict != Verdict::Converged || !stale.is_empty() || !leaked.is_empty() {
            wrong.push(format!("seed {seed}: {verdict:?}, stale {stale:?}, leaked {leaked:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
