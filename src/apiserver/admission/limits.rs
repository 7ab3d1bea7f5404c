//! LimitRanger, after upstream's `plugin/pkg/admission/limitranger/admission.go`. Left out: pod-level resources.

use super::{Attributes, View};
use crate::api::quantity::Quantity;
use crate::api::resource::LIMIT_RANGES;
use crate::api::{Object, Status, Str, Value};
use crate::apiserver::registry::edit::{edit, edit_each};
use crate::util::Order;

const ANNOTATION: &str = "kubernetes.io/limit-ranger";
/// Both lists of containers, with the word for them.
const LISTS: [(&str, &str); 2] = [("containers", "container"), ("initContainers", "init container")];

/// Puts the defaults of the namespace's LimitRanges into a pod.
pub fn defaults(view: &dyn View, a: &Attributes, pod: &mut Value) {
    view.list(&LIMIT_RANGES, a.namespace).iter().for_each(|range| put_defaults(range, pod));
}

/// Holds pods and claims to the bounds of the namespace's LimitRanges.
pub fn limit_ranger(view: &dyn View, a: &Attributes, object: &Value) -> Result<(), Status> {
    let ranges = view.list(&LIMIT_RANGES, a.namespace);
    if ranges.is_empty() { Ok(()) } else { hold_to(&ranges, a, object) }
}

#[inline(never)]
fn hold_to(ranges: &[Object], a: &Attributes, object: &Value) -> Result<(), Status> {
    let is_pod = a.resource.0 == "pods";
    for range in ranges {
        let mut wrong = Vec::new();
        for limit in range.spec().get("limits").items() {
            match (limit.get("type").text(), is_pod) {
                ("Container", true) => check_containers(limit, object, &mut wrong),
                ("Pod", true) => check_pod(limit, object, &mut wrong),
                ("PersistentVolumeClaim", false) => check_claim(limit, object, &mut wrong),
                _ => {}
            }
        }
        wrong.dedup();
        match &wrong[..] {
            [] => {}
            [one] => return Err(a.forbidden(object, one)),
            many => return Err(a.forbidden(object, &format!("[{}]", many.join(", ")))),
        }
    }
    Ok(())
}

/// Puts what a LimitRange says about containers where they say nothing, and notes it in an annotation.
fn put_defaults(range: &Object, pod: &mut Value) {
    let mut notes: Vec<String> = Vec::new();
    let mut limits: Vec<(Str, Value)> = Vec::new();
    let mut requests: Vec<(Str, Value)> = Vec::new();
    for limit in range.spec().get("limits").items().iter().filter(|l| l.get("type").text() == "Container") {
        limits.extend(limit.get("default").entries().iter().cloned());
        requests.extend(limit.get("defaultRequest").entries().iter().cloned());
    }
    if limits.is_empty() && requests.is_empty() {
        return;
    }
    edit(pod, "spec", |spec| {
        for (list, word) in LISTS {
            edit_each(spec, list, |container| {
                let name = container.get("name").to_str();
                for (what, defaults, noun) in [("requests", &requests, "request"), ("limits", &limits, "limit")] {
                    let mut set: Vec<Str> = Vec::new();
                    for (key, amount) in defaults {
                        if container.at(&["resources", what, key]).is_null() {
                            container.entry_at(&["resources", what]).set(key.clone(), amount);
                            set.push(key.clone());
                        }
                    }
                    if !set.is_empty() {
                        set.order();
                        notes.push(format!("{} {noun} for {word} {name}", set.join(", ")));
                    }
                }
            });
        }
    });
    if !notes.is_empty() {
        pod.set_at(&["metadata", "annotations", ANNOTATION], format!("LimitRanger plugin set: {}", notes.join("; ")));
    }
}

fn check_containers(limit: &Value, pod: &Value, wrong: &mut Vec<String>) {
    for (list, _) in LISTS {
        for container in pod.at(&["spec", list]).items() {
            let resources = container.get("resources");
            check(limit, "Container", &|what, name| Quantity::of(resources.at(&[what, name])), wrong);
        }
    }
}

fn check_pod(limit: &Value, pod: &Value, wrong: &mut Vec<String>) {
    check(limit, "Pod", &|what, name| sum(pod, what, name), wrong);
}

/// The sum over all containers, or the largest init container if that is more.
fn sum(pod: &Value, what: &str, name: &str) -> Option<Quantity> {
    let of = |list: &str| -> Vec<Quantity> {
        pod.at(&["spec", list]).items().iter().filter_map(|c| Quantity::of(c.at(&["resources", what, name]))).collect()
    };
    let total = of("containers").into_iter().reduce(|a, b| a + b);
    of("initContainers").into_iter().chain(total).max()
}

type Amount<'a> = &'a dyn Fn(&str, &str) -> Option<Quantity>;

fn check(limit: &Value, kind: &str, amount: Amount, wrong: &mut Vec<String>) {
    for (name, bound) in limit.get("min").entries() {
        let (request, limited) = (amount("requests", name), amount("limits", name));
        let least = Quantity::of_or_zero(bound);
        let text = format!("minimum {name} usage per {kind} is {least}");
        match (request, limited) {
            (None, _) => wrong.push(format!("{text}.  No request is specified")),
            (Some(r), _) if r < least => wrong.push(format!("{text}, but request is {r}")),
            (_, Some(l)) if l < least => wrong.push(format!("{text}, but limit is {l}")),
            _ => {}
        }
    }
    for (name, bound) in limit.get("max").entries() {
        let (request, limited) = (amount("requests", name), amount("limits", name));
        let most = Quantity::of_or_zero(bound);
        let text = format!("maximum {name} usage per {kind} is {most}");
        match (request, limited) {
            (_, None) => wrong.push(format!("{text}.  No limit is specified")),
            (_, Some(l)) if l > most => wrong.push(format!("{text}, but limit is {l}")),
            (Some(r), _) if r > most => wrong.push(format!("{text}, but request is {r}")),
            _ => {}
        }
    }
    for (name, bound) in limit.get("maxLimitRequestRatio").entries() {
        let (request, limited) = (amount("requests", name), amount("limits", name));
        let text = format!("{name} max limit to request ratio per {kind} is {}", Quantity::of_or_zero(bound));
        match (request.filter(|q| !q.is_zero()), limited.filter(|q| !q.is_zero())) {
            (None, _) => wrong.push(format!("{text}, but no request is specified or request is 0")),
            (_, None) => wrong.push(format!("{text}, but no limit is specified or limit is 0")),
            (Some(r), Some(l)) => {
                let ratio = l.milli() as f64 / r.milli() as f64;
                if ratio > Quantity::of_or_zero(bound).milli() as f64 / 1000.0 {
                    wrong.push(format!("{text}, but provided ratio is {ratio:.6}"));
                }
            }
        }
    }
}

/// A claim has requests only.
fn check_claim(limit: &Value, claim: &Value, wrong: &mut Vec<String>) {
    let request = |name: &str| Quantity::of(claim.at(&["spec", "resources", "requests", name]));
    for (name, bound) in limit.get("min").entries() {
        let least = Quantity::of_or_zero(bound);
        let text = format!("minimum {name} usage per PersistentVolumeClaim is {least}");
        match request(name) {
            None => wrong.push(format!("{text}.  No request is specified")),
            Some(r) if r < least => wrong.push(format!("{text}, but request is {r}")),
            Some(_) => {}
        }
    }
    for (name, bound) in limit.get("max").entries() {
        let most = Quantity::of_or_zero(bound);
        let text = format!("maximum {name} usage per PersistentVolumeClaim is {most}");
        match request(name) {
            None => wrong.push(format!("{text}.  No request is specified")),
            Some(r) if r > most => wrong.push(format!("{text}, but request is {r}")),
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Shelf, create};
    use super::*;
    use crate::api::resource::PODS;
    use crate::value;

    #[test]
    fn defaults_fill_in_and_bounds_hold() {
        let range = value!({"metadata": {"name": "small", "namespace": "shop"}, "spec": {"limits": [{
            "type": "Container", "default": {"cpu": "200m", "memory": "128Mi"}, "defaultRequest": {"cpu": "100m", "memory": "64Mi"}, "max": {"cpu": "1"}
        }]}});
        let shelf = Shelf(vec![(LIMIT_RANGES, Object(range))]);
        let mut pod = value!({"metadata": {"name": "web"}, "spec": {"containers": [{"name": "web"}]}});
        let pods = PODS;
        let asked = create(&pods, "shop", "web");
        defaults(&shelf, &asked, &mut pod);
        limit_ranger(&shelf, &asked, &pod).unwrap();
        assert_eq!(
            pod.at(&["metadata", "annotations", ANNOTATION]).text(),
            "LimitRanger plugin set: cpu, memory request for container web; cpu, memory limit for container web"
        );
        let big = value!({"metadata": {"name": "big"}, "spec": {"containers": [{"name": "big", "resources": {"limits": {"cpu": "2"}}}]}});
        let refusal = limit_ranger(&shelf, &create(&PODS, "shop", "big"), &big).unwrap_err();
        assert_eq!(refusal.message, "pods \"big\" is forbidden: maximum cpu usage per Container is 1, but limit is 2");
    }
}
