//! The loops: one folder a controller, one line each in `ALL`. None knows another.

pub mod absent;
pub mod common;
pub mod deployment;
pub mod disruption;
pub mod endpointslice;
pub mod gc;
pub mod namespace;
pub mod nodeipam;
pub mod nodelifecycle;
pub mod podgc;
pub mod replicaset;
pub mod resourcequota;
pub mod rootca;
pub mod scheduler;
pub mod serviceaccount;
pub mod tainteviction;

pub mod kubelet;

use crate::client::Controller;
use Home::ControllerManager;

/// What can die as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Home {
    ControllerManager,
    Scheduler,
    /// one a node
    Kubelet,
}

/// A controller and the process that hosts it.
pub struct Registration {
    pub home: Home,
    pub controller: &'static dyn Controller,
}

/// Every loop, in the order in which a tick lets them sync.
pub static ALL: &[Registration] = &[
    Registration { home: ControllerManager, controller: &deployment::DeploymentController },
    Registration { home: ControllerManager, controller: &replicaset::LEVEL },
    Registration { home: ControllerManager, controller: &endpointslice::EndpointSliceController },
    Registration { home: ControllerManager, controller: &serviceaccount::ServiceAccountController },
    Registration { home: ControllerManager, controller: &rootca::RootCaPublisher },
    Registration { home: ControllerManager, controller: &namespace::NamespaceController },
    Registration { home: ControllerManager, controller: &resourcequota::ResourceQuotaController },
    Registration { home: ControllerManager, controller: &disruption::DisruptionController },
    Registration { home: ControllerManager, controller: &nodeipam::NodeIpamController },
    Registration { home: ControllerManager, controller: &nodelifecycle::NodeLifecycleController },
    Registration { home: ControllerManager, controller: &tainteviction::TaintEvictionController },
    Registration { home: ControllerManager, controller: &podgc::PodGcController },
    Registration { home: ControllerManager, controller: &gc::GarbageCollector },
    Registration { home: Home::Scheduler, controller: &scheduler::Scheduler },
    Registration { home: Home::Kubelet, controller: &kubelet::Kubelet },
];

/// Edge-triggered twins: the same job done by counting events. They take the place of the loops of their names in a world that is
/// to be compared with the real one (`cluster::Config::edge_triggered`).
pub static TWINS: &[Registration] = &[Registration { home: ControllerManager, controller: &replicaset::EDGE }];
