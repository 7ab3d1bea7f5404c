//! What a process believes: one cache a kind, filled by its reflector, read by listers. Follows client-go
//! `tools/cache` (indexer, lister). Objects are shared with etcd, never copied.

use super::tally::{self, Tally};
use crate::api::{Object, ObjectKey, Resource, Str};
use crate::util::Tree;

type Keys = Tree<ObjectKey, ()>;

/// All objects of one kind as last heard of, with the indexes that controllers ask for.
#[derive(Clone, Default)]
pub struct Cache {
    objects: Tree<ObjectKey, Object>,
    by_controller: Tree<Str, Keys>,
    by_node: Tree<Str, Keys>,
    by_owner: Tree<Str, Keys>,
    tallies: Tree<Str, Tally>,
    /// Nobody asks this process for tallies.
    untallied: bool,
    /// The revision up to which this cache has heard.
    pub revision: u64,
}

impl Cache {
    pub fn get(&self, namespace: &str, name: &str) -> Option<&Object> {
        self.objects.get(&ObjectKey::new(namespace, name))
    }

    pub fn by_key(&self, key: &ObjectKey) -> Option<&Object> {
        self.objects.get(key)
    }

    /// All objects, by namespace and name.
    pub fn all(&self) -> impl Iterator<Item = &Object> {
        self.objects.values()
    }

    pub fn len(&self) -> usize {
        self.objects.size()
    }

    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The objects of a namespace, by name.
    pub fn in_namespace<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = &'a Object> {
        let from = ObjectKey::new(namespace, Str::default());
        self.objects.range(from..).take_while(move |(k, _)| k.namespace == *namespace).map(|(_, o)| o)
    }

    /// The objects whose controlling owner has this uid; "" for those without one.
    pub fn controlled_by<'a>(&'a self, uid: &str) -> impl Iterator<Item = &'a Object> {
        self.found(self.by_controller.get(uid))
    }

    /// The pods with this controlling owner, counted; `None` if there were none.
    pub fn tally(&self, uid: &str) -> Option<&Tally> {
        debug_assert!(!self.untallied, "a process whose loops ask for tallies must keep them");
        self.tallies.get(uid)
    }

    /// The objects any of whose owner references names this uid.
    pub fn owned_by<'a>(&'a self, uid: &str) -> impl Iterator<Item = &'a Object> {
        self.found(self.by_owner.get(uid))
    }

    /// The pods bound to a node; "" for those without one.
    pub fn on_node<'a>(&'a self, node: &str) -> impl Iterator<Item = &'a Object> {
        self.found(self.by_node.get(node))
    }

    pub fn count_on_node(&self, node: &str) -> usize {
        self.by_node.get(node).map_or(0, Tree::size)
    }

    fn found<'a>(&'a self, keys: Option<&'a Keys>) -> impl Iterator<Item = &'a Object> {
        keys.into_iter().flat_map(|k| k.keys()).filter_map(|k| self.objects.get(k))
    }

    /// Puts an object in, and gives back what was there.
    pub fn put(&mut self, object: Object) -> Option<Object> {
        let key = object.key();
        let old = self.objects.insert_mut(key.clone(), object.clone());
        self.count(old.as_ref(), Some(&object));
        if let Some(old) = &old {
            if !old.meta().get("ownerReferences").same(object.meta().get("ownerReferences")) || old.uid() != object.uid() {
                self.unindex_owners(&key, old);
                self.index_owners(&key, &object);
            }
            if node_of(old) != node_of(&object) {
                unindex(&mut self.by_node, node_of(old), &key);
                index(&mut self.by_node, node_of(&object), &key);
            }
        } else {
            self.index_owners(&key, &object);
            index(&mut self.by_node, node_of(&object), &key);
        }
        old
    }

    /// Takes an object out.
    pub fn take(&mut self, key: &ObjectKey) -> Option<Object> {
        let old = self.objects.get(key).cloned()?;
        self.objects.remove_mut(key);
        self.count(Some(&old), None);
        self.unindex_owners(key, &old);
        unindex(&mut self.by_node, node_of(&old), key);
        Some(old)
    }

    /// Keeps the tallies of pods' owners.
    fn count(&mut self, old: Option<&Object>, new: Option<&Object>) {
        if self.untallied || new.or(old).is_none_or(|o| !o.get("kind").is("Pod")) {
            return;
        }
        let owner = |o: Option<&Object>| o.and_then(Object::controller_uid);
        let (before, after) = (owner(old), owner(new));
        if let (Some(old), Some(new)) = (old, new)
            && before == after
            && !tally::is_news(old, new)
        {
            return;
        }
        if let (Some(uid), Some(old)) = (before, old)
            && let Some(t) = self.tallies.get_mut(&uid)
        {
            t.take(old);
            if t.groups().is_some_and(<[_]>::is_empty) {
                self.tallies.remove_mut(&uid);
            }
        }
        if let (Some(uid), Some(new)) = (after, new) {
            if !self.tallies.contains_key(&uid) {
                self.tallies.insert_mut(uid.clone(), Tally::default());
            }
            self.tallies.get_mut(&uid).expect("put in above").add(new);
        }
    }

    fn index_owners(&mut self, key: &ObjectKey, object: &Object) {
        index(&mut self.by_controller, &object.controller_uid().unwrap_or_default(), key);
        for owner in object.owners() {
            index(&mut self.by_owner, owner.get("uid").text(), key);
        }
    }

    fn unindex_owners(&mut self, key: &ObjectKey, object: &Object) {
        unindex(&mut self.by_controller, &object.controller_uid().unwrap_or_default(), key);
        for owner in object.owners() {
            unindex(&mut self.by_owner, owner.get("uid").text(), key);
        }
    }
}

fn node_of(object: &Object) -> &str {
    object.spec().get("nodeName").text()
}

fn index(map: &mut Tree<Str, Keys>, value: &str, key: &ObjectKey) {
    if let Some(keys) = map.get_mut(value) {
        keys.insert_mut(key.clone(), ());
    } else {
        map.insert_mut(Str::from(value), Keys::new().insert(key.clone(), ()));
    }
}

fn unindex(map: &mut Tree<Str, Keys>, value: &str, key: &ObjectKey) {
    if let Some(keys) = map.get_mut(value) {
        keys.remove_mut(key);
        if keys.is_empty() {
            map.remove_mut(value);
        }
    }
}

/// The caches of one process.
#[derive(Clone, Default)]
pub struct Caches {
    of: Tree<Resource, Cache>,
    untallied: bool,
}

impl Caches {
    /// Caches that do not count the pods of their owners.
    pub fn untallied() -> Caches {
        Caches { untallied: true, ..Caches::default() }
    }

    /// The cache of a kind; an empty one if this process does not watch it.
    pub fn of(&self, resource: &Resource) -> &Cache {
        thread_local! {
            static EMPTY: &'static Cache = Box::leak(Box::default());
        }
        self.of.get(resource).unwrap_or_else(|| EMPTY.with(|e| *e))
    }

    pub fn of_mut(&mut self, resource: &Resource) -> &mut Cache {
        if !self.of.contains_key(resource) {
            self.of.insert_mut(resource.clone(), Cache { untallied: self.untallied, ..Cache::default() });
        }
        self.of.get_mut(resource).expect("put in above")
    }
}
