//! Strategic patches applied and computed, on real kinds.

use super::*;
use crate::api::{Value, schema};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

const DEPLOYMENT: (&str, &str) = ("apps/v1", "Deployment");
const POD: (&str, &str) = ("v1", "Pod");
const SERVICE: (&str, &str) = ("v1", "Service");

#[test]
fn a_strategic_patch_merges_as_the_schema_says() {
    let rows = [
        ("scalar", POD, r#"{"spec":{"nodeName":"a"}}"#, r#"{"spec":{"nodeName":"b"}}"#, r#"{"spec":{"nodeName":"b"}}"#),
        (
            "null deletes",
            POD,
            r#"{"metadata":{"labels":{"a":"1","b":"2"}}}"#,
            r#"{"metadata":{"labels":{"a":null,"c":null}}}"#,
            r#"{"metadata":{"labels":{"b":"2"}}}"#,
        ),
        (
            "items by key, in the order of the patch",
            POD,
            r#"{"spec":{"containers":[{"name":"a","image":"1"},{"name":"b"}]}}"#,
            r#"{"spec":{"containers":[{"name":"c"},{"name":"a","image":"2"}]}}"#,
            r#"{"spec":{"containers":[{"name":"c"},{"name":"a","image":"2"},{"name":"b"}]}}"#,
        ),
        (
            "order is set",
            POD,
            r#"{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}"#,
            r#"{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"containers":[{"name":"a","image":"2"}]}}"#,
            r#"{"spec":{"containers":[{"name":"b"},{"name":"a","image":"2"}]}}"#,
        ),
        (
            "an item is deleted",
            POD,
            r#"{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}"#,
            r#"{"spec":{"containers":[{"name":"a","$patch":"delete"}]}}"#,
            r#"{"spec":{"containers":[{"name":"b"}]}}"#,
        ),
        (
            "a list is replaced",
            POD,
            r#"{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}"#,
            r#"{"spec":{"containers":[{"name":"c"},{"$patch":"replace"}]}}"#,
            r#"{"spec":{"containers":[{"name":"c"}]}}"#,
        ),
        (
            "an atomic list is replaced",
            POD,
            r#"{"spec":{"tolerations":[{"key":"a"}]}}"#,
            r#"{"spec":{"tolerations":[{"key":"b"}]}}"#,
            r#"{"spec":{"tolerations":[{"key":"b"}]}}"#,
        ),
        (
            "a list of scalars is a set",
            POD,
            r#"{"metadata":{"finalizers":["a","b"]}}"#,
            r#"{"metadata":{"finalizers":["b","c"]}}"#,
            r#"{"metadata":{"finalizers":["a","b","c"]}}"#,
        ),
        (
            "scalars are taken out",
            POD,
            r#"{"metadata":{"finalizers":["a","b"]}}"#,
            r#"{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"$setElementOrder/finalizers":["b"]}}"#,
            r#"{"metadata":{"finalizers":["b"]}}"#,
        ),
        (
            "a map is replaced",
            POD,
            r#"{"metadata":{"labels":{"a":"1"}}}"#,
            r#"{"metadata":{"labels":{"$patch":"replace","b":"2"}}}"#,
            r#"{"metadata":{"labels":{"b":"2"}}}"#,
        ),
        (
            "only named keys are retained",
            DEPLOYMENT,
            r#"{"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}}}"#,
            r#"{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}"#,
            r#"{"spec":{"strategy":{"type":"Recreate"}}}"#,
        ),
        (
            "nulls of what is new are dropped",
            POD,
            r#"{}"#,
            r#"{"metadata":{"labels":{"a":null,"b":"1"}}}"#,
            r#"{"metadata":{"labels":{"b":"1"}}}"#,
        ),
        (
            "a condition by type",
            POD,
            r#"{"status":{"conditions":[{"type":"Ready","status":"False"},{"type":"PodScheduled","status":"True"}]}}"#,
            r#"{"status":{"$setElementOrder/conditions":[{"type":"Ready"},{"type":"PodScheduled"}],"conditions":[{"type":"Ready","status":"True"}]}}"#,
            r#"{"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"PodScheduled","status":"True"}]}}"#,
        ),
    ];
    for (name, (api_version, kind), object, patch, want) in rows {
        let schema = schema::of_type(api_version, kind);
        assert_eq!(strategic::apply(&json(object), &json(patch), schema.as_ref()), Ok(json(want)), "{name}");
    }
}

#[test]
fn a_malformed_strategic_patch_is_refused() {
    let rows = [
        ("no merge key", r#"{"spec":{"containers":[{"image":"x"}]}}"#, "map: map[image:x] does not contain declared merge key: name"),
        ("unknown directive", r#"{"spec":{"$patch":"frob"}}"#, "unknown patch type: frob in map: map[$patch:frob]"),
        (
            "order that is no list",
            r#"{"spec":{"$setElementOrder/containers":{}}}"#,
            "expected a []interface {}, but received a map[string]interface {}",
        ),
        ("no map", r#"[]"#, "invalid JSON document"),
    ];
    let schema = schema::of_type("v1", "Pod");
    for (name, patch, text) in rows {
        let refused = strategic::apply(&json(r#"{"spec":{"containers":[{"name":"a"}]}}"#), &json(patch), schema.as_ref()).unwrap_err();
        assert_eq!(refused.message, text, "{name}");
    }
}

#[test]
fn the_difference_of_two_versions_is_a_patch_that_makes_the_second_of_the_first() {
    let rows = [
        ("equal", POD, r#"{"a":1}"#, r#"{"a":1}"#, r#"{}"#),
        (
            "a condition",
            POD,
            r#"{"status":{"conditions":[{"type":"Ready","status":"False"},{"type":"X","status":"True"}]}}"#,
            r#"{"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"X","status":"True"}]}}"#,
            r#"{"status":{"$setElementOrder/conditions":[{"type":"Ready"},{"type":"X"}],"conditions":[{"type":"Ready","status":"True"}]}}"#,
        ),
        (
            "items that go and come",
            SERVICE,
            r#"{"spec":{"ports":[{"port":80},{"port":90}]}}"#,
            r#"{"spec":{"ports":[{"port":80},{"port":443}]}}"#,
            r#"{"spec":{"$setElementOrder/ports":[{"port":80},{"port":443}],"ports":[{"port":443},{"port":90,"$patch":"delete"}]}}"#,
        ),
        (
            "scalars that go and come",
            POD,
            r#"{"metadata":{"finalizers":["a","b"]}}"#,
            r#"{"metadata":{"finalizers":["b","c"]}}"#,
            r#"{"metadata":{"$setElementOrder/finalizers":["b","c"],"$deleteFromPrimitiveList/finalizers":["a"],"finalizers":["c"]}}"#,
        ),
        (
            "an atomic list",
            POD,
            r#"{"spec":{"tolerations":[{"key":"a"}]}}"#,
            r#"{"spec":{"tolerations":[{"key":"b"}]}}"#,
            r#"{"spec":{"tolerations":[{"key":"b"}]}}"#,
        ),
        (
            "retained keys",
            DEPLOYMENT,
            r#"{"spec":{"strategy":{"type":"RollingUpdate","rollingUpdate":{}}}}"#,
            r#"{"spec":{"strategy":{"type":"Recreate"}}}"#,
            r#"{"spec":{"strategy":{"$retainKeys":["type"],"rollingUpdate":null,"type":"Recreate"}}}"#,
        ),
        (
            "order alone",
            POD,
            r#"{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}"#,
            r#"{"spec":{"containers":[{"name":"b"},{"name":"a"}]}}"#,
            r#"{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}}"#,
        ),
    ];
    for (name, (api_version, kind), old, new, want) in rows {
        let schema = schema::of_type(api_version, kind);
        let patch = diff::strategic(&json(old), &json(new), schema.as_ref()).unwrap();
        assert_eq!(patch, json(want), "{name}");
        assert_eq!(strategic::apply(&json(old), &patch, schema.as_ref()), Ok(json(new)), "{name}");
    }
}

#[test]
fn apply_deletes_what_was_applied_before_and_leaves_what_others_set() {
    let last = r#"{"metadata":{"labels":{"old":"1"}},"spec":{"replicas":3,"template":{"spec":{"containers":[{"name":"a","image":"1"},{"name":"side"}]}}}}"#;
    let now = r#"{"metadata":{"labels":{"new":"1"}},"spec":{"template":{"spec":{"containers":[{"name":"a","image":"2"}]}}}}"#;
    let live = r#"{"metadata":{"labels":{"old":"1","theirs":"1"}},"spec":{"replicas":5,"template":{"spec":{"containers":[{"name":"a","image":"1","imagePullPolicy":"Always"},{"name":"side"},{"name":"injected"}]}}}}"#;
    let want = concat!(
        r#"{"metadata":{"labels":{"new":"1","old":null}},"spec":{"replicas":null,"template":{"spec":{"#,
        r#""$setElementOrder/containers":[{"name":"a"}],"containers":[{"image":"2","name":"a"},{"$patch":"delete","name":"side"}]}}}}"#
    );
    let schema = schema::of_type("apps/v1", "Deployment");
    let patch = three_way::strategic(&json(last), &json(now), &json(live), schema.as_ref()).unwrap();
    assert_eq!(patch, json(want));
    let result = strategic::apply(&json(live), &patch, schema.as_ref()).unwrap();
    let want = r#"{"metadata":{"labels":{"new":"1","theirs":"1"}},"spec":{"template":{"spec":{"containers":[{"name":"a","image":"2","imagePullPolicy":"Always"},{"name":"injected"}]}}}}"#;
    assert_eq!(result, json(want));
    let again = three_way::strategic(&json(now), &json(now), &result, schema.as_ref()).unwrap();
    let order = r#"{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"a"}]}}}}"#;
    assert_eq!(again, json(order), "applied twice, only the order is set, as the list is longer than the configuration's");
    assert!(strategic::apply(&result, &again, schema.as_ref()).unwrap().same(&result));
}

#[test]
fn apply_of_a_custom_resource_replaces_lists() {
    let last = r#"{"spec":{"a":1,"b":{"c":1},"l":[1]}}"#;
    let now = r#"{"spec":{"b":{"d":2},"l":[2]}}"#;
    let live = r#"{"spec":{"a":1,"b":{"c":1,"x":9},"l":[1]},"status":{"y":1}}"#;
    let patch = three_way::json_merge(&json(last), &json(now), &json(live));
    assert_eq!(patch, json(r#"{"spec":{"a":null,"b":{"c":null,"d":2},"l":[2]}}"#));
}

#[test]
fn a_patch_that_changes_nothing_returns_the_same_shared_object() {
    let schema = schema::of_type("v1", "Pod");
    let old = json(r#"{"spec":{"containers":[{"name":"a","image":"1"}]},"status":{"phase":"Running"}}"#);
    let patch = json(
        r#"{"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"a","image":"1"}]},"status":{"phase":"Running"}}"#,
    );
    assert!(strategic::apply(&old, &patch, schema.as_ref()).unwrap().same(&old));
}
