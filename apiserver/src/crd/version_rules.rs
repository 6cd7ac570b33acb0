//! Whether the versions of a definition are valid.

use serde_json::Value;

use super::defaulting::storage_versions;
use super::validation::{LABEL, is_1035_label, text, versions};
use crate::schema::{Cause, Schema, Type, cost_causes, structural_causes};

pub(super) fn check_versions(definition: &Value, causes: &mut Vec<Cause>) {
    let list = versions(definition);
    let storage = storage_versions(definition);
    if storage.len() != 1 {
        let detail = "must have exactly one version marked as storage version";
        causes.push(about_versions(list, detail));
    }
    let mut names: Vec<&str> = Vec::new();
    for (index, version) in list.iter().enumerate() {
        let name = text(version, "name");
        let at = format!("spec.versions[{index}]");
        if !is_1035_label(name) {
            causes.push(Cause::invalid(
                format!("{at}.name"),
                &version["name"],
                LABEL,
            ));
        }
        if names.contains(&name) {
            let detail = "must contain unique version names";
            causes.push(about_versions(list, detail));
        }
        names.push(name);
        if version["deprecationWarning"].is_string() && version["deprecated"] != true {
            let detail = "can only be set for deprecated versions";
            causes.push(Cause::invalid(
                format!("{at}.deprecationWarning"),
                &version["deprecationWarning"],
                detail,
            ));
        }
        check_columns(version, &at, causes);
        check_scale(&version["subresources"]["scale"], &at, causes);
    }
    let stored = &definition["status"]["storedVersions"];
    let stored_list = stored.as_array().map(Vec::as_slice).unwrap_or_default();
    if let Some(storage) = storage.last()
        && !stored_list.is_empty()
        && !stored_list.iter().any(|name| name == storage)
    {
        let detail = format!("must have the storage version {storage}");
        causes.push(Cause::invalid("status.storedVersions", stored, detail));
    }
    for (index, name) in stored_list.iter().enumerate() {
        if !names.iter().any(|known| name == known) {
            let at = format!("status.storedVersions[{index}]");
            causes.push(Cause::invalid(
                at,
                name,
                "missing from spec.versions; set storage of the version first",
            ));
        }
    }
}

/// A complaint about the versions as a whole, which quotes them as the server's internal type prints them.
fn about_versions(list: &[Value], detail: &str) -> Cause {
    let hoisted = same_for_all(list, "schema");
    let shown = |version: &Value| {
        let flag = |name: &str| version[name] == true;
        let part = |name: &str| {
            if hoisted {
                &Value::Null
            } else {
                &version[name]
            }
        };
        format!(
            "{{\"Name\":{},\"Served\":{},\"Storage\":{},\"Deprecated\":{},\"DeprecationWarning\":{},\"Schema\":{},\
             \"Subresources\":{},\"AdditionalPrinterColumns\":{},\"SelectableFields\":{}}}",
            version["name"],
            flag("served"),
            flag("storage"),
            flag("deprecated"),
            version["deprecationWarning"],
            part("schema"),
            part("subresources"),
            part("additionalPrinterColumns"),
            part("selectableFields"),
        )
    };
    let all: Vec<String> = list.iter().map(shown).collect();
    Cause::invalid_without_value("spec.versions", format!("[{}]: {detail}", all.join(",")))
}

fn same_for_all(list: &[Value], field: &str) -> bool {
    list.windows(2).all(|pair| pair[0][field] == pair[1][field])
}

fn check_columns(version: &Value, at: &str, causes: &mut Vec<Cause>) {
    for (index, column) in version["additionalPrinterColumns"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let at = format!("{at}.additionalPrinterColumns[{index}]");
        for name in ["name", "type", "jsonPath"] {
            if text(column, name).is_empty() {
                causes.push(Cause::required(format!("{at}.{name}"), ""));
            }
        }
        let kinds = ["boolean", "date", "integer", "number", "string"];
        if !text(column, "type").is_empty() && !kinds.contains(&text(column, "type")) {
            let detail = format!("must be one of {}", kinds.join(","));
            causes.push(Cause::invalid(
                format!("{at}.type"),
                &column["type"],
                detail,
            ));
        }
        if !text(column, "jsonPath").is_empty() && !text(column, "jsonPath").starts_with('.') {
            let detail = "must be a simple json path starting with .";
            causes.push(Cause::invalid(
                format!("{at}.jsonPath"),
                &column["jsonPath"],
                detail,
            ));
        }
    }
}

fn check_scale(scale: &Value, at: &str, causes: &mut Vec<Cause>) {
    if !scale.is_object() {
        return;
    }
    for (name, prefixes, required) in [
        ("specReplicasPath", &[".spec."][..], true),
        ("statusReplicasPath", &[".status."][..], true),
        ("labelSelectorPath", &[".spec.", ".status."][..], false),
    ] {
        let at = format!("{at}.subresources.scale.{name}");
        let path = text(scale, name);
        if path.is_empty() {
            if required {
                causes.push(Cause::required(at, ""));
            }
        } else if !prefixes.iter().any(|prefix| path.starts_with(prefix)) {
            let under = prefixes
                .iter()
                .map(|prefix| prefix.trim_end_matches('.'))
                .collect::<Vec<_>>();
            let detail = format!("should be a json path under {}", under.join(" or "));
            causes.push(Cause::invalid(at, &scale[name], detail));
        }
    }
}

/// Schemas that are the same for all versions are checked once, under the name they have inside of the server.
pub(super) fn check_schemas(definition: &Value, causes: &mut Vec<Cause>) {
    let list = versions(definition);
    let hoisted = same_for_all(list, "schema");
    for (index, version) in list.iter().enumerate() {
        let at = format!("spec.versions[{index}]");
        let schema = &version["schema"]["openAPIV3Schema"];
        if !schema.is_object() {
            causes.push(Cause::required(format!("{at}.schema.openAPIV3Schema"), ""));
            continue;
        }
        let path = if hoisted {
            "spec.validation.openAPIV3Schema".to_owned()
        } else {
            format!("{at}.schema.openAPIV3Schema")
        };
        let faults = structural_causes(schema, &path);
        let structural = faults.is_empty();
        if index == 0 || !hoisted {
            causes.extend(faults);
        }
        match Schema::parse_at(schema, &path) {
            Ok(parsed) if structural => {
                check_selectable(version, &parsed, &at, causes);
                if index == 0 || !hoisted {
                    causes.extend(cost_causes(&parsed, &path));
                }
            }
            Err(faults) if index == 0 || !hoisted => causes.extend(faults),
            _ => {}
        }
    }
}

fn check_selectable(version: &Value, schema: &Schema, at: &str, causes: &mut Vec<Cause>) {
    for (index, field) in version["selectableFields"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let at = format!("{at}.selectableFields[{index}].jsonPath");
        let path = text(field, "jsonPath");
        if path.is_empty() {
            causes.push(Cause::required(at, ""));
            continue;
        }
        let node = path
            .trim_start_matches('.')
            .split('.')
            .try_fold(schema, |node, name| node.properties.get(name));
        let detail = match node.map(|node| node.kind) {
            _ if path.starts_with(".metadata") => "must not point to fields in metadata",
            None => "is an invalid path: does not refer to a valid field",
            Some(Some(Type::String | Type::Boolean | Type::Integer)) => continue,
            Some(_) => {
                "must point to a field of type string, boolean or integer. Enum string fields and strings with \
                        formats are allowed."
            }
        };
        causes.push(Cause::invalid(at, &field["jsonPath"], detail));
    }
}
