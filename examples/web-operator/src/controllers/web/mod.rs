//! The life of a `Web`: its phases and what each does.

mod children;
mod handlers;
pub mod phase;

use k8s_openapi::api::{apps::v1::Deployment, core::v1::Service};
use opgen_runtime::operator::KindOptions;

pub use phase::WebPhase;

/// What this kind has to do with others: its children. Each has a watch and a cache, and lines in the role.
#[must_use]
pub fn options(kind: KindOptions<WebPhase>) -> KindOptions<WebPhase> {
    kind.owns::<Service>().owns::<Deployment>()
}
