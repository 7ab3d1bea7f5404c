//! StatefulSets.

use super::super::fault::Fault;
use super::replica_set::pods_text;
use super::write::{annotations, date, labels, put};
use super::{Fixed, age, containers_and_images, or, scalar, selector_text, template};
use crate::api::Object;
use crate::api::selector::Selector;
use crate::client::Transport;
use crate::util::Time;

pub const TABLE: Fixed = (&[("Name", false), ("Ready", false), ("Age", false), ("Containers", true), ("Images", true)], row);

fn row(s: &Object, now: Time) -> Vec<String> {
    let (names, images) = containers_and_images(s.spec().at(&["template", "spec"]));
    let ready = format!("{}/{}", s.status().get("readyReplicas").int(), s.spec().get("replicas").int());
    vec![s.name().to_string(), ready, age(s, now), names, images]
}

pub fn describe(out: &mut String, s: &Object, api: &mut dyn Transport) -> Result<(), Fault> {
    let (spec, status) = (s.spec(), s.status());
    put(out, 0, format!("Name:\t{}", s.name()));
    put(out, 0, format!("Namespace:\t{}", s.namespace()));
    put(out, 0, format!("CreationTimestamp:\t{}", date(s.meta().get("creationTimestamp"))));
    put(out, 0, format!("Selector:\t{}", selector_text(spec.get("selector"))));
    labels(out, "Labels", s.labels());
    annotations(out, "Annotations", s.meta().get("annotations"));
    put(out, 0, format!("Replicas:\t{} desired | {} total", spec.get("replicas").int(), status.get("replicas").int()));
    put(out, 0, format!("Update Strategy:\t{}", spec.at(&["updateStrategy", "type"]).text()));
    let rolling = spec.at(&["updateStrategy", "rollingUpdate"]);
    if !rolling.get("partition").is_null() {
        put(out, 1, format!("Partition:\t{}", rolling.get("partition").int()));
        if !rolling.get("maxUnavailable").is_null() {
            put(out, 1, format!("MaxUnavailable:\t{}", scalar(rolling.get("maxUnavailable"))));
        }
    }
    let selector = Selector::of_object(spec.get("selector"));
    put(out, 0, format!("Pods Status:\t{}", pods_text(s, &selector, api)?));
    template::describe(out, spec.get("template"));
    claims(out, s);
    Ok(())
}

fn claims(out: &mut String, s: &Object) {
    let claims = s.spec().get("volumeClaimTemplates").items();
    if claims.is_empty() {
        put(out, 0, "Volume Claims:\t<none>");
        return;
    }
    put(out, 0, "Volume Claims:");
    for claim in claims {
        put(out, 0, format!("  Name:\t{}", claim.at(&["metadata", "name"]).text()));
        put(out, 0, format!("  StorageClass:\t{}", claim.at(&["spec", "storageClassName"]).text()));
        labels(out, "  Labels", claim.at(&["metadata", "labels"]));
        annotations(out, "  Annotations", claim.at(&["metadata", "annotations"]));
        let size = claim.at(&["spec", "resources", "requests", "storage"]);
        put(out, 0, format!("  Capacity:\t{}", if size.is_null() { "<default>".to_string() } else { scalar(size) }));
        let modes: Vec<&str> = claim.at(&["spec", "accessModes"]).items().iter().map(crate::api::Value::text).collect();
        put(out, 0, format!("  Access Modes:\t[{}]", or(&modes.join(" "), "")));
    }
}
