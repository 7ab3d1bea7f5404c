//! PersistentVolumes, claims and StorageClasses, after upstream's `pkg/apis/core` and `pkg/apis/storage`.

use super::check;
use super::edit::{edit, ensure, put};
use super::podspec::default_claim_spec;
use super::{Facts, PLAIN, StatusAtCreate, Strategy};
use crate::api::Value;
use crate::value;

pub const CLAIMS: Strategy = Strategy {
    resource: "persistentvolumeclaims",
    default: |object| {
        ensure(object, "spec", default_claim_spec);
        ensure(object, "status", |status| put(status, "phase", "Pending"));
    },
    has_status: true,
    status: StatusAtCreate::Set(|| value!({"phase": "Pending"})),
    validate: check::core::claim,
    validate_update: check::core::claim_update,
    ..PLAIN
};

pub const VOLUMES: Strategy = Strategy {
    resource: "persistentvolumes",
    default: |object| {
        edit(object, "spec", |spec| {
            put(spec, "persistentVolumeReclaimPolicy", "Retain");
            put(spec, "volumeMode", "Filesystem");
            edit(spec, "hostPath", |h| {
                if h.get("type").is_null() {
                    h.set("type", "");
                }
            });
        });
        ensure(object, "status", |status| put(status, "phase", "Pending"));
    },
    has_status: true,
    prepare_create: new_volume_status,
    validate: check::core::volume,
    ..PLAIN
};

pub const CLASSES: Strategy = Strategy {
    resource: "storageclasses.storage.k8s.io",
    default: |object| {
        put(object, "reclaimPolicy", "Delete");
        put(object, "volumeBindingMode", "Immediate");
    },
    validate_update: |object, old, causes| {
        for field in ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] {
            super::rules::immutable(object.get(field), old.get(field), field, causes);
        }
    },
    ..PLAIN
};

fn new_volume_status(object: &mut Value, facts: &Facts) {
    object.set("status", value!({"phase": "Pending", "lastPhaseTransitionTime": (facts.now.rfc3339())}));
}
