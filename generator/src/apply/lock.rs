//! A file that one process at a time may hold; the system lets go of it when that process ends, however it does.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::error::{Failure, Problem, Result};

/// Takes the lock for as long as the file is kept.
///
/// # Errors
/// `taken` if another process holds it, and if the file cannot be made.
pub(crate) fn take(path: &Path, taken: Problem) -> Result<File> {
    let file = File::create(path).map_err(|error| Failure::io("making a file", path, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(taken.environment()),
        Err(TryLockError::Error(error)) => Err(Failure::io("locking a file", path, &error)),
    }
}
