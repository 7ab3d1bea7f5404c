//! `kubectl cordon`, `uncordon` and `drain`. Follows kubectl `pkg/cmd/drain/drain.go` and `pkg/drain`.

use super::super::Outcome;
use super::super::builder::{self, Found, Info, Words};
use super::super::context::{Context, DryRun, Output};
use super::super::fault::Fault;
use super::super::flags::{Flag, Takes};
use super::super::process::Wait;
use super::{DRY_RUN, SELECTOR, TIMEOUT, Verb, drain_pods};
use crate::api::{DeleteOptions, ListOptions, PatchType, Request, Status, Str, Subresource, Value, resource, scheme};
use crate::client::Transport;
use crate::util::Time;
use crate::value;

const FLAGS: &[Flag] = &[
    SELECTOR,
    DRY_RUN,
    TIMEOUT,
    ("force", ' ', Takes::Bool),
    ("ignore-daemonsets", ' ', Takes::Bool),
    ("delete-emptydir-data", ' ', Takes::Bool),
    ("grace-period", ' ', Takes::Int),
    ("pod-selector", ' ', Takes::Text),
    ("disable-eviction", ' ', Takes::Bool),
    ("skip-wait-for-delete-timeout", ' ', Takes::Int),
    ("chunk-size", ' ', Takes::Int),
];

pub const VERBS: &[Verb] = &[
    Verb { words: "cordon", flags: || FLAGS, run: |c| cordon(c, true) },
    Verb { words: "uncordon", flags: || FLAGS, run: |c| cordon(c, false) },
    Verb { words: "drain", flags: || FLAGS, run: drain },
];

fn nodes(context: &mut Context<'_>) -> Result<Found, Fault> {
    let args = context.args();
    let kind = scheme::by_name("nodes").expect("nodes are a kind");
    if args.is_empty() {
        if context.flags.text("selector").is_empty() {
            return Err(Fault::text("USAGE: drain NODE [flags]\nSee 'kubectl drain -h' for help and examples"));
        }
        return builder::find_among(context, &["nodes".to_string()]);
    }
    let names = args.iter().map(|a| a.strip_prefix("node/").or_else(|| a.strip_prefix("nodes/")).unwrap_or(a));
    let named: Vec<String> = std::iter::once("nodes".to_string()).chain(names.map(String::from)).collect();
    let Words::Named(named) = builder::words(context, &named)? else {
        return Err(Fault::text(format!("no {} given", kind.singular)));
    };
    let mut found = Found::default();
    for (kind, name) in named {
        let mut info = builder::shell(context, kind, &name);
        match context.object(info.get()) {
            Ok(object) => {
                info.object = object;
                found.infos.push(info);
            }
            Err(fault) => found.faults.push(fault),
        }
    }
    Ok(found)
}

fn cordon(context: &mut Context<'_>, wanted: bool) -> Outcome {
    let found = nodes(context)?;
    Fault::all(found.faults)?;
    let mut faults = Vec::new();
    for info in &found.infos {
        faults.extend(set_schedulable(context, info, wanted).err());
    }
    builder::finish(faults)
}

fn set_schedulable(context: &mut Context<'_>, info: &Info, unschedulable: bool) -> Result<(), Fault> {
    let says = if unschedulable { "cordoned" } else { "uncordoned" };
    let suffix = match context.dry_run()? {
        DryRun::None => "",
        DryRun::Client => " (dry run)",
        DryRun::Server => " (server dry run)",
    };
    if info.object.spec().get("unschedulable").is_true() == unschedulable {
        context.say(format!("{} already {says}{suffix}", info.named()));
        return Ok(());
    }
    if context.dry_run()? != DryRun::Client {
        let wanted = if unschedulable { Value::Bool(true) } else { Value::Null };
        let patch = value!({"spec": {"unschedulable": (wanted)}});
        let request = Request::patch(PatchType::Strategic, &resource::NODES, "", info.name.clone(), patch);
        let dry_run = context.dry_run()? == DryRun::Server;
        context.object(Request { dry_run, ..request.by("kubectl") })?;
    }
    context.say(format!("{} {says}{suffix}", info.named()));
    Ok(())
}

fn drain(context: &mut Context<'_>) -> Outcome {
    let found = nodes(context)?;
    Fault::all(found.faults)?;
    for info in &found.infos {
        set_schedulable(context, info, true)?;
    }
    let timeout = context.flags.duration_ms("timeout").filter(|ms| *ms > 0);
    let mut draining = Draining {
        left: found.infos.iter().map(|i| i.name.clone()).collect(),
        evictions: Vec::new(),
        deadline: timeout.map(|ms| context.now().after_ms(ms)),
        grace: context.flags.int("grace-period").filter(|s| *s >= 0),
        by_deleting: context.flags.is_set("disable-eviction"),
    };
    let Some(node) = draining.left.first().cloned() else {
        return Ok(None);
    };
    let pods = drain_pods::choose(context, &node).map_err(|errors| failed(&draining.left, &errors))?;
    if context.dry_run()? != DryRun::None {
        for pod in &pods {
            context.say(format!("evicting pod {} (dry run)", pod.key()));
        }
        context.say(format!("node/{node} drained (dry run)"));
        return Ok(None);
    }
    draining.take(pods.iter().map(|p| (p.key().namespace, p.key().name, Str::from(p.uid()))), context.out);
    Ok(Some(Wait::Draining(Box::new(draining))))
}

/// What `drain` says when it cannot go on: the reasons in one, which nodes are left, the reasons again.
fn failed(left: &[Str], errors: &[String]) -> Fault {
    let node = left.first().map_or("", Str::as_str);
    let one = if errors.len() == 1 { errors[0].clone() } else { format!("[{}]", errors.join(", ")) };
    let nodes: String = left.iter().map(|n| format!("\n {n}")).collect();
    let text = format!("unable to drain node \"{node}\" due to error: {one}, continuing command...");
    Fault::text(format!("{text}\nThere are pending nodes to be drained:{nodes}\n{}", errors.join("\n")))
}

/// A pod on its way out.
#[derive(Clone, Debug)]
struct Eviction {
    namespace: Str,
    name: Str,
    uid: Str,
    /// It was accepted; now the pod has to go.
    accepted: bool,
    retry: Option<Time>,
}

/// Evicts the pods of nodes and waits until they are gone.
#[derive(Clone, Debug)]
pub struct Draining {
    left: Vec<Str>,
    evictions: Vec<Eviction>,
    deadline: Option<Time>,
    grace: Option<i64>,
    by_deleting: bool,
}

const RETRY_MS: u64 = 5000;

impl Draining {
    fn take(&mut self, pods: impl Iterator<Item = (Str, Str, Str)>, out: &mut Output) {
        for (namespace, name, uid) in pods {
            let verb = if self.by_deleting { "deleting" } else { "evicting" };
            out.stdout.push_str(&format!("{verb} pod {namespace}/{name}\n"));
            self.evictions.push(Eviction { namespace, name, uid, accepted: false, retry: None });
        }
    }

    pub fn next_check(&self) -> Option<Time> {
        self.evictions.iter().filter_map(|e| e.retry).chain(self.deadline).min()
    }

    pub fn poll(&mut self, api: &mut dyn Transport, out: &mut Output) -> Result<bool, Fault> {
        let now = api.now();
        let mut pending = Vec::new();
        for mut eviction in std::mem::take(&mut self.evictions) {
            if !eviction.accepted && eviction.retry.is_none_or(|at| now >= at) {
                self.evict(&mut eviction, api, out)?;
            }
            if !eviction.accepted || self.is_there(&eviction, api)? {
                pending.push(eviction);
            } else {
                let verb = if self.by_deleting { "deleted" } else { "evicted" };
                out.stdout.push_str(&format!("pod/{} {verb}\n", eviction.name));
            }
        }
        self.evictions = pending;
        if self.evictions.is_empty() {
            let node = self.left.remove(0);
            out.stdout.push_str(&format!("node/{node} drained\n"));
            return Ok(true);
        }
        if self.deadline.is_some_and(|at| now >= at) {
            return Err(failed(&self.left, &self.late()));
        }
        Ok(false)
    }

    fn late(&self) -> Vec<String> {
        let each = |e: &Eviction| {
            if e.accepted {
                format!("error when waiting for pod \"{}\" in namespace \"{}\" to terminate: global timeout reached", e.name, e.namespace)
            } else {
                format!("error when evicting pods/\"{}\" -n \"{}\": global timeout reached", e.name, e.namespace)
            }
        };
        self.evictions.iter().map(each).collect()
    }

    fn evict(&self, eviction: &mut Eviction, api: &mut dyn Transport, out: &mut Output) -> Result<(), Fault> {
        let (namespace, name) = (eviction.namespace.clone(), eviction.name.clone());
        let answer = if self.by_deleting {
            let delete = DeleteOptions { grace_period_seconds: self.grace, ..DeleteOptions::default() };
            api.send(Request { delete, ..Request::delete(&resource::PODS, namespace, name.clone()).by("kubectl") })
        } else {
            let mut body = value!({
                "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": (name.clone()), "namespace": (namespace.clone())}
            });
            if let Some(seconds) = self.grace {
                body.set_at(&["deleteOptions", "gracePeriodSeconds"], Value::Int(seconds));
            }
            let request = Request::create(&resource::PODS, body.into()).on(Subresource::Eviction).by("kubectl");
            api.send(Request { namespace, name: name.clone(), ..request })
        };
        match answer {
            Ok(_) => eviction.accepted = true,
            Err(status) if status.is_not_found() => eviction.accepted = true,
            Err(status) if status.code == 429 => {
                let text = &status.message;
                out.stderr.push_str(&format!(
                    "error when evicting pods/\"{name}\" -n \"{}\" (will retry after 5s): {text}\n",
                    eviction.namespace
                ));
                eviction.retry = Some(api.now().after_ms(RETRY_MS));
            }
            Err(status) => {
                let why = format!("error when evicting pods/\"{name}\" -n \"{}\": {}", eviction.namespace, status.message);
                return Err(failed(&self.left, &[why]));
            }
        }
        Ok(())
    }

    fn is_there(&self, eviction: &Eviction, api: &mut dyn Transport) -> Result<bool, Status> {
        match api.send(Request::get(&resource::PODS, eviction.namespace.clone(), eviction.name.clone())) {
            Ok(answer) => Ok(answer.object().uid() == eviction.uid.as_str()),
            Err(status) if status.is_not_found() => Ok(false),
            Err(status) => Err(status),
        }
    }
}

/// The pods of a node.
pub fn on_node(context: &mut Context<'_>, node: &str) -> Result<Vec<crate::api::Object>, Fault> {
    let labels = Str::from(context.flags.text("pod-selector"));
    let list = ListOptions { field_selector: format!("spec.nodeName={node}").into(), label_selector: labels, ..ListOptions::default() };
    Ok(context.send(Request { list, ..Request::list(&resource::PODS, "") })?.items())
}
