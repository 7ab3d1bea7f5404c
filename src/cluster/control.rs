//! What a person does to the world: commands, stops and starts, faults, tokens.

use super::activity::{TokenDeed, UserAction};
use super::agenda::Actor;
use super::process::Token;
use super::{Cluster, Detail, LoopId, ProcessId};
use crate::api::resource::PODS;
use crate::api::{ObjectKey, Resource, Str, Value};
use crate::client::queue::Causes;
use crate::controllers::kubelet;
use crate::runtime::{Behaviour, Images};
use std::rc::Rc;

impl Cluster {
    #[inline(never)]
    pub(super) fn user(&mut self, action: &UserAction) -> (Causes, Detail) {
        let detail = match action {
            UserAction::Kubectl { words, files } => return self.start_command(words, files),
            UserAction::Cancel { command } => self.cancel(*command),
            UserAction::StopProcess(name) => self.with_process(name, Cluster::stop_process),
            UserAction::StartProcess(name) => self.with_process(name, Cluster::start_process),
            UserAction::StopLoop(name) => self.set_running(name, false),
            UserAction::StartLoop(name) => self.set_running(name, true),
            UserAction::Fault(fault) => self.put_in(fault),
            UserAction::EndFault(id) => self.end_fault(*id),
            UserAction::EndFaultsLike(fault) => {
                self.end_faults(|f| f == fault.inner());
                Detail::None
            }
            UserAction::ClearFaults => {
                self.end_faults(|_| true);
                Detail::None
            }
            UserAction::Images(images) => self.set_images(images),
            UserAction::AddNode(node) => match super::Node::parse(node) {
                Ok(node) => {
                    self.add_node(node);
                    Detail::None
                }
                Err(why) => Detail::Said(why.into()),
            },
            UserAction::RemoveNode(name) => self.with_process(&format!("kubelet:{name}"), Cluster::stop_process),
            UserAction::Token { process, resource, revision, deed } => self.handle_token(process, resource, *revision, deed),
            UserAction::Wait { until } => {
                self.now = self.now.max(*until);
                Detail::None
            }
        };
        (Causes::default(), detail)
    }

    fn with_process(&mut self, name: &str, deed: fn(&mut Cluster, ProcessId)) -> Detail {
        match self.process_named(name) {
            Some(id) => {
                deed(self, id);
                Detail::None
            }
            None => Detail::Said(Str::from(format!("no process is named \"{name}\""))),
        }
    }

    /// Stops or starts one loop, on every node if it is a kubelet's.
    fn set_running(&mut self, name: &str, running: bool) -> Detail {
        let all: Vec<LoopId> = self.loops_named(name).collect();
        if all.is_empty() {
            return Detail::Said(Str::from(format!("no loop is named \"{name}\"")));
        }
        for id in all {
            let process = Rc::make_mut(&mut self.processes[usize::from(id.process)]);
            Rc::make_mut(&mut process.loops[usize::from(id.index)]).running = running;
            self.reschedule(&Actor::Loop(id));
        }
        Detail::None
    }

    fn set_images(&mut self, images: &Value) -> Detail {
        let mut all: Images = (*self.images).clone();
        for (reference, options) in images.entries() {
            match Behaviour::parse(options) {
                Ok(behaviour) => all.set(reference, behaviour),
                Err(why) => return Detail::Said(format!("image {reference}: {why}").into()),
            }
        }
        self.images = Rc::new(all);
        self.tell_images();
        Detail::None
    }

    /// The kubelets hear of what images do now.
    pub(super) fn tell_images(&mut self) {
        let now = self.now;
        let kubelets: Vec<ProcessId> = self.kubelets.values().copied().collect();
        for id in kubelets {
            let process = Rc::make_mut(&mut self.processes[usize::from(id)]);
            let l = Rc::make_mut(&mut process.loops[0]);
            for key in kubelet::set_images(&mut l.memory, self.images.clone(), now) {
                l.queue.add(key);
            }
            self.reschedule(&Actor::Loop(LoopId { process: id, index: 0 }));
        }
    }

    /// What a container printed; none if it never ran.
    pub fn container_logs(&self, namespace: &str, pod: &str, container: &str, previous: bool) -> Option<String> {
        let object = self.server.etcd.get(&PODS, &ObjectKey::new(namespace, pod))?;
        let id = self.kubelets.get(object.spec().get("nodeName").text())?;
        let process = self.process(*id);
        let log = kubelet::logs(&process.loops.first()?.memory, &object.key().joined(), container, previous, self.now)?;
        Some(log.lines.iter().map(|l| format!("{l}\n")).collect())
    }

    fn handle_token(&mut self, process: &str, resource: &Resource, revision: u64, deed: &TokenDeed) -> Detail {
        let missing = || Detail::Said(Str::fixed("that event is no longer on the wire"));
        let Some(id) = self.process_named(process) else { return missing() };
        let now = self.now;
        let Some(wire) = Rc::make_mut(&mut self.processes[usize::from(id)]).wires.get_mut(resource) else { return missing() };
        let mut tokens: Vec<Token> = wire.pending.iter().cloned().collect();
        let Some(place) = tokens.iter().position(|t| t.revision == revision) else { return missing() };
        let mut detail = Detail::None;
        let mut arrives = None;
        match deed {
            TokenDeed::Deliver => arrives = Some(tokens.remove(place)),
            TokenDeed::Drop => {
                let lost = tokens.remove(place);
                detail = Detail::Delivered { key: lost.object.key(), revision, woke: Vec::new(), lost: true };
                wire.lost.push(lost);
            }
            TokenDeed::Delay { ms } => {
                // What comes behind on the same stream cannot overtake it.
                let mut due = now.max(tokens[place].due).after_ms(*ms);
                for token in &mut tokens[place..] {
                    token.due = token.due.max(due);
                    due = token.due;
                }
                wire.newest = wire.newest.max(due);
            }
            TokenDeed::LoseWakeUp { of } => tokens[place].unheard_by.push(of.clone()),
            TokenDeed::Duplicate => tokens.insert(place, tokens[place].clone()),
        }
        // What comes next need not wait for what is gone.
        wire.newest = tokens.last().map_or(crate::util::Time(0), |t| t.due);
        wire.pending = tokens.into_iter().collect();
        if let Some(token) = arrives {
            let woke = self.take_in(id, resource, &token);
            detail = Detail::Delivered { key: token.object.key(), revision, woke, lost: false };
        }
        self.reschedule(&Actor::Wire(id, resource.clone()));
        detail
    }
}
