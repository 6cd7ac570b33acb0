//! The version of Kubernetes that a project is compiled against.

use std::fmt;

use crate::error::Problem;

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
