//! get and list: selectors, pages.

use super::ApiServer;
use crate::api::selector::Selector;
use crate::api::{Listing, Object, ObjectKey, Request, Status, Str};

impl ApiServer {
    pub(super) fn get(&self, request: &Request) -> Result<Object, Status> {
        let key = ObjectKey { namespace: request.namespace.clone(), name: request.name.clone() };
        self.etcd.get(&request.resource, &key).cloned().ok_or_else(|| Status::not_found(&request.resource.0, &request.name))
    }

    #[inline(never)]
    pub(super) fn list(&self, request: &Request) -> Result<Listing, Status> {
        let options = &request.list;
        let labels = Selector::parse(&options.label_selector).map_err(|e| Status::bad_request(e.to_string()))?;
        let fields = FieldSelector::parse(&options.field_selector)?;
        let after = match options.continue_token.as_str() {
            "" => None,
            token => Some(read_token(token).ok_or_else(|| Status::bad_request("continue key is not valid"))?),
        };
        let mut matching = self
            .etcd
            .list(&request.resource, &request.namespace)
            .filter(|o| after.as_ref().is_none_or(|last| o.key() > *last))
            .filter(|o| labels.matches(o.labels()) && fields.matches(o));
        let limit = if options.limit == 0 { usize::MAX } else { options.limit };
        let items: Vec<Object> = matching.by_ref().take(limit).cloned().collect();
        let remaining = if limit == usize::MAX { 0 } else { matching.count() };
        let continue_token = match items.last() {
            Some(last) if remaining > 0 => Str::from(format!("{}\u{1f}{}", last.namespace(), last.name())),
            _ => Str::default(),
        };
        Ok(Listing { items, revision: self.etcd.revision(), continue_token, remaining })
    }
}

fn read_token(token: &str) -> Option<ObjectKey> {
    let (namespace, name) = token.split_once('\u{1f}')?;
    Some(ObjectKey::new(namespace, name))
}

/// `status.phase=Running,metadata.name!=x`
struct FieldSelector(Vec<(Vec<String>, bool, String)>);

impl FieldSelector {
    fn parse(text: &str) -> Result<FieldSelector, Status> {
        let terms = text.split(',').filter(|t| !t.is_empty()).map(|term| {
            let (path, equal, value) = if let Some((p, v)) = term.split_once("!=") {
                (p, false, v)
            } else if let Some((p, v)) = term.split_once("==").or_else(|| term.split_once('=')) {
                (p, true, v)
            } else {
                return Err(Status::bad_request(format!("invalid selector: '{term}'; can't understand '{term}'")));
            };
            Ok((path.split('.').map(String::from).collect(), equal, value.to_string()))
        });
        Ok(FieldSelector(terms.collect::<Result<_, _>>()?))
    }

    fn matches(&self, object: &Object) -> bool {
        self.0.iter().all(|(path, equal, value)| {
            let found = path.iter().fold(&object.0, |v, key| v.get(key));
            let text = match found {
                crate::api::Value::Bool(b) => b.to_string(),
                crate::api::Value::Int(n) => n.to_string(),
                other => other.text().to_string(),
            };
            (text == *value) == *equal
        })
    }
}
