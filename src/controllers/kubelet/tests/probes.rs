//! What becomes of probes, and of syncs that wait, when a container or its pod ends.

use super::{World, one};
use crate::value;

fn probed() -> crate::api::Value {
    one(value!({"readinessProbe": {"exec": {}, "periodSeconds": 1_i64}}))
}

#[test]
fn what_passed_fails_with_its_container_so_that_the_back_off_shows() {
    let shows = |pod: crate::api::Value| {
        let mut w = World::new(value!({"web:1": {"exitCode": 3_i64, "exitAfterSeconds": 2_i64}}));
        w.pod(pod);
        w.until(12);
        w.texts().contains(&"Running unready web:waitingCrashLoopBackOff#1")
    };
    assert!(shows(probed()), "a tick of the probe brings a sync");
    assert!(!shows(one(value!({}))), "without a probe nothing does before the back-off ends");
}

#[test]
fn a_command_that_finds_no_container_is_an_error_and_no_failure() {
    let mut w = World::new(value!({"web:1": {"exitCode": 3_i64, "exitAfterSeconds": 5_i64}}));
    w.pod(probed());
    w.until(8);
    let texts = w.texts();
    let errored = "Unhealthy Readiness probe errored and resulted in unknown state: rpc error: code = NotFound desc = container ";
    let said = texts.iter().filter(|t| t.starts_with("Unhealthy"));
    assert!(said.clone().all(|t| t.starts_with(errored) && t.ends_with("is not running")), "{texts:#?}");
}

#[test]
fn a_sync_that_waits_for_the_listing_comes_before_the_end() {
    let took = |pod: crate::api::Value, at_ms: u64| {
        let mut w = World::new(value!({}));
        w.pod(pod);
        w.until_ms(at_ms);
        w.delete(30);
        w.until(20);
        w.times("Killing Stopping container web")[0] - at_ms
    };
    let early = 600;
    assert!(took(one(value!({})), early) <= 1_000, "the next listing");
    assert!((1_000..=2_010).contains(&took(probed(), early)), "the one after it");
    assert!(took(probed(), 10_000) <= 20, "nothing waits any more");
}
