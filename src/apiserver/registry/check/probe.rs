//! Probes and lifecycle hooks.

use super::super::Causes;
use super::super::path::Path;
use super::super::rules::{forbidden, invalid, nonnegative, required};
use super::{one_of, port_number, port_reference};
use crate::api::Value;

/// The three probes of a container.
pub fn probes(c: &Value, at: &Path, causes: &mut Causes) {
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let probe = c.get(name);
        if !probe.is_null() {
            check_probe(name, probe, &at.child(name), causes);
        }
    }
}

#[inline(never)]
fn check_probe(name: &str, probe: &Value, at: &Path, causes: &mut Causes) {
    handler(probe, at, &["exec", "httpGet", "tcpSocket", "grpc"], causes);
    for field in ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"] {
        nonnegative(probe.get(field), at.child(field), causes);
    }
    let grace = probe.get("terminationGracePeriodSeconds");
    if name == "readinessProbe" {
        if !grace.is_null() {
            causes.push(invalid(at.child("terminationGracePeriodSeconds"), grace, "must not be set for readinessProbes"));
        }
        return;
    }
    if grace.as_int().is_some_and(|s| s <= 0) {
        causes.push(invalid(at.child("terminationGracePeriodSeconds"), grace, "must be greater than 0"));
    }
    if probe.get("successThreshold").int() != 1 {
        causes.push(invalid(at.child("successThreshold"), probe.get("successThreshold"), "must be 1"));
    }
}

/// `postStart` and `preStop`.
#[inline(never)]
pub fn lifecycle(hooks: &Value, at: &Path, causes: &mut Causes) {
    for name in ["postStart", "preStop"] {
        if !hooks.get(name).is_null() {
            handler(hooks.get(name), &at.child(name), &["exec", "httpGet", "tcpSocket", "sleep"], causes);
        }
    }
}

/// Exactly one handler, and what it needs.
fn handler(of: &Value, at: &Path, kinds: &[&'static str], causes: &mut Causes) {
    let mut count = 0;
    for kind in kinds {
        let h = of.get(kind);
        if h.is_null() {
            continue;
        }
        let at = at.child(kind);
        count += 1;
        if count > 1 {
            causes.push(forbidden(&at, "may not specify more than 1 handler type"));
            continue;
        }
        match *kind {
            "exec" if h.get("command").items().is_empty() => causes.push(required(at.child("command"), "")),
            "httpGet" => {
                if h.get("path").text().is_empty() {
                    causes.push(required(at.child("path"), ""));
                }
                port_reference(h.get("port"), at.child("port"), causes);
                one_of(h.get("scheme"), at.child("scheme"), &["HTTP", "HTTPS"], causes);
            }
            "tcpSocket" => port_reference(h.get("port"), at.child("port"), causes),
            "grpc" => port_number(h.get("port"), at.child("port"), causes),
            _ => {}
        }
    }
    if count == 0 {
        causes.push(required(at, "must specify a handler type"));
    }
}
