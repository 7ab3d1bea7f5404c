//! Gives each node a range of pod addresses, and the annotation that tells kubelets how long to keep secrets.
//! Follows upstream `pkg/controller/nodeipam/ipam/range_allocator.go` and `pkg/controller/ttl/ttl_controller.go`,
//! which are two loops. Left out: IPv6, clusters of more than 100 nodes (their annotation grows), ranges but /24.

use super::common::send;
use crate::api::resource::NODES;
use crate::api::{Object, PatchType, Request, Resource, Str, Value};
use crate::client::{Change, Controller, Handling, Memory, Stop, Sync};
use crate::util::Tree;
use crate::value;

/// The node address loop.
pub struct NodeIpamController;

const WATCHES: &[Resource] = &[NODES];
const TTL: &str = "node.alpha.kubernetes.io/ttl";

/// The node that each range was given to.
#[derive(Clone, Default)]
struct Known {
    ranges: Tree<u32, Str>,
    nodes: Tree<Str, u32>,
}

impl Known {
    fn give(&mut self, node: &str, range: u32) {
        self.ranges.insert_mut(range, Str::from(node));
        self.nodes.insert_mut(Str::from(node), range);
    }

    /// The lowest range that is free.
    fn free(&self) -> u32 {
        let mut next = 0;
        for used in self.ranges.keys() {
            if *used != next {
                break;
            }
            next += 1;
        }
        next
    }
}

impl Controller for NodeIpamController {
    fn name(&self) -> &'static str {
        "node-ipam"
    }

    fn watches(&self) -> &'static [Resource] {
        WATCHES
    }

    fn component(&self) -> &'static str {
        "cidrAllocator"
    }

    fn memory(&self, _node: &Str) -> Memory {
        Memory::new(Known::default())
    }

    fn handle(&self, h: &mut Handling<'_>, change: &Change) {
        let node = change.object();
        if change.is_deleted() {
            let known: &mut Known = h.memory.get_mut();
            if let Some(range) = known.nodes.get(node.name()).copied() {
                known.nodes.remove_mut(node.name());
                known.ranges.remove_mut(&range);
            }
            return;
        }
        if let Some(range) = range_of(node)
            && !h.memory.get::<Known>().nodes.contains_key(node.name())
        {
            h.memory.get_mut::<Known>().give(node.name(), range);
        }
        if node.spec().get("podCIDR").is_empty() || node.annotation(TTL).is_none() {
            h.queue.add(node.meta().get("name").to_str());
        }
    }

    fn sync(&self, sync: &mut Sync<'_>, key: &str) -> Result<(), Stop> {
        let Some(node) = sync.cache(&NODES).get("", key) else { return Ok(()) };
        if node.annotation(TTL).is_none() {
            let annotation: Value = [(Str::fixed(TTL), Value::from("0"))].into_iter().collect();
            patch(sync, key, value!({"metadata": {"annotations": annotation}}))?;
        }
        if !node.spec().get("podCIDR").is_empty() {
            return Ok(());
        }
        let known = sync.memory::<Known>();
        let range = known.nodes.get(key).copied().unwrap_or_else(|| known.free());
        let cidr = Value::from(format!("10.{}.{}.0/24", 244 + range / 256, range % 256));
        sync.differs("differs.nodeipam", vec![Str::from(key), cidr.to_str()]);
        sync.remember(|m: &mut Known| m.give(key, range));
        patch(sync, key, value!({"spec": {"podCIDR": (cidr.clone()), "podCIDRs": [cidr]}}))
    }
}

fn patch(sync: &mut Sync<'_>, node: &str, patch: Value) -> Result<(), Stop> {
    send(sync, Request::patch(PatchType::Strategic, &NODES, "", node, patch)).map(drop)
}

/// The number of the range that a node has.
fn range_of(node: &Object) -> Option<u32> {
    let cidr = node.spec().get("podCIDR").text();
    let mut parts = cidr.split('.').skip(1).map(|p| p.parse::<u32>().ok());
    let (second, third) = (parts.next()??, parts.next()??);
    Some(second.checked_sub(244)? * 256 + third)
}
