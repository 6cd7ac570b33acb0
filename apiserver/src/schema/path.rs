//! Where a value stands: a chain on the stack, written out only for what is wrong there.

use std::fmt;

/// A place below the value that a walk began with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Path<'a> {
    /// Where the walk began.
    Root,
    /// `.name`.
    Field(&'a Path<'a>, &'a str),
    /// `[name]`: a key of a map.
    Key(&'a Path<'a>, &'a str),
    /// `[0]`.
    Index(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn is_empty(&self) -> bool {
        match self {
            Self::Root => true,
            Self::Field(parent, name) => name.is_empty() && parent.is_empty(),
            Self::Key(..) | Self::Index(..) => false,
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(parent, name) if parent.is_empty() => f.write_str(name),
            Self::Field(parent, name) => write!(f, "{parent}.{name}"),
            Self::Key(parent, name) => write!(f, "{parent}[{name}]"),
            Self::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

impl From<&Path<'_>> for String {
    fn from(path: &Path<'_>) -> Self {
        path.to_string()
    }
}
