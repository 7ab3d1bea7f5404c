//! Kinds on which a loop of upstream's kube-controller-manager acts (`cmd/kube-controller-manager/names`) and none of `ALL` does:
//! whoever applies one of them waits for ever, and has to be told so. Whoever adds a loop takes its line out.
//! Left out: kinds whose loop leaves nothing in an object by which one could tell that it has not been there.

use crate::api::resource::{DAEMON_SETS, PERSISTENT_VOLUME_CLAIMS, STATEFUL_SETS};
use crate::api::{Object, Resource};

/// A kind that nobody acts on.
#[derive(Debug)]
pub struct Absent {
    pub resource: Resource,
    pub kind: &'static str,
    /// What upstream calls its loop.
    pub upstream: &'static str,
    /// Whether an object asks for something that its status does not have.
    pub wants: fn(&Object) -> bool,
}

/// Every such kind.
pub const ALL: &[Absent] = &[
    Absent { resource: STATEFUL_SETS, kind: "StatefulSet", upstream: "statefulset-controller", wants: lacks_replicas },
    Absent { resource: DAEMON_SETS, kind: "DaemonSet", upstream: "daemonset-controller", wants: is_unseen },
    Absent {
        resource: Resource::fixed("replicationcontrollers"),
        kind: "ReplicationController",
        upstream: "replicationcontroller-controller",
        wants: lacks_replicas,
    },
    Absent { resource: Resource::fixed("jobs.batch"), kind: "Job", upstream: "job-controller", wants: is_unfinished },
    Absent {
        resource: Resource::fixed("cronjobs.batch"),
        kind: "CronJob",
        upstream: "cronjob-controller",
        wants: |o| !o.spec().get("suspend").is_true(),
    },
    Absent {
        resource: Resource::fixed("horizontalpodautoscalers.autoscaling"),
        kind: "HorizontalPodAutoscaler",
        upstream: "horizontal-pod-autoscaler-controller",
        wants: |o| o.status().get("conditions").is_empty(),
    },
    Absent {
        resource: PERSISTENT_VOLUME_CLAIMS,
        kind: "PersistentVolumeClaim",
        upstream: "persistentvolume-binder-controller",
        wants: |o| o.status().get("phase").text() == "Pending",
    },
    Absent {
        resource: Resource::fixed("certificatesigningrequests.certificates.k8s.io"),
        kind: "CertificateSigningRequest",
        upstream: "certificatesigningrequest-signing-controller",
        wants: is_unsigned,
    },
];

/// Whether there are fewer pods than asked for, or a newer goal than was ever looked at.
fn lacks_replicas(o: &Object) -> bool {
    let (want, status) = (o.spec().get("replicas").int(), o.status());
    let known = status.get("readyReplicas").int() == want && status.get("replicas").int() == want;
    !known || want > 0 && is_unseen(o)
}

fn is_unseen(o: &Object) -> bool {
    o.status().get("observedGeneration").int() != o.generation()
}

/// A Job that is to run pods and has come to no end.
fn is_unfinished(job: &Object) -> bool {
    let spec = job.spec();
    let zero = |field: &str| spec.get(field).as_int() == Some(0);
    let over = job.condition_is_true("Complete") || job.condition_is_true("Failed");
    !over && !spec.get("suspend").is_true() && !zero("parallelism") && !zero("completions")
}

/// Approved, and signed by nobody although upstream has a signer of that name.
fn is_unsigned(o: &Object) -> bool {
    let ours = o.spec().get("signerName").text().starts_with("kubernetes.io/");
    ours && o.condition_is_true("Approved") && o.status().get("certificate").is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Str, Value};
    use crate::value;

    fn wants(kind: &str, object: Value) -> bool {
        let absent = ALL.iter().find(|a| a.kind == kind).expect("a kind of the table");
        (absent.wants)(&Object(object))
    }

    #[test]
    fn an_object_waits_for_a_loop_only_while_it_wants_something() {
        let of = |spec: Value, status: Value| value!({"metadata": {"generation": 1_i64}, "spec": spec, "status": status});
        let none = || value!({});
        let over = value!({"conditions": [{"type": "Complete", "status": "True"}]});
        let full = value!({"observedGeneration": 1_i64, "replicas": 2_i64, "readyReplicas": 2_i64});
        let one = |field: &'static str, n: i64| [(Str::fixed(field), Value::Int(n))].into_iter().collect::<Value>();
        let table = [
            ("replicas that nobody makes", "StatefulSet", of(one("replicas", 2), value!({"replicas": 0_i64})), true),
            ("no replicas", "StatefulSet", of(one("replicas", 0), value!({"replicas": 0_i64})), false),
            ("all replicas", "StatefulSet", of(one("replicas", 2), full), false),
            ("old replicas, none wanted", "ReplicationController", of(one("replicas", 0), value!({"replicas": 1_i64})), true),
            ("never looked at", "DaemonSet", of(none(), none()), true),
            ("looked at", "DaemonSet", of(none(), one("observedGeneration", 1)), false),
            ("to be run", "Job", of(one("completions", 1), none()), true),
            ("complete", "Job", of(one("completions", 1), over), false),
            ("suspended", "Job", of(value!({"suspend": true}), none()), false),
            ("with no completions", "Job", of(one("completions", 0), none()), false),
            ("with a schedule", "CronJob", of(none(), none()), true),
            ("suspended", "CronJob", of(value!({"suspend": true}), none()), false),
            ("never looked at", "HorizontalPodAutoscaler", of(none(), none()), true),
            ("pending", "PersistentVolumeClaim", of(none(), value!({"phase": "Pending"})), true),
            ("bound", "PersistentVolumeClaim", of(none(), value!({"phase": "Bound"})), false),
            ("not approved", "CertificateSigningRequest", of(value!({"signerName": "kubernetes.io/kubelet-serving"}), none()), false),
        ];
        for (name, kind, object, expected) in table {
            assert_eq!(wants(kind, object), expected, "{kind} {name}");
        }
    }

    #[test]
    fn no_loop_of_ours_acts_on_what_is_said_to_have_none() {
        for absent in ALL {
            let own = absent.upstream.trim_end_matches("-controller");
            assert!(super::super::ALL.iter().all(|r| r.controller.name() != own), "{} has a loop now", absent.kind);
        }
    }
}
