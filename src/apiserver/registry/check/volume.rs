//! Volumes of a pod.

use super::super::Causes;
use super::super::path::Path;
use super::super::rules::{duplicate, forbidden, invalid, label, not_supported, required};
use super::all_invalid;
use crate::api::Value;
use crate::api::quantity::Quantity;
use std::collections::BTreeMap;

/// `ValidateVolumes`; answers with the volumes by name.
#[inline(never)]
pub fn volumes<'a>(list: &'a Value, at: &Path, causes: &mut Causes) -> BTreeMap<&'a str, &'a Value> {
    let mut by_name = BTreeMap::new();
    for (i, volume) in list.items().iter().enumerate() {
        let at = at.index(i);
        let mut found = Causes::new();
        source(volume, &at, &mut found);
        let name = volume.get("name");
        if name.text().is_empty() {
            found.push(required(at.child("name"), ""));
        } else {
            all_invalid(label(name.text()), name, &at.child("name"), &mut found);
        }
        if by_name.contains_key(name.text()) {
            found.push(duplicate(at.child("name"), name));
        }
        if found.is_empty() {
            by_name.insert(name.text(), volume);
        }
        causes.extend(found);
    }
    by_name
}

#[inline(never)]
fn source(volume: &Value, at: &Path, causes: &mut Causes) {
    let mut count = 0;
    for (kind, source) in volume.entries() {
        if kind == "name" || source.is_null() {
            continue;
        }
        let at = at.child(kind);
        count += 1;
        if count > 1 {
            causes.push(forbidden(&at, "may not specify more than 1 volume type"));
            continue;
        }
        match kind.as_str() {
            "emptyDir" => {
                let limit = source.get("sizeLimit");
                if Quantity::of_or_zero(limit).is_negative() {
                    causes.push(forbidden(at.child("sizeLimit"), "SizeLimit field must be a valid resource quantity"));
                }
            }
            "hostPath" => host_path(source, &at, causes),
            "secret" => {
                needs(source, "secretName", &at, causes);
                items(source.get("items"), &at.child("items"), causes);
            }
            "configMap" => {
                needs(source, "name", &at, causes);
                items(source.get("items"), &at.child("items"), causes);
            }
            "persistentVolumeClaim" => needs(source, "claimName", &at, causes),
            "nfs" => {
                needs(source, "server", &at, causes);
                needs(source, "path", &at, causes);
            }
            "csi" => needs(source, "driver", &at, causes),
            "projected" => projected(source, &at, causes),
            _ => {}
        }
    }
    if count == 0 {
        causes.push(required(at, "must specify a volume type"));
    }
}

fn needs(source: &Value, field: &'static str, at: &Path, causes: &mut Causes) {
    if source.get(field).text().is_empty() {
        causes.push(required(at.child(field), ""));
    }
}

fn host_path(source: &Value, at: &Path, causes: &mut Causes) {
    const TYPES: [&str; 8] = ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
    let path = source.get("path");
    if path.text().is_empty() {
        causes.push(required(at.child("path"), ""));
        return;
    }
    if path.text().split('/').any(|part| part == "..") {
        causes.push(invalid(at.child("path"), path, "must not contain '..'"));
    }
    if !TYPES.contains(&source.get("type").text()) {
        causes.push(not_supported(at.child("type"), source.get("type"), &TYPES));
    }
}

fn items(list: &Value, at: &Path, causes: &mut Causes) {
    for (i, item) in list.items().iter().enumerate() {
        let at = at.index(i);
        needs(item, "key", &at, causes);
        needs(item, "path", &at, causes);
        let path = item.get("path");
        if path.text().starts_with('/') {
            causes.push(invalid(at.child("path"), path, "must be a relative path"));
        }
        if path.text().split('/').any(|part| part == "..") {
            causes.push(invalid(at.child("path"), path, "must not contain '..'"));
        }
    }
}

fn projected(source: &Value, at: &Path, causes: &mut Causes) {
    let sources = at.child("sources");
    for (i, one) in source.get("sources").items().iter().enumerate() {
        let at = sources.index(i);
        for kind in ["secret", "configMap"] {
            let inner = one.get(kind);
            if !inner.is_null() {
                let at = at.child(kind);
                needs(inner, "name", &at, causes);
                items(inner.get("items"), &at.child("items"), causes);
            }
        }
        let token = one.get("serviceAccountToken");
        if !token.is_null() {
            let at = at.child("serviceAccountToken");
            if token.get("expirationSeconds").int() < 600 {
                let why = "may not specify a duration less than 10 minutes";
                causes.push(invalid(at.child("expirationSeconds"), token.get("expirationSeconds"), why));
            }
            needs(token, "path", &at, causes);
        }
    }
}
