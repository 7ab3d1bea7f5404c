//! Secrets, Events, LimitRanges, ResourceQuotas and PodTemplates, after upstream's `pkg/apis/core`.

use super::check;
use super::edit::{drop_field, edit, edit_each, put};
use super::podspec::default_template;
use super::{PLAIN, StatusAtCreate, Strategy};
use crate::api::{Str, Value};

pub const CONFIG_MAPS: Strategy =
    Strategy { resource: "configmaps", validate: check::core::config_map, validate_update: check::core::stays_immutable, ..PLAIN };

pub const SECRETS: Strategy = Strategy {
    resource: "secrets",
    default: default_secret,
    validate: check::core::secret,
    validate_update: check::core::secret_update,
    ..PLAIN
};

pub const ENDPOINTS: Strategy = Strategy {
    resource: "endpoints",
    default: |object| edit_each(object, "subsets", |set| edit_each(set, "ports", |port| put(port, "protocol", "TCP"))),
    ..PLAIN
};

pub const EVENTS: Strategy = Strategy { resource: "events", default: default_event, ..PLAIN };

pub const LIMIT_RANGES: Strategy =
    Strategy { resource: "limitranges", default: default_limit_range, validate: check::core::limit_range, ..PLAIN };

pub const RESOURCE_QUOTAS: Strategy = Strategy {
    resource: "resourcequotas",
    has_status: true,
    status: StatusAtCreate::Set(Value::map),
    validate: check::core::quota,
    ..PLAIN
};

pub const POD_TEMPLATES: Strategy =
    Strategy { resource: "podtemplates", default: |object| edit(object, "template", default_template), ..PLAIN };

fn default_secret(object: &mut Value) {
    put(object, "type", "Opaque");
    let plain = object.get("stringData").clone();
    if plain.is_null() {
        return;
    }
    for (key, text) in plain.entries() {
        object.entry_at(&["data"]).set(key.clone(), base64(text.text().as_bytes()));
    }
    drop_field(object, "stringData");
}

/// Standard base64 with padding.
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let n = chunk.iter().fold(0_u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let six = (n >> (18 - 6 * place)) & 63;
            out.push(if place <= chunk.len() { char::from(LETTERS[six as usize]) } else { '=' });
        }
    }
    out
}

/// What an Event always prints, because Go has no "absent" for these fields.
fn default_event(object: &mut Value) {
    for (field, empty) in [("reportingComponent", ""), ("reportingInstance", "")] {
        if object.get(field).is_null() {
            object.set(Str::fixed(field), empty);
        }
    }
    put(object, "source", Value::map());
    for field in ["eventTime", "firstTimestamp", "lastTimestamp"] {
        if object.as_map().is_some_and(|m| !m.contains(field)) {
            object.set(Str::fixed(field), Value::Null);
        }
    }
}

fn default_limit_range(object: &mut Value) {
    edit(object, "spec", |spec| {
        edit_each(spec, "limits", |item| {
            if item.get("type").text() != "Container" {
                return;
            }
            for (to, from) in [("default", "max"), ("defaultRequest", "default"), ("defaultRequest", "min")] {
                let amounts = item.get(from).clone();
                for (name, amount) in amounts.entries() {
                    if item.at(&[to, name]).is_null() {
                        item.entry_at(&[to]).set(name.clone(), amount);
                    }
                }
            }
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value;

    #[test]
    fn plain_text_of_a_secret_becomes_data() {
        let mut secret = value!({"stringData": {"a": "x", "b": "xy", "c": "xyz"}, "data": {"a": "b2xk", "d": "eA=="}});
        default_secret(&mut secret);
        assert_eq!(secret, value!({"type": "Opaque", "data": {"a": "eA==", "b": "eHk=", "c": "eHl6", "d": "eA=="}}));
    }

    #[test]
    fn a_limit_range_fills_defaults_from_limits() {
        let mut range = value!({"spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}, "min": {"memory": "9Mi"}}]}});
        default_limit_range(&mut range);
        let limits = range.at(&["spec", "limits"]).item(0);
        assert_eq!(limits.get("default"), &value!({"cpu": "1"}));
        assert_eq!(limits.get("defaultRequest"), &value!({"cpu": "1", "memory": "9Mi"}));
    }
}
