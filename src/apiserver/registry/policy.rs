//! PodDisruptionBudgets, RoleBindings and ValidatingAdmissionPolicies, after upstream's `pkg/apis/policy`, `rbac` and `admissionregistration`.

use super::check;
use super::edit::{edit, edit_each, ensure, put};
use super::{Generation, PLAIN, StatusAtCreate, Strategy, spec_changed};
use crate::api::Value;
use crate::value;

pub const DISRUPTION_BUDGETS: Strategy = Strategy {
    resource: "poddisruptionbudgets.policy",
    has_status: true,
    status: StatusAtCreate::Set(new_budget_status),
    generation: Generation::Counts(spec_changed),
    validate: check::policy::disruption_budget,
    ..PLAIN
};

pub const ROLE_BINDINGS: Strategy = Strategy {
    resource: "rolebindings.rbac.authorization.k8s.io",
    default: default_binding,
    name: super::rules::path_segment,
    validate: check::policy::role_binding,
    validate_update: check::policy::role_binding_update,
    ..PLAIN
};

pub const CLUSTER_ROLE_BINDINGS: Strategy =
    Strategy { resource: "clusterrolebindings.rbac.authorization.k8s.io", validate: check::policy::cluster_role_binding, ..ROLE_BINDINGS };

pub const ROLES: Strategy =
    Strategy { resource: "roles.rbac.authorization.k8s.io", name: super::rules::path_segment, validate: check::policy::role, ..PLAIN };

pub const CLUSTER_ROLES: Strategy =
    Strategy { resource: "clusterroles.rbac.authorization.k8s.io", validate: check::policy::cluster_role, ..ROLES };

pub const ADMISSION_POLICIES: Strategy = Strategy {
    resource: "validatingadmissionpolicies.admissionregistration.k8s.io",
    default: |object| {
        edit(object, "spec", |spec| {
            put(spec, "failurePolicy", "Fail");
            edit(spec, "matchConstraints", default_match);
        });
    },
    has_status: true,
    status: StatusAtCreate::Set(Value::map),
    generation: Generation::Counts(spec_changed),
    ..PLAIN
};

pub const VALIDATING_WEBHOOKS: Strategy = Strategy {
    resource: "validatingwebhookconfigurations.admissionregistration.k8s.io",
    default: |object| edit_each(object, "webhooks", default_webhook),
    generation: Generation::Counts(|new, old| new.get("webhooks") != old.get("webhooks")),
    ..PLAIN
};

pub const MUTATING_WEBHOOKS: Strategy = Strategy {
    resource: "mutatingwebhookconfigurations.admissionregistration.k8s.io",
    default: |object| {
        edit_each(object, "webhooks", |hook| {
            default_webhook(hook);
            put(hook, "reinvocationPolicy", "Never");
        });
    },
    ..VALIDATING_WEBHOOKS
};

pub const ADMISSION_BINDINGS: Strategy = Strategy {
    resource: "validatingadmissionpolicybindings.admissionregistration.k8s.io",
    default: |object| edit(object, "spec", |spec| edit(spec, "matchResources", default_match)),
    generation: Generation::Counts(spec_changed),
    ..PLAIN
};

fn new_budget_status() -> Value {
    value!({"disruptionsAllowed": 0_i64, "currentHealthy": 0_i64, "desiredHealthy": 0_i64, "expectedPods": 0_i64})
}

fn default_binding(object: &mut Value) {
    edit(object, "roleRef", |role| put(role, "apiGroup", "rbac.authorization.k8s.io"));
    edit_each(object, "subjects", |subject| {
        if matches!(subject.get("kind").text(), "User" | "Group") {
            put(subject, "apiGroup", "rbac.authorization.k8s.io");
        }
    });
}

fn default_webhook(hook: &mut Value) {
    put(hook, "failurePolicy", "Fail");
    put(hook, "timeoutSeconds", 10_i64);
    default_match(hook);
    edit_each(hook, "rules", |rule| put(rule, "scope", "*"));
    edit(hook, "clientConfig", |client| edit(client, "service", |service| put(service, "port", 443_i64)));
}

fn default_match(matches: &mut Value) {
    put(matches, "matchPolicy", "Equivalent");
    for selector in ["namespaceSelector", "objectSelector"] {
        ensure(matches, selector, |_| {});
    }
    for rules in ["resourceRules", "excludeResourceRules"] {
        edit_each(matches, rules, |rule| put(rule, "scope", "*"));
    }
}
