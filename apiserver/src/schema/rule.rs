//! One `x-kubernetes-validations` rule: parsed, checked against the schema and compiled once.

use kube_cel::cel::Program;
use serde_json::Value;

use super::cause::Cause;
use super::check::{self, Refusal};
use super::model::Schema;

/// The reason of a [`Cause`] for what this server cannot evaluate. Answer such a definition with 501.
pub const NOT_IMPLEMENTED: &str = "NotImplemented";

/// A compiled CEL rule.
#[derive(Debug)]
pub struct Rule {
    /// The expression as written.
    pub source: String,
    /// The fixed message.
    pub message: Option<String>,
    /// `FieldValueInvalid` and the like; the kind of error to report.
    pub reason: Option<String>,
    /// The field to blame, relative to the node, without the leading dot.
    pub field_path: Option<String>,
    /// Whether `oldSelf` is an optional and the rule runs without an old value too.
    pub optional_old_self: bool,
    /// Whether the rule looks at `oldSelf`, and so runs on update only.
    pub uses_old_self: bool,
    pub(super) program: Program,
    pub(super) message_program: Option<Program>,
}

impl Rule {
    /// Compiles the rule `json`, which stands at `path` on the node `schema`.
    ///
    /// # Errors
    /// A cause per fault; one with the reason [`NOT_IMPLEMENTED`] where the expression may be right but needs a part of
    /// CEL that is missing here.
    pub fn compile(
        json: &Value,
        path: &str,
        schema: &Schema,
        root: bool,
    ) -> Result<Self, Vec<Cause>> {
        let text = |key: &str| json.get(key).and_then(Value::as_str).map(str::to_owned);
        let source = text("rule").unwrap_or_default();
        let rule_path = format!("{path}.rule");
        if source.trim().is_empty() {
            return Err(vec![Cause::required(rule_path, "rule is not specified")]);
        }
        let program = compile(&source, &rule_path)?;
        let optional_old_self = json
            .get("optionalOldSelf")
            .and_then(Value::as_bool)
            .unwrap_or_default();
        let scope = check::Scope {
            node: schema,
            root,
            optional_old_self,
        };
        check::expression(program.expression(), &scope)
            .map_err(|fault| vec![refused(fault, &source, &rule_path)])?;
        let message_program = match text("messageExpression") {
            Some(expression) => {
                let path = format!("{path}.messageExpression");
                let program = compile(&expression, &path)?;
                check::expression(program.expression(), &scope)
                    .map_err(|f| vec![refused(f, &expression, &path)])?;
                Some(program)
            }
            None => None,
        };
        let uses_old_self = program.references().has_variable("oldSelf");
        Ok(Self {
            message: text("message").filter(|message| !message.is_empty()),
            reason: text("reason"),
            field_path: text("fieldPath").map(|path| path.trim_start_matches('.').to_owned()),
            optional_old_self,
            uses_old_self,
            program,
            message_program,
            source,
        })
    }

    /// The fixed message, or one that quotes the rule.
    pub(super) fn default_message(&self) -> String {
        match &self.message {
            Some(message) => message.trim().to_owned(),
            None => format!("failed rule: {}", self.source.trim()),
        }
    }

    /// The message that goes behind `evaluating rule: `.
    pub(super) fn label(&self) -> &str {
        self.message.as_deref().unwrap_or(&self.source).trim()
    }
}

fn compile(source: &str, path: &str) -> Result<Program, Vec<Cause>> {
    Program::compile(source).map_err(|error| {
        let detail = format!("compilation failed: {error}");
        vec![Cause::invalid(path, &Value::from(source), detail)]
    })
}

/// What is wrong with the match condition of a webhook at `path`.
pub(crate) fn condition_causes(source: &str, path: &str) -> Vec<Cause> {
    match compile(source, path) {
        Err(causes) => causes,
        Ok(program) if program.references().has_variable("authorizer") => vec![Cause {
            reason: NOT_IMPLEMENTED,
            message: format!(
                "the condition {source:?} asks the authorizer, which this server does not offer to conditions"
            ),
            field: path.to_owned(),
        }],
        Ok(_) => Vec::new(),
    }
}

fn refused(fault: Refusal, source: &str, path: &str) -> Cause {
    match fault {
        Refusal::Wrong(detail) => Cause::invalid(
            path,
            &Value::from(source),
            format!("compilation failed: ERROR: <input>: {detail}"),
        ),
        Refusal::Missing(what) => Cause {
            reason: NOT_IMPLEMENTED,
            message: format!(
                "the rule {source:?} needs {what}, which this server cannot evaluate; rewrite the rule"
            ),
            field: path.to_owned(),
        },
    }
}
