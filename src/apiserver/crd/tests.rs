//! A definition and its objects through the whole server.

use crate::api::resource::{CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES};
use crate::api::{Object, Request, Resource, Status, Value};
use crate::apiserver::ApiServer;
use crate::util::Time;
use crate::value;

fn server() -> ApiServer {
    let mut server = ApiServer::new(1);
    let namespace = value!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}});
    server.handle(&Request::create(&NAMESPACES, Object(namespace)), Time(0)).unwrap();
    let definition = value!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "ovens.bakery.example.com"},
        "spec": {"group": "bakery.example.com", "scope": "Namespaced", "names": {"plural": "ovens", "kind": "Oven"}, "versions": [{
            "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": {"fuel": {"type": "string", "default": "gas"}, "shelves": {"type": "integer"}}},
                "status": {"type": "object", "properties": {"hot": {"type": "boolean"}}}
            }}}
        }]}
    });
    server.handle(&Request::create(&CUSTOM_RESOURCE_DEFINITIONS, Object(definition)), Time(0)).unwrap();
    server
}

fn ovens() -> Resource {
    Resource::named("ovens.bakery.example.com")
}

fn oven(spec: Value) -> Object {
    let kind = value!({"apiVersion": "bakery.example.com/v1", "kind": "Oven", "metadata": {"name": "east", "namespace": "default"}});
    let mut object = Object(kind);
    object.0.set("spec", spec);
    object
}

fn create(server: &mut ApiServer, spec: Value, strict: bool) -> Result<Object, Status> {
    let request = Request { strict, ..Request::create(&ovens(), oven(spec)) };
    server.handle(&request, Time(0)).map(|a| a.object())
}

#[test]
fn a_kind_is_served_as_soon_as_its_definition_is_established() {
    let mut server = server();
    assert!(server.kinds().by_name("ovens").is_some());
    let made = create(&mut server, value!({"shelves": 3_i64}), true).unwrap();
    assert_eq!(made.spec(), &value!({"fuel": "gas", "shelves": 3_i64}));
    assert_eq!(made.generation(), 1);
}

#[test]
fn unknown_fields_are_refused_or_dropped() {
    let mut server = server();
    let refusal = create(&mut server, value!({"shelfs": 3_i64}), true).unwrap_err();
    let text = "Oven in version \"v1\" cannot be handled as a Oven: strict decoding error: unknown field \"spec.shelfs\"";
    assert_eq!(refusal.message, text);
    assert_eq!(create(&mut server, value!({"shelfs": 3_i64}), false).unwrap().spec(), &value!({"fuel": "gas"}));
}

#[test]
fn the_generation_counts_goals_and_not_statuses() {
    let mut server = server();
    let mut object = create(&mut server, value!({}), true).unwrap();
    object.0.set("status", value!({"hot": true}));
    let object = server.handle(&Request::update_status(&ovens(), object), Time(0)).unwrap().object();
    assert_eq!((object.generation(), object.status().get("hot").is_true()), (1, true));
    let mut changed = object.clone();
    changed.0.set_at(&["spec", "shelves"], 4_i64);
    changed.0.set("status", value!({"hot": false}));
    let object = server.handle(&Request::update(&ovens(), changed), Time(0)).unwrap().object();
    assert_eq!((object.generation(), object.status().get("hot").is_true()), (2, true));
}

#[test]
fn a_definition_takes_its_objects_along() {
    let mut server = server();
    create(&mut server, value!({}), true).unwrap();
    server.handle(&Request::delete(&CUSTOM_RESOURCE_DEFINITIONS, "", "ovens.bakery.example.com"), Time(0)).unwrap();
    assert!(server.kinds().by_name("ovens").is_none());
    assert_eq!(server.handle(&Request::list(&ovens(), ""), Time(0)).unwrap_err().code, 404);
}
