//! How a ReplicaSet keeps its pods.
