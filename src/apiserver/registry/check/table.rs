//! Rules that need no code: single fields of kinds that are seldom written, one line each. A kind's lines are
//! `FIELD RULE [WORDS]`; `a.b[]` means each item of the list `b`.

use super::super::Causes;
use super::super::path::Path;
use super::super::rules::{invalid, label, not_supported, required, subdomain};
use super::all_invalid;
use crate::api::{Resource, Value};

/// What is wrong with a text that is no IP address.
pub const NO_ADDRESS: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

const WEBHOOKS: &str = "\
webhooks[].rules[].operations[] one * CONNECT CREATE DELETE UPDATE
webhooks[].rules[].operations required
webhooks[].rules[].apiGroups required
webhooks[].rules[].apiVersions required
webhooks[].rules[].resources required
webhooks[].failurePolicy one Fail Ignore
webhooks[].matchPolicy one Equivalent Exact
webhooks[].reinvocationPolicy one IfNeeded Never
webhooks[].sideEffects required must specify one of None, NoneOnDryRun
webhooks[].sideEffects one None NoneOnDryRun
webhooks[].timeoutSeconds range 1 30 the timeout value must be between 1 and 30 seconds
webhooks[].admissionReviewVersions required must specify one of v1, v1beta1";

/// The lines about one direction of scaling.
macro_rules! scaling_rules {
    ($at:literal) => {
        concat!(
            $at,
            "stabilizationWindowSeconds range 0 3600 must be less than or equal to 3600\n",
            $at,
            "selectPolicy one Disabled Max Min\n",
            $at,
            "policies required must specify at least one Policy\n",
            $at,
            "policies[].type one Percent Pods\n",
            $at,
            "policies[].value range 1 2147483647 must be greater than zero\n",
            $at,
            "policies[].periodSeconds range 1 2147483647 must be greater than zero\n",
            $at,
            "policies[].periodSeconds range -2147483648 1800 must be less than or equal to 1800\n"
        )
    };
}

/// A kind's lines, asked for by need: a page has only those of the kinds that it has seen.
type Lines = fn() -> &'static str;

const RULES: &[(&str, Lines)] = &[
    (
        "apiservices.apiregistration.k8s.io",
        || "spec.groupPriorityMinimum range 1 20000 must be positive and less than 20000\nspec.versionPriority range 1 1000 must be positive and less than 1000",
    ),
    ("csidrivers.storage.k8s.io", || "spec.fsGroupPolicy one File None ReadWriteOnceWithFSType"),
    (
        "endpoints",
        || "subsets[].addresses[].ip ip\nsubsets[].notReadyAddresses[].ip ip\nsubsets[].ports[].port range 1 65535 must be between 1 and 65535, inclusive\nsubsets[].ports[].protocol one SCTP TCP UDP",
    ),
    (
        "endpointslices.discovery.k8s.io",
        || "addressType one FQDN IPv4 IPv6\nendpoints[].addresses required must contain at least 1 address\nports[].name label\nports[].protocol one SCTP TCP UDP",
    ),
    ("horizontalpodautoscalers.autoscaling", || {
        concat!(
            "spec.scaleTargetRef.apiVersion group apiVersion must specify API group\n",
            "spec.metrics[].resource.target.averageUtilization range 1 2147483647 must be greater than 0\n",
            scaling_rules!("spec.behavior.scaleUp."),
            scaling_rules!("spec.behavior.scaleDown.")
        )
    }),
    ("ingressclasses.networking.k8s.io", || "spec.controller required"),
    (
        "leases.coordination.k8s.io",
        || "spec.leaseDurationSeconds range 1 2147483647 must be greater than 0\nspec.leaseTransitions range 0 2147483647 must be greater than or equal to 0",
    ),
    ("mutatingwebhookconfigurations.admissionregistration.k8s.io", || WEBHOOKS),
    ("persistentvolumeclaims", || "spec.volumeMode one Block Filesystem\nspec.storageClassName subdomain"),
    (
        "persistentvolumes",
        || "spec.persistentVolumeReclaimPolicy one Delete Recycle Retain\nspec.volumeMode one Block Filesystem\nspec.storageClassName subdomain",
    ),
    ("poddisruptionbudgets.policy", || "spec.unhealthyPodEvictionPolicy one AlwaysAllow IfHealthyBudget"),
    ("runtimeclasses.node.k8s.io", || "handler label"),
    (
        "statefulsets.apps",
        || "spec.persistentVolumeClaimRetentionPolicy.whenDeleted one Retain Delete\nspec.persistentVolumeClaimRetentionPolicy.whenScaled one Retain Delete",
    ),
    (
        "storageclasses.storage.k8s.io",
        || "provisioner required\nreclaimPolicy one Delete Retain\nvolumeBindingMode one Immediate WaitForFirstConsumer",
    ),
    ("validatingwebhookconfigurations.admissionregistration.k8s.io", || WEBHOOKS),
];

/// Judges an object by its kind's lines.
pub fn check(resource: &Resource, object: &Value, causes: &mut Causes) {
    let name: &str = &resource.0;
    let Some((_, lines)) = RULES.iter().find(|(of, _)| *of == name) else { return };
    for line in lines().lines() {
        if let Some((field, rule)) = line.split_once(' ') {
            visit(object, field, None, rule, causes);
        }
    }
}

fn visit(value: &Value, field: &str, before: Option<&Path<'_>>, rule: &str, causes: &mut Causes) {
    let (step, rest) = field.split_once('.').unwrap_or((field, ""));
    let (step, each) = step.strip_suffix("[]").map_or((step, false), |name| (name, true));
    let at = before.map_or_else(|| Path::root(step), |path| path.child(step));
    let inner = value.get(step);
    if each {
        for (i, item) in inner.items().iter().enumerate() {
            meet(item, rest, &at.index(i), rule, causes);
        }
    } else if rest.is_empty() || !inner.is_null() {
        meet(inner, rest, &at, rule, causes);
    }
}

fn meet(value: &Value, rest: &str, at: &Path<'_>, rule: &str, causes: &mut Causes) {
    if !rest.is_empty() {
        return visit(value, rest, Some(at), rule, causes);
    }
    let (name, words) = rule.split_once(' ').unwrap_or((rule, ""));
    let given = !value.is_empty();
    match name {
        "required" if !given => causes.push(required(at, words)),
        "group" if value.text().is_empty() => causes.push(invalid(at, &Value::from(""), words)),
        "one" if given => {
            let allowed: Vec<&str> = words.split(' ').collect();
            if !allowed.contains(&value.text()) {
                causes.push(not_supported(at, value, &allowed));
            }
        }
        "range" => {
            let mut parts = words.splitn(3, ' ');
            let mut bound = || parts.next().and_then(|n| n.parse::<i64>().ok()).unwrap_or(0);
            let (low, high) = (bound(), bound());
            if value.as_int().is_some_and(|n| n < low || n > high) {
                causes.push(invalid(at, value, parts.next().unwrap_or("")));
            }
        }
        "label" if given => all_invalid(label(value.text()), value, at, causes),
        "subdomain" if given => all_invalid(subdomain(value.text()), value, at, causes),
        "ip" => address(value, at, causes),
        _ => {}
    }
}

/// `IsValidIP`.
pub fn address(value: &Value, at: &Path, causes: &mut Causes) {
    if !is_address(value.text()) {
        causes.push(invalid(at, value, NO_ADDRESS));
    }
}

/// Whether a text is an IP address, by its letters.
pub fn is_address(text: &str) -> bool {
    let part = |p: &str| p.len() <= 3 && (p == "0" || !p.starts_with('0')) && p.parse::<u8>().is_ok();
    if text.contains(':') {
        return text.len() >= 2 && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b':' || b == b'.');
    }
    text.split('.').count() == 4 && text.split('.').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value;

    #[test]
    fn a_line_judges_its_field() {
        let classes = "storageclasses.storage.k8s.io";
        for (name, resource, object, expected) in [
            ("missing", classes, value!({"reclaimPolicy": "Delete"}), vec!["provisioner: Required value"]),
            (
                "not one of them",
                classes,
                value!({"provisioner": "x", "reclaimPolicy": "Keep"}),
                vec!["reclaimPolicy: Unsupported value: \"Keep\": supported values: \"Delete\", \"Retain\""],
            ),
            (
                "in a list of lists",
                "endpoints",
                value!({"subsets": [{"ports": [{"port": 80_i64}, {"port": 0_i64}]}]}),
                vec!["subsets[0].ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive"],
            ),
            ("nothing to say", "pods", value!({}), vec![]),
        ] {
            let mut causes = Causes::new();
            check(&Resource::named(resource), &object, &mut causes);
            let said: Vec<String> = causes.iter().map(|c| format!("{}: {}", c.field, c.body)).collect();
            assert_eq!(said, expected, "{name}");
        }
    }

    #[test]
    fn addresses_are_known_by_their_letters() {
        for (text, ok) in [("10.0.0.1", true), ("::1", true), ("10.0.0", false), ("010.0.0.1", false), ("256.1.1.1", false), ("web", false)]
        {
            assert_eq!(is_address(text), ok, "{text}");
        }
    }
}
