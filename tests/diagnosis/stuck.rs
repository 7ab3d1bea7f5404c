//! Cases, and what is found there, in order.

use super::{is_sound, play, told};
use loopscope::diagnosis::{self, diagnose};
use std::collections::BTreeSet;

/// Scenario, the step to stop after ("" for the end), seconds to wait then, and what is told.
const CASES: &[(&str, &str, u64, &[&str])] = &[
    ("bad-image-deadline", "reason=ImagePullBackOff", 5, &["image-not-found Pod/web", "rollout-waits-for-ready Deployment/web"]),
    ("bad-image-deadline", "Progressing=False", 5, &["image-not-found Pod/web", "rollout-past-deadline Deployment/web"]),
    ("controller-manager-stopped", "create namespace quiet", 0, &["process-not-running Deployment/late"]),
    ("crash-loop", "reason=CrashLoopBackOff", 1, &["container-crashes Pod/crash"]),
    ("undo-after-crash", "reason=CrashLoopBackOff", 1, &["container-crashes Pod/web"]),
    (
        "image-pull-then-fixed",
        "pod/far reason=ImagePullBackOff",
        0,
        &["registry-unreachable Pod/far", "image-not-found Pod/late", "image-unauthorized Pod/private"],
    ),
    ("missing-configmap-volume", "reason=FailedMount", 5, &["config-map-missing Pod/reader"]),
    (
        "pending-constraints",
        "apply",
        4,
        &[
            "pod-unschedulable-selector Pod/by-affinity",
            "pod-unschedulable-selector Pod/by-selector",
            "pod-unschedulable-taint Pod/by-taint",
        ],
    ),
    (
        "pending-insufficient-resources",
        "apply",
        4,
        &[
            "pod-unschedulable-resources Pod/wants-both",
            "pod-unschedulable-resources Pod/wants-cpu",
            "pod-unschedulable-resources Pod/wants-memory",
        ],
    ),
    ("preemption", "apply -f polite.yaml", 8, &["pod-unschedulable-resources Pod/low", "pod-unschedulable-resources Pod/polite"]),
    ("quota-blocks-replicaset", "readyReplicas=2", 4, &["quota-exceeded ReplicaSet/web"]),
    ("finalizer-blocks-deletion", "delete pod keep", 6, &["finalizer-blocks ConfigMap/held", "finalizer-blocks Pod/keep"]),
    ("foreground-held", "delete", 10, &["finalizer-blocks Pod/web", "owner-waits-for-dependents ReplicaSet/web"]),
    ("namespace-empties-first", "delete", 12, &["finalizer-blocks ConfigMap/held", "namespace-waits-for-content Namespace/team"]),
    ("liveness-restarts", "restarts=2", 1, &["container-liveness-killed Pod/flaky"]),
    ("oom-killed", "restarts=2", 1, &["container-oom-killed Pod/hungry", "container-oom-killed Pod/hungry-once"]),
    ("readiness-flap", "readyReplicas=0", 15, &["readiness-probe-fails Pod/web"]),
    ("readiness-late", "Available=False", 15, &["readiness-probe-fails Pod/slow"]),
    (
        "label-selector-mismatch",
        "deploy/web Available",
        5,
        &["service-selects-nothing Service/typo", "service-port-unknown Service/wrong-port"],
    ),
    ("pause-resume", "set image", 10, &["rollout-paused Deployment/blog"]),
    ("loop-stopped", "scale", 20, &["loop-not-running Deployment/web"]),
    ("lost-on-the-wire", "delete pod", 60, &["cache-stale ReplicaSet/web"]),
    ("lost-wake-up", "delete pod", 60, &["wake-up-lost ReplicaSet/web"]),
    ("silent-node-loses-pods", "Ready=Unknown", 0, &["node-unreachable Node/node-b"]),
    ("fight-for-cpu", "apply -f b.yaml", 10, &["pod-unschedulable-resources Pod/b"]),
    ("sidecar-ends-last", "", 0, &["pod-failed Pod/never"]),
    // Built here.
    ("no-loop", "", 0, &["no-controller StatefulSet/db"]),
    ("gated", "", 0, &["pod-scheduling-gated Pod/gated"]),
    ("foreign-scheduler", "", 0, &["pod-scheduler-unknown Pod/odd"]),
    ("apart", "", 0, &["pod-unschedulable-spread Pod/web"]),
    ("spread", "", 0, &["pod-unschedulable-spread Pod/web"]),
    ("cordoned", "", 0, &["pod-unschedulable-cordoned Pod/late"]),
    ("too-many-pods", "", 0, &["pod-unschedulable-resources Pod/web"]),
    ("images", "", 0, &["image-not-present Pod/never", "image-pull-slow Pod/slow"]),
    (
        "config",
        "",
        0,
        &[
            "config-key-missing Pod/env-key",
            "config-map-missing Pod/env-map",
            "secret-missing Pod/env-secret",
            "config-key-missing Pod/vol-key",
            "secret-missing Pod/vol-secret",
        ],
    ),
    ("init", "", 0, &["init-container-fails Pod/init-fails", "init-container-runs Pod/init-waits"]),
    ("ends", "", 0, &["container-ends Pod/done", "container-startup-killed Pod/starts-late"]),
    ("not-ready", "", 0, &["readiness-gate-unset Pod/gate", "readiness-probe-fails Pod/unready"]),
    ("no-account", "", 0, &["service-account-missing ReplicaSet/web"]),
    ("no-scheduler", "", 0, &["process-not-running Pod/web"]),
    ("no-scheduler-loop", "", 0, &["loop-not-running Pod/web"]),
    ("no-manager", "", 0, &["process-not-running Deployment/web"]),
    ("idle-but-stopped", "", 0, &[]),
    ("lost-node", "", 0, &["node-unreachable Node/node-b", "pod-held-by-lost-node Pod/web"]),
];

/// Codes that no case here builds, each with its reason.
const UNBUILT: &[(&str, &str)] = &[
    ("pod-create-refused", "held by what admission answers beyond quotas and accounts"),
    ("image-pull-failed", "the simulated registry fails in no other way"),
    ("volume-not-mounted", "the simulated kubelet knows no other volume that fails"),
    ("node-not-ready", "a simulated kubelet says this only while it joins"),
    ("pod-unschedulable", "every filter has a cause of its own"),
    ("pod-claim-missing", "the simulated scheduler does not look at claims yet"),
    ("pod-claim-unbound", "the simulated scheduler does not look at claims yet"),
    ("image-name-invalid", "the simulated kubelet does not parse names yet"),
];

#[test]
fn each_cause_is_named_on_a_case_that_builds_it() {
    let mut wrong = Vec::new();
    for (name, upto, more_s, wanted) in CASES {
        let world = play(name, upto, *more_s);
        let found = diagnose(&world);
        found.iter().for_each(|d| is_sound(&world, d));
        let all: Vec<String> = found.iter().map(told).collect();
        if all != *wanted {
            wrong.push(format!("{name} after {upto:?}:\n  wanted {wanted:?}\n  found  {all:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_cause_has_a_case() {
    let built: BTreeSet<&str> = CASES.iter().flat_map(|c| c.3).filter_map(|told| told.split(' ').next()).collect();
    let unbuilt: BTreeSet<&str> = UNBUILT.iter().map(|u| u.0).collect();
    for cause in diagnosis::ALL.iter().flat_map(|f| f.causes) {
        assert!(built.contains(cause.code) != unbuilt.contains(cause.code), "{}", cause.code);
    }
}
