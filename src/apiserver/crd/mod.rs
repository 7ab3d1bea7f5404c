//! Custom kinds: their definitions, and what the server does to objects of them. Follows apiextensions-apiserver's
//! `pkg/apiserver/customresource_handler.go` and `pkg/registry/customresource`. Left out: conversion webhooks, CEL
//! rules, selectable fields.

pub mod definition;
mod pattern;
#[cfg(test)]
mod tests;
mod values;

use super::registry::rules;
use crate::api::schema::{Schema, from_custom};
use crate::api::scheme::{KindInfo, USUAL_VERBS};
use crate::api::status::Cause;
use crate::api::{Object, Resource, Str, Subresource, Value};
use crate::apiserver::registry::edit::{copy_field, drop_field, edit};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The custom kinds that are served. Cloning shares them.
#[derive(Clone, Default)]
pub struct Customs(Rc<BTreeMap<Resource, Rc<Custom>>>);

impl Customs {
    pub fn get(&self, resource: &Resource) -> Option<&Rc<Custom>> {
        if self.0.is_empty() { None } else { self.0.get(resource) }
    }

    /// Serves the kind of a definition, in place of an earlier one of the same resource.
    pub fn add(&mut self, definition: &Object) -> Rc<Custom> {
        let custom = Rc::new(Custom::of(definition));
        Rc::make_mut(&mut self.0).insert(custom.info.resource.clone(), custom.clone());
        custom
    }

    pub fn remove(&mut self, resource: &Resource) {
        Rc::make_mut(&mut self.0).remove(resource);
    }

    /// The schema of an object of a custom kind, by its apiVersion.
    pub fn schema_of(&self, resource: &Resource, object: &Value) -> Option<Schema> {
        self.get(resource).and_then(|c| c.version_of(object)).map(|v| v.schema.clone())
    }
}

/// One custom kind, as its definition describes it.
pub struct Custom {
    pub info: KindInfo,
    versions: Vec<Version>,
}

/// One version of a custom kind.
pub struct Version {
    pub name: Str,
    pub schema: Schema,
    /// `openAPIV3Schema` as written
    pub source: Value,
    pub has_status: bool,
    /// the `scale` subresource's paths, or null
    pub scale: Value,
    /// `additionalPrinterColumns`
    pub columns: Value,
}

impl Custom {
    pub fn of(definition: &Object) -> Custom {
        let spec = definition.spec();
        let names = spec.get("names");
        let served: Vec<&Value> = spec.get("versions").items().iter().filter(|v| v.get("served").is_true()).collect();
        let mut versions: Vec<Version> = served.iter().map(|v| version(v)).collect();
        versions.sort_by_key(|v| std::cmp::Reverse(priority(&v.name)));
        let mut subresources = Vec::new();
        for (name, there) in [("status", versions.iter().any(|v| v.has_status)), ("scale", versions.iter().any(|v| !v.scale.is_null()))] {
            if there {
                subresources.push(Str::fixed(name));
            }
        }
        let list = |field: &str| names.get(field).items().iter().map(Value::to_str).collect::<Rc<[Str]>>();
        let info = KindInfo {
            resource: Resource::named(format!("{}.{}", names.get("plural").text(), spec.get("group").text())),
            kind: names.get("kind").to_str(),
            singular: names.get("singular").to_str(),
            short_names: list("shortNames"),
            version: versions.first().map(|v| v.name.clone()).unwrap_or_default(),
            versions: versions.iter().map(|v| v.name.clone()).collect(),
            namespaced: spec.get("scope").text() != "Cluster",
            subresources: subresources.into(),
            categories: list("categories"),
            verbs: USUAL_VERBS.map(Str::fixed).into(),
        };
        Custom { info, versions }
    }

    pub fn versions(&self) -> &[Version] {
        &self.versions
    }

    /// The version that an object says it is of.
    pub fn version_of(&self, object: &Value) -> Option<&Version> {
        let name = object.get("apiVersion").text().rsplit('/').next().unwrap_or("");
        self.versions.iter().find(|v| v.name == name)
    }

    /// Takes out fields that the schema does not know; answers with their paths.
    pub fn prune(&self, object: &mut Value) -> Vec<String> {
        self.version_of(object).map(|v| v.source.clone()).map_or_else(Vec::new, |source| values::prune(&source, object))
    }

    /// Puts the schema's defaults.
    pub fn default(&self, object: &mut Value) {
        if let Some(version) = self.version_of(object) {
            let source = version.source.clone();
            values::default(&source, object);
        }
    }

    pub fn prepare_create(&self, object: &mut Value) {
        if self.version_of(object).is_some_and(|v| v.has_status) {
            drop_field(object, "status");
            // Whoever reads the object gets the defaults, those of the status too.
            self.default(object);
        }
        edit(object, "metadata", |meta| meta.set("generation", 1_i64));
    }

    /// Any change but of metadata and of a status that is a subresource counts as a new goal.
    pub fn prepare_update(&self, object: &mut Value, old: &Value, subresource: Option<Subresource>) {
        let has_status = self.version_of(object).is_some_and(|v| v.has_status);
        let fields: Vec<Str> = object.entries().iter().chain(old.entries()).map(|(key, _)| key.clone()).collect();
        if subresource == Some(Subresource::Status) {
            for key in fields.iter().filter(|k| !matches!(k.as_str(), "metadata" | "status" | "apiVersion" | "kind")) {
                match old.get(key) {
                    Value::Null => drop_field(object, key),
                    there => object.set(key.clone(), there),
                }
            }
        } else if has_status {
            copy_field(object, old, "status");
        }
        let generation = old.at(&["metadata", "generation"]).int();
        let changed = |key: &&Str| {
            let apart = matches!(key.as_str(), "metadata" | "apiVersion" | "kind") || has_status && *key == "status";
            !apart && object.get(key) != old.get(key)
        };
        let counted = generation + i64::from(fields.iter().any(|k| changed(&k)));
        if object.at(&["metadata", "generation"]).int() != counted {
            object.set_at(&["metadata", "generation"], counted);
        }
    }

    pub fn validate_create(&self, object: &Value) -> Vec<Cause> {
        let mut causes = Vec::new();
        rules::metadata(object, rules::subdomain, &mut causes);
        self.validate(object, &mut causes);
        causes
    }

    pub fn validate_update(&self, object: &Value, old: &Value) -> Vec<Cause> {
        let mut causes = Vec::new();
        rules::metadata_update(object, old, &mut causes);
        self.validate(object, &mut causes);
        causes
    }

    fn validate(&self, object: &Value, causes: &mut Vec<Cause>) {
        if let Some(version) = self.version_of(object) {
            values::validate(&version.source, object, causes);
        }
    }
}

fn version(v: &Value) -> Version {
    let source = v.at(&["schema", "openAPIV3Schema"]).clone();
    Version {
        name: v.get("name").to_str(),
        schema: from_custom(&source),
        source,
        has_status: !v.at(&["subresources", "status"]).is_null(),
        scale: v.at(&["subresources", "scale"]).clone(),
        columns: v.get("additionalPrinterColumns").clone(),
    }
}

/// Kubernetes' order of versions: stable before beta before alpha, higher numbers first, all else last.
fn priority(name: &str) -> (u8, u32, u32) {
    let Some(rest) = name.strip_prefix('v') else { return (0, 0, 0) };
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let Ok(major) = rest[..digits].parse() else { return (0, 0, 0) };
    match &rest[digits..] {
        "" => (3, major, 0),
        minor => match (minor.strip_prefix("beta"), minor.strip_prefix("alpha")) {
            (Some(n), _) => (2, major, n.parse().unwrap_or(0)),
            (_, Some(n)) => (1, major, n.parse().unwrap_or(0)),
            _ => (0, 0, 0),
        },
    }
}
