//! Which pods `kubectl drain` may evict. Follows kubectl `pkg/drain/filters.go`.

use super::super::context::Context;
use super::drain::on_node;
use crate::api::{Object, Request, resource};
use crate::util::Order;

/// The pods to evict, or why it must not be done.
pub fn choose(context: &mut Context<'_>, node: &str) -> Result<Vec<Object>, Vec<String>> {
    let pods = on_node(context, node).map_err(|f| vec![f.message()])?;
    let force = context.flags.is_set("force");
    let (ignore, delete_data) = (context.flags.is_set("ignore-daemonsets"), context.flags.is_set("delete-emptydir-data"));
    let mut chosen = Vec::new();
    let mut warnings: Vec<(&str, Vec<String>)> = Vec::new();
    let mut errors: Vec<(&str, Vec<String>)> = Vec::new();
    for pod in pods {
        let key = pod.key().joined().to_string();
        let finished = matches!(pod.status().get("phase").text(), "Succeeded" | "Failed");
        let owner = pod.controller().map(|c| c.get("kind").text().to_string());
        if pod.annotation("kubernetes.io/config.mirror").is_some() {
            continue;
        }
        if owner.as_deref() == Some("DaemonSet") && !finished {
            let missing = !daemon_set_exists(context, &pod);
            if missing && force {
                add(&mut warnings, "deleting Pods that declare no controller", key);
                chosen.push(pod);
            } else if missing {
                add(&mut errors, "cannot delete Pods that declare no controller (use --force to override)", key);
            } else if ignore {
                add(&mut warnings, "ignoring DaemonSet-managed Pods", key);
            } else {
                add(&mut errors, "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)", key);
            }
            continue;
        }
        let local = pod.spec().get("volumes").items().iter().any(|v| !v.get("emptyDir").is_null());
        if local && !finished && !delete_data {
            add(&mut errors, "cannot delete Pods with local storage (use --delete-emptydir-data to override)", key);
            continue;
        }
        if owner.is_none() && !finished {
            if !force {
                add(&mut errors, "cannot delete Pods that declare no controller (use --force to override)", key);
                continue;
            }
            add(&mut warnings, "deleting Pods that declare no controller", key);
        }
        chosen.push(pod);
    }
    if !errors.is_empty() {
        return Err(texts(&mut errors));
    }
    let warnings = texts(&mut warnings);
    if !warnings.is_empty() {
        context.warn(format!("Warning: {}", warnings.join("; ")));
    }
    Ok(chosen)
}

fn add<'a>(list: &mut Vec<(&'a str, Vec<String>)>, why: &'a str, pod: String) {
    match list.iter_mut().find(|(w, _)| *w == why) {
        Some((_, pods)) => pods.push(pod),
        None => list.push((why, vec![pod])),
    }
}

fn texts(list: &mut [(&str, Vec<String>)]) -> Vec<String> {
    list.order_by_key(|(why, _)| *why);
    list.iter().map(|(why, pods)| format!("{why}: {}", pods.join(", "))).collect()
}

fn daemon_set_exists(context: &mut Context<'_>, pod: &Object) -> bool {
    let name = pod.controller().map(|c| c.get("name").to_str()).unwrap_or_default();
    context.object(Request::get(&resource::DAEMON_SETS, pod.key().namespace, name)).is_ok()
}
