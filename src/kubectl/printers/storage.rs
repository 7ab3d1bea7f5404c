//! PersistentVolumes, their claims, and StorageClasses.

use super::super::fault::Fault;
use super::write::{head, marks, put};
use super::{Fixed, age, or, scalar};
use crate::api::{Object, Request, Value, resource};
use crate::client::Transport;
use crate::util::Time;

pub const VOLUMES: Fixed = (
    &[
        ("Name", false),
        ("Capacity", false),
        ("Access Modes", false),
        ("Reclaim Policy", false),
        ("Status", false),
        ("Claim", false),
        ("StorageClass", false),
        ("VolumeAttributesClass", false),
        ("Reason", false),
        ("Age", false),
        ("VolumeMode", true),
    ],
    volume,
);

pub const CLAIMS: Fixed = (
    &[
        ("Name", false),
        ("Status", false),
        ("Volume", false),
        ("Capacity", false),
        ("Access Modes", false),
        ("StorageClass", false),
        ("VolumeAttributesClass", false),
        ("Age", false),
        ("VolumeMode", true),
    ],
    claim,
);

pub const CLASSES: Fixed = (
    &[
        ("Name", false),
        ("Provisioner", false),
        ("ReclaimPolicy", false),
        ("VolumeBindingMode", false),
        ("AllowVolumeExpansion", false),
        ("Age", false),
    ],
    class,
);

fn modes(list: &Value) -> String {
    let short = |m: &Value| match m.text() {
        "ReadWriteOnce" => "RWO",
        "ReadOnlyMany" => "ROX",
        "ReadWriteMany" => "RWX",
        "ReadWriteOncePod" => "RWOP",
        _ => "",
    };
    list.items().iter().map(short).collect::<Vec<_>>().join(",")
}

fn amount(v: &Value) -> String {
    if v.is_null() { String::new() } else { scalar(v) }
}

fn bound_to(v: &Object) -> String {
    let claim = v.spec().get("claimRef");
    if claim.is_null() { String::new() } else { format!("{}/{}", claim.get("namespace").text(), claim.get("name").text()) }
}

fn volume(v: &Object, now: Time) -> Vec<String> {
    let spec = v.spec();
    let phase = if v.is_deleting() { "Terminating" } else { v.status().get("phase").text() };
    vec![
        v.name().to_string(),
        amount(spec.at(&["capacity", "storage"])),
        modes(spec.get("accessModes")),
        spec.get("persistentVolumeReclaimPolicy").text().to_string(),
        phase.to_string(),
        bound_to(v),
        spec.get("storageClassName").text().to_string(),
        or(spec.get("volumeAttributesClassName").text(), "<unset>").to_string(),
        v.status().get("reason").text().to_string(),
        age(v, now),
        or(spec.get("volumeMode").text(), "<unset>").to_string(),
    ]
}

fn claim(c: &Object, now: Time) -> Vec<String> {
    let (spec, status) = (c.spec(), c.status());
    let bound = !spec.get("volumeName").is_empty();
    let phase = if c.is_deleting() { "Terminating" } else { status.get("phase").text() };
    vec![
        c.name().to_string(),
        phase.to_string(),
        spec.get("volumeName").text().to_string(),
        if bound { amount(status.at(&["capacity", "storage"])) } else { String::new() },
        if bound { modes(status.get("accessModes")) } else { String::new() },
        spec.get("storageClassName").text().to_string(),
        or(spec.get("volumeAttributesClassName").text(), "<unset>").to_string(),
        age(c, now),
        or(spec.get("volumeMode").text(), "<unset>").to_string(),
    ]
}

fn class(c: &Object, now: Time) -> Vec<String> {
    let default = c.annotation("storageclass.kubernetes.io/is-default-class") == Some("true");
    let name = if default { format!("{} (default)", c.name()) } else { c.name().to_string() };
    vec![
        name,
        c.get("provisioner").text().to_string(),
        or(c.get("reclaimPolicy").text(), "Delete").to_string(),
        or(c.get("volumeBindingMode").text(), "Immediate").to_string(),
        c.get("allowVolumeExpansion").is_true().to_string(),
        age(c, now),
    ]
}

pub fn describe_claim(out: &mut String, c: &Object, api: &mut dyn Transport) -> Result<(), Fault> {
    let (spec, status) = (c.spec(), c.status());
    put(out, 0, format!("Name:\t{}", c.name()));
    put(out, 0, format!("Namespace:\t{}", c.namespace()));
    put(out, 0, format!("StorageClass:\t{}", spec.get("storageClassName").text()));
    let phase = if c.is_deleting() { "Terminating" } else { status.get("phase").text() };
    put(out, 0, format!("Status:\t{phase}"));
    put(out, 0, format!("Volume:\t{}", spec.get("volumeName").text()));
    marks(out, c);
    let finalizers: Vec<&str> = c.meta().get("finalizers").items().iter().map(Value::text).collect();
    put(out, 0, format!("Finalizers:\t[{}]", finalizers.join(" ")));
    let bound = !spec.get("volumeName").is_empty();
    put(out, 0, format!("Capacity:\t{}", if bound { amount(status.at(&["capacity", "storage"])) } else { String::new() }));
    put(out, 0, format!("Access Modes:\t{}", if bound { modes(status.get("accessModes")) } else { String::new() }));
    put(out, 0, format!("VolumeMode:\t{}", or(spec.get("volumeMode").text(), "<unset>")));
    let pods = api.send(Request::list(&resource::PODS, c.key().namespace))?.items();
    let uses =
        |p: &Object| p.spec().get("volumes").items().iter().any(|v| v.at(&["persistentVolumeClaim", "claimName"]).text() == c.name());
    let users: Vec<String> = pods.iter().filter(|p| uses(p)).map(|p| p.name().to_string()).collect();
    if users.is_empty() {
        put(out, 0, "Used By:\t<none>");
    }
    for (i, name) in users.iter().enumerate() {
        put(out, 0, format!("{}\t{name}", if i == 0 { "Used By:" } else { "" }));
    }
    Ok(())
}

pub fn describe_volume(out: &mut String, v: &Object, _: &mut dyn Transport) -> Result<(), Fault> {
    let (spec, status) = (v.spec(), v.status());
    head(out, v);
    let finalizers: Vec<&str> = v.meta().get("finalizers").items().iter().map(Value::text).collect();
    put(out, 0, format!("Finalizers:\t[{}]", finalizers.join(" ")));
    put(out, 0, format!("StorageClass:\t{}", spec.get("storageClassName").text()));
    let phase = if v.is_deleting() { "Terminating" } else { status.get("phase").text() };
    put(out, 0, format!("Status:\t{phase}"));
    put(out, 0, format!("Claim:\t{}", bound_to(v)));
    put(out, 0, format!("Reclaim Policy:\t{}", spec.get("persistentVolumeReclaimPolicy").text()));
    put(out, 0, format!("Access Modes:\t{}", modes(spec.get("accessModes"))));
    put(out, 0, format!("VolumeMode:\t{}", or(spec.get("volumeMode").text(), "<unset>")));
    put(out, 0, format!("Capacity:\t{}", amount(spec.at(&["capacity", "storage"]))));
    put(out, 0, "Node Affinity:\t<none>");
    put(out, 0, format!("Message:\t{}", status.get("message").text()));
    put(out, 0, "Source:");
    for (kind, source) in spec.entries() {
        let title = match kind.as_str() {
            "hostPath" => "HostPath (bare host directory volume)",
            "nfs" => "NFS (an NFS mount that lasts the lifetime of a pod)",
            "local" => "LocalVolume (a persistent volume backed by local storage on a node)",
            "csi" => "CSI (a Container Storage Interface (CSI) volume source)",
            _ => continue,
        };
        put(out, 2, format!("Type:\t{title}"));
        for (title, field) in [("Server", "server"), ("Path", "path"), ("HostPathType", "type"), ("Driver", "driver")] {
            let wanted = !source.get(field).is_null() || (kind == "hostPath" && field == "type");
            if wanted {
                put(out, 2, format!("{title}:\t{}", source.get(field).text()));
            }
        }
    }
    Ok(())
}
