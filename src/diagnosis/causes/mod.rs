//! The registry: one line a family of causes, in the order in which they stand in the chain from `apply` to Ready. What only
//! follows from another cause comes last.

mod admission;
mod caches;
mod config;
mod containers;
mod deletion;
mod images;
mod nobody;
mod nodes;
mod readiness;
mod rollout;
mod scheduling;
mod services;
mod stopped;

use super::words::Said;
use super::{Finding, Sight};

/// A kind of standstill: its code, which stays, and its words.
#[derive(Debug)]
pub struct Cause {
    pub code: &'static str,
    pub headline: Said,
    pub cause: Said,
    pub fix: Said,
}

/// Causes that are found together.
pub struct Family {
    pub causes: &'static [Cause],
    /// Looks for them; sees what was found before.
    pub(super) look: fn(&Sight<'_>, &[Finding]) -> Vec<Finding>,
    /// These follow from others, and are told beside them.
    pub follows: bool,
}

/// Every family.
pub static ALL: &[Family] = &[
    Family { causes: stopped::CAUSES, look: stopped::look, follows: false },
    Family { causes: caches::CAUSES, look: caches::look, follows: false },
    Family { causes: admission::CAUSES, look: admission::look, follows: false },
    Family { causes: deletion::CAUSES, look: deletion::look, follows: false },
    Family { causes: nobody::CAUSES, look: nobody::look, follows: false },
    Family { causes: nodes::CAUSES, look: nodes::look, follows: false },
    Family { causes: rollout::PAUSED, look: rollout::look_for_paused, follows: false },
    Family { causes: scheduling::CAUSES, look: scheduling::look, follows: false },
    Family { causes: config::CAUSES, look: config::look, follows: false },
    Family { causes: images::CAUSES, look: images::look, follows: false },
    Family { causes: containers::CAUSES, look: containers::look, follows: false },
    Family { causes: readiness::CAUSES, look: readiness::look, follows: false },
    Family { causes: services::CAUSES, look: services::look, follows: false },
    Family { causes: deletion::WAITING, look: deletion::look_for_waiting, follows: true },
    Family { causes: rollout::CAUSES, look: rollout::look, follows: true },
];

/// The cause of a code.
pub fn find(code: &str) -> Option<&'static Cause> {
    ALL.iter().flat_map(|f| f.causes).find(|c| c.code == code)
}

const fn said(ko: &'static str, en: &'static str) -> Said {
    Said { ko, en }
}
