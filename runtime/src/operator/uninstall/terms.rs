//! What is agreed before, and what is said of objects that stay.

use std::{fmt, time::Duration};

use crate::operator::OperatorError;

/// How many objects that are left a message names.
const NAMED: usize = 10;

/// What becomes of the things that the objects made outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutsidePolicy {
    /// They are cleaned up, as when somebody deletes the object.
    #[default]
    Delete,
    /// They stay: the annotation `opgen.dev/deletion-policy: retain` is set first.
    Retain,
}

/// How to uninstall.
pub struct UninstallOptions {
    /// What becomes of the outside.
    pub outside: OutsidePolicy,
    /// How long it may take (default 10 min).
    pub patience: Duration,
    /// Told of every look: how many objects are gone, and how many are left.
    pub progress: Box<dyn FnMut(usize, usize) + Send>,
}

impl Default for UninstallOptions {
    fn default() -> Self {
        Self {
            outside: OutsidePolicy::default(),
            patience: Duration::from_secs(600),
            progress: Box::new(|_, _| {}),
        }
    }
}

impl fmt::Debug for UninstallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UninstallOptions")
            .field("outside", &self.outside)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}

/// Why objects are left. The operator must stay until this is mended.
#[derive(Debug, thiserror::Error)]
pub enum UninstallError {
    /// The account may not do it.
    #[error(
        "{0}: run it as an administrator, or apply what `manifests --uninstall` prints; the operator must stay until its objects are gone"
    )]
    Forbidden(String),
    /// Time is up.
    #[error("{}", left(.0))]
    Left(Vec<LeftObject>),
    /// It was told to end before it was done.
    #[error(
        "it was told to end before all objects were gone: run it again; the operator must stay until then"
    )]
    Interrupted,
    /// The operator, which does the cleaning up, ended by itself.
    #[error(transparent)]
    Operator(#[from] OperatorError),
}

/// One object that is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftObject {
    /// `Kind namespace/name`.
    pub name: String,
    /// What its conditions say, or the server if it refuses to delete it.
    pub why: String,
}

impl fmt::Display for LeftObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if !self.why.is_empty() {
            write!(f, " ({})", self.why)?;
        }
        Ok(())
    }
}

fn left(objects: &[LeftObject]) -> String {
    let named: Vec<_> = objects
        .iter()
        .take(NAMED)
        .map(ToString::to_string)
        .collect();
    let more = match objects.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "{} objects are left: {}{more}: mend what their conditions say, or let go of what they made by the annotation opgen.dev/orphan-external: \"true\", and run it again; the operator must stay until then",
        objects.len(),
        named.join(", ")
    )
}
