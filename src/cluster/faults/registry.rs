//! A registry that cannot be reached: pulls from it end with containerd's text for a connection that timed out. Images that
//! are on a node stay there. A pull that is under way when the registry goes comes to its end.

use super::document::{Form, Reader, written};
use super::{Began, Family, Fault};
use crate::api::{Str, Value};
use crate::cluster::{Cluster, Detail};
use std::rc::Rc;

pub const FAMILY: Family = Family {
    forms: &[Form { key: "registry", fields: &["is"], read }],
    write: |fault| {
        let is = |host: &Str, is: &'static str| written([("registry", Value::Str(host.clone())), ("is", Value::str(is))]);
        Some(match fault {
            Fault::RegistryDown(host) => is(host, "down"),
            Fault::RegistryUp(host) => is(host, "up"),
            _ => return None,
        })
    },
    begin: |world, fault| match fault {
        Fault::RegistryDown(host) => {
            world.set_registry(host, true);
            Some(Began::Lasts)
        }
        Fault::RegistryUp(host) => {
            world.end_faults(|f| matches!(f, Fault::RegistryDown(h) if h == host || *host == "*"));
            Some(Began::Once(Detail::None))
        }
        _ => None,
    },
    end: |world, fault| {
        if let Fault::RegistryDown(host) = fault
            && !world.rules.iter().any(|r| matches!(&r.fault, Fault::RegistryDown(h) if h == host))
        {
            world.set_registry(host, false);
        }
    },
};

fn read(r: &Reader<'_>) -> Result<Fault, String> {
    let host = r.own()?;
    match r.field("is").text() {
        "down" => Ok(Fault::RegistryDown(host)),
        "up" => Ok(Fault::RegistryUp(host)),
        _ => Err(r.wrong("is", "down or up")),
    }
}

impl Cluster {
    fn set_registry(&mut self, host: &Str, down: bool) {
        let mut images = (*self.images).clone();
        images.set_registry(host, down);
        self.images = Rc::new(images);
        self.tell_images();
    }
}
