//! The value's behaviour.

use super::*;
use crate::value;

#[test]
fn a_change_shares_what_it_did_not_touch() {
    let old = value!({"spec": {"replicas": 3_i64}, "status": {"ready": 1_i64}});
    let mut new = old.clone();
    new.set_at(&["status", "ready"], 2_i64);
    assert!(old.get("spec").same(new.get("spec")));
    assert_eq!(old.at(&["status", "ready"]).int(), 1);
    assert_eq!(new.at(&["status", "ready"]).int(), 2);
    assert_ne!(old, new);
}

#[test]
fn a_missing_path_reads_as_null_and_removing_it_does_nothing() {
    let mut v = value!({"a": {"b": 1_i64}});
    assert!(v.at(&["x", "y"]).is_null());
    assert_eq!(v.remove_at(&["a", "z"]), None);
    assert_eq!(v.remove_at(&["a", "b"]), Some(Value::Int(1)));
    assert_eq!(v, value!({"a": {}}));
}
