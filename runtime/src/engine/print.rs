//! What a run saw, in two numbers: everything worth another run, and what of that may cut a backoff.

use crate::engine::owned_bell::Change;

/// Prints of several objects add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Print {
    /// Changes with all that matters.
    pub(crate) all: u64,
    /// The same without the status of dependencies: what somebody decided.
    pub(crate) decided: u64,
}

impl Print {
    /// One number for both.
    pub(crate) const fn of(number: u64) -> Self {
        Self {
            all: number,
            decided: number,
        }
    }

    /// What is different about a dependency of which this was known.
    pub(crate) const fn change_to(self, new: Self) -> Change {
        if self.decided != new.decided {
            Change::Content
        } else if self.all != new.all {
            Change::Status
        } else {
            Change::None
        }
    }

    #[must_use]
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self {
            all: self.all.wrapping_add(other.all),
            decided: self.decided.wrapping_add(other.decided),
        }
    }
}

impl std::iter::Sum for Print {
    fn sum<I: Iterator<Item = Self>>(prints: I) -> Self {
        prints.fold(Self::default(), Self::plus)
    }
}
