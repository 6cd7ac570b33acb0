//! Where the objects of a kind live.

use serde::Serialize;

use crate::error::Problem;

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
