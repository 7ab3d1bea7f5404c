//! ConfigMaps, Secrets and volumes that a bound pod needs and that are not there.

use super::{Cause, said};
use crate::api::resource::{CONFIG_MAPS, PERSISTENT_VOLUME_CLAIMS, SECRETS};
use crate::api::{Object, Str};
use crate::diagnosis::sight::{Sight, node_of};
use crate::diagnosis::{Finding, Owes};

pub static CAUSES: &[Cause] = &[
    Cause {
        code: "config-map-missing",
        headline: said("Pod가 쓸 ConfigMap이 없다", "The Pod's ConfigMap does not exist"),
        cause: said(
            "{kind} {name}에는 ConfigMap {source}이 있어야 한다. kubelet은 그것이 생길 때까지 컨테이너를 띄우지 않고 다시 시도한다.",
            "{kind} {name} needs the ConfigMap {source}. Until it is there, the kubelet starts no container and keeps trying.",
        ),
        fix: said(
            "그 이름의 ConfigMap을 만들거나, 이름을 고치거나, optional로 둔다.",
            "Create that ConfigMap, correct the name, or mark it optional.",
        ),
    },
    Cause {
        code: "secret-missing",
        headline: said("Pod가 쓸 Secret이 없다", "The Pod's Secret does not exist"),
        cause: said(
            "{kind} {name}에는 Secret {source}이 있어야 한다. kubelet은 그것이 생길 때까지 컨테이너를 띄우지 않고 다시 시도한다.",
            "{kind} {name} needs the Secret {source}. Until it is there, the kubelet starts no container and keeps trying.",
        ),
        fix: said(
            "그 이름의 Secret을 만들거나, 이름을 고치거나, optional로 둔다.",
            "Create that Secret, correct the name, or mark it optional.",
        ),
    },
    Cause {
        code: "config-key-missing",
        headline: said("ConfigMap이나 Secret에 그 키가 없다", "The ConfigMap or Secret lacks the key"),
        cause: said(
            "{kind} {name}이 가리키는 객체는 있지만 그 안에 찾는 키가 없다: {reason}.",
            "The object that {kind} {name} refers to is there, but not the key in it: {reason}.",
        ),
        fix: said("키를 더하거나 key의 이름을 고친다.", "Add the key, or correct its name."),
    },
    Cause {
        code: "volume-not-mounted",
        headline: said("볼륨을 마운트하지 못한다", "A volume cannot be mounted"),
        cause: said(
            "{kind} {name}의 볼륨이 준비되지 않아 컨테이너를 만들 수 없다: {reason}.",
            "No container of {kind} {name} can be made, as a volume is not there: {reason}.",
        ),
        fix: said("메시지가 가리키는 볼륨을 고친다.", "Mend the volume that the message names."),
    },
];

pub fn look(sight: &Sight<'_>, _: &[Finding]) -> Vec<Finding> {
    sight.pods().filter(|p| node_of(p).is_some()).filter_map(|p| environment(sight, p).or_else(|| volume(sight, p))).collect()
}

/// A variable or `envFrom` that cannot be filled.
fn environment(sight: &Sight<'_>, pod: &Object) -> Option<Finding> {
    let all = ["initContainerStatuses", "containerStatuses"].into_iter().flat_map(|f| pod.status().get(f).items());
    let waiting = all.map(|c| c.at(&["state", "waiting"])).find(|w| w.get("reason").text() == "CreateContainerConfigError")?;
    let message = waiting.get("message").text();
    missing(sight, pod, message, &["Error: ", message])
}

/// A volume that cannot be set up; containers wait for all of them.
fn volume(sight: &Sight<'_>, pod: &Object) -> Option<Finding> {
    let begun = |c: &crate::api::Value| !c.at(&["state", "waiting"]).is_null() && c.get("lastState").is_empty();
    let statuses = pod.status().get("containerStatuses").items();
    if statuses.is_empty() || !statuses.iter().all(begun) || sight.event(pod, "Pulling", "").is_some() {
        return None;
    }
    let event = sight.event(pod, "FailedMount", "MountVolume")?;
    let message = event.get("message").text();
    let why = message.split_once(" : ").map_or(message, |(_, why)| why);
    missing(sight, pod, why, &["FailedMount", why])
}

/// By what the kubelet says is missing, if it still is.
fn missing(sight: &Sight<'_>, pod: &Object, why: &str, needles: &[&str]) -> Option<Finding> {
    let name = why.split('"').nth(1).unwrap_or("");
    let proved = |code| Finding::new(code, pod, Owes::You).proved(&format!("describe pod {}", pod.name()), needles);
    let named = |code, name: &str| proved(code).arg("source", Str::from(name));
    let there = |resource| sight.get(resource, pod.namespace(), name).is_some();
    if why.starts_with("configmap ") && why.ends_with("not found") {
        return (!there(&CONFIG_MAPS))
            .then(|| named("config-map-missing", name).command(&format!("create configmap {name} --from-literal=KEY=VALUE")));
    }
    if why.starts_with("secret ") && why.ends_with("not found") {
        return (!there(&SECRETS))
            .then(|| named("secret-missing", name).command(&format!("create secret generic {name} --from-literal=KEY=VALUE")));
    }
    if why.contains("couldn't find key") || why.contains("references non-existent") {
        return still_lacks(sight, pod, why).then(|| proved("config-key-missing").arg("reason", why));
    }
    if why.starts_with("persistentvolumeclaim ") && there(&PERSISTENT_VOLUME_CLAIMS) {
        return None;
    }
    Some(proved("volume-not-mounted").arg("reason", why))
}

/// `couldn't find key K in ConfigMap NS/NAME`: not, if K came since. Where the object is not named, nothing says that it came.
fn still_lacks(sight: &Sight<'_>, pod: &Object, why: &str) -> bool {
    let Some((key, place)) = why.strip_prefix("couldn't find key ").and_then(|rest| rest.split_once(" in ")) else { return true };
    let Some((kind, path)) = place.split_once(' ') else { return true };
    let name = path.rsplit('/').next().unwrap_or(path);
    let resource = if kind == "Secret" { &SECRETS } else { &CONFIG_MAPS };
    let object = sight.get(resource, pod.namespace(), name);
    object.is_none_or(|o| ["data", "binaryData"].iter().all(|f| o.get(f).get(key).is_null()))
}
