//! What handlers may use. Only bounded clients compile here: an unbounded one can hang a reconcile for ever.

use opgen_runtime::prelude::*;

/// Shared by all handlers: put the configuration they need here, and bounded clients.
#[derive(MachineContext)]
pub struct Context {}

impl Context {
    /// The context of a running operator.
    ///
    /// # Errors
    /// None yet: an environment variable that is missing would be one.
    pub fn from_env() -> Result<Self> {
        Ok(Self {})
    }
}
