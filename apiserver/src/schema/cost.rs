//! What a CEL rule costs at least, by the measure of the real server, which refuses rules over its budget.
//!
//! The real server adds up an upper bound; here the parts that grow with the object are added up, so that what is over
//! the budget here is so there. A list, map or string without a limit counts as large as a request can make it.

use std::collections::HashMap;

use kube_cel::cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, operators,
};

use super::cause::Cause;
use super::check::{Known, field_of, item_of};
use super::model::{Additional, Schema, Type};
use super::rule::NOT_IMPLEMENTED;

/// What one rule may cost on all values that it is applied to.
const LIMIT: u64 = 10_000_000;
/// Beyond this factor the real server does not name it any more.
const BEYOND_COUNTING: u64 = 100;
/// The largest request, without the brackets around its content.
const REQUEST: u64 = 3 * 1_024 * 1_024 - 2;

/// The rules of a schema that cost too much; `path` is where the schema stands.
pub(crate) fn cost_causes(schema: &Schema, path: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    walk(schema, true, path, Some(1), &mut causes);
    causes
}

/// `count`: on how many values the schema stands in an object at most, unless there is no limit to them.
fn walk(schema: &Schema, root: bool, path: &str, count: Option<u64>, causes: &mut Vec<Cause>) {
    for (place, rule) in schema.rules.iter().enumerate() {
        let node = Known::Node {
            schema,
            root: root || schema.embedded_resource,
        };
        let variables = [("self".to_owned(), node), ("oldSelf".to_owned(), node)].into();
        let (_, cost) = least(rule.program.expression(), &variables);
        let at = format!("{path}.x-kubernetes-validations[{place}].rule");
        let count = count.unwrap_or_else(|| REQUEST / (smallest(schema) + 1));
        causes.extend(excess(cost.saturating_mul(count), at));
    }
    for (name, property) in &schema.properties {
        let path = format!("{path}.properties[{name}]");
        walk(property, false, &path, count, causes);
    }
    let inner = [
        ("items", schema.items.as_deref(), schema.max_items),
        (
            "additionalProperties",
            values(schema),
            schema.max_properties,
        ),
    ];
    for (field, inner, limit) in inner {
        if let Some(inner) = inner {
            let count = count
                .zip(limit)
                .map(|(count, limit)| count.saturating_mul(limit));
            walk(inner, false, &format!("{path}.{field}"), count, causes);
        }
    }
}

fn excess(cost: u64, at: String) -> Option<Cause> {
    if cost <= LIMIT {
        return None;
    }
    if cost / LIMIT > BEYOND_COUNTING {
        let detail = "estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";
        return Some(Cause::forbidden(at, detail));
    }
    Some(Cause {
        reason: NOT_IMPLEMENTED,
        message: "the rule costs more than the real server allows, by a factor that this server cannot tell; simplify it, or add maxItems, maxProperties and maxLength".to_owned(),
        field: at,
    })
}

fn values(schema: &Schema) -> Option<&Schema> {
    match &schema.additional {
        Some(Additional::Schema(values)) => Some(values),
        _ => None,
    }
}

/// How many items or characters a value may have.
fn most(schema: &Schema) -> u64 {
    match schema.kind {
        Some(Type::Array) => schema.max_items.unwrap_or_else(|| {
            let item = schema.item().map_or(1, smallest);
            REQUEST / (item + 1)
        }),
        Some(Type::Object) => schema.max_properties.unwrap_or_else(|| {
            let value = values(schema).map_or(1, smallest);
            REQUEST / (value + 6)
        }),
        // A format may mean a short text.
        Some(Type::String) if schema.format.is_none() && schema.enumeration.is_empty() => {
            schema.max_length.unwrap_or(REQUEST)
        }
        _ => 0,
    }
}

/// The bytes of the shortest JSON that fits a schema.
fn smallest(schema: &Schema) -> u64 {
    match schema.kind {
        Some(Type::Boolean) => 4,
        Some(Type::Integer | Type::Number) => 1,
        Some(Type::Object) => {
            let required = schema.required.iter().filter_map(|name| {
                let field = schema.properties.get(name)?;
                let length = u64::try_from(name.len()).unwrap_or(u64::MAX);
                Some(length + 4 + smallest(field))
            });
            2 + required.sum::<u64>()
        }
        _ => 2,
    }
}

type Variables<'a> = HashMap<String, Known<'a>>;

/// The value of an expression as far as it is known, and what it costs at least.
fn least<'a>(expression: &IdedExpr, variables: &Variables<'a>) -> (Known<'a>, u64) {
    match &expression.expr {
        Expr::Ident(name) => (variables.get(name).copied().unwrap_or(Known::Nothing), 1),
        Expr::Select(select) => {
            let (operand, cost) = least(&select.operand, variables);
            let field = field_of(operand, &select.field).unwrap_or(Known::Nothing);
            (field, cost.saturating_add(1))
        }
        Expr::Call(call) => called(call, variables),
        Expr::Comprehension(comprehension) => comprehended(comprehension, variables),
        Expr::List(list) => (Known::Nothing, sum(&list.elements, variables)),
        Expr::Map(map) => {
            let entries = map.entries.iter().map(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => {
                    let key = least(&entry.key, variables).1;
                    key.saturating_add(least(&entry.value, variables).1)
                }
                EntryExpr::StructField(_) => 0,
            });
            (Known::Nothing, entries.fold(0, u64::saturating_add))
        }
        Expr::Struct(_) | Expr::Literal(_) | Expr::Unspecified => (Known::Nothing, 0),
    }
}

fn sum(expressions: &[IdedExpr], variables: &Variables<'_>) -> u64 {
    expressions
        .iter()
        .map(|expression| least(expression, variables).1)
        .fold(0, u64::saturating_add)
}

fn called<'a>(call: &CallExpr, variables: &Variables<'a>) -> (Known<'a>, u64) {
    let arguments = sum(&call.args, variables);
    let name = call.func_name.as_str();
    if let Some(target) = &call.target {
        let (known, cost) = least(target, variables);
        let reading = match (name, known) {
            // A tenth for each character that is looked at.
            ("contains" | "matches" | "find", Known::Node { schema, .. })
                if schema.kind == Some(Type::String) =>
            {
                most(schema) / 10
            }
            _ => 1,
        };
        let all = cost.saturating_add(arguments).saturating_add(reading);
        return (Known::Nothing, all);
    }
    match (name, call.args.as_slice()) {
        (operators::INDEX, [target, _]) => {
            let (known, _) = least(target, variables);
            (item_of(known), arguments.saturating_add(1))
        }
        // Which side is taken is not known.
        (operators::CONDITIONAL, [condition, _, _]) => {
            (Known::Nothing, least(condition, variables).1)
        }
        (operators::LOGICAL_AND | operators::LOGICAL_OR, _) => (Known::Nothing, arguments),
        (name, _) if name.starts_with('@') => (Known::Nothing, arguments),
        _ => (Known::Nothing, arguments.saturating_add(1)),
    }
}

fn comprehended<'a>(
    comprehension: &ComprehensionExpr,
    variables: &Variables<'a>,
) -> (Known<'a>, u64) {
    let (range, cost) = least(&comprehension.iter_range, variables);
    let (rounds, element) = match range {
        Known::Node { schema, .. } if schema.kind == Some(Type::Array) => {
            (most(schema), item_of(range))
        }
        // The keys of a map; the fields of an object are few.
        Known::Node { schema, .. } if values(schema).is_some() => (most(schema), Known::Nothing),
        _ => (0, Known::Nothing),
    };
    let mut inner = variables.clone();
    inner.insert(comprehension.accu_var.clone(), Known::Nothing);
    inner.insert(comprehension.iter_var.clone(), element);
    let round = least(&comprehension.loop_cond, &inner)
        .1
        .saturating_add(least(&comprehension.loop_step, &inner).1);
    (
        Known::Nothing,
        cost.saturating_add(rounds.saturating_mul(round)),
    )
}
