//! The bulletin board: every object, every version of it, and one revision that counts all writes.
//! Follows etcd's mvcc store as kube-apiserver uses it; keeps values instead of bytes.

use crate::api::{Object, ObjectKey, Resource, Status};
use crate::util::Time;
use crate::util::Tree;
use rpds::Vector;
use std::rc::Rc;

/// What a write did to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Added,
    Modified,
    Deleted,
}

/// One write: one revision.
#[derive(Debug)]
pub struct Commit {
    pub revision: u64,
    pub at: Time,
    pub change: Change,
    pub resource: Resource,
    pub key: ObjectKey,
    /// The object as written; of a deletion: as it was last, with the revision of its deletion.
    pub object: Object,
    pub previous: Option<Object>,
}

type Objects = Tree<ObjectKey, Object>;

/// The store. Cheap to clone.
#[derive(Clone, Default)]
pub struct Etcd {
    objects: Tree<Resource, Objects>,
    history: Vector<Rc<Commit>>,
    /// Commits before this revision are gone.
    compacted: u64,
    /// Watches from before this revision get 410.
    unwatchable: u64,
}

impl Etcd {
    /// The revision of the newest write.
    pub fn revision(&self) -> u64 {
        self.compacted + self.history.len() as u64
    }

    /// Versions up to this revision can no longer be watched from.
    pub fn compacted(&self) -> u64 {
        self.compacted
    }

    pub fn get(&self, resource: &Resource, key: &ObjectKey) -> Option<&Object> {
        self.objects.get(resource)?.get(key)
    }

    /// The objects of a kind by namespace and name; of one namespace unless it is "".
    pub fn list<'a>(&'a self, resource: &Resource, namespace: &'a str) -> impl Iterator<Item = &'a Object> + use<'a> {
        let from = ObjectKey::new(namespace, "");
        self.objects
            .get(resource)
            .into_iter()
            .flat_map(move |objects| objects.range(from.clone()..))
            .take_while(move |(k, _)| namespace.is_empty() || k.namespace == *namespace)
            .map(|(_, o)| o)
    }

    pub fn count(&self, resource: &Resource) -> usize {
        self.objects.get(resource).map_or(0, Objects::size)
    }

    /// The kinds of which there has been an object.
    pub fn resources(&self) -> impl Iterator<Item = &Resource> {
        self.objects.keys()
    }

    /// Writes an object. It gets the next revision as its resourceVersion.
    pub fn put(&mut self, resource: &Resource, mut object: Object, at: Time) -> Object {
        let revision = self.revision() + 1;
        stamp(&mut object, revision);
        let key = object.key();
        if !self.objects.contains_key(resource) {
            self.objects.insert_mut(resource.clone(), Objects::new());
        }
        let objects = self.objects.get_mut(resource).expect("put in above");
        let previous = objects.insert_mut(key.clone(), object.clone());
        let change = if previous.is_some() { Change::Modified } else { Change::Added };
        self.history.push_back_mut(Rc::new(Commit {
            revision,
            at,
            change,
            resource: resource.clone(),
            key,
            object: object.clone(),
            previous,
        }));
        object
    }

    /// Takes an object out, and gives it back as it was last.
    pub fn delete(&mut self, resource: &Resource, key: &ObjectKey, at: Time) -> Option<Object> {
        let mut object = self.get(resource, key)?.clone();
        let previous = Some(object.clone());
        self.objects.get_mut(resource).expect("it holds the object").remove_mut(key);
        let revision = self.revision() + 1;
        stamp(&mut object, revision);
        let commit = Commit {
            revision,
            at,
            change: Change::Deleted,
            resource: resource.clone(),
            key: key.clone(),
            object: object.clone(),
            previous,
        };
        self.history.push_back_mut(Rc::new(commit));
        Some(object)
    }

    /// The write that made a revision, unless compacted.
    pub fn commit(&self, revision: u64) -> Option<&Rc<Commit>> {
        let index = revision.checked_sub(self.compacted + 1)?;
        self.history.get(usize::try_from(index).ok()?)
    }

    /// The writes after a revision, in order.
    ///
    /// # Errors
    /// 410 if they are compacted.
    pub fn since(&self, revision: u64) -> Result<impl Iterator<Item = &Rc<Commit>>, Status> {
        if revision < self.compacted {
            return Err(Status::gone(format!("too old resource version: {revision} ({})", self.compacted)));
        }
        Ok((revision + 1..=self.revision()).filter_map(|r| self.commit(r)))
    }

    /// As `since`, for a client that watches.
    ///
    /// # Errors
    /// 410 if they are forgotten for watches.
    pub fn watch_from(&self, revision: u64) -> Result<impl Iterator<Item = &Rc<Commit>>, Status> {
        if revision < self.unwatchable {
            return Err(Status::gone(format!("too old resource version: {revision} ({})", self.unwatchable)));
        }
        self.since(revision)
    }

    /// Watches from before now get 410; the history stays for those who look at it.
    pub fn forget_for_watches(&mut self) {
        self.unwatchable = self.revision();
    }

    /// The versions that an object has had, oldest first; None: it did not exist.
    pub fn versions<'a>(&'a self, resource: &'a Resource, key: &'a ObjectKey) -> impl Iterator<Item = &'a Rc<Commit>> {
        self.history.iter().filter(move |c| c.resource == *resource && c.key == *key)
    }

    /// Forgets the writes up to a revision: watches from before it get 410.
    pub fn compact(&mut self, revision: u64) {
        let upto = revision.min(self.revision());
        if upto > self.compacted {
            self.history = (upto + 1..=self.revision()).filter_map(|r| self.commit(r).cloned()).collect();
            self.compacted = upto;
        }
    }
}

fn stamp(object: &mut Object, revision: u64) {
    object.0.entry_at(&["metadata"]).set("resourceVersion", revision.to_string());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{api::resource::PODS, value};

    fn pod(name: &'static str) -> Object {
        Object(value!({"metadata": {"name": name, "namespace": "default"}}))
    }

    #[test]
    fn every_write_has_a_revision_of_its_own_and_can_be_watched_until_compacted() {
        let mut e = Etcd::default();
        let a = e.put(&PODS, pod("a"), Time(0));
        e.put(&PODS, pod("b"), Time(0));
        e.delete(&PODS, &a.key(), Time(1));
        let seen = |from| e.since(from).map(|c| c.map(|c| (c.revision, c.change)).collect::<Vec<_>>());
        assert_eq!(seen(1).unwrap(), [(2, Change::Added), (3, Change::Deleted)]);
        assert_eq!(e.list(&PODS, "default").count(), 1);
        let mut f = e.clone();
        f.compact(2);
        assert!(f.since(1).err().is_some_and(|s| s.is_gone()));
        assert_eq!(f.since(2).unwrap().count(), 1);
        assert_eq!((f.revision(), e.revision()), (3, 3));
    }
}
