//! `until` and `expect`: whether something holds in the world now.

use super::fill::fill;
use crate::api::resource::EVENTS;
use crate::api::selector::Selector;
use crate::api::{Object, ObjectKey, Resource, Value, scheme};
use crate::cluster::Cluster;

/// The resource that a kind's word names: `pod`, `deploy`, `replicasets`.
pub fn resource_of(word: &str) -> Option<Resource> {
    scheme::by_name(word).map(|k| k.resource.clone())
}

/// Whether a condition holds; a condition that cannot be read never holds.
pub fn holds(world: &Cluster, condition: &str) -> bool {
    let filled = fill(world, condition);
    let Ok(words) = crate::kubectl::split(&filled) else { return false };
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    let namespace = take_flag(&mut words, "-n").unwrap_or("default").to_string();
    if words.first() == Some(&"event") {
        let reason = words.last().and_then(|w| w.strip_prefix("reason=")).unwrap_or("");
        return world.etcd().list(&EVENTS, &namespace).any(|e| e.get("reason").text() == reason);
    }
    let selector = take_flag(&mut words, "-l").map(str::to_string);
    let [target, test] = words[..] else { return false };
    let Some(items) = objects(world, target, &namespace, selector.as_deref()) else { return false };
    if test == "gone" {
        return items.is_empty();
    }
    if let Some(n) = test.strip_prefix("count=") {
        return n.parse() == Ok(items.len());
    }
    if items.is_empty() {
        return false;
    }
    let any = test.starts_with("reason=") || test.starts_with("restarts=");
    if any { items.iter().any(|o| one(o, test)) } else { items.iter().all(|o| one(o, test)) }
}

/// The objects that `KIND[/NAME] [-n NAMESPACE] [-l SELECTOR]` names; nothing if it cannot be read.
pub fn select(world: &Cluster, target: &str) -> Option<Vec<Object>> {
    let filled = fill(world, target);
    let words = crate::kubectl::split(&filled).ok()?;
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    let namespace = take_flag(&mut words, "-n").unwrap_or("default").to_string();
    let selector = take_flag(&mut words, "-l").map(str::to_string);
    let [target] = words[..] else { return None };
    objects(world, target, &namespace, selector.as_deref())
}

/// Whether a target as `select` reads it can be read at all.
///
/// # Errors
/// What is wrong with it.
pub fn check_target(text: &str) -> Result<(), String> {
    let rest = checked(text)?;
    if rest.is_empty() { Ok(()) } else { Err(format!("wants KIND, KIND/NAME or KIND -l SELECTOR, and nothing after it, not \"{text}\"")) }
}

/// Whether a condition can be read at all: one that cannot never holds.
///
/// # Errors
/// What is wrong with it.
pub fn check(condition: &str) -> Result<(), String> {
    let words = crate::kubectl::split(condition).map_err(|e| e.to_string())?;
    if words.first().is_some_and(|w| w == "event") {
        let right = words.last().is_some_and(|w| w.len() > "reason=".len() && w.starts_with("reason="));
        return if right { Ok(()) } else { Err("an event is named by `event reason=REASON`".to_string()) };
    }
    let rest = checked(condition)?;
    let [test] = &rest[..] else { return Err(format!("wants a target and one test, as in `deploy/web Available`, not \"{condition}\"")) };
    let number = |n: &str| n.parse::<i64>().is_ok();
    let right = match test.split_once('=') {
        Some(("count" | "replicas" | "restarts", n)) => number(n),
        Some(("phase" | "reason", word)) => !word.is_empty(),
        Some((path, _)) if path.starts_with('.') => path.len() > 1,
        Some((kind, status)) => kind.starts_with(char::is_uppercase) && matches!(status, "True" | "False" | "Unknown"),
        None => test == "gone" || test.starts_with('.') || test.starts_with(char::is_uppercase),
    };
    if right { Ok(()) } else { Err(format!("unknown test \"{test}\"")) }
}

/// The words after a target whose kind and selector are right.
fn checked(text: &str) -> Result<Vec<String>, String> {
    let words = crate::kubectl::split(text).map_err(|e| e.to_string())?;
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    take_flag(&mut words, "-n");
    if let Some(selector) = take_flag(&mut words, "-l") {
        Selector::parse(selector).map_err(|e| format!("selector \"{selector}\": {e:?}"))?;
    }
    let Some(target) = words.first() else { return Err("is empty".to_string()) };
    let kind = target.split('/').next().unwrap_or("");
    if resource_of(kind).is_none() {
        return Err(format!("unknown kind \"{kind}\""));
    }
    Ok(words[1..].iter().map(|w| (*w).to_string()).collect())
}

fn take_flag<'a>(words: &mut Vec<&'a str>, flag: &str) -> Option<&'a str> {
    let at = words.iter().position(|w| *w == flag)?;
    let value = words.get(at + 1).copied();
    words.drain(at..(at + 2).min(words.len()));
    value
}

fn objects(world: &Cluster, target: &str, namespace: &str, selector: Option<&str>) -> Option<Vec<Object>> {
    let (kind, name) = target.split_once('/').map_or((target, None), |(k, n)| (k, Some(n)));
    let info = world.server().kinds().by_name(kind)?;
    let space = if info.namespaced { namespace } else { "" };
    if let Some(name) = name {
        return Some(world.etcd().get(&info.resource, &ObjectKey::new(space, name)).cloned().into_iter().collect());
    }
    let selector = Selector::parse(selector.unwrap_or("")).ok()?;
    Some(world.etcd().list(&info.resource, space).filter(|o| selector.matches(o.labels())).cloned().collect())
}

fn one(o: &Object, test: &str) -> bool {
    let status = o.status();
    if let Some(n) = test.strip_prefix("replicas=") {
        return n.parse() == Ok(o.spec().get("replicas").int()) && n.parse() == Ok(status.get("replicas").int());
    }
    if let Some(phase) = test.strip_prefix("phase=") {
        return status.get("phase").text() == phase;
    }
    let containers = || ["containerStatuses", "initContainerStatuses"].into_iter().flat_map(|f| status.get(f).items());
    if let Some(n) = test.strip_prefix("restarts=") {
        return n.parse::<i64>().is_ok_and(|n| containers().any(|c| c.get("restartCount").int() >= n));
    }
    if let Some(reason) = test.strip_prefix("reason=") {
        let states =
            |c: &Value| ["state", "lastState"].iter().any(|s| c.get(s).entries().iter().any(|(_, v)| v.get("reason").text() == reason));
        return containers().any(states);
    }
    if test.starts_with('.') {
        let (path, want) = test.split_once('=').unwrap_or((test, ""));
        let found = path.trim_matches('.').split('.').fold(&o.0, |v, key| key.parse().map_or_else(|_| v.get(key), |i| v.item(i)));
        return field_is(found, want);
    }
    let (kind, want) = test.split_once('=').unwrap_or((test, "True"));
    o.condition(kind).is_some_and(|c| c.get("status").text() == want)
}

fn field_is(found: &Value, want: &str) -> bool {
    match found {
        v if v.is_empty() => matches!(want, "" | "0" | "false"),
        Value::Bool(b) => b.to_string() == want,
        Value::Int(n) => n.to_string() == want,
        other => other.text() == want,
    }
}
