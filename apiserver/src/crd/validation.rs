//! Checks of a definition (`apiextensions-apiserver/pkg/apis/apiextensions/validation`).

use serde_json::{Value, json};

use super::defaulting::storage_versions;
use super::names::is_established;
use crate::schema::{Cause, Schema, Type, structural_causes};

/// Why `definition`, with its defaults filled in, is refused; `old` is the stored one on update.
///
/// A cause with the reason [`crate::schema::NOT_IMPLEMENTED`] asks for an answer of 501.
pub fn validate(definition: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut causes = Vec::new();
    check_identity(definition, &mut causes);
    check_names(&definition["spec"]["names"], &mut causes);
    check_versions(definition, &mut causes);
    check_schemas(definition, &mut causes);
    check_conversion(&definition["spec"]["conversion"], &mut causes);
    if let Some(old) = old {
        check_change(definition, old, &mut causes);
    }
    causes
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn check_identity(definition: &Value, causes: &mut Vec<Cause>) {
    let spec = &definition["spec"];
    let (group, plural) = (text(spec, "group"), text(&spec["names"], "plural"));
    let name = &definition["metadata"]["name"];
    if name.as_str() != Some(format!("{plural}.{group}").as_str()) {
        causes.push(Cause::invalid(
            "metadata.name",
            name,
            "must be spec.names.plural+\".\"+spec.group",
        ));
    }
    if group.is_empty() {
        causes.push(Cause::required("spec.group", ""));
    } else if !group.split('.').all(is_label) || group.len() > 253 {
        causes.push(Cause::invalid("spec.group", &spec["group"], SUBDOMAIN));
    } else if !group.contains('.') {
        causes.push(Cause::invalid(
            "spec.group",
            &spec["group"],
            "should be a domain with at least one dot",
        ));
    }
    let protected = group.ends_with(".k8s.io") || group.ends_with(".kubernetes.io");
    let approval = &definition["metadata"]["annotations"]["api-approved.kubernetes.io"];
    if protected && approval.as_str().is_none_or(str::is_empty) {
        let detail = "protected groups must have approval annotation \"api-approved.kubernetes.io\", see \
                      https://github.com/kubernetes/enhancements/pull/1111";
        causes.push(Cause::required(
            "metadata.annotations[api-approved.kubernetes.io]",
            detail,
        ));
    }
    match text(spec, "scope") {
        "" => causes.push(Cause::required("spec.scope", "")),
        "Cluster" | "Namespaced" => {}
        _ => causes.push(Cause::unsupported(
            "spec.scope",
            &spec["scope"],
            ["Cluster", "Namespaced"],
        )),
    }
    if spec["preserveUnknownFields"] == true {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in \
                      spec.versions[*].schema instead";
        causes.push(Cause::invalid(
            "spec.preserveUnknownFields",
            &json!(true),
            detail,
        ));
    }
}

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or \
                         '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used \
                         for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
                     alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', \
                     regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

fn is_label(label: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !label.is_empty()
        && label.len() <= 63
        && label.bytes().all(inner)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

fn is_1035_label(label: &str) -> bool {
    is_label(label) && label.starts_with(|c: char| c.is_ascii_lowercase())
}

fn check_names(names: &Value, causes: &mut Vec<Cause>) {
    for name in ["plural", "singular"] {
        let value = text(names, name);
        if value.is_empty() && name == "plural" {
            causes.push(Cause::required("spec.names.plural", ""));
        } else if !value.is_empty() && !is_1035_label(value) {
            causes.push(Cause::invalid(
                format!("spec.names.{name}"),
                &names[name],
                LABEL,
            ));
        }
    }
    for name in ["kind", "listKind"] {
        let value = text(names, name);
        if value.is_empty() {
            causes.push(Cause::required(format!("spec.names.{name}"), ""));
        } else if !is_1035_label(&value.to_lowercase()) {
            let detail = format!("may have mixed case, but should otherwise match: {LABEL}");
            causes.push(Cause::invalid(
                format!("spec.names.{name}"),
                &names[name],
                detail,
            ));
        }
    }
    if !text(names, "kind").is_empty() && names["kind"] == names["listKind"] {
        let detail = "kind and listKind may not be the same";
        causes.push(Cause::invalid(
            "spec.names.listKind",
            &names["listKind"],
            detail,
        ));
    }
    for list in ["shortNames", "categories"] {
        for (index, name) in names[list].as_array().into_iter().flatten().enumerate() {
            if !is_1035_label(name.as_str().unwrap_or_default()) {
                causes.push(Cause::invalid(
                    format!("spec.names.{list}[{index}]"),
                    name,
                    LABEL,
                ));
            }
        }
    }
}

fn versions(definition: &Value) -> &[Value] {
    definition["spec"]["versions"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn check_versions(definition: &Value, causes: &mut Vec<Cause>) {
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
fn check_schemas(definition: &Value, causes: &mut Vec<Cause>) {
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
            Ok(parsed) if structural => check_selectable(version, &parsed, &at, causes),
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

fn check_conversion(conversion: &Value, causes: &mut Vec<Cause>) {
    let at = "spec.conversion";
    match text(conversion, "strategy") {
        "None" => {
            if conversion["webhook"].is_object() {
                let detail = "should not be set when strategy is not set to Webhook";
                causes.push(Cause::forbidden(format!("{at}.webhook"), detail));
            }
        }
        "Webhook" => {
            let webhook = &conversion["webhook"];
            if !webhook["clientConfig"].is_object() {
                let detail = "required when strategy is set to Webhook";
                causes.push(Cause::required(
                    format!("{at}.webhook.clientConfig"),
                    detail,
                ));
            }
            if webhook["conversionReviewVersions"]
                .as_array()
                .is_none_or(Vec::is_empty)
            {
                causes.push(Cause::required(
                    format!("{at}.webhook.conversionReviewVersions"),
                    "",
                ));
            }
        }
        "" => causes.push(Cause::required(format!("{at}.strategy"), "")),
        _ => {
            let kinds = ["None", "Webhook"];
            causes.push(Cause::unsupported(
                format!("{at}.strategy"),
                &conversion["strategy"],
                kinds,
            ));
        }
    }
}

fn check_change(definition: &Value, old: &Value, causes: &mut Vec<Cause>) {
    if !is_established(&old["status"]) {
        return;
    }
    let immutable = |causes: &mut Vec<Cause>, path: &str, new: &Value, old: &Value| {
        if new != old {
            causes.push(Cause::invalid(path, new, "field is immutable"));
        }
    };
    let (spec, before) = (&definition["spec"], &old["spec"]);
    immutable(causes, "spec.group", &spec["group"], &before["group"]);
    immutable(causes, "spec.scope", &spec["scope"], &before["scope"]);
    immutable(
        causes,
        "spec.names.kind",
        &spec["names"]["kind"],
        &before["names"]["kind"],
    );
    immutable(
        causes,
        "spec.names.plural",
        &spec["names"]["plural"],
        &before["names"]["plural"],
    );
}
