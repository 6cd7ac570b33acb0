//! The life of a `Database`: its phases, what each does, and the provider it is made at.

mod children;
mod foreign;
mod handlers;
pub mod phase;
pub mod provider;
mod references;

use k8s_openapi::api::{apps::v1::Deployment, batch::v1::Job, core::v1::Secret};
use opgen_runtime::operator::KindOptions;

use foreign::Certificate;
pub use phase::DatabasePhase;

/// What this kind has to do with others: its children and what it refers to. Each has a watch and a cache, and lines in the role.
#[must_use]
pub fn options(kind: KindOptions<DatabasePhase>) -> KindOptions<DatabasePhase> {
    // The pods of a Job, and most of a Pod, cannot be changed: a changed spec makes them anew.
    kind.owns::<Deployment>()
        .owns_with::<Job>(|of| of.recreate_on_immutable())
        .owns::<Certificate>()
        .watches::<Secret>(references::secret)
}
