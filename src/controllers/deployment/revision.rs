//! Which ReplicaSet has the Deployment's template, and the revision it is.

use super::numbers::{self, REVISION, REVISION_HISTORY, Sets};
use super::{PROGRESSING, Work};
use crate::api::resource::{DEPLOYMENTS, REPLICA_SETS};
use crate::api::{Object, Request, Status, Value};
use crate::client::Stop;
use crate::controllers::common::hash::{POD_TEMPLATE_HASH, template_hash};
use crate::controllers::common::{attempt, conditions, is_namespace_terminating, send};
use crate::value;

/// No more than this many characters of old revisions are kept.
const HISTORY_LIMIT: usize = 2000;
/// Annotations of a Deployment that its ReplicaSets do not take over.
const OWN_ANNOTATIONS: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    REVISION_HISTORY,
    numbers::DESIRED,
    numbers::MAX,
    "deprecated.deployment.rollback.to",
];

impl Work<'_, '_> {
    /// The ReplicaSet with this template (made if it lacks and `create`) and all others, with annotations and
    /// revision brought up to date (`getAllReplicaSetsAndSyncRevision`).
    pub(super) fn new_and_old(&mut self, create: bool) -> Result<(Option<Object>, Vec<Object>), Stop> {
        let found = self.find_new();
        let uid = found.as_ref().map(|rs| rs.uid().to_string());
        let old: Vec<Object> = self.sets.iter().filter(|rs| Some(rs.uid()) != uid.as_deref()).cloned().collect();
        let next = old.iter().map(numbers::revision).max().unwrap_or(0) + 1;
        let new = match found {
            Some(rs) => Some(self.keep_up(rs, next)?),
            None if create => Some(self.create_set(&old, next)?),
            None => None,
        };
        Ok((new, old))
    }

    /// The oldest ReplicaSet with the Deployment's template.
    pub(super) fn find_new(&self) -> Option<Object> {
        let template = self.d.spec().get("template");
        let equal = self.sets.iter().filter(|rs| same_template(rs.spec().get("template"), template));
        equal.min_by(|a, b| numbers::by_creation(a, b)).cloned()
    }

    fn keep_up(&mut self, rs: Object, revision: i64) -> Result<Object, Stop> {
        let mut changed = rs;
        let annotated = self.annotate(&mut changed, revision, true);
        let min_ready = self.d.spec().get("minReadySeconds").clone();
        if annotated || changed.spec().get("minReadySeconds").int() != min_ready.int() {
            if min_ready.is_empty() {
                changed.0.remove_at(&["spec", "minReadySeconds"]);
            } else {
                changed.0.set_at(&["spec", "minReadySeconds"], min_ready);
            }
            return send(self.sync, Request::update(&REPLICA_SETS, changed));
        }
        let mut dirty = self.take_over_revision(&changed);
        if self.deadline_s().is_some() && self.d.condition(PROGRESSING).is_none() {
            let text = format!("Found new replica set \"{}\"", changed.name());
            let now = self.sync.now();
            self.set_condition(conditions::condition(PROGRESSING, "True", "FoundNewReplicaSet", text, now));
            dirty = true;
        }
        if dirty {
            self.send_status()?;
        }
        Ok(changed)
    }

    /// Copies the ReplicaSet's revision to the Deployment; says whether it changed.
    fn take_over_revision(&mut self, rs: &Object) -> bool {
        let revision = rs.annotation(REVISION).unwrap_or("").to_string();
        if self.d.annotation(REVISION) == Some(&revision) {
            return false;
        }
        self.d.0.entry_at(&["metadata", "annotations"]).set(REVISION, revision);
        true
    }

    /// Brings a ReplicaSet's annotations up to date; says whether that changed any (`SetNewReplicaSetAnnotations`).
    fn annotate(&self, rs: &mut Object, revision: i64, exists: bool) -> bool {
        let mut changed = false;
        for (key, text) in self.d.meta().get("annotations").entries() {
            if !OWN_ANNOTATIONS.contains(&key.as_str()) && rs.meta().get("annotations").get(key) != text {
                rs.0.entry_at(&["metadata", "annotations"]).set(key.clone(), text);
                changed = true;
            }
        }
        let before = rs.annotation(REVISION).map(str::to_string);
        let Ok(old_revision) = before.as_deref().map_or(Ok(0), str::parse::<i64>) else { return false };
        if old_revision < revision {
            let annotations = rs.0.entry_at(&["metadata", "annotations"]);
            annotations.set(REVISION, revision.to_string());
            if let Some(before) = before {
                let history = annotations.get(REVISION_HISTORY).text().to_string();
                if let Some(longer) = longer_history(&history, &before) {
                    annotations.set(REVISION_HISTORY, longer);
                }
            }
            changed = true;
        }
        if !exists {
            changed |= numbers::set_replicas_annotations(rs, &self.d);
        }
        changed
    }

    fn create_set(&mut self, old: &[Object], revision: i64) -> Result<Object, Stop> {
        let mut rs = self.new_set();
        let size = numbers::new_size(&self.d, old.replicas(), 0);
        rs.0.set_at(&["spec", "replicas"], size);
        self.annotate(&mut rs, revision, false);
        self.sync.differs("differs.deployment.create", vec![rs.meta().get("name").to_str()]);
        let (created, existed) = match attempt(self.sync, Request::create(&REPLICA_SETS, rs.clone()))? {
            Ok(created) => (created, false),
            Err(e) if e.is_already_exists() => (self.existing(&rs, e)?, true),
            Err(e) => return Err(self.could_not_create(&rs, e)?),
        };
        if !existed && size > 0 {
            let text = format!("Scaled up replica set {} from 0 to {size}", created.name());
            self.sync.event(&self.d, "Normal", "ScalingReplicaSet", text);
        }
        let mut dirty = self.take_over_revision(&created);
        if !existed && self.deadline_s().is_some() {
            let text = format!("Created new replica set \"{}\"", created.name());
            let now = self.sync.now();
            self.set_condition(conditions::condition(PROGRESSING, "True", "NewReplicaSetCreated", text, now));
            dirty = true;
        }
        if dirty {
            self.send_status()?;
        }
        Ok(created)
    }

    /// A ReplicaSet of the Deployment's template and selector, both with the template's hash.
    fn new_set(&self) -> Object {
        let spec = self.d.spec();
        let mut template = spec.get("template").clone();
        let hash = template_hash(&template, self.d.status().get("collisionCount").as_int());
        let name = format!("{}-{hash}", self.d.name());
        let hash = Value::from(hash);
        template.entry_at(&["metadata", "labels"]).set(POD_TEMPLATE_HASH, hash.clone());
        let mut selector = spec.get("selector").clone();
        selector.entry_at(&["matchLabels"]).set(POD_TEMPLATE_HASH, hash);
        let mut rs = Object(value!({
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": name,
                "namespace": (self.d.meta().get("namespace")),
                "labels": (template.at(&["metadata", "labels"])),
                "ownerReferences": [(self.d.controller_ref())]
            },
            "spec": {"replicas": 0_i64, "selector": selector, "template": template}
        }));
        if !spec.get("minReadySeconds").is_empty() {
            rs.0.set_at(&["spec", "minReadySeconds"], spec.get("minReadySeconds"));
        }
        rs
    }

    /// A ReplicaSet of that name is there: it is ours (the cache is behind), or two templates share a hash.
    fn existing(&mut self, rs: &Object, refusal: Status) -> Result<Object, Stop> {
        let key = rs.key();
        let Some(there) = self.sync.cache(&REPLICA_SETS).by_key(&key) else {
            return Err(Stop::Failed(Status::not_found(&REPLICA_SETS.0, &key.name)));
        };
        let ours = there.controller_uid().is_some_and(|uid| uid == *self.d.uid());
        if ours && same_template(there.spec().get("template"), self.d.spec().get("template")) {
            return Ok(there.clone());
        }
        let collisions = self.d.status().get("collisionCount").int() + 1;
        self.d.0.set_at(&["status", "collisionCount"], collisions);
        attempt(self.sync, Request::update_status(&DEPLOYMENTS, self.d.clone()))?.ok();
        Err(Stop::Failed(refusal))
    }

    fn could_not_create(&mut self, rs: &Object, refusal: Status) -> Result<Stop, Stop> {
        if is_namespace_terminating(&refusal) {
            return Ok(Stop::Failed(refusal));
        }
        let text = format!("Failed to create new replica set \"{}\": {}", rs.name(), refusal.message);
        if self.deadline_s().is_some() {
            let now = self.sync.now();
            self.set_condition(conditions::condition(PROGRESSING, "False", "ReplicaSetCreateError", text.clone(), now));
            attempt(self.sync, Request::update_status(&DEPLOYMENTS, self.d.clone()))?.ok();
        }
        self.sync.event(&self.d, "Warning", "ReplicaSetCreateError", text);
        Ok(Stop::Failed(refusal))
    }
}

/// Whether two templates are equal but for the hash label.
fn same_template(a: &Value, b: &Value) -> bool {
    let labels = |t: &Value| -> Vec<_> {
        let all = t.at(&["metadata", "labels"]).entries();
        all.iter().filter(|(k, _)| *k != POD_TEMPLATE_HASH).cloned().collect()
    };
    let rest = |t: &Value| -> Vec<_> {
        let all = t.get("metadata").entries();
        all.iter().filter(|(k, v)| *k != "labels" && !v.is_empty()).cloned().collect()
    };
    a.get("spec") == b.get("spec") && labels(a) == labels(b) && rest(a) == rest(b)
}

/// The history with one revision more, the oldest dropped if it became too long; `None` if it does not fit at all.
fn longer_history(history: &str, revision: &str) -> Option<String> {
    if history.is_empty() {
        return Some(revision.to_string());
    }
    let mut kept = history;
    while kept.len() + revision.len() + 1 > HISTORY_LIMIT {
        kept = kept.split_once(',').map_or("", |(_, rest)| rest);
        if kept.is_empty() {
            return (revision.len() <= HISTORY_LIMIT).then(|| revision.to_string());
        }
    }
    Some(format!("{kept},{revision}"))
}
