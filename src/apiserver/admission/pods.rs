//! ServiceAccount, Priority, DefaultTolerationSeconds and RuntimeClass, after upstream's `plugin/pkg/admission`.
//! Left out: the secrets that a service account may be limited to, and Windows.

use super::{Attributes, View};
use crate::api::resource::{PRIORITY_CLASSES, SERVICE_ACCOUNTS};
use crate::api::{Object, ObjectKey, Resource, Status, Str, Value};
use crate::apiserver::registry::edit::{edit, edit_each, put};
use crate::apiserver::registry::podspec::{token_mount, token_volume};
use crate::util::draws::suffix;
use crate::value;

const RUNTIME_CLASSES: Resource = Resource::fixed("runtimeclasses.node.k8s.io");
const TOKEN_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
const TOKEN_VOLUME_PREFIX: &str = "kube-api-access-";
const MIRROR: &str = "kubernetes.io/config.mirror";
/// How long a pod stays on a node that is not ready or not reachable.
const TOLERATION_SECONDS: i64 = 300;
/// The classes that every cluster has.
const SYSTEM_CLASSES: [(&str, i64); 2] = [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// Gives the pod its service account, and its containers the account's token.
#[inline(never)]
pub fn service_account(view: &dyn View, a: &Attributes, pod: &mut Value) -> Result<(), Status> {
    if !pod.at(&["metadata", "annotations", MIRROR]).is_null() {
        return Ok(());
    }
    if pod.at(&["spec", "serviceAccountName"]).is_empty() {
        edit(pod, "spec", |spec| {
            spec.set("serviceAccountName", "default");
            spec.set("serviceAccount", "default");
        });
    }
    let name = pod.at(&["spec", "serviceAccountName"]).to_str();
    let Some(account) = view.get(&SERVICE_ACCOUNTS, &ObjectKey::new(a.namespace, name.clone())) else {
        let why = format!("error looking up service account {}/{name}: serviceaccount \"{name}\" not found", a.namespace);
        return Err(a.forbidden_early(pod, &why));
    };
    if is_automounted(&account, pod) {
        edit(pod, "spec", |spec| mount_token(spec, a.draw));
    }
    if pod.at(&["spec", "imagePullSecrets"]).is_empty() && !account.get("imagePullSecrets").is_empty() {
        pod.set_at(&["spec", "imagePullSecrets"], account.get("imagePullSecrets"));
    }
    Ok(())
}

fn is_automounted(account: &Object, pod: &Value) -> bool {
    let said = pod.at(&["spec", "automountServiceAccountToken"]).as_bool();
    said.or(account.get("automountServiceAccountToken").as_bool()).unwrap_or(true)
}

fn mount_token(spec: &mut Value, draw: u64) {
    let existing = spec.get("volumes").items().iter().map(|v| v.get("name").text()).find(|n| n.starts_with(TOKEN_VOLUME_PREFIX));
    let had = existing.is_some();
    let name = existing.map_or_else(|| Str::from(format!("{TOKEN_VOLUME_PREFIX}{}", suffix(draw, 5))), Str::from);
    let mut needed = false;
    for list in ["initContainers", "containers"] {
        edit_each(spec, list, |container| {
            let mounts = container.get("volumeMounts").items();
            if mounts.iter().any(|m| m.get("mountPath").text() == TOKEN_PATH) {
                return;
            }
            needed = true;
            container.entry_at(&["volumeMounts"]).list_mut().push(token_mount(&name, TOKEN_PATH));
        });
    }
    if needed && !had {
        spec.entry_at(&["volumes"]).list_mut().push(token_volume(name));
    }
}

/// Resolves the pod's priority class to a number.
#[inline(never)]
pub fn priority(view: &dyn View, a: &Attributes, pod: &mut Value) -> Result<(), Status> {
    let name = pod.at(&["spec", "priorityClassName"]).to_str();
    let class = if name.is_empty() {
        let classes = view.list(&PRIORITY_CLASSES, "");
        classes.into_iter().filter(|c| c.get("globalDefault").is_true()).min_by_key(|c| c.get("value").int())
    } else {
        let found = view.get(&PRIORITY_CLASSES, &ObjectKey::new("", name.clone())).or_else(|| system_class(&name));
        match found {
            Some(class) => Some(class),
            None => return Err(a.forbidden_early(pod, &format!("no PriorityClass with name {name} was found"))),
        }
    };
    let class = class.unwrap_or_default();
    let number = class.get("value").int();
    let policy = class.get("preemptionPolicy").as_str().map_or(Str::fixed("PreemptLowerPriority"), Str::from);
    let spec = pod.get("spec");
    if let Some(given) = spec.get("priority").as_int()
        && given != number
    {
        let why = format!(
            "the integer value of priority ({given}) must not be provided in pod spec; priority admission controller computed {number} from the given PriorityClass name"
        );
        return Err(a.forbidden_early(pod, &why));
    }
    if let Some(given) = spec.get("preemptionPolicy").as_str()
        && given != policy.as_str()
    {
        let why = format!(
            "the string value of PreemptionPolicy ({given}) must not be provided in pod spec; priority admission controller computed {policy} from the given PriorityClass name"
        );
        return Err(a.forbidden_early(pod, &why));
    }
    let class_name = class.meta().get("name").to_str();
    edit(pod, "spec", |spec| {
        if !class_name.is_empty() {
            put(spec, "priorityClassName", class_name);
        }
        put(spec, "priority", number);
        put(spec, "preemptionPolicy", policy);
    });
    Ok(())
}

fn system_class(name: &str) -> Option<Object> {
    let (name, number) = SYSTEM_CLASSES.iter().find(|(n, _)| *n == name)?;
    Some(Object(value!({"metadata": {"name": (*name)}, "value": (*number), "preemptionPolicy": "PreemptLowerPriority"})))
}

/// Lets a pod stay for five minutes on a node that is not ready or not reachable, unless it says something itself.
#[inline(never)]
pub fn toleration_seconds(pod: &mut Value) {
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let covers =
            |t: &Value| (t.get("key").is_empty() || t.get("key").text() == key) && matches!(t.get("effect").text(), "" | "NoExecute");
        if pod.at(&["spec", "tolerations"]).items().iter().any(covers) {
            continue;
        }
        let toleration = value!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": TOLERATION_SECONDS});
        pod.entry_at(&["spec", "tolerations"]).list_mut().push(toleration);
    }
}

/// Adds what a runtime class says about overhead and nodes.
#[inline(never)]
pub fn runtime_class(view: &dyn View, a: &Attributes, pod: &mut Value) -> Result<(), Status> {
    let name = pod.at(&["spec", "runtimeClassName"]).to_str();
    if name.is_empty() && !pod.at(&["spec", "overhead"]).is_empty() {
        return Err(a.forbidden_early(pod, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"));
    }
    if name.is_empty() {
        return Ok(());
    }
    let Some(class) = view.get(&RUNTIME_CLASSES, &ObjectKey::new("", name.clone())) else {
        return Err(a.forbidden_early(pod, &format!("pod rejected: RuntimeClass \"{name}\" not found")));
    };
    let overhead = class.at(&["overhead", "podFixed"]);
    if !overhead.is_empty() {
        pod.set_at(&["spec", "overhead"], overhead);
    }
    for (key, text) in class.at(&["scheduling", "nodeSelector"]).entries() {
        pod.entry_at(&["spec", "nodeSelector"]).set(key.clone(), text);
    }
    let tolerations = class.at(&["scheduling", "tolerations"]).items();
    for toleration in tolerations.iter().filter(|t| !pod.at(&["spec", "tolerations"]).items().contains(t)).cloned().collect::<Vec<_>>() {
        pod.entry_at(&["spec", "tolerations"]).list_mut().push(toleration);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Shelf, create};
    use super::*;
    use crate::api::resource::PODS;

    fn shelf() -> Shelf {
        let account = value!({"metadata": {"name": "default", "namespace": "default"}});
        let silent = value!({"metadata": {"name": "silent", "namespace": "default"}, "automountServiceAccountToken": false});
        let high = value!({"metadata": {"name": "high"}, "value": 100_i64, "preemptionPolicy": "Never"});
        Shelf(vec![(SERVICE_ACCOUNTS, Object(account)), (SERVICE_ACCOUNTS, Object(silent)), (PRIORITY_CLASSES, Object(high))])
    }

    #[test]
    fn each_container_gets_the_token_once() {
        let mut pod = value!({"metadata": {"name": "web"}, "spec": {"containers": [
            {"name": "a"}, {"name": "b", "volumeMounts": [{"name": "mine", "mountPath": TOKEN_PATH}]}
        ]}});
        service_account(&shelf(), &create(&PODS, "default", "web"), &mut pod).unwrap();
        let spec = pod.get("spec");
        assert_eq!(spec.get("serviceAccount").text(), "default");
        let volume = spec.get("volumes").item(0).get("name").text();
        assert_eq!(volume.len(), TOKEN_VOLUME_PREFIX.len() + 5);
        assert_eq!(spec.get("containers").item(0).get("volumeMounts").item(0).get("name").text(), volume);
        assert_eq!(spec.get("containers").item(1).get("volumeMounts").items().len(), 1);
    }

    #[test]
    fn an_account_that_is_missing_or_silent() {
        let mut pod =
            value!({"metadata": {"generateName": "web-"}, "spec": {"serviceAccountName": "robot", "containers": [{"name": "a"}]}});
        let refusal = service_account(&shelf(), &create(&PODS, "default", ""), &mut pod).unwrap_err();
        assert_eq!(
            refusal.message,
            "pods \"web-\" is forbidden: error looking up service account default/robot: serviceaccount \"robot\" not found"
        );
        pod.set_at(&["metadata", "name"], "web-x2x2x");
        let named = service_account(&shelf(), &create(&PODS, "default", ""), &mut pod).unwrap_err();
        assert_eq!(named.message, refusal.message, "the name is only to be generated");
        pod.set_at(&["spec", "serviceAccountName"], "silent");
        service_account(&shelf(), &create(&PODS, "default", ""), &mut pod).unwrap();
        assert!(pod.at(&["spec", "volumes"]).is_null());
    }

    #[test]
    fn a_class_becomes_a_number() {
        for (class, number, policy) in
            [("", 0, "PreemptLowerPriority"), ("high", 100, "Never"), ("system-node-critical", 2_000_001_000, "PreemptLowerPriority")]
        {
            let mut pod = value!({"spec": {"priorityClassName": class}});
            priority(&shelf(), &create(&PODS, "default", "web"), &mut pod).unwrap();
            assert_eq!(pod.at(&["spec", "priority"]).int(), number, "{class}");
            assert_eq!(pod.at(&["spec", "preemptionPolicy"]).text(), policy, "{class}");
        }
        let mut pod = value!({"spec": {"priorityClassName": "none"}});
        let refusal = priority(&shelf(), &create(&PODS, "default", "web"), &mut pod).unwrap_err();
        assert_eq!(refusal.message, "pods \"web\" is forbidden: no PriorityClass with name none was found");
    }

    #[test]
    fn own_tolerations_come_first() {
        let mut pod = value!({"spec": {"tolerations": [{"key": "node.kubernetes.io/unreachable", "operator": "Exists"}]}});
        toleration_seconds(&mut pod);
        let keys: Vec<&str> = pod.at(&["spec", "tolerations"]).items().iter().map(|t| t.get("key").text()).collect();
        assert_eq!(keys, ["node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"]);
    }
}
