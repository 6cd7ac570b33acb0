//! What handlers may use. Only bounded clients compile here: an unbounded one can hang a reconcile for ever.

use opgen_runtime::prelude::*;

use crate::controllers::database::provider::{
    BoundedDatabaseProvider, DatabaseProvider, HttpProvider, SimulatedProvider,
};

/// Shared by all handlers; `cx.provider()` reaches the provider.
#[derive(MachineContext)]
pub struct Context {
    provider: BoundedDatabaseProvider,
}

impl Context {
    /// A context with the given provider.
    pub fn new(provider: impl DatabaseProvider) -> Self {
        Self {
            provider: BoundedDatabaseProvider::new(provider),
        }
    }

    /// The provider at `DATABASE_API_URL`, or the simulated one if it says `simulated`.
    ///
    /// # Errors
    /// If the variable is missing or no URL.
    pub fn from_env() -> Result<Self> {
        let url = std::env::var("DATABASE_API_URL").map_err(|_| {
            Error::msg("DATABASE_API_URL is not set: give the provider's base URL, or `simulated` to try things out")
        })?;
        if url == "simulated" {
            return Ok(Self::new(SimulatedProvider::default()));
        }
        Ok(Self::new(HttpProvider::new(&url)?))
    }
}
