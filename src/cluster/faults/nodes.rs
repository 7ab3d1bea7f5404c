//! Machines that go down, nodes that cannot reach the API server, containers that are killed.

use super::document::{Form, Reader, written};
use super::{Began, Family, Fault};
use crate::api::resource::PODS;
use crate::api::{ObjectKey, Resource, Str, Value};
use crate::cluster::agenda::Actor;
use crate::cluster::{Cluster, Detail, LoopId, ProcessId};
use crate::controllers::kubelet;
use std::rc::Rc;

pub const FAMILY: Family = Family {
    forms: &[Form { key: "node", fields: &["is"], read }, Form { key: "kill", fields: &["namespace"], read: read_kill }],
    write,
    begin,
    end: |world, fault| {
        if let Fault::NodeCutOff(node) = fault {
            world.set_cut(node, false);
        }
    },
};

fn read(r: &Reader<'_>) -> Result<Fault, String> {
    let node = r.own()?;
    match r.field("is").text() {
        "down" => Ok(Fault::NodeDown(node)),
        "up" => Ok(Fault::NodeUp(node)),
        "cutOff" => Ok(Fault::NodeCutOff(node)),
        _ => Err(r.wrong("is", "down, up or cutOff")),
    }
}

fn read_kill(r: &Reader<'_>) -> Result<Fault, String> {
    let wrong = || r.wrong("kill", "POD/CONTAINER");
    let (pod, container) = r.field("kill").text().split_once('/').ok_or_else(wrong)?;
    let fine = |name: &str| !name.is_empty() && name.len() <= 253 && !name.contains('/');
    if !fine(pod) || !fine(container) {
        return Err(wrong());
    }
    Ok(Fault::Kill { namespace: r.name_or("namespace", "default")?, pod: pod.into(), container: container.into() })
}

fn write(fault: &Fault) -> Option<Value> {
    let node = |name: &Str, is: &'static str| written([("node", Value::Str(name.clone())), ("is", Value::str(is))]);
    Some(match fault {
        Fault::NodeDown(name) => node(name, "down"),
        Fault::NodeUp(name) => node(name, "up"),
        Fault::NodeCutOff(name) => node(name, "cutOff"),
        Fault::Kill { namespace, pod, container } => {
            let space = if *namespace == "default" { Value::Null } else { Value::Str(namespace.clone()) };
            written([("kill", Value::from(format!("{pod}/{container}"))), ("namespace", space)])
        }
        _ => return None,
    })
}

fn begin(world: &mut Cluster, fault: &Fault) -> Option<Began> {
    Some(match fault {
        Fault::NodeDown(node) => Began::Once(world.set_power(node, false)),
        Fault::NodeUp(node) => {
            world.end_faults(|f| matches!(f, Fault::NodeCutOff(n) if n == node));
            Began::Once(world.set_power(node, true))
        }
        Fault::NodeCutOff(node) => match world.kubelet_of(node) {
            Ok(_) => {
                world.set_cut(node, true);
                Began::Lasts
            }
            Err(said) => Began::Once(said),
        },
        Fault::Kill { namespace, pod, container } => Began::Once(world.kill(namespace, pod, container)),
        _ => return None,
    })
}

impl Cluster {
    fn kubelet_of(&self, node: &str) -> Result<ProcessId, Detail> {
        self.process_named(&format!("kubelet:{node}")).ok_or_else(|| Detail::Said(Str::from(format!("no node is named \"{node}\""))))
    }

    /// A machine goes down with its kubelet and containers, or comes up again.
    fn set_power(&mut self, node: &str, up: bool) -> Detail {
        let id = match self.kubelet_of(node) {
            Ok(id) => id,
            Err(said) => return said,
        };
        if up {
            self.start_process(id);
        } else {
            self.stop_process(id);
            if let Some(hardware) = self.machines.get_mut(node) {
                Rc::make_mut(hardware).machine = crate::runtime::Machine::default();
            }
        }
        Detail::None
    }

    /// The connection of a node goes, or comes back: then each reflector watches again from the last revision it heard.
    fn set_cut(&mut self, node: &str, cut: bool) {
        let still = !cut && self.rules.iter().any(|r| matches!(&r.fault, Fault::NodeCutOff(n) if n == node));
        let Ok(id) = self.kubelet_of(node) else { return };
        if still {
            return;
        }
        let process = Rc::make_mut(&mut self.processes[usize::from(id)]);
        process.cut = cut;
        let resources: Vec<Resource> = process.wires.keys().cloned().collect();
        for resource in resources {
            let process = Rc::make_mut(&mut self.processes[usize::from(id)]);
            let wire = process.wires.get_mut(&resource).expect("listed above");
            if cut {
                wire.pending = rpds::Queue::new();
            } else if wire.list_at.is_some() {
                wire.list_at = wire.list_at.max(Some(self.now.after_ms(1)));
            } else if wire.connected {
                self.disconnect(id, &resource);
            }
            self.reschedule(&Actor::Wire(id, resource));
        }
    }

    fn kill(&mut self, namespace: &str, pod: &str, container: &str) -> Detail {
        let Some(object) = self.server.etcd.get(&PODS, &ObjectKey::new(namespace, pod)).cloned() else {
            return Detail::Said(Str::from(format!("pods \"{pod}\" not found")));
        };
        let node = object.spec().get("nodeName").to_str();
        let Some(id) = self.kubelets.get(&node).copied().filter(|id| self.process(*id).running) else {
            return Detail::Said(Str::from(format!("pod \"{pod}\" runs on no node")));
        };
        let now = self.now;
        let key = object.key().joined();
        let process = Rc::make_mut(&mut self.processes[usize::from(id)]);
        let l = Rc::make_mut(&mut process.loops[0]);
        if !kubelet::kill(&mut l.memory, &key, container, now) {
            return Detail::Said(Str::from(format!("container \"{container}\" of pod \"{pod}\" does not run")));
        }
        l.queue.add(key);
        self.reschedule(&Actor::Loop(LoopId { process: id, index: 0 }));
        Detail::None
    }
}
