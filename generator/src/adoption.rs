//! Reads a CRD file for `--from-crd` and takes from it what the model needs.

use std::path::PathBuf;

use crate::answers::Answer;
use crate::error::{Problem, Result};
use crate::model::{Adopted, Scope};

/// What a CRD file says, in the model's terms; its names are checked where all names are.
pub(crate) struct Found {
    /// The file.
    pub(crate) path: PathBuf,
    pub(crate) kind: String,
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) plural: String,
    pub(crate) short: Vec<String>,
    pub(crate) scope: Scope,
    pub(crate) adopted: Adopted,
}

impl Found {
    /// Reads the file and makes types of it.
    pub(crate) fn read(file: &Answer<PathBuf>, _version: Option<&Answer<String>>) -> Result<Self> {
        Err(Problem::new("a CRD cannot be adopted yet")
            .at(file.place.clone())
            .input())
    }
}
