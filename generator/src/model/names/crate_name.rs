//! The name of the generated package.

use heck::ToKebabCase as _;

use super::{CrateName, LABEL};
use crate::error::Problem;
use crate::model::reserved;

impl CrateName {
    /// Checks the name as cargo does, and what a Deployment of that name needs.
    ///
    /// # Errors
    /// What is wrong with the name, with one that would do.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let wrong = |why: String, mend: &str| {
            Err(Problem::new(format!("`{text}` cannot name a package: {why}")).mend(mend))
        };
        let suggestion = {
            let kebab = text.to_kebab_case();
            let usable: String = kebab
                .chars()
                .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
                .skip_while(|c| !c.is_ascii_alphabetic())
                .collect();
            let name = if usable.is_empty() {
                "my"
            } else {
                usable.trim_end_matches('-')
            };
            if name.ends_with("-operator") {
                format!("try `{name}`")
            } else {
                format!("try `{name}`, or `{name}-operator`")
            }
        };
        if text.is_empty() {
            return wrong(
                "it is empty".to_owned(),
                "give a name such as `database-operator`",
            );
        }
        if let Some(c) = text
            .chars()
            .find(|c| !c.is_ascii_alphanumeric() && *c != '-' && *c != '_')
        {
            return wrong(
                format!("`{c}` is not a letter, a digit, `-` or `_`"),
                &suggestion,
            );
        }
        if let Some(c) = text.chars().find(char::is_ascii_uppercase) {
            return wrong(
                format!("`{c}` is a capital letter, which rustc warns about in a crate's name"),
                &suggestion,
            );
        }
        if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return wrong("it does not begin with a letter".to_owned(), &suggestion);
        }
        if !text.ends_with(|c: char| c.is_ascii_alphanumeric()) {
            return wrong(
                "it does not end with a letter or a digit".to_owned(),
                &suggestion,
            );
        }
        if text.len() > LABEL {
            return wrong(
                format!(
                    "it has {} characters, and a Deployment's name may have {LABEL}",
                    text.len()
                ),
                "choose a shorter name",
            );
        }
        let lower = text.to_lowercase();
        let same = |other: &&str| lower.replace('-', "_") == other.replace('-', "_");
        if reserved::KEYWORDS.contains(&lower.as_str()) {
            return wrong(
                "it is a keyword of Rust".to_owned(),
                &format!("try `{lower}-operator`"),
            );
        }
        if reserved::CRATES.iter().any(&same) {
            return wrong(
                "rust or cargo keeps that name for itself".to_owned(),
                &format!("try `{lower}-operator`"),
            );
        }
        if reserved::DEVICES.contains(&lower.as_str()) {
            return wrong(
                "windows keeps that name for a device".to_owned(),
                &format!("try `{lower}-operator`"),
            );
        }
        if reserved::DEPENDENCIES.iter().any(same) {
            return wrong(
                "the project depends on a crate of that name".to_owned(),
                &format!("try `{lower}-operator`"),
            );
        }
        Ok(Self(text.to_owned()))
    }

    /// As Rust code names the crate.
    pub fn ident(&self) -> String {
        self.0.replace('-', "_")
    }

    /// As Kubernetes names the Deployment, the ServiceAccount and the role.
    pub fn dns(&self) -> String {
        self.0.to_lowercase().replace('_', "-")
    }

    /// What the operator is about: the name without `-operator` and the like.
    pub fn stem(&self) -> &str {
        stem(&self.0)
    }
}

/// `database` of `database-operator`; the whole name where nothing is left without the ending.
pub(crate) fn stem(name: &str) -> &str {
    ["-operator", "_operator", "-controller", "_controller"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .filter(|stem| !stem.is_empty())
        .unwrap_or(name)
}
