//! What handlers may use. Only bounded clients compile here: an unbounded one can hang a reconcile for ever.

use std::time::Duration;

use opgen_runtime::{external::ClientSettings, prelude::*};

use crate::controllers::database::provider::{
    BoundedDatabaseProvider, DatabaseProvider, SimulatedProvider,
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

    /// The context of a running operator. So far it talks to the simulated provider: implement
    /// [`DatabaseProvider`] for your client and hand it to [`Context::new`] here.
    ///
    /// # Errors
    /// If `DATABASE_PROVIDER` names a provider that does not exist.
    pub fn from_env() -> Result<Self> {
        match std::env::var("DATABASE_PROVIDER").as_deref() {
            Err(_) | Ok("simulated") => Ok(Self::simulated()),
            Ok(other) => Err(Error::msg(format!(
                "DATABASE_PROVIDER says {other:?}, but only `simulated` is implemented: add yours to `Context::from_env`"
            ))),
        }
    }
}
