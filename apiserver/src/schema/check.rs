//! Static checks of a CEL expression: fields that the schema does not have, functions that the evaluator lacks.
//!
//! The evaluator knows no types, the real server does. Following `self`, list items and map values through the schema
//! finds the faults that matter: a misspelt field, a field of a scalar, a function nobody has.

use std::collections::HashMap;

use kube_cel::cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, SelectExpr, operators,
};

use super::model::{Additional, Schema, Type};

/// Why an expression is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The real server refuses it too.
    Wrong(String),
    /// It needs something that the evaluator does not have.
    Missing(String),
}

/// What `self` is.
pub(super) struct Scope<'a> {
    /// The node the rule stands on.
    pub(super) node: &'a Schema,
    /// Whether the node is a whole object, with `apiVersion`, `kind` and `metadata`.
    pub(super) root: bool,
    /// Whether `oldSelf` is an optional.
    pub(super) optional_old_self: bool,
}

/// What is known about the value of an expression.
#[derive(Clone, Copy)]
pub(super) enum Known<'a> {
    Node { schema: &'a Schema, root: bool },
    Nothing,
}

type Variables<'a> = HashMap<String, Known<'a>>;

/// Checks the whole expression.
pub(super) fn expression(expression: &IdedExpr, scope: &Scope<'_>) -> Result<(), Refusal> {
    let node = Known::Node {
        schema: scope.node,
        root: scope.root || scope.node.embedded_resource,
    };
    let mut variables = Variables::new();
    variables.insert("self".to_owned(), node);
    variables.insert(
        "oldSelf".to_owned(),
        if scope.optional_old_self {
            Known::Nothing
        } else {
            node
        },
    );
    visit(expression, &variables).map(drop)
}

fn visit<'a>(expression: &IdedExpr, variables: &Variables<'a>) -> Result<Known<'a>, Refusal> {
    match &expression.expr {
        Expr::Ident(name) => match variables.get(name) {
            Some(known) => Ok(*known),
            None if name.starts_with('@') || listed(TYPES, name) => Ok(Known::Nothing),
            None => Err(Refusal::Wrong(format!(
                "undeclared reference to '{name}' (in container '')"
            ))),
        },
        Expr::Select(select) => visit_select(select, variables),
        Expr::Call(call) => visit_call(call, variables),
        Expr::Comprehension(comprehension) => visit_comprehension(comprehension, variables),
        Expr::List(list) => each(&list.elements, variables),
        Expr::Map(map) => {
            for entry in &map.entries {
                if let EntryExpr::MapEntry(entry) = &entry.expr {
                    visit(&entry.key, variables)?;
                    visit(&entry.value, variables)?;
                }
            }
            Ok(Known::Nothing)
        }
        Expr::Struct(value) => Err(Refusal::Missing(format!(
            "the message type {:?}",
            value.type_name
        ))),
        Expr::Literal(_) | Expr::Unspecified => Ok(Known::Nothing),
    }
}

fn each<'a>(expressions: &[IdedExpr], variables: &Variables<'a>) -> Result<Known<'a>, Refusal> {
    for expression in expressions {
        visit(expression, variables)?;
    }
    Ok(Known::Nothing)
}

fn visit_select<'a>(select: &SelectExpr, variables: &Variables<'a>) -> Result<Known<'a>, Refusal> {
    field_of(visit(&select.operand, variables)?, &select.field)
}

pub(super) fn field_of<'a>(known: Known<'a>, field: &str) -> Result<Known<'a>, Refusal> {
    let Known::Node { schema, root } = known else {
        return Ok(Known::Nothing);
    };
    let name = unescape(field);
    if root && matches!(name.as_str(), "apiVersion" | "kind" | "metadata") {
        return Ok(Known::Nothing);
    }
    match schema.kind {
        None => Ok(Known::Nothing),
        Some(Type::Object) => match (&schema.properties.get(&name), &schema.additional) {
            (Some(schema), _) => Ok(Known::Node {
                schema,
                root: schema.embedded_resource,
            }),
            (None, Some(Additional::Schema(schema))) => Ok(Known::Node {
                schema,
                root: schema.embedded_resource,
            }),
            (None, Some(Additional::Any)) => Ok(Known::Nothing),
            (None, _) => Err(Refusal::Wrong(format!("undefined field '{field}'"))),
        },
        Some(kind) => Err(Refusal::Wrong(format!(
            "type '{}' does not support field selection",
            kind.as_str()
        ))),
    }
}

fn visit_call<'a>(call: &CallExpr, variables: &Variables<'a>) -> Result<Known<'a>, Refusal> {
    let name = call.func_name.as_str();
    if let Some(target) = &call.target {
        match &target.expr {
            Expr::Ident(prefix) if !variables.contains_key(prefix) && listed(LIBRARIES, prefix) => {
                known_function(&format!("{prefix}.{name}"))?;
            }
            _ => {
                known_function(name)?;
                visit(target, variables)?;
            }
        }
        return each(&call.args, variables);
    }
    match (name, call.args.as_slice()) {
        (operators::INDEX | operators::OPT_INDEX, [target, index]) => {
            visit(index, variables)?;
            let known = visit(target, variables)?;
            Ok(if name == operators::INDEX {
                item_of(known)
            } else {
                Known::Nothing
            })
        }
        // The field of `_?._` is a literal; whether it exists is the point of asking.
        (operators::OPT_SELECT, [target, _]) => visit(target, variables).map(|_| Known::Nothing),
        (operators::CONDITIONAL, [condition, left, right]) => {
            visit(condition, variables)?;
            visit(right, variables)?;
            visit(left, variables)
        }
        _ => {
            if !name.contains('_') && !name.starts_with('@') {
                known_function(name)?;
            }
            each(&call.args, variables)
        }
    }
}

pub(super) fn item_of(known: Known<'_>) -> Known<'_> {
    let Known::Node { schema, .. } = known else {
        return Known::Nothing;
    };
    let inner = match (&schema.items, &schema.additional) {
        (Some(items), _) => items.as_ref(),
        (None, Some(Additional::Schema(schema))) => schema.as_ref(),
        _ => return Known::Nothing,
    };
    Known::Node {
        schema: inner,
        root: inner.embedded_resource,
    }
}

fn visit_comprehension<'a>(
    comprehension: &ComprehensionExpr,
    variables: &Variables<'a>,
) -> Result<Known<'a>, Refusal> {
    if comprehension.iter_var2.is_some() {
        return Err(Refusal::Missing(
            "a comprehension over two variables".to_owned(),
        ));
    }
    let range = visit(&comprehension.iter_range, variables)?;
    visit(&comprehension.accu_init, variables)?;
    let element = match range {
        Known::Node { schema, .. } if schema.kind == Some(Type::Array) => item_of(range),
        _ => Known::Nothing,
    };
    let mut inner = variables.clone();
    inner.insert(comprehension.accu_var.clone(), Known::Nothing);
    inner.insert(comprehension.iter_var.clone(), element);
    visit(&comprehension.loop_cond, &inner)?;
    visit(&comprehension.loop_step, &inner)?;
    visit(&comprehension.result, &inner)?;
    Ok(Known::Nothing)
}

fn known_function(name: &str) -> Result<(), Refusal> {
    if listed(FUNCTIONS, name) {
        return Ok(());
    }
    if listed(ELSEWHERE, name) {
        return Err(Refusal::Missing(format!("the function '{name}'")));
    }
    Err(Refusal::Wrong(format!(
        "undeclared reference to '{name}' (in container '')"
    )))
}

/// Whether `name` is one of the words of `table`.
fn listed(table: &str, name: &str) -> bool {
    table.split_whitespace().any(|word| word == name)
}

/// The name of a field as CEL writes it.
///
/// Reserved words are wrapped in `__`, and `.`, `-`, `/` and `__` are spelled out
/// (kubernetes.io, "Validation rules": escaping).
pub(super) fn escape(name: &str) -> String {
    if listed(RESERVED, name) {
        return format!("__{name}__");
    }
    let mut rest = name;
    let mut escaped = String::with_capacity(name.len());
    while let Some(first) = rest.chars().next() {
        if let Some(tail) = rest.strip_prefix("__") {
            escaped.push_str("__underscores__");
            rest = tail;
            continue;
        }
        match first {
            '.' => escaped.push_str("__dot__"),
            '-' => escaped.push_str("__dash__"),
            '/' => escaped.push_str("__slash__"),
            other => escaped.push(other),
        }
        rest = &rest[first.len_utf8()..];
    }
    escaped
}

/// The inverse of [`escape`].
fn unescape(name: &str) -> String {
    if let Some(word) = name
        .strip_prefix("__")
        .and_then(|name| name.strip_suffix("__"))
        && listed(RESERVED, word)
    {
        return word.to_owned();
    }
    name.replace("__underscores__", "\u{0}")
        .replace("__dot__", ".")
        .replace("__dash__", "-")
        .replace("__slash__", "/")
        .replace('\u{0}', "__")
}

const RESERVED: &str = "
    true false null in as break const continue else for function if import let loop package
    namespace return var void while
";

/// Type names, which are values in CEL.
const TYPES: &str = "
    int uint double bool string bytes list map null_type type
";

/// Prefixes of function names with a dot.
const LIBRARIES: &str = "
    base64 cel format ip jsonpatch lists math optional sets strings
";

/// What the real server has and the evaluator does not.
const ELSEWHERE: &str = "
    all cel.bind exists existsOne optFlatMap optMap sortBy transformList transformMap
    transformMapEntry type unwrapOpt bool optional.unwrap cidr.isCanonical
";

/// What the evaluator has.
const FUNCTIONS: &str = "
    add asApproximateFloat asInteger base64.decode base64.encode bytes charAt cidr compareTo
    contains containsCIDR containsIP distinct double duration dyn endsWith family find findAll
    first flatten format format.byte format.date format.datetime format.dns1035Label
    format.dns1035LabelPrefix format.dns1123Label format.dns1123LabelPrefix
    format.dns1123Subdomain format.dns1123SubdomainPrefix format.labelValue format.named
    format.qualifiedName format.uri format.uuid getDate getDayOfMonth getDayOfWeek
    getDayOfYear getEscapedPath getFullYear getHost getHostname getHours getMilliseconds
    getMinutes getMonth getPort getQuery getScheme getSeconds hasValue indexOf int ip
    ip.isCanonical isCIDR isCIDRv4 isCIDRv6 isGlobalUnicast isGreaterThan isIP isIPv4 isIPv6
    isInteger isLessThan isLinkLocalMulticast isLinkLocalUnicast isLoopback isQuantity
    isSemver isSorted isURL isUnspecified join jsonpatch.escapeKey last lastIndexOf
    lists.range lowerAscii major masked matches math.abs math.bitAnd math.bitNot math.bitOr
    math.bitShiftLeft math.bitShiftRight math.bitXor math.ceil math.floor math.greatest
    math.isFinite math.isInf math.isNaN math.least math.round math.sign math.sqrt math.trunc
    max min minor optional.none optional.of optional.ofNonZeroValue or orValue patch
    prefixLength quantity replace reverse semver sets.contains sets.equivalent sets.intersects
    sign size slice sort split startsWith string strings.quote sub substring sum timestamp
    trim uint upperAscii url validate value
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_function_is_both_there_and_missing() {
        assert!(
            ELSEWHERE
                .split_whitespace()
                .all(|name| !listed(FUNCTIONS, name))
        );
        assert!(listed(FUNCTIONS, "size") && !listed(FUNCTIONS, "siz"));
    }

    #[test]
    fn names_are_escaped_and_back() {
        for (name, escaped) in [
            ("plain", "plain"),
            ("snake_case", "snake_case"),
            ("a__b", "a__underscores__b"),
            ("x.y-z/w", "x__dot__y__dash__z__slash__w"),
            ("namespace", "__namespace__"),
        ] {
            assert_eq!(escape(name), escaped);
            assert_eq!(unescape(escaped), name);
        }
    }
}
