//! Strategic merge patch, for built-in kinds: lists merge as the schema says.
//!
//! Directives: `$patch: delete | replace | merge`, `$retainKeys`, `$setElementOrder/<list>`,
//! `$deleteFromPrimitiveList/<list>`.

use serde_json::{Map, Value};

use super::PatchError;
use super::order::{self, Order};
use crate::managed::TypeRef;
use crate::schema::{PatchStrategy, Schema};

const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM: &str = "$deleteFromPrimitiveList/";
const SET_ORDER: &str = "$setElementOrder/";

/// The document with `patch` merged into it.
///
/// # Errors
/// 400 for a malformed directive, 500 for a list item without its merge key or an unknown directive.
pub fn apply(schema: &Schema, doc: &Value, patch: &Value) -> Result<Value, PatchError> {
    super::merge::check(patch)?;
    match (doc, patch) {
        (Value::Object(doc), Value::Object(patch)) => {
            merge_maps(TypeRef::Object(schema), doc.clone(), patch.clone()).map(Value::Object)
        }
        _ => Ok(doc.clone()),
    }
}

/// How a list merges.
#[derive(Clone, Copy)]
struct ListRule<'a> {
    merges: bool,
    key: &'a str,
    item: TypeRef<'a>,
}

fn field<'a>(kind: TypeRef<'a>, name: &str) -> TypeRef<'a> {
    kind.field(name).map_or(TypeRef::Deduced, |(kind, _)| kind)
}

fn list_rule(kind: TypeRef<'_>) -> ListRule<'_> {
    let schema = kind.schema();
    let key = schema
        .and_then(|schema| schema.patch_merge_key.as_deref())
        .unwrap_or_default();
    let strategy = schema.map_or(PatchStrategy::None, |schema| schema.patch_strategy);
    let merges = matches!(
        strategy,
        PatchStrategy::Merge | PatchStrategy::MergeRetainKeys
    ) || (strategy == PatchStrategy::None && !key.is_empty());
    ListRule {
        merges,
        key,
        item: kind.item(),
    }
}

type Fields = Map<String, Value>;

fn merge_maps(kind: TypeRef<'_>, mut doc: Fields, mut patch: Fields) -> Result<Fields, PatchError> {
    if let Some(directive) = patch.get(DIRECTIVE) {
        return match directive.as_str() {
            Some("replace") => {
                patch.remove(DIRECTIVE);
                Ok(patch)
            }
            Some("delete") => Ok(Fields::new()),
            _ => Err(bad_directive(directive, &Value::from(patch.clone()))),
        };
    }
    retain_keys(&mut doc, &mut patch)?;
    set_orders(kind, &mut doc, &mut patch)?;
    for (name, value) in patch {
        merge_field(kind, &mut doc, &name, value)?;
    }
    Ok(doc)
}

fn merge_field(
    kind: TypeRef<'_>,
    doc: &mut Fields,
    name: &str,
    value: Value,
) -> Result<(), PatchError> {
    if let Some(name) = name.strip_prefix(DELETE_FROM) {
        return delete_from(doc, name, &value);
    }
    if value.is_null() {
        doc.remove(name);
        return Ok(());
    }
    let kind = field(kind, name);
    let merged = match (doc.remove(name), value) {
        (Some(Value::Object(present)), Value::Object(patch)) if !replaces(kind) => {
            Value::Object(merge_maps(kind, present, patch)?)
        }
        (Some(Value::Array(present)), Value::Array(patch)) => {
            Value::Array(merge_lists(list_rule(kind), present, patch)?)
        }
        (_, value) => match without_directives(value) {
            Some(value) => value,
            None => return Ok(()),
        },
    };
    doc.insert(name.to_owned(), merged);
    Ok(())
}

fn replaces(kind: TypeRef<'_>) -> bool {
    kind.schema()
        .is_some_and(|schema| schema.patch_strategy == PatchStrategy::Replace)
}

/// A value of the patch that nothing stands against: nulls and directives say nothing there.
fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(map) => {
            if map
                .get(DIRECTIVE)
                .is_some_and(|directive| directive == "delete")
            {
                return None;
            }
            let mut kept = Map::new();
            for (name, value) in map {
                let is_directive = name == DIRECTIVE
                    || name == RETAIN_KEYS
                    || name.starts_with(DELETE_FROM)
                    || name.starts_with(SET_ORDER);
                if is_directive || value.is_null() {
                    continue;
                }
                if let Some(value) = without_directives(value) {
                    kept.insert(name, value);
                }
            }
            Some(Value::Object(kept))
        }
        Value::Array(items) => {
            let is_mark = |item: &Value| {
                item.as_object()
                    .is_some_and(|map| map.len() == 1 && map.contains_key(DIRECTIVE))
            };
            Some(Value::Array(
                items
                    .into_iter()
                    .filter(|item| !is_mark(item))
                    .filter_map(without_directives)
                    .collect(),
            ))
        }
        other => Some(other),
    }
}

fn retain_keys(doc: &mut Fields, patch: &mut Fields) -> Result<(), PatchError> {
    let Some(directive) = patch.remove(RETAIN_KEYS) else {
        return Ok(());
    };
    let malformed = || PatchError::BadRequest("invalid patch format of retainKeys".to_owned());
    let retained = directive.as_array().ok_or_else(malformed)?;
    let is_retained = |name: &str| retained.iter().any(|key| key == name);
    let known = patch.iter().all(|(name, value)| {
        value.is_null()
            || name.starts_with(DELETE_FROM)
            || name.starts_with(SET_ORDER)
            || is_retained(name)
    });
    if !known {
        return Err(malformed());
    }
    doc.retain(|name, _| is_retained(name));
    Ok(())
}

/// Merges the lists that come with an order, and takes them out of the patch.
fn set_orders(kind: TypeRef<'_>, doc: &mut Fields, patch: &mut Fields) -> Result<(), PatchError> {
    let directives: Vec<String> = patch
        .keys()
        .filter(|name| name.starts_with(SET_ORDER))
        .cloned()
        .collect();
    for directive in directives {
        let wanted = list(patch.remove(&directive).unwrap_or_default())?;
        let name = directive.trim_start_matches(SET_ORDER);
        let rule = list_rule(field(kind, name));
        let present = doc.get(name).cloned().map(list).transpose()?;
        let patched = patch.remove(name).map(list).transpose()?;
        let order = Order::new(rule.key);
        if let Some(patched) = &patched {
            check_order(&order, patched, &wanted)?;
        }
        let server_order = present.clone().unwrap_or_default();
        let merged = match (present, patched) {
            (None, None) => continue,
            (Some(present), None) => present,
            (None, Some(patched)) => match without_directives(Value::Array(patched)) {
                Some(Value::Array(items)) => items,
                _ => Vec::new(),
            },
            (Some(present), Some(patched)) => merge_lists(rule, present, patched)?,
        };
        let ordered = order
            .arrange(merged, &wanted, &server_order)
            .map_err(no_key)?;
        doc.insert(name.to_owned(), Value::Array(ordered));
    }
    Ok(())
}

fn list(value: Value) -> Result<Vec<Value>, PatchError> {
    match value {
        Value::Array(items) => Ok(items),
        other => Err(PatchError::Internal(format!(
            "expected a []interface {{}}, but received a {}",
            super::go_kind(&other)
        ))),
    }
}

/// The items of the patch must stand in the order that it sets.
fn check_order(order: &Order<'_>, patched: &[Value], wanted: &[Value]) -> Result<(), PatchError> {
    let mut places = wanted.iter();
    for item in patched.iter().filter(|item| item.get(DIRECTIVE).is_none()) {
        if !places.any(|wanted| order.same(wanted, item)) {
            return Err(PatchError::BadRequest(format!(
                "The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n",
                Value::from(patched.to_vec()),
                Value::from(wanted.to_vec())
            )));
        }
    }
    Ok(())
}

fn delete_from(doc: &mut Fields, name: &str, gone: &Value) -> Result<(), PatchError> {
    let Some(Value::Array(present)) = doc.get_mut(name) else {
        return Ok(());
    };
    let gone = gone.as_array().ok_or_else(|| {
        PatchError::BadRequest("invalid patch format of primitive list".to_owned())
    })?;
    present.retain(|item| !gone.contains(item));
    if present.is_empty() {
        doc.remove(name);
    }
    Ok(())
}

fn merge_lists(
    rule: ListRule<'_>,
    present: Vec<Value>,
    patch: Vec<Value>,
) -> Result<Vec<Value>, PatchError> {
    if !rule.merges {
        return Ok(patch);
    }
    let Some(sample) = present.first().or(patch.first()) else {
        return Ok(present);
    };
    let order = Order::new(rule.key);
    if !sample.is_object() {
        let mut merged = present.clone();
        merged.extend(patch.iter().cloned());
        return order
            .arrange(order::unique(merged), &patch, &present)
            .map_err(no_key);
    }
    if rule.key.is_empty() {
        return Err(PatchError::Internal(
            "cannot merge lists without merge key".to_owned(),
        ));
    }
    let (present, patch) = special_items(rule, present, patch)?;
    let mut merged = present.clone();
    for item in &patch {
        let key = item
            .get(rule.key)
            .ok_or_else(|| no_key((item.clone(), rule.key.to_owned())))?;
        match (
            merged
                .iter_mut()
                .find(|other| other.get(rule.key) == Some(key)),
            item,
        ) {
            (Some(Value::Object(found)), Value::Object(fields)) => {
                *found = merge_maps(rule.item, std::mem::take(found), fields.clone())?;
            }
            _ => merged.extend(without_directives(item.clone())),
        }
    }
    order.arrange(merged, &patch, &present).map_err(no_key)
}

/// Carries out the items that are directives: what is left of the list, and of the patch.
fn special_items(
    rule: ListRule<'_>,
    mut present: Vec<Value>,
    patch: Vec<Value>,
) -> Result<(Vec<Value>, Vec<Value>), PatchError> {
    let mut plain = Vec::with_capacity(patch.len());
    let mut replaced = false;
    for item in patch {
        let Some(directive) = item.get(DIRECTIVE) else {
            plain.push(item);
            continue;
        };
        match directive.as_str() {
            Some("delete") => {
                let key = item
                    .get(rule.key)
                    .ok_or_else(|| no_key((item.clone(), rule.key.to_owned())))?;
                present.retain(|other| other.get(rule.key) != Some(key));
            }
            Some("replace") => replaced = true,
            Some("merge") => {
                return Err(PatchError::Internal(
                    "merging lists cannot yet be specified in the patch".to_owned(),
                ));
            }
            _ => return Err(bad_directive(directive, &item)),
        }
    }
    Ok(if replaced {
        (plain, Vec::new())
    } else {
        (present, plain)
    })
}

fn no_key((item, key): (Value, String)) -> PatchError {
    PatchError::Internal(format!(
        "map: {item} does not contain declared merge key: {key}"
    ))
}

fn bad_directive(directive: &Value, item: &Value) -> PatchError {
    let name = directive
        .as_str()
        .map_or_else(|| directive.to_string(), str::to_owned);
    PatchError::Internal(format!("unknown patch type found: {name} in map: {item}"))
}
