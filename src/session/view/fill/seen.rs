//! The pods of a world, each looked at once: a board of a thousand asks of every refresh only what has changed since the last one.

use super::lens::is_live;
use super::nodes::requests;
use super::pods::{glance, is_unschedulable};
use crate::api::resource::PODS;
use crate::api::{Object, ObjectKey, Str};
use crate::cluster::Cluster;
use crate::session::view::Health;
use std::cell::RefCell;
use std::rc::Rc;

/// One version of a pod, and what the panels ask of it.
pub struct Seen {
    pub pod: Object,
    key: ObjectKey,
    pub uid: Str,
    /// The last part of its name.
    pub tail: Str,
    /// The uid of its controller; empty if it has none.
    pub owner: Str,
    /// The node it stands on; empty if none.
    pub node: Str,
    /// What kubectl prints as STATUS.
    pub word: Str,
    pub health: Health,
    pub live: bool,
    pub ready: bool,
    pub unschedulable: bool,
    /// It has ended well, or is ready and stays.
    pub even: bool,
    /// Thousandths of a cpu and MiB, of a pod that has not ended.
    pub asked: (u64, u64),
}

pub type Pods = Rc<Vec<Rc<Seen>>>;

thread_local! {
    /// The pods of the world that was looked at last.
    static LATELY: RefCell<Pods> = RefCell::default();
}

/// All pods of a world, in etcd's order.
pub fn pods(world: &Cluster) -> Pods {
    LATELY.with_borrow_mut(|lately| {
        let mut known = lately.iter().peekable();
        let mut changed = false;
        let mut all = Vec::with_capacity(lately.len());
        for pod in world.etcd().list(&PODS, "") {
            if let Some(same) = known.next_if(|seen| seen.pod.0.same(&pod.0)) {
                all.push(same.clone());
                continue;
            }
            changed = true;
            let key = pod.key();
            while known.next_if(|seen| seen.key < key).is_some() {}
            let same = known.next_if(|seen| seen.pod.0.same(&pod.0)).cloned();
            known.next_if(|seen| seen.key == key);
            all.push(same.unwrap_or_else(|| Rc::new(look(pod, key))));
        }
        if changed || all.len() != lately.len() {
            *lately = Rc::new(all);
        }
        lately.clone()
    })
}

fn look(pod: &Object, key: ObjectKey) -> Seen {
    let (word, health) = glance(pod);
    let ready = pod.condition_is_true("Ready");
    let phase = pod.status().get("phase").text();
    Seen {
        tail: key.name.rsplit_once('-').map_or_else(|| key.name.clone(), |n| n.1.into()),
        key,
        uid: pod.meta().get("uid").to_str(),
        owner: pod.controller_uid().unwrap_or_default(),
        node: pod.spec().get("nodeName").to_str(),
        word: word.into(),
        health,
        live: is_live(pod),
        ready,
        unschedulable: is_unschedulable(pod),
        even: phase == "Succeeded" || ready && !pod.is_deleting(),
        asked: if matches!(phase, "Succeeded" | "Failed") { (0, 0) } else { requests(pod) },
        pod: pod.clone(),
    }
}
