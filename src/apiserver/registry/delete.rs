//! What a deletion means for each kind: grace, propagation, finalizers. After upstream's `CheckGracefulDelete`
//! of pods and `rest.GarbageCollectionDeleteStrategy`.

use crate::api::{DeleteOptions, Propagation, Resource, Value};

/// Seconds of grace that deleting this object gets, `None` for kinds that go at once. A pod that has no
/// node yet or has ended goes at once (0).
pub fn graceful(resource: &Resource, object: &Value, options: &DeleteOptions) -> Option<i64> {
    if resource.0 != "pods" {
        return None;
    }
    let spec = object.get("spec");
    let asked = options.grace_period_seconds.unwrap_or_else(|| spec.get("terminationGracePeriodSeconds").as_int().unwrap_or(30));
    let ended = matches!(object.at(&["status", "phase"]).text(), "Failed" | "Succeeded");
    if spec.get("nodeName").text().is_empty() || ended {
        return Some(0);
    }
    // A negative period means the least there is.
    Some(if asked < 0 { 1 } else { asked })
}

/// What a deletion that says nothing does with dependents: Jobs and ReplicationControllers leave theirs.
pub fn default_propagation(resource: &Resource) -> Propagation {
    match resource.0.as_str() {
        "jobs.batch" | "replicationcontrollers" => Propagation::Orphan,
        _ => Propagation::Background,
    }
}

/// The finalizers that a deletion with this propagation adds to the object's own (`orphan`, `foregroundDeletion`), in the
/// order in which they are stored.
pub fn finalizers_on_delete(resource: &Resource, object: &Value, options: &DeleteOptions) -> Vec<Value> {
    let had = object.at(&["metadata", "finalizers"]).items();
    let marked = |name: &str| had.iter().any(|f| f.text() == name);
    let propagation = match options.propagation {
        Some(asked) => asked,
        None if marked("orphan") => Propagation::Orphan,
        None if marked("foregroundDeletion") => Propagation::Foreground,
        None => default_propagation(resource),
    };
    let mut kept: Vec<Value> = had.iter().filter(|f| !matches!(f.text(), "orphan" | "foregroundDeletion")).cloned().collect();
    match propagation {
        Propagation::Orphan => kept.push(Value::from("orphan")),
        Propagation::Foreground => kept.push(Value::from("foregroundDeletion")),
        Propagation::Background => {}
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::resource::{DEPLOYMENTS, PODS};
    use crate::value;

    #[test]
    fn grace_is_for_pods_that_run() {
        let options = |grace| DeleteOptions { grace_period_seconds: grace, ..DeleteOptions::default() };
        let running = value!({"spec": {"nodeName": "a", "terminationGracePeriodSeconds": 7_i64}, "status": {"phase": "Running"}});
        let waiting = value!({"spec": {"terminationGracePeriodSeconds": 7_i64}, "status": {"phase": "Pending"}});
        let ended = value!({"spec": {"nodeName": "a"}, "status": {"phase": "Failed"}});
        for (name, resource, object, asked, expected) in [
            ("its own", &PODS, &running, None, Some(7)),
            ("asked for", &PODS, &running, Some(2), Some(2)),
            ("forced", &PODS, &running, Some(0), Some(0)),
            ("no node", &PODS, &waiting, None, Some(0)),
            ("ended", &PODS, &ended, None, Some(0)),
            ("no pod", &DEPLOYMENTS, &running, None, None),
        ] {
            assert_eq!(graceful(resource, object, &options(asked)), expected, "{name}");
        }
    }

    #[test]
    fn propagation_becomes_a_finalizer() {
        let object = value!({"metadata": {"finalizers": ["mine", "orphan"]}});
        let with = |propagation| DeleteOptions { propagation, ..DeleteOptions::default() };
        let names = |p| finalizers_on_delete(&DEPLOYMENTS, &object, &with(p));
        assert_eq!(names(Some(Propagation::Background)), vec![Value::from("mine")]);
        assert_eq!(names(Some(Propagation::Foreground)), vec![Value::from("mine"), Value::from("foregroundDeletion")]);
        assert_eq!(names(None), vec![Value::from("mine"), Value::from("orphan")]);
    }
}
