//! HorizontalPodAutoscalers, after upstream's `pkg/apis/autoscaling/v2/defaults.go`.

use super::check;
use super::edit::{edit, ensure, put};
use super::{PLAIN, StatusAtCreate, Strategy};
use crate::api::Value;
use crate::value;

pub const AUTOSCALERS: Strategy = Strategy {
    resource: "horizontalpodautoscalers.autoscaling",
    default: default_autoscaler,
    has_status: true,
    status: StatusAtCreate::Set(|| value!({"desiredReplicas": 0_i64, "currentMetrics": null})),
    validate: check::policy::autoscaler,
    ..PLAIN
};

fn default_autoscaler(object: &mut Value) {
    edit(object, "spec", |spec| {
        put(spec, "minReplicas", 1_i64);
        if spec.get("metrics").is_empty() && spec.get("targetCPUUtilizationPercentage").is_null() {
            spec.set(
                "metrics",
                value!([{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80_i64}}}]),
            );
        }
        edit(spec, "behavior", |behavior| {
            ensure(behavior, "scaleUp", |rules| {
                put(rules, "stabilizationWindowSeconds", 0_i64);
                put(rules, "selectPolicy", "Max");
                if rules.get("policies").is_empty() {
                    rules.set(
                        "policies",
                        value!([
                            {"type": "Pods", "value": 4_i64, "periodSeconds": 15_i64},
                            {"type": "Percent", "value": 100_i64, "periodSeconds": 15_i64}
                        ]),
                    );
                }
            });
            ensure(behavior, "scaleDown", |rules| {
                put(rules, "selectPolicy", "Max");
                if rules.get("policies").is_empty() {
                    rules.set("policies", value!([{"type": "Percent", "value": 100_i64, "periodSeconds": 15_i64}]));
                }
            });
        });
    });
}
