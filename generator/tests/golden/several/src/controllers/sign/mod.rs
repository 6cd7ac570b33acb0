//! The life of a `Sign`: its phases and what each does.

mod children;
mod handlers;
pub mod phase;
mod references;

use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{Secret, Service},
};
use opgen_runtime::operator::KindOptions;

pub use phase::SignPhase;

/// What this kind has to do with others: its children and what it refers to. Each has a watch and a cache, and lines in the role.
#[must_use]
pub fn options(kind: KindOptions<SignPhase>) -> KindOptions<SignPhase> {
    kind.owns::<Service>()
        .owns::<Deployment>()
        .watches::<Secret>(references::secret)
}
