//! How a Deployment rolls out.
