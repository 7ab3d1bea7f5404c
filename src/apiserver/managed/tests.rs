//! What becomes of `managedFields` at writes of several managers, in the server's form.

use super::*;
use crate::api::schema;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn writer(manager: &str, subresource: &str) -> Writer {
    Writer { manager: Str::from(manager), apply: false, api_version: Str::fixed("v1"), subresource: Str::from(subresource) }
}

/// The pod after a write.
fn written(old: Option<&Object>, new: &str, by: &Writer, at_ms: u64) -> Object {
    let schema = schema::of_type("v1", "Pod");
    let mut new = Object(json(new));
    on_update(old, &mut new, by, Time(at_ms), schema.as_ref(), reset::fields("Pod", false, &by.subresource));
    new
}

/// Manager, subresource, time and set of each entry.
fn entries(object: &Object) -> Vec<(String, String, String, String)> {
    let text = |v: &Value| v.text().to_string();
    let list = object.0.at(&["metadata", "managedFields"]).items().iter();
    list.map(|e| {
        let set = serde_json::to_string(e.get("fieldsV1")).unwrap();
        (text(e.get("manager")), text(e.get("subresource")), text(e.get("time")), set)
    })
    .collect()
}

const POD: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"app":"web"}},
    "spec":{"containers":[{"name":"web","image":"web:1","resources":{},"ports":[{"containerPort":80,"protocol":"TCP"}]}],"dnsPolicy":"Default"}}"#;

#[test]
fn who_creates_owns_what_it_set_but_no_identity() {
    let pod = written(None, POD, &writer("kubectl-create", ""), 0);
    let set = concat!(
        r#"{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:image":{},"f:name":{},"#,
        r#""f:ports":{".":{},"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:protocol":{}}},"#,
        r#""f:resources":{}}},"f:dnsPolicy":{}}}"#
    );
    assert_eq!(entries(&pod), [("kubectl-create".into(), "".into(), "2026-01-01T00:00:00Z".into(), set.into())]);
}

#[test]
fn a_changed_field_changes_hands_and_only_it() {
    let old = written(None, POD, &writer("a", ""), 0);
    let new = written(Some(&old), &POD.replace("web:1", "web:2"), &writer("b", ""), 5_000);
    let [first, second] = &entries(&new)[..] else { panic!("two entries") };
    assert!(!first.3.contains("f:image") && first.3.contains("f:name"));
    assert_eq!(second.3, r#"{"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{"f:image":{}}}}}"#);
    assert_eq!((first.2.as_str(), second.2.as_str()), ("2026-01-01T00:00:00Z", "2026-01-01T00:00:05Z"));
}

#[test]
fn what_is_removed_nobody_owns_and_removing_is_no_change_of_owner() {
    let old = written(None, POD, &writer("a", ""), 0);
    let new = written(Some(&old), &POD.replace(r#","dnsPolicy":"Default""#, ""), &writer("b", ""), 5_000);
    let [only] = &entries(&new)[..] else { panic!("one entry") };
    assert!(only.0 == "a" && !only.3.contains("dnsPolicy") && only.2 == "2026-01-01T00:00:00Z");
}

#[test]
fn a_status_write_owns_status_and_nothing_else() {
    let old = written(None, POD, &writer("a", ""), 0);
    let status = r#","status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastProbeTime":null}]}}"#;
    let mut text = POD.replace("web:1", "web:2");
    text.truncate(text.len() - 1);
    let new = written(Some(&old), &(text + status), &writer("kubelet", "status"), 1_000);
    let [first, second] = &entries(&new)[..] else { panic!("two entries") };
    assert!(first.3.contains("f:image"));
    let set = r#"{"f:status":{"f:conditions":{".":{},"k:{\"type\":\"Ready\"}":{".":{},"f:lastProbeTime":{},"f:status":{},"f:type":{}}},"f:phase":{}}}"#;
    assert_eq!((second.0.as_str(), second.1.as_str(), second.3.as_str()), ("kubelet", "status", set));
}

#[test]
fn a_write_that_changes_nothing_leaves_the_same_shared_entries() {
    let old = written(None, POD, &writer("a", ""), 0);
    let new = written(Some(&old), POD, &writer("b", ""), 9_000);
    assert!(new.0.at(&["metadata", "managedFields"]).same(old.0.at(&["metadata", "managedFields"])));
}

#[test]
fn entries_are_dropped_when_the_request_sends_an_empty_list() {
    let old = written(None, POD, &writer("a", ""), 0);
    let new = POD.replace(r#""labels""#, r#""managedFields":[{}],"labels""#).replace("web:1", "web:2");
    let new = written(Some(&old), &new, &writer("b", ""), 0);
    assert_eq!(entries(&new).iter().map(|e| e.0.as_str()).collect::<Vec<_>>(), ["b"]);
}

#[test]
fn the_oldest_of_more_than_ten_updates_are_merged() {
    let mut pod = written(None, POD, &writer("m00", ""), 0);
    let mut labels = String::from(r#""app":"web""#);
    for i in 1..12_u64 {
        labels += &format!(r#","l{i}":"x""#);
        pod = written(Some(&pod), &POD.replace(r#""app":"web""#, &labels), &writer(&format!("m{i:02}"), ""), i * 1_000);
    }
    let all = entries(&pod);
    let names: Vec<&str> = all.iter().map(|e| e.0.as_str()).collect();
    assert_eq!(names, ["ancient-changes", "m03", "m04", "m05", "m06", "m07", "m08", "m09", "m10", "m11"]);
    assert!(["f:dnsPolicy", "f:l1", "f:l2"].iter().all(|field| all[0].3.contains(field)), "{}", all[0].3);
    assert_eq!(all[0].2, "2026-01-01T00:00:02Z");
}
