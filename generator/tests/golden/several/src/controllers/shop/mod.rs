//! The life of a `Shop`: its phases, what each does, and the provider it is made at.

mod children;
mod handlers;
pub mod phase;
pub mod provider;

use k8s_openapi::api::core::v1::ConfigMap;
use opgen_runtime::operator::KindOptions;

pub use phase::ShopPhase;

/// What this kind has to do with others: its children. Each has a watch and a cache, and lines in the role.
#[must_use]
pub fn options(kind: KindOptions<ShopPhase>) -> KindOptions<ShopPhase> {
    kind.owns::<ConfigMap>()
}
