//! The scores (`pkg/scheduler/framework/plugins`): least allocated, balanced allocation, taints, preferred affinity, spreading.
//! Left out: preferred inter-pod affinity, soft topology spread, zones, image locality.
//! Whole numbers throughout; where upstream takes a logarithm for spreading, a table stands in for it.

use super::filters::{matches_term, tolerates};
use super::nodes::{Ask, NodeInfo};
use crate::api::{Object, Value};
use std::rc::Rc;

const MAX: i64 = 100;
/// Upstream's weights.
const TAINT_WEIGHT: i64 = 3;
const AFFINITY_WEIGHT: i64 = 2;
const SPREAD_WEIGHT: i64 = 2;
/// Default spreading over hosts allows this skew.
const HOST_SKEW: i64 = 3;

/// The node with the highest score; `tie` decides among equals.
#[inline(never)]
pub fn best<'a>(nodes: &[&'a Rc<NodeInfo>], pod: &Object, ask: &Ask, tie: &dyn Fn(&str) -> u64) -> &'a Rc<NodeInfo> {
    let mut totals: Vec<i64> = nodes.iter().map(|n| least_allocated(n, ask) + balanced(n, ask)).collect();
    add(&mut totals, TAINT_WEIGHT, &inverse(nodes.iter().map(|n| untolerated_preferences(n, pod)).collect()));
    let preferred = pod.spec().at(&["affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution"]).items();
    if !preferred.is_empty() {
        add(&mut totals, AFFINITY_WEIGHT, &proportional(nodes.iter().map(|n| preference(n, preferred)).collect()));
    }
    if let Some(owner) = pod.controller_uid() {
        let counts = nodes.iter().map(|n| n.siblings.get(&owner).copied().unwrap_or(0)).collect();
        add(&mut totals, SPREAD_WEIGHT, &spreading(counts));
    }
    let top = totals.iter().copied().max().unwrap_or(0);
    let mut equal = nodes.iter().zip(&totals).filter(|(_, t)| **t == top).map(|(n, _)| *n);
    let first = equal.next().expect("there is a feasible node");
    let rest: Vec<_> = equal.collect();
    if rest.is_empty() {
        return first;
    }
    std::iter::once(first).chain(rest).max_by_key(|n| tie(&n.name)).unwrap_or(first)
}

fn add(totals: &mut [i64], weight: i64, scores: &[i64]) {
    for (total, score) in totals.iter_mut().zip(scores) {
        *total += weight * score;
    }
}

/// The free share after the pod, averaged over cpu and memory.
fn least_allocated(n: &NodeInfo, ask: &Ask) -> i64 {
    let free =
        |used: i64, asked: i64, there: i64| if there == 0 || used + asked > there { 0 } else { (there - used - asked) * MAX / there };
    let cpu = free(n.used.scored_cpu_milli, ask.scored_cpu_milli, n.cpu_milli);
    let memory = free(n.used.scored_memory_bytes, ask.scored_memory_bytes, n.memory_bytes);
    (cpu + memory) / 2
}

/// How alike the used shares of cpu and memory are: with two resources the standard deviation is half their distance.
fn balanced(n: &NodeInfo, ask: &Ask) -> i64 {
    if ask.cpu_milli == 0 && ask.memory_bytes == 0 {
        return 0;
    }
    let share = |used: i64, asked: i64, there: i64| {
        if there == 0 { 1_000_000 } else { (i128::from(used + asked) * 1_000_000 / i128::from(there)).min(1_000_000) as i64 }
    };
    let cpu = share(n.used.cpu_milli, ask.cpu_milli, n.cpu_milli);
    let memory = share(n.used.memory_bytes, ask.memory_bytes, n.memory_bytes);
    (1_000_000 - (cpu - memory).abs() / 2) * MAX / 1_000_000
}

fn untolerated_preferences(n: &NodeInfo, pod: &Object) -> i64 {
    let taints = n.object.spec().get("taints").items();
    taints.iter().filter(|t| t.get("effect").text() == "PreferNoSchedule" && !tolerates(pod, t)).count() as i64
}

#[inline(never)]
fn preference(n: &NodeInfo, preferred: &[Value]) -> i64 {
    preferred.iter().filter(|p| matches_term(p.get("preference"), &n.object)).map(|p| p.get("weight").int()).sum()
}

/// The largest becomes 100 (`DefaultNormalizeScore`).
fn proportional(raw: Vec<i64>) -> Vec<i64> {
    let top = raw.iter().copied().max().unwrap_or(0);
    raw.into_iter().map(|r| if top == 0 { 0 } else { r * MAX / top }).collect()
}

/// As `proportional`, reversed.
fn inverse(raw: Vec<i64>) -> Vec<i64> {
    let top = raw.iter().copied().max().unwrap_or(0);
    raw.into_iter().map(|r| if top == 0 { MAX } else { MAX - r * MAX / top }).collect()
}

/// Default spreading over hosts: `count * ln(hosts + 2) + skew - 1`, then the smallest becomes 100.
fn spreading(counts: Vec<i64>) -> Vec<i64> {
    let weight = ln_milli(counts.len() as u64 + 2);
    let raw: Vec<i64> = counts.iter().map(|c| (c * weight + (HOST_SKEW - 1) * 1000 + 500) / 1000).collect();
    let (low, high) = (raw.iter().copied().min().unwrap_or(0), raw.iter().copied().max().unwrap_or(0));
    raw.into_iter().map(|r| if high == 0 { MAX } else { MAX * (high + low - r) / high }).collect()
}

/// Thousandths of the natural logarithm: exact to a hundredth, in whole numbers.
fn ln_milli(n: u64) -> i64 {
    let whole = 63 - n.max(1).leading_zeros() as i64;
    // log2 of the mantissa by a parabola; its error is below 0.9 %.
    let mantissa = ((n as i64 * 1000) >> whole) - 1000;
    let log2_milli = whole * 1000 + mantissa + mantissa * (1000 - mantissa) * 346 / 1_000_000;
    log2_milli * 693 / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_close_enough() {
        for (n, milli) in [(3, 1099), (4, 1386), (5, 1609), (12, 2485), (102, 4625)] {
            assert!((ln_milli(n) - milli).abs() < 20, "ln {n}: {} against {milli}", ln_milli(n));
        }
    }

    #[test]
    fn fewer_siblings_score_higher() {
        let s = spreading(vec![0, 1, 5]);
        assert!(s[0] > s[1] && s[1] > s[2], "{s:?}");
    }
}
