//! What is wrong with a CRD file: where, and how to mend it.

use std::fmt;

/// A file that no operator can be made from. Names the file, the line or field, and the mend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrdError {
    file: String,
    line: Option<usize>,
    field: Option<String>,
    what: String,
    mend: String,
}

impl CrdError {
    pub(super) fn new(file: &str, what: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line: None,
            field: None,
            what: what.into(),
            mend: mend.into(),
        }
    }

    pub(super) fn at_line(mut self, line: Option<usize>) -> Self {
        self.line = line;
        self
    }

    pub(super) fn at_field(mut self, pointer: impl Into<String>) -> Self {
        self.field = Some(pointer.into());
        self
    }

    /// The line, from 1, where that is known.
    #[must_use]
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// The field as a JSON pointer into the document, where one field is to blame.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// What to do about it.
    #[must_use]
    pub fn mend(&self) -> &str {
        &self.mend
    }
}

impl fmt::Display for CrdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.what)?;
        if let Some(field) = &self.field {
            write!(f, " (at {field})")?;
        }
        write!(f, "; {}", self.mend)
    }
}

impl std::error::Error for CrdError {}
