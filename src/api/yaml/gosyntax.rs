//! How Go's fmt prints values in the few messages that show them (`%#v`), and floats.

use super::resolve::{Scalar, resolve};
use super::tree::{Content, Tree};
use crate::util::Order;
use std::fmt::Write;

/// A message does not get longer than this.
const LENGTH_MAX: usize = 500;

/// A node as `%#v` prints what go-yaml makes of it.
pub fn value(tree: &Tree, id: usize) -> String {
    let mut out = String::new();
    print(tree, id, &mut out, 0);
    if out == "interface {}(nil)" { "<nil>".into() } else { out }
}

fn print(tree: &Tree, id: usize, out: &mut String, depth: usize) {
    if out.len() > LENGTH_MAX || depth > 16 {
        out.push('…');
        return;
    }
    let node = &tree.nodes[id];
    match &node.content {
        Content::Alias(_, target) => print(tree, *target, out, depth + 1),
        Content::Sequence(items) => {
            out.push_str("[]interface {}{");
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                print(tree, *item, out, depth + 1);
            }
            out.push('}');
        }
        Content::Mapping(pairs) => {
            let mut printed: Vec<(String, String)> = Vec::new();
            for (k, v) in pairs.iter().take(20) {
                let (mut key, mut val) = (String::new(), String::new());
                print(tree, *k, &mut key, depth + 1);
                print(tree, *v, &mut val, depth + 1);
                printed.push((key, val));
            }
            printed.order();
            let body: Vec<String> = printed.into_iter().map(|(k, v)| format!("{k}:{v}")).collect();
            let _ = write!(out, "map[interface {{}}]interface {{}}{{{}}}", body.join(", "));
        }
        Content::Scalar(text, implicit) => match resolve(&node.tag, text, *implicit) {
            Ok(Scalar::Null) => out.push_str("interface {}(nil)"),
            Ok(Scalar::Bool(b)) => out.push_str(if b { "true" } else { "false" }),
            Ok(Scalar::Int(n)) => {
                let _ = write!(out, "{n}");
            }
            Ok(Scalar::Big(n)) => {
                let _ = write!(out, "{n:#x}");
            }
            Ok(Scalar::Float(f)) => out.push_str(&float(f)),
            Ok(Scalar::Text(t)) => out.push_str(&crate::api::json::quote_go(&t)),
            Ok(Scalar::Merge) | Err(_) => out.push_str("\"<<\""),
        },
    }
}

/// `%v` of a float: the shortest digits that read back, with an exponent below 1e-4 and from 1e21 on.
pub fn float(f: f64) -> String {
    match f {
        _ if f.is_nan() => "NaN".into(),
        _ if f.is_infinite() => if f > 0.0 { "+Inf" } else { "-Inf" }.into(),
        _ if f != 0.0 && !(1e-4..1e21).contains(&f.abs()) => exponent(&format!("{f:e}")),
        _ => format!("{f}"),
    }
}

/// `1e+21` of Rust's `1e21`; at least two digits.
fn exponent(text: &str) -> String {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |d| ('-', d));
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// A float that is a map's key: `FormatFloat(f, 'g', -1, 32)`.
pub fn key(f: f64) -> String {
    let short = f as f32;
    match short {
        _ if short.is_nan() => ".nan".into(),
        _ if short.is_infinite() => if short > 0.0 { ".inf" } else { "-.inf" }.into(),
        _ if short != 0.0 && !(1e-4..1e6).contains(&short.abs()) => exponent(&format!("{short:e}")),
        _ => format!("{short}"),
    }
}

/// `FormatFloat(f, 'g', -1, 64)`: with an exponent below 1e-4 and from 1e6 on.
pub fn shortest(f: f64) -> String {
    if f != 0.0 && !(1e-4..1e6).contains(&f.abs()) { exponent(&format!("{f:e}")) } else { format!("{f}") }
}
