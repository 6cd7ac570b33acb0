//! Turns templates and values into text. The only module that knows Tera.

use serde_json::Value;
use tera::{Context, Delimiters, Tera};

use crate::error::{Problem, Result};
use crate::identifiers;

/// One template, addressed for messages.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The template's own name, such as `base/src/lib.rs`.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
    /// The values it may use.
    pub values: &'a Value,
}

/// Renders one template after another.
#[derive(Debug)]
pub struct Renderer {
    tera: Tera,
}

impl Renderer {
    /// A renderer with opgen's delimiters and without HTML escapes.
    ///
    /// # Errors
    /// Only if Tera refuses the delimiters, which is a fault of this program.
    pub fn new() -> Result<Self> {
        let mut tera = Tera::new();
        tera.autoescape_on(Vec::<String>::new());
        tera.set_delimiters(Delimiters {
            variable_start: "{=".into(),
            variable_end: "=}".into(),
            ..Delimiters::default()
        })
        .map_err(|error| fault("delimiters", &error))?;
        Ok(Self { tera })
    }

    /// Renders one template.
    ///
    /// # Errors
    /// If the template names something its values do not define, wherever the name stands, or is no template at all.
    pub fn render(&mut self, job: &Job<'_>) -> Result<String> {
        let undefined = identifiers::undefined(job.text, job.values);
        if let Some((line, name)) = undefined.first() {
            return Err(Problem::new(format!(
                "template {}:{line} uses `{name}`, which its context does not define",
                job.name
            ))
            .mend("this is a fault of opgen or of a template overlay: define the name or mend the spelling")
            .environment());
        }
        let context =
            Context::from_serialize(job.values).map_err(|error| fault(job.name, &error))?;
        self.tera
            .add_raw_template(job.name, job.text)
            .and_then(|()| self.tera.render(job.name, &context))
            .map_err(|error| fault(job.name, &error))
    }
}

fn fault(name: &str, error: &tera::Error) -> crate::error::Failure {
    Problem::new(format!("template {name} does not render: {error}"))
        .mend("this is a fault of opgen or of a template overlay, not of your input")
        .environment()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn render(text: &str, values: &Value) -> Result<String> {
        Renderer::new()?.render(&Job {
            name: "test",
            text,
            values,
        })
    }

    #[test]
    fn braces_of_other_languages_survive() {
        let text = "{{ helm }} ${{ github.ref }} \"{{{x}}}\" {= name =}";
        let rendered = render(text, &json!({"name": "x<y"})).expect("renders");
        assert_eq!(rendered, "{{ helm }} ${{ github.ref }} \"{{{x}}}\" x<y");
    }

    #[test]
    fn an_undefined_name_in_a_condition_is_an_error() {
        let failure = render("a\n{% if nope %}x{% endif %}", &json!({})).expect_err("undefined");
        assert!(failure.problems[0].what.contains("test:2 uses `nope`"));
    }

    #[test]
    fn a_broken_template_is_named() {
        let failure = render("{% if true %}", &json!({})).expect_err("not closed");
        assert!(failure.problems[0].what.contains("template test"));
    }
}
