//! From a tree of nodes to a `Value`: aliases, merges, keys as JSON has them. Follows go-yaml v2's decoder
//! (`decode.go`) and sigs.k8s.io/yaml's conversion to JSON.

use super::resolve::{Scalar, resolve};
use super::tree::{Content, DEPTH_MAX, Node, Tree};
use super::{Fault, Kind, gosyntax};
use crate::api::{List, Map, Str, Value};
use std::collections::BTreeMap;

type Result<T> = std::result::Result<T, Fault>;

/// A document's value, and the key nodes that came again in their mapping.
pub fn compose(tree: &Tree) -> Result<(Value, Vec<usize>)> {
    let Some(root) = tree.root else { return Ok((Value::Null, Vec::new())) };
    let mut c = Composer { tree, decoded: 0, aliased: 0, alias_depth: 0, depth: 0, open: Vec::new(), duplicates: Vec::new() };
    let value = c.value(root)?;
    Ok((value, c.duplicates))
}

struct Composer<'a> {
    tree: &'a Tree,
    decoded: u64,
    aliased: u64,
    alias_depth: u64,
    depth: usize,
    /// Aliases that are being followed.
    open: Vec<usize>,
    duplicates: Vec<usize>,
}

impl<'a> Composer<'a> {
    fn node(&self, id: usize) -> &'a Node {
        &self.tree.nodes[id]
    }

    fn fault<T>(&self, id: usize, problem: impl Into<String>) -> Result<T> {
        let mark = self.node(id).start;
        Err(Fault { kind: Kind::Composer, problem: problem.into(), mark, context: mark })
    }

    /// go-yaml's guard against alias bombs.
    fn count(&mut self, id: usize) -> Result<()> {
        self.decoded += 1;
        self.aliased += u64::from(self.alias_depth > 0);
        const LOW: u64 = 400_000;
        const HIGH: u64 = 4_000_000;
        let allowed = match self.decoded {
            0..=LOW => 0.99,
            HIGH.. => 0.10,
            n => 0.99 - 0.89 * ((n - LOW) as f64 / (HIGH - LOW) as f64),
        };
        if self.aliased > 100 && self.decoded > 1000 && self.aliased as f64 / self.decoded as f64 > allowed {
            return self.fault(id, "document contains excessive aliasing");
        }
        if self.depth > DEPTH_MAX {
            return self.fault(id, format!("exceeded max depth of {DEPTH_MAX}"));
        }
        Ok(())
    }

    /// Goes through an alias.
    fn alias<T>(&mut self, id: usize, name: &str, follow: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.open.contains(&id) {
            return self.fault(id, format!("anchor '{name}' value contains itself"));
        }
        self.open.push(id);
        self.alias_depth += 1;
        let result = follow(self);
        self.alias_depth -= 1;
        self.open.pop();
        result
    }

    fn value(&mut self, id: usize) -> Result<Value> {
        self.count(id)?;
        self.depth += 1;
        let value = match &self.node(id).content {
            Content::Alias(name, target) => self.alias(id, name, |c| c.value(*target))?,
            Content::Scalar(text, implicit) => self.scalar(id, text, *implicit)?,
            Content::Sequence(items) => {
                let items: Result<Vec<Value>> = items.iter().map(|i| self.value(*i)).collect();
                Value::List(items?.into_iter().collect::<List>())
            }
            Content::Mapping(_) => {
                let mut entries = Entries::default();
                self.entries(id, &mut entries, false)?;
                Value::Map(entries.0.into_iter().map(|(k, (v, _))| (k, v)).collect::<Map>())
            }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn resolved(&self, id: usize, text: &str, implicit: bool) -> Result<Scalar> {
        resolve(&self.node(id).tag, text, implicit).or_else(|problem| self.fault(id, problem))
    }

    fn scalar(&self, id: usize, text: &str, implicit: bool) -> Result<Value> {
        Ok(match self.resolved(id, text, implicit)? {
            Scalar::Null => Value::Null,
            Scalar::Bool(b) => Value::Bool(b),
            Scalar::Int(n) => Value::Int(n),
            Scalar::Big(n) => Value::Float(n as f64),
            Scalar::Float(f) if !f.is_finite() => {
                let text = gosyntax::float(f).to_string();
                return self.fault(id, format!("json: unsupported value: {text}"));
            }
            Scalar::Float(f) => whole(f),
            Scalar::Text(t) => Value::from(t),
            Scalar::Merge => Value::from("<<"),
        })
    }

    fn is_merge(&self, id: usize) -> bool {
        match &self.node(id).content {
            Content::Scalar(text, implicit) => text == "<<" && (*implicit || self.node(id).tag == "tag:yaml.org,2002:merge"),
            _ => false,
        }
    }

    /// Puts a mapping's entries over those that are there.
    fn entries(&mut self, id: usize, into: &mut Entries, merged: bool) -> Result<()> {
        let Content::Mapping(pairs) = &self.node(id).content else { return Ok(()) };
        for (key, value) in pairs {
            if self.is_merge(*key) {
                self.merge(*value, into)?;
                continue;
            }
            self.count(*key)?;
            let name = self.key(*key, *value)?;
            let value = self.value(*value)?;
            if into.put(name, value, merged) {
                self.duplicates.push(*key);
            }
        }
        Ok(())
    }

    fn merge(&mut self, id: usize, into: &mut Entries) -> Result<()> {
        let wrong = "map merge requires map or sequence of maps as the value";
        let content = &self.node(id).content;
        let target = match content {
            Content::Alias(_, target) => &self.node(*target).content,
            other => other,
        };
        match (content, target) {
            (_, Content::Mapping(_)) => self.merge_one(id, into),
            (Content::Sequence(items), _) => items.iter().rev().try_for_each(|item| {
                let target = match &self.node(*item).content {
                    Content::Alias(_, target) => *target,
                    _ => *item,
                };
                match self.node(target).content {
                    Content::Mapping(_) => self.merge_one(*item, into),
                    _ => self.fault(*item, wrong),
                }
            }),
            _ => self.fault(id, wrong),
        }
    }

    fn merge_one(&mut self, id: usize, into: &mut Entries) -> Result<()> {
        self.count(id)?;
        self.depth += 1;
        match &self.node(id).content {
            Content::Alias(name, target) => self.alias(id, name, |c| {
                c.count(*target)?;
                c.entries(*target, into, true)
            })?,
            _ => self.entries(id, into, true)?,
        }
        self.depth -= 1;
        Ok(())
    }

    /// A key as text. `value` is only for the message.
    fn key(&mut self, id: usize, value: usize) -> Result<Str> {
        let scalar = match &self.node(id).content {
            Content::Scalar(text, implicit) => self.resolved(id, text, *implicit)?,
            Content::Alias(name, target) => {
                let (name, target) = (name.clone(), *target);
                return self.alias(id, &name, |c| {
                    c.count(target)?;
                    c.key(target, value)
                });
            }
            _ => {
                // A fault inside the key comes first.
                self.value(id)?;
                let shown = gosyntax::value(self.tree, id);
                return self.fault(id, format!("invalid map key: {shown}"));
            }
        };
        Ok(match scalar {
            Scalar::Text(t) => t.into(),
            Scalar::Merge => "<<".into(),
            Scalar::Bool(b) => b.to_string().into(),
            Scalar::Int(n) => n.to_string().into(),
            Scalar::Float(f) => gosyntax::key(f).into(),
            Scalar::Null => {
                let shown = gosyntax::value(self.tree, value);
                return self.fault(id, format!("unsupported map key of type: %!s(<nil>), key: <nil>, value: {shown}"));
            }
            Scalar::Big(n) => {
                let shown = gosyntax::value(self.tree, value);
                return self.fault(id, format!("unsupported map key of type: uint64, key: {n:#x}, value: {shown}"));
            }
        })
    }
}

/// What Go's JSON writes without a fraction is read as an integer.
fn whole(f: f64) -> Value {
    let fits = f == f.trunc() && f.abs() < 9.2e18;
    if fits { Value::Int(f as i64) } else { Value::Float(f) }
}

/// Entries by key, with whether they came by a merge.
#[derive(Default)]
struct Entries(BTreeMap<Str, (Value, bool)>);

impl Entries {
    /// Returns whether the mapping itself had this key before.
    fn put(&mut self, key: Str, value: Value, merged: bool) -> bool {
        let before = self.0.insert(key, (value, merged));
        !merged && before.is_some_and(|(_, merged)| !merged)
    }
}
