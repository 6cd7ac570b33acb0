//! `anyOf`, `oneOf`, `allOf` and `not`.

use serde_json::Value;

use super::cause::Cause;
use super::model::Schema;
use super::path::Path;
use super::validation::{Outcome, node};

pub(super) fn alternatives(schema: &Schema, value: &Value, path: &Path<'_>, outcome: &mut Outcome) {
    any_of(schema, value, path, outcome);
    one_of(schema, value, path, outcome);
    all_of(schema, value, path, outcome);
    if let Some(not) = &schema.not
        && node(not, value, None, path).causes.is_empty()
    {
        outcome.causes.push(composite(format!(
            "\"{path}\" must not validate the schema (not)"
        )));
    }
}

fn any_of(schema: &Schema, value: &Value, path: &Path<'_>, outcome: &mut Outcome) {
    let mut best: Option<Outcome> = None;
    for alternative in &schema.any_of {
        let result = node(alternative, value, None, path);
        if result.causes.is_empty() {
            return;
        }
        if best
            .as_ref()
            .is_none_or(|best| result.matched > best.matched)
        {
            best = Some(result);
        }
    }
    if let Some(best) = best {
        outcome.causes.push(composite(format!(
            "\"{path}\" must validate at least one schema (anyOf)"
        )));
        outcome.merge(best);
    }
}

fn one_of(schema: &Schema, value: &Value, path: &Path<'_>, outcome: &mut Outcome) {
    let mut valid = 0;
    let mut best: Option<Outcome> = None;
    for alternative in &schema.one_of {
        let result = node(alternative, value, None, path);
        if result.causes.is_empty() {
            valid += 1;
        } else if best
            .as_ref()
            .is_none_or(|best| result.matched > best.matched)
        {
            best = Some(result);
        }
    }
    if schema.one_of.is_empty() || valid == 1 {
        return;
    }
    let found = if valid == 0 {
        "none valid".to_owned()
    } else {
        format!("{valid} valid alternatives")
    };
    outcome.causes.push(composite(format!(
        "\"{path}\" must validate one and only one schema (oneOf). Found {found}"
    )));
    if let Some(best) = best.filter(|_| valid == 0) {
        outcome.merge(best);
    }
}

fn all_of(schema: &Schema, value: &Value, path: &Path<'_>, outcome: &mut Outcome) {
    let mut valid = 0;
    for part in &schema.all_of {
        let result = node(part, value, None, path);
        valid += usize::from(result.causes.is_empty());
        outcome.merge(result);
    }
    if valid < schema.all_of.len() {
        let none = if valid == 0 { ". None validated" } else { "" };
        outcome.causes.push(composite(format!(
            "\"{path}\" must validate all the schemas (allOf){none}"
        )));
    }
}

/// An error that belongs to no field: the real server loses its path.
pub(super) fn composite(detail: String) -> Cause {
    Cause::invalid("<nil>", &Value::from(""), detail)
}
