//! The fields of a spec of our own, and what children take from them.

use heck::ToLowerCamelCase as _;
use serde::Serialize;

use super::references::Reference;
use super::relations::takes;
use crate::model::{External, Related, Resource, Take};

/// A field of a spec.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Field {
    name: String,
    json: String,
    ty: String,
    docs: Vec<String>,
    attributes: Vec<String>,
    /// A value, as JSON; empty where the sample leaves it out.
    sample: String,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Constant {
    name: &'static str,
    ty: &'static str,
    value: &'static str,
    doc: &'static str,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct TakeValues {
    image: String,
    replicas: String,
    port: String,
    config: String,
    storage: String,
    schedule: String,
    host: String,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Change {
    json: String,
    value: String,
    child: String,
}

/// What is known of a field that children take.
pub(super) struct TakeRow {
    pub(super) take: Take,
    pub(super) name: &'static str,
    pub(super) ty: &'static str,
    pub(super) doc: &'static str,
    pub(super) attribute: &'static str,
    pub(super) sample: &'static str,
    /// Another value, where it may change.
    pub(super) other: Option<&'static str>,
    pub(super) constant: Option<(&'static str, &'static str)>,
}

pub(super) const TAKES: &[TakeRow] = &[
    TakeRow {
        take: Take::Image,
        name: "image",
        ty: "String",
        doc: "The image that its pods run.",
        attribute: "schemars(length(min = 1))",
        sample: "\"nginx:1.29\"",
        other: Some("\"nginx:1.30\""),
        constant: Some(("IMAGE", "&str")),
    },
    TakeRow {
        take: Take::Replicas,
        name: "replicas",
        ty: "i32",
        doc: "How many pods it has.",
        attribute: "schemars(range(min = 0))",
        sample: "1",
        other: Some("2"),
        constant: Some(("REPLICAS", "i32")),
    },
    TakeRow {
        take: Take::Port,
        name: "port",
        ty: "i32",
        doc: "The port that it listens on.",
        attribute: "schemars(range(min = 1, max = 65535))",
        sample: "80",
        other: Some("81"),
        constant: Some(("PORT", "i32")),
    },
    TakeRow {
        take: Take::Config,
        name: "config",
        ty: "BTreeMap<String, String>",
        doc: "What it is told, as keys and values.",
        attribute: "serde(default)",
        sample: "{\"greeting\": \"hello\"}",
        other: Some("{\"greeting\": \"good day\"}"),
        constant: None,
    },
    TakeRow {
        take: Take::Storage,
        name: "storage",
        ty: "String",
        doc: "How much it may store, such as `1Gi`.",
        attribute: "schemars(length(min = 1))",
        sample: "\"1Gi\"",
        other: None,
        constant: Some(("STORAGE", "&str")),
    },
    TakeRow {
        take: Take::Schedule,
        name: "schedule",
        ty: "String",
        doc: "When it runs, as cron writes it.",
        attribute: "schemars(length(min = 1))",
        sample: "\"0 3 * * *\"",
        other: Some("\"0 4 * * *\""),
        constant: Some(("SCHEDULE", "&str")),
    },
    TakeRow {
        take: Take::Host,
        name: "host",
        ty: "String",
        doc: "The name under which it is reached.",
        attribute: "schemars(length(min = 1))",
        sample: "\"sample.example.com\"",
        other: Some("\"other.example.com\""),
        constant: Some(("HOST", "&str")),
    },
];

pub(super) fn fields(
    resource: &Resource,
    takes: &[&TakeRow],
    takes_namespace: bool,
    references: &[Reference],
) -> Vec<Field> {
    if resource.adopted.is_some() {
        return Vec::new();
    }
    let field = |name: &str, ty: &str, doc: &str, attribute: &str, sample: &str| Field {
        name: name.to_owned(),
        json: name.to_lower_camel_case(),
        ty: ty.to_owned(),
        docs: vec![doc.to_owned()],
        attributes: vec![attribute.to_owned()],
        sample: sample.to_owned(),
    };
    let mut all = Vec::new();
    let provider = resource.external != External::None;
    if provider || takes.is_empty() {
        let doc = if provider {
            "How big it is to be, in the provider's units."
        } else {
            "How big it is to be."
        };
        all.push(field("size", "i64", doc, "schemars(range(min = 1))", "1"));
    }
    if takes_namespace {
        all.push(field(
            "namespace",
            "String",
            "The namespace that its children live in.",
            "schemars(length(min = 1))",
            "\"default\"",
        ));
    }
    all.extend(
        takes
            .iter()
            .map(|row| field(row.name, row.ty, row.doc, row.attribute, row.sample)),
    );
    all.extend(references.iter().map(|reference| {
        field(
            &reference.field,
            &format!("Option<{}Ref>", reference.name),
            &format!("The {} that it needs, if it needs one.", reference.name),
            "serde(default, skip_serializing_if = \"Option::is_none\")",
            "",
        )
    }));
    all
}

pub(super) fn spec_json(fields: &[Field]) -> String {
    let written = fields.iter().filter(|field| !field.sample.is_empty());
    let all: Vec<String> = written
        .map(|field| format!("\"{}\": {}", field.json, field.sample))
        .collect();
    format!("{{ {} }}", all.join(", "))
}

pub(super) fn constants(adopted: bool, takes: &[&TakeRow], takes_namespace: bool) -> Vec<Constant> {
    if !adopted {
        return Vec::new();
    }
    let namespace = takes_namespace.then_some(Constant {
        name: "NAMESPACE",
        ty: "&str",
        value: "\"default\"",
        doc: "The namespace that the children live in.",
    });
    let taken = takes.iter().filter_map(|row| {
        let (name, ty) = row.constant?;
        Some(Constant {
            name,
            ty,
            value: row.sample,
            doc: row.doc,
        })
    });
    namespace.into_iter().chain(taken).collect()
}

/// A field whose change shows in a child that can be changed.
pub(super) fn change(adopted: bool, takes: &[&TakeRow], owned: &[&Related]) -> Option<Change> {
    if adopted {
        return None;
    }
    takes.iter().find_map(|row| {
        let value = row.other?;
        let child = owned.iter().find(|related| {
            self::takes(related).contains(&row.take)
                && !(row.take == Take::Image && related.kind() == "Pod")
        })?;
        Some(Change {
            json: row.name.to_owned(),
            value: value.to_owned(),
            child: child.kind().to_owned(),
        })
    })
}

/// A change of the spec that a user makes, as JSON; empty where none is known.
pub(super) fn spec_change(change: Option<&Change>, has_size: bool) -> String {
    match change {
        Some(Change { json, value, .. }) => {
            format!(r#"{{ "spec": {{ "{json}": {value} }} }}"#)
        }
        None if has_size => r#"{ "spec": { "size": 2 } }"#.to_owned(),
        None => String::new(),
    }
}

impl TakeValues {
    pub(super) fn new(adopted: bool) -> Self {
        let pick = |fresh: &str, constant: &str| if adopted { constant } else { fresh }.to_owned();
        Self {
            image: pick("spec.image.clone()", "IMAGE.to_owned()"),
            replicas: pick("spec.replicas", "REPLICAS"),
            port: pick("spec.port", "PORT"),
            config: pick(
                "spec.config.clone()",
                "BTreeMap::from([(\"greeting\".to_owned(), \"hello\".to_owned())])",
            ),
            storage: pick("spec.storage.clone()", "STORAGE.to_owned()"),
            schedule: pick("spec.schedule.clone()", "SCHEDULE.to_owned()"),
            host: pick("spec.host.clone()", "HOST.to_owned()"),
        }
    }
}
