//! What went wrong, where, and how to mend it: one type for every stage.
//!
//! A stage that checks several things reports all of them at once, so a [`Failure`] carries a list.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

/// How the process ends. The numbers are documented in `--help` and never change their meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Ok = 0,
    /// The surroundings failed: a disk, a permission, a missing program, a failed build.
    Environment = 1,
    /// The input was wrong: a flag, a name, a file. Nothing was written.
    Input = 2,
    /// `demo` or `dev --once` ran, but the objects did not get where they belong.
    Incomplete = 3,
}

/// A text file that a problem points into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// As the user named it.
    pub path: PathBuf,
    /// The whole content.
    pub text: Arc<str>,
}

/// Where a problem lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A flag, with its dashes, or the name of a positional argument.
    Flag(&'static str),
    /// A file or folder as a whole.
    Path(PathBuf),
    /// A stretch of a text file.
    Text {
        /// The file.
        source: SourceText,
        /// Bytes.
        span: Range<usize>,
        /// The field, as a dotted path, where the format has fields.
        field: Option<String>,
    },
    /// A default, derived from something else that the user can set.
    Derived(&'static str),
}

impl Place {
    /// Line and column, counted from one, of a stretch of text.
    pub fn line_column(&self) -> Option<(usize, usize)> {
        let Place::Text { source, span, .. } = self else {
            return None;
        };
        let before = source.text.get(..span.start)?;
        let line = before.matches('\n').count() + 1;
        let column = before
            .rsplit('\n')
            .next()
            .map_or(0, |rest| rest.chars().count())
            + 1;
        Some((line, column))
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong: lowercase, no full stop.
    pub what: String,
    /// Where, if there is a place.
    pub place: Option<Box<Place>>,
    /// What to do about it.
    pub mend: Option<String>,
}

impl Problem {
    /// A problem without a place and without a mend.
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            place: None,
            mend: None,
        }
    }

    /// The same problem, at a place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(Box::new(place));
        self
    }

    /// The same problem, with the way to mend it.
    #[must_use]
    pub fn mend(mut self, mend: impl Into<String>) -> Self {
        self.mend = Some(mend.into());
        self
    }

    /// This problem alone, as bad input.
    pub fn input(self) -> Failure {
        Failure {
            exit: Exit::Input,
            problems: vec![self],
        }
    }

    /// This problem alone, as a failure of the surroundings.
    pub fn environment(self) -> Failure {
        Failure {
            exit: Exit::Environment,
            problems: vec![self],
        }
    }
}

/// Why a command ended early: at least one problem, and the exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// All of it, in the order found.
    pub problems: Vec<Problem>,
}

impl Failure {
    /// The same failure, its first problem with the way to mend it.
    #[must_use]
    pub fn mend(mut self, mend: impl Into<String>) -> Self {
        if let Some(first) = self.problems.first_mut() {
            first.mend = Some(mend.into());
        }
        self
    }

    /// An input or output error at a path, with the usual mends.
    pub fn io(doing: &str, path: &Path, error: &io::Error) -> Self {
        let problem = Problem::new(format!("{doing} failed: {}", lowercase(&error.to_string())))
            .at(Place::Path(path.to_path_buf()));
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                problem.mend("free some space and run the command again; nothing was changed")
            }
            io::ErrorKind::PermissionDenied => {
                problem.mend("check who owns the folder and whether you may write there")
            }
            io::ErrorKind::NotFound => problem.mend("check the path"),
            io::ErrorKind::ReadOnlyFilesystem => {
                problem.mend("choose a folder that can be written")
            }
            _ => problem,
        }
        .environment()
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            f.write_str(&problem.what)?;
            if let Some(mend) = &problem.mend {
                write!(f, " ({mend})")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// What every stage returns.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// Collects problems, so that one run reports all of them.
#[derive(Debug, Default)]
pub(crate) struct Bag {
    problems: Vec<Problem>,
}

impl Bag {
    /// Adds a problem.
    pub(crate) fn push(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Keeps the value, or the problem and nothing.
    pub(crate) fn take<T>(&mut self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.push(problem)).ok()
    }

    /// Ends the collection: bad input if there was any.
    pub(crate) fn finish(self) -> Result<()> {
        if self.problems.is_empty() {
            Ok(())
        } else {
            Err(Failure {
                exit: Exit::Input,
                problems: self.problems,
            })
        }
    }
}

/// Error texts of the standard library start with a capital letter; ours do not.
fn lowercase(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_and_column_count_from_one() {
        let place = Place::Text {
            source: SourceText {
                path: "opgen.toml".into(),
                text: "a = 1\nb = 2\n".into(),
            },
            span: 10..11,
            field: None,
        };
        assert_eq!(place.line_column(), Some((2, 5)));
    }

    #[test]
    fn a_bag_with_a_problem_is_bad_input() {
        let mut bag = Bag::default();
        assert_eq!(bag.take::<u8>(Err(Problem::new("first"))), None);
        assert_eq!(bag.take(Ok(1)), Some(1));
        bag.push(Problem::new("second"));
        let failure = bag.finish().expect_err("two problems");
        assert_eq!(failure.exit, Exit::Input);
        assert_eq!(failure.problems.len(), 2);
    }
}
