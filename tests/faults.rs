//! What each fault does, that it ends, and that the loops come to what was asked for after it. One row a fault: a Deployment
//! is there, the fault begins, something is done, something must be seen meanwhile; then all faults end.

use loopscope::api::resource::{NODES, PODS, REPLICA_SETS};
use loopscope::api::{Str, Value, json};
use loopscope::cluster::{Activity, Cluster, Detail, Fault, Phase, StepRecord, UserAction, Verdict};
use loopscope::scenario::format::config_of;
use loopscope::session::action::Action;
use loopscope::session::{Session, link};
use loopscope::value;

const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers: [{name: web, image: 'app:1'}]\n";

fn document(text: &str) -> Value {
    json::parse(text).expect("the table's documents are JSON")
}

fn fault(text: &str) -> UserAction {
    UserAction::Fault(Fault::parse(&document(text)).unwrap_or_else(|why| panic!("{text}: {why}")))
}

fn kubectl(line: &str) -> UserAction {
    let files = vec![(Str::fixed("web.yaml"), Str::fixed(WEB))];
    UserAction::Kubectl { words: line.split(' ').map(Str::from).collect(), files }
}

fn user(world: &mut Cluster, action: UserAction) -> std::rc::Rc<StepRecord> {
    world.step(Activity::User(action))
}

fn pass(world: &mut Cluster, seconds: u64) {
    let until = world.now().after_ms(seconds * 1000);
    world.run_until(until);
}

/// Three nodes, and the Deployment `web` with three ready pods.
fn settled() -> Cluster {
    let node = |n: i64| value!({"name": (format!("node-{n}")), "cpu": "4", "memory": "8Gi", "pods": 110_i64});
    let cluster = value!({"nodes": ((1..=3).map(node).collect::<Value>()), "images": {"app:1": {"pullSeconds": 1_i64}, "app:2": {"pullSeconds": 1_i64}}});
    let mut world = Cluster::boot(&config_of(&cluster, 1, false).expect("the cluster can be read"));
    user(&mut world, kubectl("apply -f web.yaml"));
    assert_eq!(settle(&mut world), Verdict::Converged);
    world
}

fn settle(world: &mut Cluster) -> Verdict {
    let until = world.now().after_ms(30 * 60 * 1000);
    world.run_until_settled(until)
}

fn ready(w: &Cluster) -> usize {
    w.etcd().list(&PODS, "default").filter(|p| p.condition_is_true("Ready") && !p.is_deleting()).count()
}

fn pods(w: &Cluster) -> usize {
    w.etcd().list(&PODS, "default").filter(|p| !p.is_deleting()).count()
}

fn sets(w: &Cluster) -> usize {
    w.etcd().list(&REPLICA_SETS, "default").count()
}

fn runs(w: &Cluster, process: &str) -> bool {
    w.process_named(process).is_some_and(|id| w.process(id).running)
}

fn said(w: &Cluster, text: &str) -> bool {
    w.records().iter().filter_map(|r| r.sync()).any(|s| s.failed.as_ref().is_some_and(|f| f.contains(text)))
}

fn waits(w: &Cluster) -> bool {
    w.records().iter().filter_map(|r| r.sync()).any(|s| s.waits)
}

fn pod_text(w: &Cluster, text: &str) -> bool {
    w.etcd().list(&PODS, "default").any(|p| serde_json::to_string(&p.0).expect("a pod can be written").contains(text))
}

fn is_unknown(w: &Cluster) -> bool {
    w.etcd().list(&NODES, "").any(|n| n.condition("Ready").is_some_and(|c| c.get("status").text() == "Unknown"))
}

type Seen = fn(&Cluster) -> bool;

/// The fault, what is done then, for how long, what must be so then, and how many pods are asked for in the end.
const TABLE: [(&str, &str, u64, Seen, usize); 16] = [
    (r#"{"freeze":"kube-controller-manager","kind":"deployments.apps"}"#, "scale deployment web --replicas=5", 30, |w| pods(w) == 3, 5),
    (
        r#"{"freeze":"kube-controller-manager","kind":"deployments.apps","for":10}"#,
        "scale deployment web --replicas=5",
        30,
        |w| pods(w) == 5 && w.rules().count() == 0,
        5,
    ),
    (
        r#"{"next":"kube-controller-manager","kind":"deployments.apps"}"#,
        "scale deployment web --replicas=5",
        5,
        |w| pods(w) == 3 && w.rules().count() == 0,
        5,
    ),
    (
        r#"{"next":"kube-controller-manager","kind":"deployments.apps","seconds":20}"#,
        "scale deployment web --replicas=5",
        25,
        |w| pods(w) == 5,
        5,
    ),
    (
        r#"{"fail":"replicaset","verb":"create","with":429,"times":3}"#,
        "scale deployment web --replicas=4",
        2,
        |w| pods(w) == 3 && waits(w) && !said(w, "too many"),
        4,
    ),
    (
        r#"{"fail":"replicaset","verb":"create","with":429,"times":11}"#,
        "scale deployment web --replicas=4",
        12,
        |w| said(w, "too many requests"),
        4,
    ),
    (r#"{"fail":"replicaset","verb":"create","with":"timeout","times":1}"#, "scale deployment web --replicas=4", 0, |w| pods(w) == 3, 4),
    (
        r#"{"fail":"replicaset","verb":"create","with":"timeout","committed":true,"seconds":34,"times":1}"#,
        "scale deployment web --replicas=4",
        10,
        |w| pods(w) == 4 && ready(w) == 4,
        4,
    ),
    (
        r#"{"fail":"deployment","verb":"create","with":"timeout","committed":true,"times":1}"#,
        "set image deployment/web web=app:2",
        20,
        |w| sets(w) == 2,
        3,
    ),
    (
        r#"{"crash":"replicaset","afterWrite":2,"restart":20}"#,
        "scale deployment web --replicas=6",
        10,
        |w| pods(w) == 5 && !runs(w, "kube-controller-manager"),
        6,
    ),
    (
        r#"{"crash":"deployment","afterWrite":1,"restart":"never"}"#,
        "scale deployment web --replicas=6",
        60,
        |w| !runs(w, "kube-controller-manager"),
        6,
    ),
    (
        r#"{"twoLeaders":"kube-controller-manager"}"#,
        "scale deployment web --replicas=5",
        20,
        |w| runs(w, "kube-controller-manager:2") && ready(w) == 5,
        5,
    ),
    (r#"{"etcd":"slow","seconds":5}"#, "scale deployment web --replicas=4", 6, |w| ready(w) == 3, 4),
    (
        r#"{"node":"node-1","is":"cutOff"}"#,
        "get pods",
        400,
        |w| is_unknown(w) && ready(w) == 3 && w.etcd().list(&PODS, "default").any(|p| p.is_deleting()),
        3,
    ),
    (
        r#"{"registry":"docker.io","is":"down"}"#,
        "set image deployment/web web=app:2",
        60,
        |w| pod_text(w, "dial tcp: i/o timeout") && ready(w) == 3,
        3,
    ),
    (r#"{"lostWakeUp":"replicaset","about":"pods/none"}"#, "get pods", 1, |w| w.rules().count() == 1, 3),
];

#[test]
fn each_fault_does_what_it_says_and_ends() {
    let ready_world = settled();
    for (text, deed, seconds, seen, wanted) in TABLE {
        let mut world = ready_world.clone();
        let began = user(&mut world, fault(text));
        assert!(matches!(began.detail, Detail::None), "{text}: {:?}", began.detail);
        assert_eq!(began.faults.last().map(|m| m.phase), Some(Phase::Began), "{text}");
        user(&mut world, kubectl(deed));
        pass(&mut world, seconds);
        assert!(seen(&world), "{text}: {} pods, {} ready", pods(&world), ready(&world));
        user(&mut world, UserAction::ClearFaults);
        assert_eq!(world.rules().count(), 0, "{text}");
        for process in ["kube-controller-manager", "kube-scheduler"] {
            user(&mut world, UserAction::StartProcess(Str::fixed(process)));
        }
        let relist = r#"{"relist":"kube-controller-manager","kind":"deployments.apps"}"#;
        user(&mut world, fault(relist));
        assert_eq!(settle(&mut world), Verdict::Converged, "{text}");
        assert_eq!((pods(&world), ready(&world)), (wanted, wanted), "{text}");
        assert!(world.process_named("kube-controller-manager:2").is_none(), "{text}");
        let ended = world.records().iter().flat_map(|r| &r.faults).any(|m| m.phase == Phase::Ended);
        assert!(ended, "{text}: a record says that it ended");
    }
}

#[test]
fn a_compacted_etcd_makes_who_watches_again_list() {
    for (compacted, lists) in [(false, false), (true, true)] {
        let mut world = settled();
        if compacted {
            user(&mut world, fault(r#"{"etcd":"compact"}"#));
        }
        let from = world.records().len();
        user(&mut world, fault(r#"{"disconnect":"kube-controller-manager","kind":"replicasets.apps"}"#));
        pass(&mut world, 1);
        let listed = world.records().iter().skip(from).any(|r| matches!(r.activity, Activity::List { .. }));
        assert_eq!(listed, lists, "compacted: {compacted}");
        assert_eq!(world.etcd().compacted(), 0, "the past can still be looked at");
    }
}

#[test]
fn a_fault_of_what_does_not_exist_is_refused() {
    let mut world = settled();
    for (text, why) in [
        (r#"{"freeze":"kube-proxy","kind":"pods"}"#, "no process is named \"kube-proxy\""),
        (r#"{"freeze":"kube-scheduler","kind":"configmaps"}"#, "\"kube-scheduler\" does not watch configmaps"),
        (r#"{"fail":"argo","with":500}"#, "no loop is named \"argo\""),
        (r#"{"crash":"deployment@kube-scheduler"}"#, "no loop is named \"deployment@kube-scheduler\""),
        (r#"{"node":"node-9","is":"cutOff"}"#, "no node is named \"node-9\""),
    ] {
        let record = user(&mut world, fault(text));
        assert!(matches!(&record.detail, Detail::Said(said) if *said == *why), "{text}: {:?}", record.detail);
        assert_eq!(world.rules().count(), 0, "{text}");
    }
}

#[test]
fn a_link_holds_faults_and_their_ends() {
    let mut session = Session::begin("first", 7);
    let good = document(r#"{"freeze":"kube-controller-manager","kind":"pods","for":60}"#);
    session.act(&Action::Fault { document: good.clone() }).expect("it can begin");
    session.act(&Action::Fault { document: document(r#"{"twoLeaders":"kube-controller-manager"}"#) }).expect("it can begin");
    session.act(&Action::EndFault { fault: 1 }).expect("it can end");
    let bad = session.act(&Action::Fault { document: document(r#"{"freeze":"kube-controller-manager","kind":"cats"}"#) });
    assert!(format!("{:?}", bad.expect_err("there is no such kind")).contains("unknown kind"));
    session.act(&Action::Advance { ms: 5_000 }).expect("time passes");
    let opened = Session::open(&session.link()).expect("its own link");
    assert_eq!(opened.newest().world.digest(), session.newest().world.digest(), "core {}", link::CORE);
    let left: Vec<u64> = opened.newest().world.rules().map(|r| r.id).collect();
    assert_eq!(left, [2]);
    assert!(session.act(&Action::EndFault { fault: 9 }).is_err(), "no fault has that number");
}
