//! A definition as it is served: names, versions, compiled schemas.

use serde_json::Value;

use super::versions::compare;
use crate::schema::{Cause, Schema};

/// The names of a custom resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// In URLs.
    pub plural: String,
    /// Of one.
    pub singular: String,
    /// The kind.
    pub kind: String,
    /// The kind of lists.
    pub list_kind: String,
    /// Short names.
    pub short_names: Vec<String>,
    /// Categories.
    pub categories: Vec<String>,
}

/// Where the scale subresource finds its numbers: JSON paths such as `.spec.replicas`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalePaths {
    /// `specReplicasPath`.
    pub spec: String,
    /// `statusReplicasPath`.
    pub status: String,
    /// `labelSelectorPath`.
    pub selector: Option<String>,
}

/// An additional printer column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub kind: String,
    /// The format, possibly empty.
    pub format: String,
    /// The description, possibly empty.
    pub description: String,
    /// 0 for the columns that are always shown.
    pub priority: i64,
    /// The JSON path of the cell.
    pub json_path: String,
}

/// One version.
#[derive(Clone, Debug)]
pub struct Version {
    /// `v1`, ...
    pub name: String,
    /// Whether requests may use it.
    pub served: bool,
    /// Whether objects are stored in it.
    pub storage: bool,
    /// The warning that goes with every request, if the version is deprecated.
    pub deprecation_warning: Option<String>,
    /// The schema, rules compiled.
    pub schema: Schema,
    /// Whether there is a `status` subresource.
    pub status: bool,
    /// The `scale` subresource.
    pub scale: Option<ScalePaths>,
    /// The columns of the table form; where none are declared, the age.
    pub columns: Vec<Column>,
    /// JSON paths that field selectors may name, without the leading dot.
    pub selectable_fields: Vec<String>,
}

/// A definition ready to be served.
#[derive(Clone, Debug)]
pub struct Served {
    /// The group.
    pub group: String,
    /// The names.
    pub names: Names,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// All versions, served or not, in the order of the definition.
    pub versions: Vec<Version>,
}

impl Served {
    /// The version objects are stored in.
    pub fn storage_version(&self) -> Option<&Version> {
        self.versions.iter().find(|version| version.storage)
    }

    /// The version with that name, if requests may use it.
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.versions
            .iter()
            .find(|version| version.served && version.name == name)
    }
}

/// Compiles a definition.
///
/// # Errors
/// Faults of patterns and rules, with [`crate::schema::NOT_IMPLEMENTED`] as the reason of what the evaluator lacks. A
/// definition that [`super::validate`] accepts has none.
pub fn served(definition: &Value) -> Result<Served, Vec<Cause>> {
    let spec = &definition["spec"];
    let names = &spec["names"];
    let mut causes = Vec::new();
    let mut versions = Vec::new();
    for (index, version) in spec["versions"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let path = format!("spec.versions[{index}].schema.openAPIV3Schema");
        match Schema::parse_at(&version["schema"]["openAPIV3Schema"], &path) {
            Ok(schema) => versions.push(parse_version(definition, version, schema)),
            Err(faults) => causes.extend(faults),
        }
    }
    if !causes.is_empty() {
        return Err(causes);
    }
    Ok(Served {
        group: text(&spec["group"]),
        names: Names {
            plural: text(&names["plural"]),
            singular: text(&names["singular"]),
            kind: text(&names["kind"]),
            list_kind: text(&names["listKind"]),
            short_names: texts(&names["shortNames"]),
            categories: texts(&names["categories"]),
        },
        namespaced: spec["scope"] == "Namespaced",
        versions,
    })
}

fn parse_version(definition: &Value, version: &Value, schema: Schema) -> Version {
    let scale = version["subresources"]
        .get("scale")
        .filter(|scale| scale.is_object())
        .map(|scale| ScalePaths {
            spec: text(&scale["specReplicasPath"]),
            status: text(&scale["statusReplicasPath"]),
            selector: scale["labelSelectorPath"]
                .as_str()
                .filter(|path| !path.is_empty())
                .map(str::to_owned),
        });
    let selectable = version["selectableFields"].as_array().into_iter().flatten();
    Version {
        name: text(&version["name"]),
        served: version["served"] == true,
        storage: version["storage"] == true,
        deprecation_warning: deprecation_warning(definition, version),
        schema,
        status: version["subresources"]
            .get("status")
            .is_some_and(Value::is_object),
        scale,
        columns: columns(version),
        selectable_fields: selectable
            .map(|field| text(&field["jsonPath"]).trim_start_matches('.').to_owned())
            .collect(),
    }
}

fn columns(version: &Value) -> Vec<Column> {
    let declared = version["additionalPrinterColumns"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    if declared.is_empty() {
        let description = "CreationTimestamp is a timestamp representing the server time when this object was \
                           created. It is not guaranteed to be set in happens-before order across separate \
                           operations. Clients may not set this value. It is represented in RFC3339 form and is in \
                           UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
                           https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
        return vec![Column {
            name: "Age".to_owned(),
            kind: "date".to_owned(),
            format: String::new(),
            description: description.to_owned(),
            priority: 0,
            json_path: ".metadata.creationTimestamp".to_owned(),
        }];
    }
    let column = |column: &Value| Column {
        name: text(&column["name"]),
        kind: text(&column["type"]),
        format: text(&column["format"]),
        description: text(&column["description"]),
        priority: column["priority"].as_i64().unwrap_or_default(),
        json_path: text(&column["jsonPath"]),
    };
    declared.iter().map(column).collect()
}

/// The warning given, or one that names the best newer version.
fn deprecation_warning(definition: &Value, version: &Value) -> Option<String> {
    if version["deprecated"] != true {
        return None;
    }
    if let Some(warning) = version["deprecationWarning"].as_str() {
        return Some(warning.to_owned());
    }
    let spec = &definition["spec"];
    let (group, kind) = (text(&spec["group"]), text(&spec["names"]["kind"]));
    let name = text(&version["name"]);
    let candidates = spec["versions"].as_array().into_iter().flatten();
    let best = candidates
        .filter(|other| other["served"] == true && other["deprecated"] != true)
        .filter_map(|other| other["name"].as_str())
        .filter(|other| compare(other, &name).is_gt())
        .max_by(|left, right| compare(left, right));
    let mut warning = format!("{group}/{name} {kind} is deprecated");
    if let Some(best) = best {
        warning.push_str(&format!("; use {group}/{best} {kind}"));
    }
    Some(warning)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}
