//! JSON Patch (RFC 6902), answered as the API server does (`endpoints/handlers/patch.go` over
//! `gopkg.in/evanphx/json-patch.v4`). Left out: the limit on the size of what `copy` accumulates.

use super::merge::type_name;
use crate::api::{Status, Str, Value};

/// The server's limit on the number of operations in one patch.
const MAX_OPERATIONS: usize = 10_000;

/// The object after all operations of `patch`.
///
/// # Errors
/// 400 if `patch` is no list of objects, 413 if it is too long, 422 if an operation is unknown, does not
/// apply or is a `test` that fails. The server does not say which.
pub fn apply(original: &Value, patch: &Value) -> Result<Value, Status> {
    let Value::List(operations) = patch else {
        let text = format!("json: cannot unmarshal {} into Go value of type jsonpatch.Patch", type_name(patch));
        return Err(Status::bad_request(text));
    };
    if let Some(bad) = operations.iter().find(|o| !matches!(o, Value::Map(_) | Value::Null)) {
        let text = format!("json: cannot unmarshal {} into Go value of type jsonpatch.Operation", type_name(bad));
        return Err(Status::bad_request(text));
    }
    if operations.len() > MAX_OPERATIONS {
        let text = format!(
            "Request entity is too large: The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {}",
            operations.len()
        );
        return Err(Status::other(413, "RequestEntityTooLarge", text));
    }
    let mut object = original.clone();
    for operation in operations.iter() {
        perform(&mut object, operation)
            .ok_or_else(|| Status::other(422, "Invalid", "the server rejected our request due to an error in our request"))?;
    }
    Ok(object)
}

/// One operation; `None` if it does not apply.
fn perform(object: &mut Value, operation: &Value) -> Option<()> {
    let path = pointer(operation.get("path"))?;
    let value = operation.get("value");
    match operation.get("op").text() {
        "add" => add(object, &path, value.clone()),
        "remove" => remove(object, &path).map(|_| ()),
        "replace" if path.is_empty() => {
            *object = value.clone();
            Some(())
        }
        "replace" => {
            *place(object, &path)? = value.clone();
            Some(())
        }
        "move" => {
            let moved = remove(object, &pointer(operation.get("from"))?)?;
            add(object, &path, moved)
        }
        "copy" => {
            let copied = find(object, &pointer(operation.get("from"))?)?.clone();
            add(object, &path, copied)
        }
        "test" => (find(object, &path).unwrap_or(&Value::Null) == value).then_some(()),
        _ => None,
    }
}

/// The keys of a JSON pointer; `None` if it is no pointer.
fn pointer(path: &Value) -> Option<Vec<Str>> {
    let text = path.as_str()?;
    if text.is_empty() {
        return Some(Vec::new());
    }
    Some(text.strip_prefix('/')?.split('/').map(|key| Str::from(key.replace("~1", "/").replace("~0", "~"))).collect())
}

/// The index that a key means in a list of `len` items. Negative ones count from the end, as the library allows.
fn index(key: &str, len: usize) -> Option<usize> {
    let n: i64 = key.parse().ok()?;
    let len = i64::try_from(len).ok()?;
    usize::try_from(if n < 0 { n + len } else { n }).ok()
}

fn find<'a>(object: &'a Value, path: &[Str]) -> Option<&'a Value> {
    path.iter().try_fold(object, |here, key| match here {
        Value::Map(m) => m.get(key),
        Value::List(l) => here.items().get(index(key, l.len())?),
        _ => None,
    })
}

/// The place of an existing value, to be changed.
fn place<'a>(object: &'a mut Value, path: &[Str]) -> Option<&'a mut Value> {
    find(object, path)?;
    path.iter().try_fold(object, |here, key| match here {
        Value::Map(m) => m.get_mut(key),
        Value::List(l) => {
            let i = index(key, l.len())?;
            here.list_mut().get_mut(i)
        }
        _ => None,
    })
}

fn add(object: &mut Value, path: &[Str], value: Value) -> Option<()> {
    let (last, before) = path.split_last()?;
    let holder = place(object, before)?;
    match holder {
        Value::Map(m) => m.insert(last.clone(), value),
        Value::List(l) => {
            let len = l.len();
            let i = if *last == "-" { len } else { index(last, len).filter(|i| *i <= len)? };
            holder.list_mut().insert(i, value);
        }
        _ => return None,
    }
    Some(())
}

fn remove(object: &mut Value, path: &[Str]) -> Option<Value> {
    find(object, path)?;
    let (last, before) = path.split_last()?;
    let holder = place(object, before)?;
    match holder {
        Value::List(l) => {
            let i = index(last, l.len())?;
            Some(holder.list_mut().remove(i))
        }
        _ => holder.remove(last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn each_operation_does_what_the_rfc_says() {
        let rows = [
            ("add to a map", r#"{"a":1}"#, r#"[{"op":"add","path":"/b","value":2}]"#, r#"{"a":1,"b":2}"#),
            ("add into a list", r#"{"a":[1,3]}"#, r#"[{"op":"add","path":"/a/1","value":2}]"#, r#"{"a":[1,2,3]}"#),
            ("append to a list", r#"{"a":[1]}"#, r#"[{"op":"add","path":"/a/-","value":2}]"#, r#"{"a":[1,2]}"#),
            ("remove", r#"{"a":1,"b":2}"#, r#"[{"op":"remove","path":"/a"}]"#, r#"{"b":2}"#),
            ("remove an item", r#"{"a":[1,2]}"#, r#"[{"op":"remove","path":"/a/0"}]"#, r#"{"a":[2]}"#),
            ("replace", r#"{"a":{"b":1}}"#, r#"[{"op":"replace","path":"/a/b","value":"x"}]"#, r#"{"a":{"b":"x"}}"#),
            ("escaped key", r#"{"a":{"x/y~":1}}"#, r#"[{"op":"replace","path":"/a/x~1y~0","value":2}]"#, r#"{"a":{"x/y~":2}}"#),
            ("move", r#"{"a":1}"#, r#"[{"op":"move","from":"/a","path":"/b"}]"#, r#"{"b":1}"#),
            ("copy", r#"{"a":1}"#, r#"[{"op":"copy","from":"/a","path":"/b"}]"#, r#"{"a":1,"b":1}"#),
            ("test that holds", r#"{"a":1}"#, r#"[{"op":"test","path":"/a","value":1}]"#, r#"{"a":1}"#),
            ("missing equals null", r#"{}"#, r#"[{"op":"test","path":"/a","value":null}]"#, r#"{}"#),
        ];
        for (name, object, patch, want) in rows {
            assert_eq!(apply(&json(object), &json(patch)), Ok(json(want)), "{name}");
        }
    }

    #[test]
    fn what_does_not_apply_is_refused_in_the_servers_words() {
        let invalid = "the server rejected our request due to an error in our request";
        let rows = [
            ("no list", r#"{"op":"add"}"#, 400, "json: cannot unmarshal object into Go value of type jsonpatch.Patch"),
            ("failing test", r#"[{"op":"test","path":"/a","value":2}]"#, 422, invalid),
            ("missing key", r#"[{"op":"remove","path":"/x"}]"#, 422, invalid),
            ("missing parent", r#"[{"op":"add","path":"/x/y","value":1}]"#, 422, invalid),
            ("index beyond the end", r#"[{"op":"add","path":"/l/2","value":1}]"#, 422, invalid),
            ("unknown operation", r#"[{"op":"frob","path":"/a"}]"#, 422, invalid),
            ("path without slash", r#"[{"op":"remove","path":"a"}]"#, 422, invalid),
        ];
        for (name, patch, code, text) in rows {
            let refused = apply(&json(r#"{"a":1,"l":[0]}"#), &json(patch)).unwrap_err();
            assert_eq!((refused.code, refused.message.as_str()), (code, text), "{name}");
        }
    }

    #[test]
    fn what_is_not_on_the_path_stays_shared() {
        let old = json(r#"{"spec":{"x":[1]},"status":{"y":1}}"#);
        let new = apply(&old, &json(r#"[{"op":"replace","path":"/status/y","value":2}]"#)).unwrap();
        assert!(old.get("spec").same(new.get("spec")));
    }
}
