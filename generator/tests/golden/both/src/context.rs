//! What handlers may use. Only bounded clients compile here: an unbounded one can hang a reconcile for ever.

use std::time::Duration;

use opgen_runtime::{external::ClientSettings, prelude::*};

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

    /// A context whose provider lives in memory. It is consistent at once, so nothing has to settle.
    fn simulated() -> Self {
        let settings = ClientSettings {
            settle: Duration::ZERO,
            ..BoundedDatabaseProvider::settings()
        };
        Self {
            provider: BoundedDatabaseProvider::with_settings(
                SimulatedProvider::default(),
                settings,
            ),
        }
    }

    /// The provider at `DATABASE_API_URL`, or the simulated one if it says `simulated`. `DATABASE_API_TOKEN`, if
    /// it is set, is sent as a bearer token.
    ///
    /// # Errors
    /// If the address is missing or no URL.
    pub fn from_env() -> Result<Self> {
        let url = std::env::var("DATABASE_API_URL").map_err(|_| {
            Error::msg("DATABASE_API_URL is not set: give the provider's base URL, or `simulated` to try things out")
        })?;
        if url == "simulated" {
            return Ok(Self::simulated());
        }
        let token = std::env::var("DATABASE_API_TOKEN").ok();
        Ok(Self::new(HttpProvider::new(&url, token)?))
    }
}
