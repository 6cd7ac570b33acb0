//! The pieces on their own, for an operator written by hand on kube's own `Controller`: take one, and keep the rest.
//!
//! | piece | what it closes |
//! |---|---|
//! | [`#[timeout_client]`](crate::timeout_client), [`CallScope`](crate::external::CallScope) | calls without a timeout, a limit or a breaker |
//! | [`StatusPatcher`](crate::status::StatusPatcher): `json`, `merge`, `apply` | status writes that change nothing, or somebody else's object |
//! | [`worth_a_run`] | reconciles woken by one's own status writes |
//! | [`Backoffs`] | flat retries: one backoff per object, exponential with full jitter |
//! | [`Candidacy`](crate::lease::Candidacy) | two processes at work at the same time |
//! | [`Health`], [`probes::serve`](crate::probes::serve) | health that a blocked reconcile answers for |
//! | [`Clients`](crate::clients::Clients) | Kubernetes requests that never end |
//!
//! `examples/hand-written-operator` uses all of them, and has its tests.

mod backoffs;
mod health;
mod predicate;

pub use backoffs::Backoffs;
pub use health::Health;
pub use predicate::worth_a_run;
