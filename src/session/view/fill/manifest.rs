//! What belongs to the editor: the stored text and who wrote its fields, the faults that are on, the images one can use.

use super::counted;
use super::lens::{Lens, stale_from};
use super::losses::Loss;
use super::tickets::is_held;
use crate::api::Str;
use crate::session::Session;
use crate::session::action::{Action, EventFault};
use crate::session::view::{Fault, Health, Image, Manifest, Text, Writer};

pub fn manifest(session: &Session) -> Manifest {
    let moment = session.moment();
    Manifest {
        stored: moment.stored.clone(),
        offered: session.offered(),
        problems: (*moment.problems).clone(),
        partly: moment.partly.clone(),
        drift: if meddled(session) { super::drift::drift(&moment.world, &moment.stored) } else { None },
        writers: written(&moment.stored),
    }
}

/// Whether anything but the manifest was written by a person.
fn meddled(session: &Session) -> bool {
    session.actions().iter().any(|a| matches!(a, Action::Kubectl { .. } | Action::KubectlFiles { .. }))
}

/// Lines of a manifest that hold a value below spec: the person wrote them last.
fn written(text: &str) -> Vec<(u32, Writer)> {
    let mut out = Vec::new();
    let mut in_spec = false;
    for (i, line) in text.lines().enumerate() {
        if !line.starts_with([' ', '-', '#']) && !line.is_empty() {
            in_spec = line.starts_with("spec:");
        }
        let value = line.split_once(": ").is_some_and(|(_, v)| !v.trim().is_empty() && !v.trim_start().starts_with('#'));
        if in_spec && value && !line.trim_start().starts_with('#') {
            out.push((i as u32 + 1, Writer::Me));
        }
    }
    out
}

/// A stopped process or loop, or a loss: no rule.
fn plain(what: Text, target: Str, undo: Option<Action>) -> Fault {
    Fault { what, target, undo, rule: None }
}

pub fn faults(lens: &Lens, losses: &[Loss]) -> Vec<Fault> {
    let world = lens.world;
    let mut out = Vec::new();
    for process in world.processes() {
        if !process.running {
            out.push(plain(Text::word("flt.down"), process.name.clone(), Some(Action::StartProcess { process: process.name.clone() })));
        }
        for l in process.loops.iter().filter(|l| !l.running) {
            out.push(plain(Text::word("flt.stopped"), l.name.clone(), Some(Action::StartLoop { loop_id: l.name.clone() })));
        }
        for (resource, wire) in process.wires.iter() {
            if let Some(token) = wire.tokens().find(|t| is_held(lens, t)) {
                let target = Str::from(format!("{} · {}", process.name, token.object.name()));
                let wire = crate::session::action::WireId { process: process.name.clone(), resource: resource.0.clone() };
                let undo = Action::Event { wire, event: token.revision, fault: EventFault::Deliver, loop_id: Str::default() };
                out.push(plain(Text::word("flt.held"), target, Some(undo)));
            }
            if stale_from(world, process, resource, wire).is_some() {
                let wire = crate::session::action::WireId { process: process.name.clone(), resource: resource.0.clone() };
                out.push(plain(
                    Text::word("flt.lost"),
                    Str::from(format!("{} · {}", process.name, resource.plural())),
                    Some(Action::Relist { wire }),
                ));
            }
        }
    }
    if world.rules().next().is_some() {
        out.extend(super::faults::rules(lens));
    }
    for loss in losses {
        out.push(plain(loss.said(lens), Str::default(), None));
    }
    out
}

/// The page's own images, as `catalog::page_cluster` sets them up.
pub fn images() -> Vec<Image> {
    let image = |name: &'static str, health, note| Image { name: Str::fixed(name), health, note };
    vec![
        image("my-app:v1", Health::Ok, counted("img.fine", 2)),
        image("my-app:v2", Health::Ok, counted("img.fine", 3)),
        image("my-app:v3", Health::Stuck, "exit 1 → CrashLoopBackOff".into()),
        image("my-app:v4", Health::Stuck, "ErrImagePull → ImagePullBackOff".into()),
        image("my-app:v5", Health::Going, counted("img.slow", 40)),
    ]
}
