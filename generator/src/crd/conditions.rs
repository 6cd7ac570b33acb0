//! Conditions as the runtime writes them, and whether a list of a CRD can hold them.

use serde_json::{Value, json};

use super::schema::{Kind, Schema};

/// The conditions that the runtime sets.
const FIELDS: [&str; 6] = [
    "lastTransitionTime",
    "message",
    "observedGeneration",
    "reason",
    "status",
    "type",
];
const REASON: &str = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$";
const TYPE: &str = r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";

/// The list, as `metav1.Condition` is declared by every current CRD.
pub(super) fn list() -> Value {
    let properties: serde_json::Map<String, Value> = FIELDS
        .iter()
        .map(|name| ((*name).to_owned(), field(name)))
        .collect();
    json!({
        "description": "What the operator has to say of the object: Ready, Reconciling and Stalled as kstatus reads them, and its own.",
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "type": "object",
            "required": ["lastTransitionTime", "message", "reason", "status", "type"],
            "properties": properties,
        },
    })
}

/// One field of a condition.
pub(super) fn field(name: &str) -> Value {
    match name {
        "lastTransitionTime" => {
            json!({ "description": "When the status last changed.", "type": "string", "format": "date-time" })
        }
        "message" => {
            json!({ "description": "Details for people.", "type": "string", "maxLength": 32768 })
        }
        "observedGeneration" => json!({
            "description": "The metadata.generation that this was said of.", "type": "integer", "format": "int64", "minimum": 0,
        }),
        "reason" => json!({
            "description": "Why, in one CamelCase word.", "type": "string", "minLength": 1, "maxLength": 1024, "pattern": REASON,
        }),
        "status" => {
            json!({ "description": "True, False or Unknown.", "type": "string", "enum": ["True", "False", "Unknown"] })
        }
        _ => {
            json!({ "description": "Which condition.", "type": "string", "maxLength": 316, "pattern": TYPE })
        }
    }
}

/// Whether a declared list can hold the runtime's conditions: the fields that its items lack, or why it cannot.
///
/// A list of type `set`, keys other than `type`, closed vocabularies and required fields of its own make it another thing by the same
/// name. A list without a type (atomic) will do: the runtime's patches address items by index and test the key.
pub(super) fn missing(list: Schema<'_>) -> Result<Vec<&'static str>, String> {
    if list.kind() != Kind::Array {
        return Err("it is not a list".to_owned());
    }
    let keys = list.list_keys();
    match list.list_type() {
        Some("map") if keys != ["type"] => {
            return Err(format!("its items are told apart by {}", keys.join(", ")));
        }
        Some("set") => return Err("it is a set".to_owned()),
        _ => {}
    }
    if list.count("maxItems").is_some_and(|max| max < 8) {
        return Err("it holds too few items".to_owned());
    }
    let Some(item) = list.items().filter(|item| item.kind() == Kind::Object) else {
        return Err("its items are not objects".to_owned());
    };
    if let Some(name) = item
        .required()
        .into_iter()
        .find(|name| !FIELDS.contains(name))
    {
        return Err(format!("its items need `{name}`"));
    }
    for name in FIELDS {
        if let Some(property) = item.property(name)
            && !holds(name, property)
        {
            return Err(format!("`{name}` of its items is another thing"));
        }
    }
    if item.property("type").is_none() {
        return Err("its items have no `type`".to_owned());
    }
    Ok(FIELDS
        .into_iter()
        .filter(|name| item.property(name).is_none() && !item.keeps_unknown())
        .collect())
}

fn holds(name: &str, property: Schema<'_>) -> bool {
    let kind = if name == "observedGeneration" {
        Kind::Integer
    } else {
        Kind::String
    };
    let pattern = match name {
        "reason" => Some(REASON),
        "type" => Some(TYPE),
        _ => None,
    };
    let has_values = match property.enum_values() {
        None => true,
        Some(values) => {
            name == "status"
                && ["True", "False", "Unknown"]
                    .iter()
                    .all(|value| values.iter().any(|known| known == value))
        }
    };
    let has_format = match property.format() {
        None => true,
        Some(format) => matches!(
            (name, format),
            ("lastTransitionTime", "date-time") | ("observedGeneration", "int64")
        ),
    };
    let is_long = property
        .count("maxLength")
        .is_none_or(|max| max >= if name == "message" { 1024 } else { 63 });
    property.kind() == kind
        && has_values
        && has_format
        && is_long
        && property
            .pattern()
            .is_none_or(|found| Some(found) == pattern)
}
