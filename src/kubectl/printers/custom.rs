//! Tables of custom kinds, by the printer columns of their definition.

use super::super::fault::Fault;
use super::{Column, jsonpath, since};
use crate::api::{KindInfo, Object, Request, resource};
use crate::client::Transport;
use crate::util::Time;
use std::borrow::Cow;

/// A column of a definition.
#[derive(Clone, Debug)]
struct Extra {
    name: String,
    kind: String,
    path: String,
    wide: bool,
}

/// The columns of a custom kind, beside its name.
#[derive(Clone, Debug)]
pub struct Custom(Vec<Extra>);

impl Custom {
    /// Name and age, as kinds without columns of their own show.
    pub fn plain() -> Custom {
        let path = "{.metadata.creationTimestamp}".to_string();
        Custom(vec![Extra { name: "Age".to_string(), kind: "date".to_string(), path, wide: false }])
    }

    /// As the definition says.
    pub fn of(api: &mut dyn Transport, kind: &KindInfo) -> Result<Custom, Fault> {
        let definition = api.send(Request::get(&resource::CUSTOM_RESOURCE_DEFINITIONS, "", kind.resource.0.clone()))?.object();
        let version = definition.spec().get("versions").find("name", &kind.version);
        let columns = version.map(|v| v.get("additionalPrinterColumns").items()).unwrap_or_default();
        if columns.is_empty() {
            return Ok(Custom::plain());
        }
        let each = columns.iter().map(|c| Extra {
            name: c.get("name").text().to_string(),
            kind: c.get("type").text().to_string(),
            path: jsonpath::relaxed(c.get("jsonPath").text()),
            wide: c.get("priority").int() > 0,
        });
        Ok(Custom(each.collect()))
    }

    pub fn columns(&self) -> Vec<Column> {
        let mut all: Vec<Column> = vec![(Cow::Borrowed("Name"), false)];
        all.extend(self.0.iter().map(|e| (Cow::Owned(e.name.clone()), e.wide)));
        all
    }

    pub fn row(&self, object: &Object, now: Time) -> Vec<String> {
        let mut cells = vec![object.name().to_string()];
        for extra in &self.0 {
            let found = jsonpath::find(&extra.path, &object.0).unwrap_or_default();
            let cell = match found.first() {
                None => String::new(),
                Some(v) if extra.kind == "date" => since(v, now),
                Some(v) => jsonpath::text(v),
            };
            cells.push(cell);
        }
        cells
    }
}
