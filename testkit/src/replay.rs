//! Replay strings: what was done to an operator, short enough to be pasted into a test.

use std::{fmt, str::FromStr};

use crate::trouble::Trouble;

/// Which side of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The request was sent; nothing is committed.
    Before,
    /// It is committed; the operator never hears of it.
    After,
}

/// Where the operator dies: `3b` is before its third write, `3a` after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrashPoint {
    /// The n-th write of the process, from 1.
    pub write: usize,
    /// Before or after it.
    pub when: When,
}

/// What a run can be repeated from.
///
/// ```
/// use opgen_testkit::{Replay, When};
/// let replay: Replay = "12b,3a".parse().unwrap();
/// let Replay::Crashes(points) = &replay else { panic!() };
/// assert_eq!((points[0].write, points[1].when), (12, When::After));
/// assert_eq!(replay.to_string(), "12b,3a");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Replay {
    /// The first process dies at the first point, the second at the second; the last one lives.
    Crashes(Vec<CrashPoint>),
    /// One process, and trouble around it.
    Trouble(Trouble),
}

impl fmt::Display for CrashPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let when = match self.when {
            When::Before => 'b',
            When::After => 'a',
        };
        write!(f, "{}{when}", self.write)
    }
}

impl FromStr for CrashPoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (write, when) = text.split_at_checked(text.len().checked_sub(1)?)?;
            let when = match when {
                "b" => When::Before,
                "a" => When::After,
                _ => return None,
            };
            let write = write.parse().ok().filter(|write| *write > 0)?;
            Some(Self { write, when })
        };
        parse().ok_or_else(|| {
            format!(
                "{text:?} is no crash point: write 3b for before the third write, 3a for after it"
            )
        })
    }
}

impl fmt::Display for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crashes(points) => {
                let points: Vec<_> = points.iter().map(ToString::to_string).collect();
                f.write_str(&points.join(","))
            }
            Self::Trouble(trouble) => trouble.fmt(f),
        }
    }
}

impl FromStr for Replay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.starts_with(|first: char| first.is_ascii_digit()) {
            let points = text.split(',').map(|point| point.trim().parse());
            return points.collect::<Result<_, _>>().map(Self::Crashes);
        }
        text.parse().map(Self::Trouble)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn crash_points_come_back() {
        for text in ["1b", "12b,3a", "1a,1a,1a"] {
            let replay: Replay = text.parse().unwrap();
            assert_eq!(replay.to_string(), text);
        }
        for wrong in ["", "0b", "3", "3c", "b", "3b;4a", "3b,", "é"] {
            assert!(wrong.parse::<Replay>().is_err(), "{wrong}");
        }
    }
}
