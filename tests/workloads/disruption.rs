//! How many pods may go, and what the server says to an eviction that would be one too many.

use crate::process::Process;
use loopscope::api::resource::{DEPLOYMENTS, PODS};
use loopscope::api::{Object, Request, Resource, Status, Subresource, Value};
use loopscope::value;

const BUDGETS: Resource = Resource::fixed("poddisruptionbudgets.policy");

fn process(budget: Value) -> Process {
    let mut p = Process::new(&["deployment", "replicaset", "disruption"]);
    p.create(
        &DEPLOYMENTS,
        value!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"},
            "spec": {
                "replicas": 3_i64, "selector": {"matchLabels": {"app": "web"}},
                "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "web:1"}]}}
            }
        }),
    );
    p.live_ms(1000);
    p.create(&BUDGETS, of("web", budget));
    p.live_ms(1000);
    p
}

fn of(name: &'static str, mut spec: Value) -> Value {
    spec.set("selector", value!({"matchLabels": {"app": "web"}}));
    value!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": "default"}, "spec": spec})
}

fn evict(p: &mut Process, pod: &Object) -> Result<(), Status> {
    let body =
        value!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": (pod.meta().get("name")), "namespace": "default"}});
    let request = Request::create(&PODS, body.into()).on(Subresource::Eviction);
    p.send(Request { namespace: "default".into(), name: pod.name().into(), ..request }).map(drop)
}

fn numbers(p: &Process) -> [i64; 4] {
    let all = p.all(&BUDGETS);
    let status = all[0].status();
    ["expectedPods", "currentHealthy", "desiredHealthy", "disruptionsAllowed"].map(|f| status.get(f).int())
}

fn reason(p: &Process) -> String {
    p.all(&BUDGETS)[0].condition("DisruptionAllowed").map(|c| c.get("reason").text().to_string()).unwrap_or_default()
}

#[test]
fn a_budget_is_reckoned_from_what_its_pods_were_asked_to_be() {
    let table: [(&str, Value, [i64; 4], &str); 6] = [
        ("at least 2", value!({"minAvailable": 2_i64}), [3, 3, 2, 1], "SufficientPods"),
        ("at least as many as there are", value!({"minAvailable": 3_i64}), [3, 3, 3, 0], "InsufficientPods"),
        ("at least half, rounded up", value!({"minAvailable": "50%"}), [3, 3, 2, 1], "SufficientPods"),
        ("at most 1 missing", value!({"maxUnavailable": 1_i64}), [3, 3, 2, 1], "SufficientPods"),
        ("at most a third missing, rounded up", value!({"maxUnavailable": "34%"}), [3, 3, 1, 2], "SufficientPods"),
        ("more missing than there are", value!({"maxUnavailable": 9_i64}), [3, 3, 0, 3], "SufficientPods"),
    ];
    for (name, spec, expected, why) in table {
        let p = process(spec);
        assert_eq!((numbers(&p), reason(&p).as_str()), (expected, why), "{name}");
        assert_eq!(p.all(&BUDGETS)[0].status().get("observedGeneration").int(), 1, "{name}");
    }
}

#[test]
fn an_eviction_too_many_is_refused_until_the_pod_is_replaced() {
    let mut p = process(value!({"minAvailable": 2_i64}));
    let pods = p.all(&PODS);
    evict(&mut p, &pods[0]).expect("one may go");
    let granted = p.all(&BUDGETS)[0].status().clone();
    assert!(!granted.get("disruptedPods").get(pods[0].name()).is_null(), "the grant is noted at once: {granted:?}");
    let refused = evict(&mut p, &pods[1]).expect_err("none is left");
    assert_eq!((refused.code, &*refused.reason), (429, "TooManyRequests"));
    assert_eq!(&*refused.message, "Cannot evict pod as it would violate the pod's disruption budget.");
    let cause = refused.details.get("causes").item(0);
    assert_eq!(cause.get("reason").text(), "DisruptionBudget");
    p.run_ms(100);
    let refused = evict(&mut p, &pods[1]).expect_err("its successor is not ready");
    let told = refused.details.get("causes").item(0).get("message").to_str();
    assert_eq!(&*told, "The disruption budget web needs 2 healthy pods and has 2 currently");
    p.live_ms(2000);
    assert!(p.all(&BUDGETS)[0].status().get("disruptedPods").is_null());
    evict(&mut p, &pods[1]).expect("the first was replaced");
}

#[test]
fn two_budgets_of_one_pod_are_more_than_the_server_knows_to_ask() {
    let mut p = process(value!({"minAvailable": 1_i64}));
    p.create(&BUDGETS, of("web-2", value!({"maxUnavailable": 1_i64})));
    p.live_ms(1000);
    let pods = p.all(&PODS);
    let refused = evict(&mut p, &pods[0]).expect_err("two budgets");
    let text = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    assert_eq!((refused.code, &*refused.message), (500, text));
}

#[test]
fn nothing_may_go_where_a_relative_budget_cannot_be_reckoned() {
    let mut p = process(value!({"maxUnavailable": 1_i64}));
    let owner = value!({"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "j", "controller": true});
    p.create(
        &PODS,
        value!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "j-1", "namespace": "default", "labels": {"app": "web"}, "ownerReferences": [owner]},
            "spec": {"containers": [{"name": "c", "image": "web:1"}]}
        }),
    );
    p.live_ms(1000);
    let budget = &p.all(&BUDGETS)[0];
    assert_eq!((reason(&p).as_str(), numbers(&p)[3]), ("SyncFailed", 0));
    assert_eq!(budget.condition("DisruptionAllowed").unwrap().get("message").text(), "jobs.batch does not implement the scale subresource");
    let pods = p.all(&PODS);
    let refused = evict(&mut p, &pods[1]).expect_err("nobody knows how many may go");
    let told = refused.details.get("causes").item(0).get("message").to_str();
    assert!(told.starts_with("The disruption budget web does not allow evicting pods currently because it failed sync: "), "{told}");
}
