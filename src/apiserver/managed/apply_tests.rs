//! Server-side apply by two teams: sharing, conflicts, force, giving up.

use super::*;
use crate::api::{Status, schema};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn applied(live: Option<&Object>, manager: &str, fields: &str, force: bool) -> Result<Object, Status> {
    let schema = schema::of_type("v1", "Service");
    let text = format!(r#"{{"apiVersion":"v1","kind":"Service","metadata":{{"name":"web"}},{fields}}}"#);
    let writer = Writer { manager: Str::from(manager), apply: true, api_version: Str::fixed("v1"), subresource: Str::default() };
    let request = Apply { writer: &writer, force, now: Time(0), schema: schema.as_ref(), reset: reset::fields("Service", false, "") };
    apply(live, &json(&text), &request)
}

/// Manager and set of each entry.
fn owners(object: &Object) -> Vec<(String, String)> {
    let entries = object.0.at(&["metadata", "managedFields"]).items().iter();
    entries.map(|e| (e.get("manager").text().to_string(), serde_json::to_string(e.get("fieldsV1")).unwrap())).collect()
}

const PORT: &str = r#""spec":{"type":"ClusterIP","ports":[{"port":80,"targetPort":8080}]}"#;

fn first() -> Object {
    applied(None, "a", PORT, false).unwrap()
}

#[test]
fn who_applies_owns_what_it_names() {
    let set = concat!(
        r#"{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:targetPort":{}}},"#,
        r#""f:type":{}}}"#
    );
    assert_eq!(owners(&first()), [("a".to_string(), set.to_string())]);
}

#[test]
fn equal_values_are_shared_and_given_up_without_loss() {
    let both = applied(Some(&first()), "b", r#""spec":{"type":"ClusterIP"}"#, false).unwrap();
    assert_eq!(owners(&both).len(), 2);
    let left = applied(Some(&both), "a", r#""spec":{"ports":[{"port":80,"targetPort":8080}]}"#, false).unwrap();
    assert_eq!(left.0.at(&["spec", "type"]).text(), "ClusterIP", "b still applies it");
    let gone = applied(Some(&left), "b", r#""spec":{}"#, false).unwrap();
    assert!(gone.0.at(&["spec", "type"]).is_null(), "nobody applies it");
    assert_eq!(gone.0.at(&["spec", "ports"]).items().len(), 1);
}

#[test]
fn an_item_no_longer_applied_goes_and_items_of_others_stay() {
    let two = r#""spec":{"ports":[{"port":90},{"port":91}]}"#;
    let all = applied(Some(&first()), "b", two, false).unwrap();
    let ports = |o: &Object| o.0.at(&["spec", "ports"]).items().iter().map(|p| p.get("port").int()).collect::<Vec<_>>();
    assert_eq!(ports(&all), [80, 90, 91]);
    let fewer = applied(Some(&all), "b", r#""spec":{"ports":[{"port":91}]}"#, false).unwrap();
    assert_eq!(ports(&fewer), [80, 91]);
}

#[test]
fn a_conflict_names_manager_and_field_and_force_takes_the_field() {
    let other = PORT.replace("8080", "9090");
    let refused = applied(Some(&first()), "b", &other, false).unwrap_err();
    let text = r#"Apply failed with 1 conflict: conflict with "a": .spec.ports[port=80,protocol="TCP"].targetPort"#;
    assert_eq!((refused.code, refused.message.as_str()), (409, text));
    assert_eq!(refused.details.at(&["causes"]).item(0).get("message").text(), r#"conflict with "a""#);
    let forced = applied(Some(&first()), "b", &other, true).unwrap();
    let sets = owners(&forced);
    assert!(!sets[0].1.contains("targetPort") && sets[1].1.contains("targetPort"), "{sets:?}");
}

#[test]
fn conflicts_with_updates_say_version_and_subresource() {
    let mut live = first();
    let before = live.clone();
    live.0.set_at(&["spec", "type"], "NodePort");
    live.0.set_at(&["spec", "ports"], json(r#"[{"port":80,"targetPort":1}]"#));
    let writer = Writer { manager: Str::fixed("hand"), apply: false, api_version: Str::fixed("v1"), subresource: Str::fixed("scale") };
    on_update(Some(&before), &mut live, &writer, Time(0), schema::of_type("v1", "Service").as_ref(), &[]);
    let refused = applied(Some(&live), "a", PORT, false).unwrap_err();
    let text = concat!(
        "Apply failed with 2 conflicts: conflicts with \"hand\" with subresource \"scale\" using v1:\n",
        "- .spec.type\n- .spec.ports[port=80,protocol=\"TCP\"].targetPort"
    );
    assert_eq!(refused.message.as_str(), text);
}

#[test]
fn applying_the_same_again_changes_nothing() {
    let again = applied(Some(&first()), "a", PORT, false).unwrap();
    assert_eq!(again, first());
}

#[test]
fn kubectl_takes_over_what_it_applied_on_the_client_side() {
    let annotation = r#""metadata":{"name":"web","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"spec\":{\"type\":\"ClusterIP\"}}\n"}}"#;
    let mut live = Object(json(&format!(r#"{{"apiVersion":"v1","kind":"Service",{annotation},"spec":{{"type":"ClusterIP"}}}}"#)));
    let writer = Writer {
        manager: Str::fixed("kubectl-client-side-apply"),
        apply: false,
        api_version: Str::fixed("v1"),
        subresource: Str::default(),
    };
    on_update(None, &mut live, &writer, Time(0), schema::of_type("v1", "Service").as_ref(), &[]);
    let change = r#""spec":{"type":"NodePort"}"#;
    assert!(applied(Some(&live), "someone", change, false).is_err());
    let taken = applied(Some(&live), "kubectl", change, false).unwrap();
    let config = "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"web\"},\"spec\":{\"type\":\"NodePort\"}}\n";
    let path = ["metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"];
    assert_eq!(taken.0.at(&path).text(), config);
}
