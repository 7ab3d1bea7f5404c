//! `--sort-by`: objects in the order of a field. Follows kubectl `pkg/cmd/get/sorter.go`, but keeps equal ones in order.

use super::super::builder::Info;
use super::super::fault::Fault;
use super::jsonpath;
use crate::api::Value;
use crate::api::quantity::Quantity;
use crate::util::Order;
use std::cmp::Ordering;

/// Sorts by the first value at `path`; objects without one come first.
///
/// # Errors
/// The path is wrong, or no object has the field.
pub fn by_path(infos: &mut [Info], path: &str) -> Result<(), Fault> {
    let path = jsonpath::relaxed(path);
    let mut keys = Vec::new();
    for info in infos.iter() {
        keys.push(jsonpath::find(&path, &info.object.0)?.into_iter().next());
    }
    if !infos.is_empty() && keys.iter().all(Option::is_none) {
        let field = path.trim_matches(['{', '}']).trim_start_matches('.');
        return Err(Fault::text(format!("couldn't find any field with path \"{{.{field}}}\" in the list of objects")));
    }
    let mut order: Vec<usize> = (0..infos.len()).collect();
    order.order_by(|&a, &b| compare(keys[a].as_ref(), keys[b].as_ref()));
    let sorted: Vec<Info> = order.iter().map(|&i| infos[i].clone()).collect();
    infos.clone_from_slice(&sorted);
    Ok(())
}

fn compare(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    match (a, b) {
        (None, None) => Ordering::Equal,
        (None, _) => Ordering::Less,
        (_, None) => Ordering::Greater,
        (Some(Value::Int(a)), Some(Value::Int(b))) => a.cmp(b),
        (Some(a), Some(b)) => match (quantity(a), quantity(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => jsonpath::text(a).cmp(&jsonpath::text(b)),
        },
    }
}

fn quantity(v: &Value) -> Option<Quantity> {
    Quantity::parse(v.as_str()?).ok()
}
