//! Documents of faults: what is read is written as it was, and what is wrong is named.

use super::{FAMILIES, Fault, form_keys};
use crate::api::Value;
use crate::api::json;

fn document(text: &str) -> Value {
    json::parse(text).expect("the table's documents are JSON")
}

/// One of each form, as `docs/scenarios.md` shows them.
const ALL: [&str; 31] = [
    r#"{"lostWakeUp":"replicaset","about":"pods/web-1"}"#,
    r#"{"lostOnWire":"kube-controller-manager","about":"shop/pods/web-1"}"#,
    r#"{"delay":"kube-scheduler","about":"pods/web-1","seconds":1.5}"#,
    r#"{"duplicate":"kubelet:node-1","about":"pods/web-1","seconds":0}"#,
    r#"{"next":"kube-controller-manager","kind":"pods"}"#,
    r#"{"next":"kube-controller-manager","kind":"replicasets.apps","seconds":3}"#,
    r#"{"freeze":"kube-controller-manager","kind":"pods"}"#,
    r#"{"freeze":"kube-controller-manager","kind":"pods","for":30}"#,
    r#"{"resync":"kube-controller-manager","kind":"pods"}"#,
    r#"{"disconnect":"kube-controller-manager","kind":"pods"}"#,
    r#"{"relist":"kube-controller-manager","kind":"pods"}"#,
    r#"{"fail":"deployment","with":409,"times":1}"#,
    r#"{"fail":"deployment","verb":"create","kind":"replicasets.apps","with":429,"times":3}"#,
    r#"{"fail":"kubelet:node-1","with":500,"times":2}"#,
    r#"{"fail":"replicaset","verb":"create","with":"timeout","times":1}"#,
    r#"{"fail":"replicaset","verb":"create","with":"timeout","committed":true,"seconds":34,"times":1}"#,
    r#"{"crash":"replicaset","afterWrite":2}"#,
    r#"{"crash":"deployment@kube-controller-manager","afterWrite":1,"restart":20}"#,
    r#"{"crash":"scheduler","afterWrite":1,"restart":"never"}"#,
    r#"{"twoLeaders":"kube-controller-manager"}"#,
    r#"{"twoLeaders":"kube-scheduler","for":15}"#,
    r#"{"etcd":"slow","seconds":0.5}"#,
    r#"{"etcd":"compact"}"#,
    r#"{"node":"node-1","is":"down"}"#,
    r#"{"node":"node-1","is":"up"}"#,
    r#"{"node":"node-1","is":"cutOff","for":400}"#,
    r#"{"registry":"docker.io","is":"down"}"#,
    r#"{"registry":"*","is":"down"}"#,
    r#"{"registry":"docker.io","is":"up"}"#,
    r#"{"kill":"web-1/web"}"#,
    r#"{"kill":"web-1/web","namespace":"shop"}"#,
];

#[test]
fn what_is_read_is_written_as_it_was() {
    for text in ALL {
        let read = document(text);
        let fault = Fault::parse(&read).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!(fault.document(), read, "{text}");
        let json = serde_json::to_string(&fault).unwrap();
        assert_eq!(serde_json::from_str::<Fault>(&json).unwrap(), fault, "{text}");
        assert!(!read.get(fault.key()).is_null(), "{text}");
    }
    for key in form_keys() {
        assert!(ALL.iter().any(|text| !document(text).get(key).is_null()), "{key} is in no row");
    }
    assert!(FAMILIES.len() >= 6);
}

#[test]
fn words_of_people_are_read_too() {
    for (said, kept) in [
        (r#"{"lostOnWire":"kube-scheduler","about":"pod/a"}"#, r#"{"lostOnWire":"kube-scheduler","about":"pods/a"}"#),
        (r#"{"freeze":"kube-scheduler","kind":"deploy"}"#, r#"{"freeze":"kube-scheduler","kind":"deployments.apps"}"#),
        (r#"{"fail":"deployment","with":500}"#, r#"{"fail":"deployment","with":500,"times":1}"#),
        (r#"{"crash":"deployment"}"#, r#"{"crash":"deployment","afterWrite":1}"#),
    ] {
        assert_eq!(Fault::parse(&document(said)).unwrap().document(), document(kept), "{said}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    let long = format!(r#"{{"freeze":"{}","kind":"pods"}}"#, "x".repeat(300));
    let table: [(&str, &str); 21] = [
        ("[]", "a fault is a map"),
        ("{}", "unknown fault \"\""),
        (r#"{"dance":"yes"}"#, "unknown fault \"dance\" (known: lostWakeUp,"),
        (r#"{"freeze":"kube-scheduler"}"#, "freeze: \"kind\" wants a name"),
        (r#"{"freeze":"kube-scheduler","kind":"cats"}"#, "freeze: unknown kind \"cats\""),
        (r#"{"freeze":"kube-scheduler","kind":"pods","secs":3}"#, "freeze: unknown field \"secs\" (known: kind, for)"),
        (r#"{"freeze":"kube-scheduler","kind":"pods","for":0}"#, "freeze: \"for\" wants a number of seconds above 0"),
        (r#"{"freeze":7,"kind":"pods"}"#, "freeze: \"freeze\" wants a name"),
        (&long, "freeze: \"freeze\" wants a name"),
        (r#"{"relist":"kube-scheduler","kind":"pods","for":3}"#, "relist: \"for\" is for faults that last"),
        (r#"{"lostOnWire":"kube-scheduler","about":"a"}"#, "lostOnWire: \"about\" wants KIND/NAME"),
        (r#"{"delay":"kube-scheduler","about":"pod/a","seconds":-1}"#, "delay: \"seconds\" wants a number of seconds from 0 to 86400"),
        (r#"{"delay":"kube-scheduler","about":"pod/a","seconds":1e99}"#, "delay: \"seconds\" wants"),
        (r#"{"fail":"deployment","with":418}"#, "fail: \"with\" wants 409, 429, 500 or timeout"),
        (r#"{"fail":"deployment","with":409,"committed":true}"#, "fail: \"committed\" is for with: timeout"),
        (r#"{"fail":"deployment","with":409,"verb":"dance"}"#, "fail: \"verb\" wants one of get,"),
        (r#"{"fail":"deployment","with":409,"times":0}"#, "fail: \"times\" wants a whole number"),
        (r#"{"crash":"deployment","restart":"soon"}"#, "crash: \"restart\" wants a number of seconds, or never"),
        (r#"{"twoLeaders":"kubelet:node-1"}"#, "twoLeaders: \"twoLeaders\" wants kube-controller-manager or kube-scheduler"),
        (r#"{"etcd":"slow"}"#, "etcd: \"seconds\" wants"),
        (r#"{"node":"node-1","is":"sad"}"#, "node: \"is\" wants down, up or cutOff"),
    ];
    for (text, why) in table {
        let said = Fault::parse(&document(text)).unwrap_err();
        assert!(said.starts_with(why) && said.len() < 300, "{text}: {said}");
    }
}
