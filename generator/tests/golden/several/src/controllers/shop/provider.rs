//! Where instances are made: the trait the handlers see, and what implements it.

mod http;
mod simulated;

use opgen_runtime::{external::CallResult, prelude::*};
use serde::{Deserialize, Serialize};

pub use self::{http::HttpProvider, simulated::SimulatedProvider};
use crate::api::ShopSpec;

/// The provider's name for an instance.
pub type InstanceId = String;

/// An instance as the provider shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// Its name at the provider.
    pub id: InstanceId,
    /// How big it is.
    pub size: i64,
    /// What it is doing.
    pub state: InstanceState,
}

/// What an instance is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InstanceState {
    /// Being built or changed.
    Building,
    /// Usable.
    Running,
    /// Beyond repair, and why.
    Failed(String),
}

impl Instance {
    /// Whether it is what the spec asks for. Compare as the provider normalises, or updates never end.
    #[must_use]
    pub fn matches(&self, spec: &ShopSpec) -> bool {
        self.size == spec.size
    }
}

/// The calls a handler may make. Every one is bounded: time, calls at a time, a breaker. None waits for the work to end.
#[timeout_client(timeout = "5s", bulkhead = 32, settle = "30s")]
pub trait ShopProvider: Send + Sync + 'static {
    /// Starts to build an instance. Idempotent by `key`: a second call with the same key finds the first one's.
    #[call(idempotent, creates)]
    async fn create(&self, key: &IdempotencyKey, spec: &ShopSpec) -> CallResult<InstanceId>;

    /// Looks for the instance of `key`. Only a definite "no" is `Absent`; the wrapper turns failures into `Unknown`.
    #[call(idempotent)]
    async fn observe(&self, key: &IdempotencyKey) -> CallResult<Observed<Instance>>;

    /// Starts to change an instance.
    #[call(idempotent)]
    async fn update(&self, id: &InstanceId, spec: &ShopSpec) -> CallResult<()>;

    /// Starts to remove an instance. One that is gone already is no error.
    #[call(idempotent)]
    async fn destroy(&self, id: &InstanceId) -> CallResult<()>;
}
