//! Names, each checked where it enters.

use std::fmt;

use heck::{ToKebabCase, ToSnakeCase, ToUpperCamelCase};
use serde::Serialize;

use super::reserved;
use crate::error::Problem;

/// Longest DNS label.
const LABEL: usize = 63;
/// Longest DNS name.
const SUBDOMAIN: usize = 253;

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name! {
    /// The name of the generated package.
    CrateName
}
name! {
    /// The kind of a resource: PascalCase, such as `Database`.
    Kind
}
name! {
    /// An API group: a DNS name with at least one dot, such as `db.example.com`.
    ApiGroup
}
name! {
    /// A version of an API, such as `v1alpha1`.
    ApiVersion
}
name! {
    /// The resource's name in URLs: lowercase, such as `databases`.
    Plural
}
name! {
    /// A short name for kubectl, such as `db`.
    ShortName
}
name! {
    /// A phase of a machine: PascalCase, such as `Provisioning`.
    PhaseName
}

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
            format!("try `{name}`, or `{name}-operator`")
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

impl ApiGroup {
    /// Checks a group for a new API: a DNS name with a dot, and not one of Kubernetes' own.
    ///
    /// # Errors
    /// What is wrong with the group.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let group = Self::parse_existing(text)?;
        let protected = ["k8s.io", "kubernetes.io"]
            .iter()
            .find(|suffix| text == **suffix || text.ends_with(&format!(".{suffix}")));
        if let Some(suffix) = protected {
            return Err(Problem::new(format!(
                "group `{text}` ends in `{suffix}`, which the API server keeps for Kubernetes' own, approved APIs"
            ))
            .mend("use a domain of your own, such as `db.example.com`"));
        }
        Ok(group)
    }

    /// Checks the group of a CRD that exists already.
    ///
    /// # Errors
    /// What is wrong with the group.
    pub fn parse_existing(text: &str) -> Result<Self, Problem> {
        let wrong = |why: String| {
            Problem::new(format!("`{text}` is not an API group: {why}"))
                .mend("use a domain of your own in lowercase, such as `db.example.com`")
        };
        if text.len() > SUBDOMAIN {
            return Err(wrong(format!(
                "it has {} characters of {SUBDOMAIN}",
                text.len()
            )));
        }
        for label in text.split('.') {
            dns_label(label).map_err(wrong)?;
        }
        if !text.contains('.') {
            return Err(wrong("it has no dot".to_owned()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl ApiVersion {
    /// Checks that the version is a DNS label that begins with a letter.
    ///
    /// # Errors
    /// What is wrong with the version.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        dns_name(text).map_err(|why| {
            Problem::new(format!("`{text}` is not an API version: {why}"))
                .mend("use a version such as `v1alpha1`, `v1beta1` or `v1`")
        })?;
        Ok(Self(text.to_owned()))
    }
}

impl Plural {
    /// Checks that the plural is a DNS label that begins with a letter, and that it fits with its group.
    ///
    /// # Errors
    /// What is wrong with the plural.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        dns_name(text).map_err(|why| {
            Problem::new(format!("`{text}` is not a resource name: {why}"))
                .mend("use the kind's plural in lowercase, such as `databases`")
        })?;
        Ok(Self(text.to_owned()))
    }
}

impl ShortName {
    /// Checks that the short name is a DNS label and not one of Kubernetes' own.
    ///
    /// # Errors
    /// What is wrong with the name.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        dns_name(text).map_err(|why| {
            Problem::new(format!("`{text}` is not a short name: {why}"))
                .mend("use a few lowercase letters, such as `db`")
        })?;
        if reserved::SHORT_NAMES.contains(&text) {
            return Err(Problem::new(format!(
                "short name `{text}` belongs to a resource of Kubernetes itself, and kubectl would answer with that one"
            ))
            .mend("choose another short name"));
        }
        Ok(Self(text.to_owned()))
    }
}

/// A DNS-1123 label: what a part of a domain may be.
pub(crate) fn dns_label(text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Err("a part of it is empty".to_owned());
    }
    if text.len() > LABEL {
        return Err(format!("`{text}` has {} characters of {LABEL}", text.len()));
    }
    if let Some(c) = text
        .chars()
        .find(|c| !c.is_ascii_lowercase() && !c.is_ascii_digit() && *c != '-')
    {
        return Err(format!("`{c}` is not a lowercase letter, a digit or `-`"));
    }
    if text.starts_with('-') || text.ends_with('-') {
        return Err("a part of it begins or ends with `-`".to_owned());
    }
    Ok(())
}

/// A DNS-1035 label: as above, and it begins with a letter.
fn dns_name(text: &str) -> Result<(), String> {
    dns_label(text)?;
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return Err("it begins with a digit".to_owned());
    }
    Ok(())
}

/// Whether objects of the kind live in namespaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Scope {
    /// In namespaces.
    #[default]
    Namespaced,
    /// Beside namespaces.
    Cluster,
}

impl Scope {
    /// Reads `namespaced` or `cluster`, in any case.
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        match text.to_ascii_lowercase().as_str() {
            "namespaced" => Ok(Self::Namespaced),
            "cluster" => Ok(Self::Cluster),
            _ => Err(Problem::new(format!("`{text}` is not a scope"))
                .mend("use `namespaced` or `cluster`")),
        }
    }

    /// As a CRD spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Namespaced => "Namespaced",
            Self::Cluster => "Cluster",
        }
    }
}

/// The Kubernetes version whose built-in types the project compiles against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum K8sVersion {
    /// The newest that k8s-openapi has.
    #[default]
    Latest,
    /// A minor version of Kubernetes 1.
    Minor(u8),
}

impl K8sVersion {
    /// The minor versions that k8s-openapi 0.29 has types for.
    pub const MINORS: std::ops::RangeInclusive<u8> = 33..=37;

    /// Reads `1.36`, `v1.36` or `latest`.
    ///
    /// # Errors
    /// If k8s-openapi has no types for it.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        if text == "latest" {
            return Ok(Self::Latest);
        }
        text.trim_start_matches('v')
            .strip_prefix("1.")
            .and_then(|minor| minor.parse().ok())
            .filter(|minor| Self::MINORS.contains(minor))
            .map(Self::Minor)
            .ok_or_else(|| {
                Problem::new(format!(
                    "there are no types for kubernetes version `{text}`"
                ))
                .mend(format!(
                    "use 1.{} to 1.{}, or `latest`; an operator runs against newer servers too",
                    Self::MINORS.start(),
                    Self::MINORS.end()
                ))
            })
    }

    /// The minor version whose types it means.
    pub fn minor(self) -> u8 {
        match self {
            Self::Latest => *Self::MINORS.end(),
            Self::Minor(minor) => minor,
        }
    }

    /// The feature of k8s-openapi.
    pub fn feature(self) -> String {
        match self {
            Self::Latest => "latest".to_owned(),
            Self::Minor(minor) => format!("v1_{minor}"),
        }
    }
}

impl fmt::Display for K8sVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latest => f.write_str("latest"),
            Self::Minor(minor) => write!(f, "1.{minor}"),
        }
    }
}
