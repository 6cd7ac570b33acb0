//! What handlers may use. Only bounded clients compile here: an unbounded one can hang a reconcile for ever.

use std::time::Duration;

use opgen_runtime::{external::ClientSettings, prelude::*};

use crate::controllers::{
    shop::provider::{self as shop, BoundedShopProvider, ShopProvider},
    till::provider::{self as till, BoundedTillProvider, TillProvider},
};

/// Shared by all handlers; each client is reached through `cx`, by the name of its field.
#[derive(MachineContext)]
pub struct Context {
    shop_provider: BoundedShopProvider,
    till_provider: BoundedTillProvider,
}

impl Context {
    /// A context with the given providers.
    pub fn new(shop_provider: impl ShopProvider, till_provider: impl TillProvider) -> Self {
        Self {
            shop_provider: BoundedShopProvider::new(shop_provider),
            till_provider: BoundedTillProvider::new(till_provider),
        }
    }

    /// The context of a running operator: each kind's provider as its environment says.
    ///
    /// # Errors
    /// If a variable is missing or cannot be used.
    pub fn from_env() -> Result<Self> {
        Ok(Self {
            shop_provider: shop_provider()?,
            till_provider: till_provider()?,
        })
    }
}

/// The provider at `SHOP_API_URL`, or the simulated one if it says `simulated`. `SHOP_API_TOKEN`, if
/// it is set, is sent as a bearer token.
fn shop_provider() -> Result<BoundedShopProvider> {
    let url = std::env::var("SHOP_API_URL").map_err(|_| {
        Error::msg("SHOP_API_URL is not set: give the provider's base URL, or `simulated` to try things out")
    })?;
    if url == "simulated" {
        return Ok(simulated_shop_provider());
    }
    let token = std::env::var("SHOP_API_TOKEN").ok();
    Ok(BoundedShopProvider::new(shop::HttpProvider::new(
        &url, token,
    )?))
}

/// A provider in memory. It is consistent at once, so nothing has to settle.
fn simulated_shop_provider() -> BoundedShopProvider {
    let settings = ClientSettings {
        settle: Duration::ZERO,
        ..BoundedShopProvider::settings()
    };
    BoundedShopProvider::with_settings(shop::SimulatedProvider::default(), settings)
}

/// So far the simulated provider: implement [`TillProvider`] for your client, and return it here.
fn till_provider() -> Result<BoundedTillProvider> {
    match std::env::var("TILL_PROVIDER").as_deref() {
        Err(_) | Ok("simulated") => Ok(simulated_till_provider()),
        Ok(other) => Err(Error::msg(format!(
            "TILL_PROVIDER says {other:?}, but only `simulated` is implemented"
        ))),
    }
}

/// A provider in memory. It is consistent at once, so nothing has to settle.
fn simulated_till_provider() -> BoundedTillProvider {
    let settings = ClientSettings {
        settle: Duration::ZERO,
        ..BoundedTillProvider::settings()
    };
    BoundedTillProvider::with_settings(till::SimulatedProvider::default(), settings)
}
