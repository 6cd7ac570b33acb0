//! Names in PascalCase, which become types: kinds and phases.

use heck::{ToSnakeCase as _, ToUpperCamelCase as _};

use super::{Kind, LABEL, PhaseName, stem};
use crate::error::Problem;
use crate::model::reserved;

impl Kind {
    /// Checks that the name is PascalCase and clashes with nothing in a generated project.
    ///
    /// # Errors
    /// What is wrong with the name, with one that would do.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        pascal("kind", "Database", text)?;
        if text.len() > LABEL {
            return Err(Problem::new(format!(
                "kind `{text}` has {} characters, and a kind may have {LABEL}",
                text.len()
            ))
            .mend("choose a shorter kind"));
        }
        clash("kind", text)?;
        Ok(Self(text.to_owned()))
    }

    /// The kind that a package's name suggests.
    pub(crate) fn suggested(name: &str) -> String {
        stem(name).to_upper_camel_case()
    }

    /// The name of modules and folders: snake case, with an underscore after a keyword.
    pub fn snake(&self) -> String {
        let snake = self.0.to_snake_case();
        if reserved::KEYWORDS.contains(&snake.as_str()) {
            format!("{snake}_")
        } else {
            snake
        }
    }

    /// Lowercase without separators: the singular name in the CRD.
    pub fn singular(&self) -> String {
        self.0.to_lowercase()
    }

    /// The plural that English suggests.
    pub(crate) fn pluralised(&self) -> String {
        pluralised(&self.singular())
    }
}

/// The plural that English suggests for a word in lowercase.
pub(crate) fn pluralised(singular: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|ending| singular.ends_with(ending));
    if ends(&["s", "x", "z", "ch", "sh"]) {
        return format!("{singular}es");
    }
    match singular.strip_suffix('y') {
        Some(rest) if !rest.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{rest}ies"),
        _ => format!("{singular}s"),
    }
}

impl PhaseName {
    /// Checks that the name is PascalCase and clashes with nothing in a generated project.
    ///
    /// # Errors
    /// What is wrong with the name.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        pascal("phase", "Provisioning", text)?;
        clash("phase", text)?;
        Ok(Self(text.to_owned()))
    }

    /// The name of the phase's handler.
    pub fn snake(&self) -> String {
        let snake = self.0.to_snake_case();
        if reserved::KEYWORDS.contains(&snake.as_str()) {
            format!("{snake}_")
        } else {
            snake
        }
    }
}

fn pascal(what: &str, example: &str, text: &str) -> Result<(), Problem> {
    let fits = text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric());
    if fits {
        return Ok(());
    }
    let camel: String = text
        .to_upper_camel_case()
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .skip_while(char::is_ascii_digit)
        .collect();
    let suggestion = if camel.is_empty() { example } else { &camel };
    Err(Problem::new(format!(
        "`{text}` is not a {what}: a {what} is PascalCase, letters and digits only"
    ))
    .mend(format!("try `{suggestion}`")))
}

fn clash(what: &str, text: &str) -> Result<(), Problem> {
    if reserved::KEYWORDS.contains(&text) {
        return Err(
            Problem::new(format!("{what} `{text}` is a keyword of Rust"))
                .mend(format!("choose another name, such as `My{text}`")),
        );
    }
    match reserved::TYPES.iter().find(|(name, _)| *name == text) {
        Some((_, owner)) => Err(Problem::new(format!(
            "{what} `{text}` would hide a type that generated code uses, from {owner}"
        ))
        .mend(format!("choose another name, such as `My{text}`"))),
        None => Ok(()),
    }
}
