//! Messages and forms as a real server gives them.

use super::*;
use crate::api::scheme::Kinds;
use crate::api::{json, yaml};

fn read(text: &str) -> (Value, KindInfo) {
    let parsed = yaml::parse(text);
    assert_eq!(parsed.error, None, "{text}");
    let value = parsed.documents[0].value.clone();
    let kind = Kinds::built_in().by_type(value.get("apiVersion").text(), value.get("kind").text()).unwrap().clone();
    (value, kind)
}

/// A Pod whose only container has these fields beside its name.
fn pod(container: &str) -> String {
    format!("{{apiVersion: v1, kind: Pod, metadata: {{name: p}}, spec: {{containers: [{{name: c, {container}}}]}}}}")
}

#[test]
fn what_go_cannot_read_is_refused_in_its_words() {
    let deployment = |spec: &str| format!("{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: d}}, spec: {spec}}}");
    let service = |spec: &str| format!("{{apiVersion: v1, kind: Service, metadata: {{name: s}}, spec: {spec}}}");
    let json = |is: &str, field: &str, of: &str| format!("json: cannot unmarshal {is} into Go struct field {field} of type {of}");
    let strict = |field: &str| format!("strict decoding error: unknown field \"{field}\"");
    let no_quantity = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    let template = "template: {spec: {containers: [{name: c, env: [{name: A, value: 1}]}]}}";
    let at = "spec.containers[0]";
    let env = "spec.template.spec.containers[0].env[0].value";
    for (name, manifest, message, field) in [
        (
            "a number for an environment variable",
            deployment(&format!("{{{template}}}")),
            json("number", "EnvVar.spec.template.spec.containers.env.value", "string"),
            env,
        ),
        (
            "a text for a port",
            service("{ports: [{port: '80'}]}"),
            json("string", "ServicePort.spec.ports.port", "int32"),
            "spec.ports[0].port",
        ),
        (
            "a text for a list",
            pod("command: sh"),
            json("string", "Container.spec.containers.command", "[]string"),
            &format!("{at}.command"),
        ),
        (
            "a struct that is embedded in another is named",
            pod("readinessProbe: {httpGet: {port: 80, httpHeaders: [{name: A, value: true}]}}"),
            json("bool", "HTTPHeader.spec.containers.readinessProbe.ProbeHandler.httpGet.httpHeaders.value", "string"),
            &format!("{at}.readinessProbe.httpGet.httpHeaders[0].value"),
        ),
        ("a list for a text", pod("image: [a]"), json("array", "Container.spec.containers.image", "string"), &format!("{at}.image")),
        (
            "a map for a list",
            deployment("{template: {spec: {containers: {}}}}"),
            json("object", "PodSpec.spec.template.spec.containers", "[]v1.Container"),
            "spec.template.spec.containers",
        ),
        (
            "a text for a map",
            deployment("{selector: x}"),
            json("string", "DeploymentSpec.spec.selector", "v1.LabelSelector"),
            "spec.selector",
        ),
        (
            "a text in a list of maps",
            pod("env: [A]"),
            json("string", "Container.spec.containers.env", "v1.EnvVar"),
            &format!("{at}.env[0]"),
        ),
        (
            "a number for a named type",
            pod("imagePullPolicy: 1"),
            json("number", "Container.spec.containers.imagePullPolicy", "v1.PullPolicy"),
            &format!("{at}.imagePullPolicy"),
        ),
        ("a fraction", deployment("{replicas: 1.5}"), json("number 1.5", "DeploymentSpec.spec.replicas", "int32"), "spec.replicas"),
        (
            "too large a number",
            deployment("{replicas: 3000000000}"),
            json("number 3000000000", "DeploymentSpec.spec.replicas", "int32"),
            "spec.replicas",
        ),
        (
            "a boolean annotation",
            "{apiVersion: v1, kind: Pod, metadata: {annotations: {a: yes}}}".into(),
            json("bool", "ObjectMeta.metadata.annotations", "string"),
            "metadata.annotations.a",
        ),
        (
            "a boolean in a ConfigMap",
            "{apiVersion: v1, kind: ConfigMap, data: {a: true}}".into(),
            json("bool", "ConfigMap.data", "string"),
            "data.a",
        ),
        ("no quantity", pod("resources: {limits: {memory: 1Gib}}"), no_quantity.into(), &format!("{at}.resources.limits.memory")),
        (
            "no base64",
            "{apiVersion: v1, kind: Secret, data: {p: 's3cr3t p4ss'}}".into(),
            "illegal base64 data at input byte 6".into(),
            "data.p",
        ),
        (
            "a boolean port",
            service("{ports: [{port: 80, targetPort: true}]}"),
            "json: cannot unmarshal bool into Go value of type int32".into(),
            "spec.ports[0].targetPort",
        ),
        (
            "no time",
            "{apiVersion: v1, kind: Pod, metadata: {creationTimestamp: today}}".into(),
            "parsing time \"today\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"today\" as \"2006\"".into(),
            "metadata.creationTimestamp",
        ),
        ("an unknown field", pod("volumeMount: []"), strict(&format!("{at}.volumeMount")), &format!("{at}.volumeMount")),
        ("an unknown field at the top", "{apiVersion: v1, kind: Pod, x-common: {}}".into(), strict("x-common"), "x-common"),
        (
            "two unknown fields",
            deployment("{replica: 1, template: {x: 1}}"),
            "strict decoding error: unknown field \"spec.replica\", unknown field \"spec.template.x\"".into(),
            "spec.replica",
        ),
        (
            "a wrong type before an unknown field",
            pod("a: 1, command: sh"),
            json("string", "Container.spec.containers.command", "[]string"),
            &format!("{at}.command"),
        ),
    ] {
        let (value, kind) = read(&manifest);
        let refusal = object(value, &kind, true).expect_err(name);
        let expected = format!("{0} in version \"v1\" cannot be handled as a {0}: {message}", kind.kind);
        assert_eq!(
            (refusal.status.message.as_str(), refusal.field.as_str(), refusal.status.code),
            (expected.as_str(), field, 400),
            "{name}"
        );
    }
}

#[test]
fn unknown_fields_are_dropped_where_the_client_does_not_mind() {
    let (value, kind) = read(&pod("volumeMount: [], image: i"));
    let decoded = object(value, &kind, false).unwrap();
    let container = decoded.at(&["spec", "containers"]).item(0);
    assert_eq!(json::write_compact(container), r#"{"image":"i","name":"c","resources":{}}"#);
}

#[test]
fn objects_take_the_form_of_go_structs() {
    for (name, manifest, expected) in [
        (
            "nulls and empty values go, structs come",
            "{apiVersion: v1, kind: Pod, metadata: {name: p, labels: {}, creationTimestamp: null}, spec: {hostNetwork: false, \
             nodeSelector: null, containers: [{name: c, args: [], tty: true, livenessProbe: {}}]}}",
            r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"livenessProbe":{},"name":"c","resources":{},"tty":true}]},"status":{}}"#,
        ),
        (
            "a pointer keeps its zero",
            "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {replicas: 0, minReadySeconds: 0, paused: false, selector: {matchLabels: {a: b}}}}",
            r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":0,"selector":{"matchLabels":{"a":"b"}},"strategy":{},"template":{"metadata":{},"spec":{"containers":null}}},"status":{}}"#,
        ),
        (
            "quantities become canonical",
            "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: {cpu: 0.5, memory: 1024Mi, pods: 4, x: 1000m}}}",
            r#"{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},"spec":{"hard":{"cpu":"500m","memory":"1Gi","pods":"4","x":"1"}},"status":{}}"#,
        ),
        (
            "times become UTC",
            "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: l, creationTimestamp: '2026-01-01T08:30:00.5+09:00'}, \
             spec: {renewTime: '2026-03-01T00:00:00.12Z'}}",
            r#"{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"creationTimestamp":"2025-12-31T23:30:00Z","name":"l"},"spec":{"renewTime":"2026-03-01T00:00:00.120000Z"}}"#,
        ),
        (
            "null values of a map become empty",
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {a: null, b: x}}",
            r#"{"apiVersion":"v1","data":{"a":"","b":"x"},"kind":"ConfigMap","metadata":{"name":"m"}}"#,
        ),
        (
            "a field that must be there is there",
            "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: r}}",
            r#"{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"r"},"rules":null}"#,
        ),
    ] {
        let (value, kind) = read(manifest);
        let decoded = object(value, &kind, true).unwrap();
        assert_eq!(json::write_compact(&decoded), expected, "{name}");
        assert_eq!(object(decoded.clone(), &kind, true).unwrap(), decoded, "{name}, again");
    }
}

#[test]
fn a_partial_configuration_gets_nothing_that_was_not_given() {
    let (value, kind) = read("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: null}]}}");
    let decoded = partial(value, &kind, true).unwrap();
    assert_eq!(
        json::write_compact(&decoded),
        r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]}}"#
    );
}
