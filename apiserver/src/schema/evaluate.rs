//! Evaluation of CEL rules over an object.

use std::sync::Arc;

use kube_cel::KubeCelExt as _;
use kube_cel::cel::objects::OptionalValue;
use kube_cel::cel::{Context, ExecutionError, Program, Value as Cel};
use serde_json::Value;

use super::cause::Cause;
use super::convert::to_cel;
use super::lists;
use super::model::{Schema, Type};
use super::path::Path;
use super::rule::Rule;

thread_local! {
    /// Registering a hundred functions costs more than most rules: done once a thread.
    static FUNCTIONS: Context<'static> = {
        let mut context = Context::default().with_all();
        context.add_function("dyn", |value: Cel| -> Result<Cel, ExecutionError> { Ok(value) });
        context
    };
}

/// Runs the rules of `schema` and of all nodes below over `new`; transition rules where an old value is known.
pub(super) fn rules(schema: &Schema, new: &Value, old: Option<&Value>, causes: &mut Vec<Cause>) {
    FUNCTIONS.with(|context| {
        let mut walk = Walk { context, causes };
        walk.node(schema, new, old, &Path::Root, true);
    });
}

/// Whether a CEL expression over these variables is true.
///
/// # Errors
/// What keeps it from being evaluated, or from being a boolean.
pub(crate) fn holds(source: &str, variables: &[(&str, &Value)]) -> Result<bool, String> {
    let program = Program::compile(source).map_err(|error| error.to_string())?;
    FUNCTIONS.with(|context| {
        let mut scope = context.new_inner_scope();
        for (name, value) in variables {
            scope.add_variable_from_value(*name, to_cel(value, None, true));
        }
        match program.execute(&scope) {
            Ok(Cel::Bool(outcome)) => Ok(outcome),
            Ok(_) => Err("it is no boolean".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    })
}

struct Walk<'a> {
    context: &'a Context<'static>,
    causes: &'a mut Vec<Cause>,
}

impl Walk<'_> {
    fn node(
        &mut self,
        schema: &Schema,
        value: &Value,
        old: Option<&Value>,
        path: &Path<'_>,
        root: bool,
    ) {
        if !schema.has_rules || value.is_null() {
            return;
        }
        if !schema.rules.is_empty() {
            let old = old.filter(|old| !old.is_null());
            self.own_rules(schema, value, old, &path.to_string(), root);
        }
        match value {
            Value::Object(map) => {
                for (name, child) in map {
                    let old_child = old.and_then(|old| old.get(name));
                    if let Some(field) = schema.properties.get(name) {
                        self.node(field, child, old_child, &Path::Field(path, name), false);
                    } else if let Some(values) = schema.field(name) {
                        self.node(values, child, old_child, &Path::Key(path, name), false);
                    }
                }
            }
            Value::Array(items) => {
                let Some(item_schema) = schema.item() else {
                    return;
                };
                for (index, item) in items.iter().enumerate() {
                    let old_item = lists::counterpart(schema, item, old);
                    self.node(
                        item_schema,
                        item,
                        old_item,
                        &Path::Index(path, index),
                        false,
                    );
                }
            }
            _ => {}
        }
    }

    fn own_rules(
        &mut self,
        schema: &Schema,
        value: &Value,
        old: Option<&Value>,
        path: &str,
        root: bool,
    ) {
        let unchanged = old == Some(value);
        let mut scope = self.context.new_inner_scope();
        scope.add_variable_from_value("self", to_cel(value, Some(schema), root));
        let old_value = old.map(|old| to_cel(old, Some(schema), root));
        for rule in &schema.rules {
            if rule.uses_old_self && !rule.optional_old_self && old_value.is_none() {
                continue;
            }
            let mut scope = scope.new_inner_scope();
            if rule.optional_old_self {
                let optional = old_value
                    .clone()
                    .map_or_else(OptionalValue::none, OptionalValue::of);
                scope.add_variable_from_value("oldSelf", Cel::Opaque(Arc::new(optional)));
            } else if let Some(old_value) = &old_value {
                scope.add_variable_from_value("oldSelf", old_value.clone());
            }
            // An unchanged value was accepted before: only rules about the change itself may refuse it.
            if let Some(cause) = outcome(rule, &scope, schema, value, path)
                && (rule.uses_old_self || !unchanged)
            {
                self.causes.push(cause);
            }
        }
    }
}

/// The cause, if the rule does not hold.
fn outcome(
    rule: &Rule,
    scope: &Context<'_>,
    schema: &Schema,
    value: &Value,
    path: &str,
) -> Option<Cause> {
    let shown = (!matches!(schema.kind, Some(Type::Object | Type::Array))).then_some(value);
    match rule.program.execute(scope) {
        Ok(Cel::Bool(true)) => None,
        Ok(Cel::Bool(false)) => Some(failure(rule, message(rule, scope), shown, path)),
        Ok(_) => Some(invalid(
            path,
            shown,
            format!("cel expression evaluated to non-boolean: {}", rule.label()),
        )),
        Err(error) => {
            let error = error.to_string();
            let detail = format!("{} evaluating rule: {}", lower_first(&error), rule.label());
            Some(invalid(path, shown, detail))
        }
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}

fn message(rule: &Rule, scope: &Context<'_>) -> String {
    let computed =
        rule.message_program
            .as_ref()
            .and_then(|program| match program.execute(scope) {
                Ok(Cel::String(text)) => Some(text.trim().to_owned())
                    .filter(|text| !text.is_empty() && !text.contains('\n')),
                _ => None,
            });
    computed.unwrap_or_else(|| rule.default_message())
}

fn failure(rule: &Rule, detail: String, shown: Option<&Value>, path: &str) -> Cause {
    let path = match &rule.field_path {
        Some(field) if path.is_empty() => field.clone(),
        Some(field) if field.starts_with('[') => format!("{path}{field}"),
        Some(field) => format!("{path}.{field}"),
        None => path.to_owned(),
    };
    match rule.reason.as_deref() {
        Some("FieldValueForbidden") => Cause::forbidden(path, detail),
        Some("FieldValueRequired") => Cause::required(path, detail),
        Some("FieldValueDuplicate") => Cause::duplicate(path, shown.unwrap_or(&Value::Null)),
        _ => invalid(&path, shown, detail),
    }
}

fn invalid(path: &str, shown: Option<&Value>, detail: String) -> Cause {
    // At the root there is no path to name.
    let path = if path.is_empty() { "<nil>" } else { path };
    match shown {
        Some(value) => Cause::invalid(path, value, detail),
        None => Cause::invalid_without_value(path, detail),
    }
}
