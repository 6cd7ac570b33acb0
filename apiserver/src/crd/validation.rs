//! Checks of a definition (`apiextensions-apiserver/pkg/apis/apiextensions/validation`).

use serde_json::{Value, json};

use super::names::is_established;
use super::version_rules::{check_schemas, check_versions};
use crate::schema::Cause;

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

pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
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
pub(super) const LABEL: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
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

pub(super) fn is_1035_label(label: &str) -> bool {
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

pub(super) fn versions(definition: &Value) -> &[Value] {
    definition["spec"]["versions"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
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
