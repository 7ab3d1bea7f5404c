//! Volumes and environment variables that refer to ConfigMaps and Secrets. Follows upstream `pkg/kubelet/volumemanager`
//! and `pkg/volume/{configmap,secret,projected}`. Left out: attaching, claims, CSI; host paths always mount.

use super::worker::{Step, Turn, Worker};
use crate::api::{Object, Str, Value, resource};
use crate::util::Time;

/// How often a pod's sync looks whether its volumes are mounted.
const POLL_MS: u64 = 300;
/// How long after the first look a volume is tried, and the first wait after a failure.
const FIRST_TRY_MS: u64 = 110;
const RETRY_MS: u64 = 500;
const MAX_RETRY_MS: u64 = 122_000;
/// After this time a sync gives up and says so.
const TIMEOUT_MS: u64 = 123_000;

/// How far the volumes of a pod are.
#[derive(Clone, Debug, Default)]
pub struct Mount {
    pub done: bool,
    began: Time,
    /// When the mount is tried next; none: all are mounted.
    retry: Option<Time>,
    failures: u32,
}

/// What a volume lacks: its name and the reason.
struct Missing {
    volume: Str,
    why: String,
}

impl Worker {
    /// Begins to wait for the pod's volumes; true if there are none to wait for.
    pub fn mount(&mut self, turn: &Turn<'_>, at: Time) -> bool {
        if self.mount.done || self.pod.spec().get("volumes").items().is_empty() {
            self.mount.done = true;
            return true;
        }
        self.mount.began = at;
        let missing = !self.missing(turn).is_empty();
        self.mount.retry = self.mount.retry.or(missing.then(|| at.after_ms(FIRST_TRY_MS)));
        let poll = at.after_ms(POLL_MS + 6);
        self.step = Step::Mount { at: self.mount.retry.map_or(poll, |r| r.max(at)) };
        false
    }

    /// A try to mount, or a look whether all is mounted.
    pub fn mounting(&mut self, turn: &mut Turn<'_>, at: Time) {
        let Some(retry) = self.mount.retry else {
            self.mount.done = true;
            return self.run(turn, at);
        };
        if at < retry || at.since_ms(self.mount.began) >= TIMEOUT_MS {
            return self.mount_timeout(turn, at);
        }
        let missing = self.missing(turn);
        if missing.is_empty() {
            self.mount.retry = None;
            let waited = at.since_ms(self.mount.began);
            self.step = Step::Mount { at: self.mount.began.after_ms((waited / POLL_MS + 1) * POLL_MS) };
            return;
        }
        for m in &missing {
            turn.say("", "Warning", "FailedMount", format!("MountVolume.SetUp failed for volume \"{}\" : {}", m.volume, m.why));
        }
        let wait = (RETRY_MS << self.mount.failures.min(10)).min(MAX_RETRY_MS);
        self.mount.failures += 1;
        let next = at.after_ms(wait);
        self.mount.retry = Some(next);
        self.step = Step::Mount { at: next.min(self.mount.began.after_ms(TIMEOUT_MS)) };
    }

    fn mount_timeout(&mut self, turn: &mut Turn<'_>, at: Time) {
        let names: Vec<String> = self.missing(turn).iter().map(|m| m.volume.to_string()).collect();
        let text = format!(
            "Unable to attach or mount volumes: unmounted volumes=[{}], unattached volumes=[], failed to process volumes=[]: context deadline exceeded",
            names.join(" ")
        );
        turn.say("", "Warning", "FailedMount", text);
        self.failed = true;
        self.end_sync(turn, at);
    }

    fn missing(&self, turn: &Turn<'_>) -> Vec<Missing> {
        let namespace = self.pod.namespace();
        let mut all = Vec::new();
        for volume in self.pod.spec().get("volumes").items() {
            let mut why = source(turn, namespace, "configMap", volume.get("configMap"), "name");
            why = why.or_else(|| source(turn, namespace, "secret", volume.get("secret"), "secretName"));
            // The token volume is always there: its ConfigMap is the root CA publisher's, who may not run.
            if !volume.get("name").text().starts_with("kube-api-access-") {
                for s in volume.at(&["projected", "sources"]).items() {
                    why = why
                        .or_else(|| source(turn, namespace, "configMap", s.get("configMap"), "name"))
                        .or_else(|| source(turn, namespace, "secret", s.get("secret"), "name"));
                }
            }
            if let Some(why) = why {
                all.push(Missing { volume: volume.get("name").to_str(), why });
            }
        }
        all
    }
}

/// What a volume source lacks.
fn source(turn: &Turn<'_>, namespace: &str, kind: &str, source: &Value, field: &str) -> Option<String> {
    let name = source.get(field).as_str().filter(|_| !source.get("optional").is_true())?;
    let secret = kind == "secret";
    let Some(object) = find(turn, namespace, secret, name) else {
        return Some(format!("{} \"{name}\" not found", if secret { "secret" } else { "configmap" }));
    };
    let lost = source.get("items").items().iter().find(|i| !has_key(object, i.get("key").text()));
    let what = if secret { "secret" } else { "configmap" };
    lost.map(|_| format!("{what} references non-existent {what} key: {}", lost.map_or("", |i| i.get("key").text())))
}

fn find<'a>(turn: &Turn<'a>, namespace: &str, secret: bool, name: &str) -> Option<&'a Object> {
    let kind = if secret { resource::SECRETS } else { resource::CONFIG_MAPS };
    turn.caches.of(&kind).get(namespace, name)
}

fn has_key(object: &Object, key: &str) -> bool {
    ["data", "binaryData"].iter().any(|field| object.get(field).as_map().is_some_and(|m| m.contains(key)))
}

/// Why a container's environment cannot be made, as the kubelet's `makeEnvironmentVariables` says it.
pub fn environment_error(turn: &Turn<'_>, namespace: &str, container: &Value) -> Option<String> {
    for from in container.get("envFrom").items() {
        for (field, secret, word) in [("configMapRef", false, "configmap"), ("secretRef", true, "secret")] {
            let reference = from.get(field);
            let Some(name) = reference.get("name").as_str().filter(|_| !reference.get("optional").is_true()) else { continue };
            if find(turn, namespace, secret, name).is_none() {
                return Some(format!("{word} \"{name}\" not found"));
            }
        }
    }
    for variable in container.get("env").items() {
        for (field, secret, word, kind) in
            [("configMapKeyRef", false, "configmap", "ConfigMap"), ("secretKeyRef", true, "secret", "Secret")]
        {
            let reference = variable.at(&["valueFrom", field]);
            let Some(name) = reference.get("name").as_str().filter(|_| !reference.get("optional").is_true()) else { continue };
            let key = reference.get("key").text();
            match find(turn, namespace, secret, name) {
                None => return Some(format!("{word} \"{name}\" not found")),
                Some(object) if !has_key(object, key) => {
                    return Some(format!("couldn't find key {key} in {kind} {namespace}/{name}"));
                }
                Some(_) => {}
            }
        }
    }
    None
}
