//! Names, each checked where it enters.

mod api;
mod crate_name;
mod kind;

use std::fmt;

use serde::Serialize;

pub(crate) use crate_name::stem;
pub(crate) use kind::pluralised;

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
